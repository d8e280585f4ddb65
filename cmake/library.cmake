# The library that other programs link: the layers below the command line in one archive.
add_library(roofline_core STATIC)
add_library(roofline::core ALIAS roofline_core)
set_target_properties(roofline_core PROPERTIES OUTPUT_NAME roofline EXPORT_NAME core)
set(roofline_layers "")
foreach(layer base quantities machine kernel analysis ingest profile report)
  if(TARGET roofline_${layer})
    list(APPEND roofline_layers ${layer})
    target_sources(roofline_core PRIVATE $<TARGET_OBJECTS:roofline_${layer}>)
  endif()
endforeach()
set(roofline_yaml_target yaml-cpp)
if(TARGET yaml-cpp::yaml-cpp)
  set(roofline_yaml_target yaml-cpp::yaml-cpp)
endif()
target_compile_features(roofline_core PUBLIC cxx_std_20)
target_include_directories(roofline_core PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# What the layers link, the archive links; the right column is the package that brings the target.
set(roofline_packages
  tl::expected tl-expected
  fmt::fmt fmt
  yaml-cpp yaml-cpp
  yaml-cpp::yaml-cpp yaml-cpp
  ZLIB::ZLIB ZLIB
  Threads::Threads Threads
  zstd::libzstd_shared zstd
  zstd::libzstd_static zstd
  SQLite::SQLite3 SQLite3)
set(roofline_links "")
foreach(layer IN LISTS roofline_layers)
  get_target_property(links roofline_${layer} LINK_LIBRARIES)
  list(TRANSFORM links REPLACE "^roofline::yaml_cpp$" ${roofline_yaml_target})
  list(FILTER links EXCLUDE REGEX "^roofline|nlohmann_json|^\\$")  # ours are inside; JSON is headers only
  list(APPEND roofline_links ${links})
endforeach()
list(REMOVE_DUPLICATES roofline_links)
list(REMOVE_ITEM roofline_links tl::expected)
target_link_libraries(roofline_core PUBLIC tl::expected PRIVATE ${roofline_links})

option(ROOFLINE_INSTALL "rules to install the program and the library" ${PROJECT_IS_TOP_LEVEL})
if(NOT ROOFLINE_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
install(TARGETS roofline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(ROOFLINE_MAN_PAGES)
  foreach(page IN LISTS ROOFLINE_MAN_PAGES)
    string(REGEX MATCH "[0-9]$" section ${page})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
endif()

# An installed library names its dependencies. What was fetched for this build alone is installed nowhere, so then only
# the program is: it carries what it needs.
set(roofline_fetched "")
set(roofline_dependencies "")
foreach(link tl::expected ${roofline_links})
  get_target_property(target ${link} ALIASED_TARGET)
  if(NOT target)
    set(target ${link})
  endif()
  get_target_property(is_imported ${target} IMPORTED)
  if(NOT is_imported)
    list(APPEND roofline_fetched ${link})
  endif()
  list(FIND roofline_packages ${link} at)
  if(at EQUAL -1)
    message(FATAL_ERROR "cmake/library.cmake does not know which package brings ${link}")
  endif()
  math(EXPR at "${at} + 1")
  list(GET roofline_packages ${at} package)
  string(APPEND roofline_dependencies "find_dependency(${package})\n")
endforeach()
if(roofline_fetched)
  message(STATUS "roofline: ${roofline_fetched} fetched for this build: the program is installed, the library is not")
  return()
endif()

set(roofline_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/roofline)
install(TARGETS roofline_core EXPORT roofline-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/roofline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT roofline-targets NAMESPACE roofline:: DESTINATION ${roofline_cmake_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/roofline-config.cmake.in
  ${PROJECT_BINARY_DIR}/roofline-config.cmake INSTALL_DESTINATION ${roofline_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/roofline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/roofline-config.cmake ${PROJECT_BINARY_DIR}/roofline-config-version.cmake
  DESTINATION ${roofline_cmake_dir})
