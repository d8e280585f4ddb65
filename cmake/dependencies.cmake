# What the system has is used; what it lacks is fetched by address and hash. Versions are those of Debian 12.
include(FetchContent)
set(FETCHCONTENT_QUIET ON)

function(roofline_fetch name url hash)
  message(STATUS "roofline: ${name} is not installed, fetching ${url}")
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${hash} DOWNLOAD_EXTRACT_TIMESTAMP TRUE)
  FetchContent_MakeAvailable(${name})
endfunction()

find_package(tl-expected 1.0 QUIET)
if(NOT TARGET tl::expected)
  set(EXPECTED_BUILD_TESTS OFF CACHE BOOL "" FORCE)
  set(EXPECTED_BUILD_PACKAGE OFF CACHE BOOL "" FORCE)
  roofline_fetch(tl_expected https://github.com/TartanLlama/expected/archive/refs/tags/v1.0.0.tar.gz
    8f5124085a124113e75e3890b4e923e3a4de5b26a973b891b3deb40e19c03cee)
  if(NOT TARGET tl::expected)
    add_library(tl::expected ALIAS expected)
  endif()
endif()

# Debian has no archive of fmt: a portable binary then takes its headers, which hold all of it.
if(ROOFLINE_PORTABLE)
  find_library(ROOFLINE_STATIC_fmt libfmt.a)
  find_path(ROOFLINE_FMT_HEADERS fmt/format.h)
  if(NOT ROOFLINE_STATIC_fmt AND ROOFLINE_FMT_HEADERS)
    add_library(fmt::fmt INTERFACE IMPORTED)
    set_target_properties(fmt::fmt PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${ROOFLINE_FMT_HEADERS}
      INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
  endif()
endif()
if(NOT TARGET fmt::fmt)
  find_package(fmt 9 QUIET)
endif()
if(NOT TARGET fmt::fmt)
  roofline_fetch(fmt https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz
    5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)
endif()

find_package(yaml-cpp 0.7 QUIET)
if(NOT TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
  set(YAML_CPP_BUILD_TESTS OFF CACHE BOOL "" FORCE)
  set(YAML_CPP_BUILD_TOOLS OFF CACHE BOOL "" FORCE)
  set(YAML_BUILD_SHARED_LIBS OFF CACHE BOOL "" FORCE)
  roofline_fetch(yaml-cpp https://github.com/jbeder/yaml-cpp/archive/refs/tags/yaml-cpp-0.7.0.tar.gz
    43e6a9fcb146ad871515f0d0873947e5d497a1c9c60c58cb102a97b47208b7c3)
endif()
# 0.8 renamed the target; one name of ours stands for both.
add_library(roofline_yaml_cpp INTERFACE)
add_library(roofline::yaml_cpp ALIAS roofline_yaml_cpp)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(roofline_yaml_cpp INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(roofline_yaml_cpp INTERFACE yaml-cpp)
endif()

find_package(nlohmann_json 3.10 QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  set(JSON_BuildTests OFF CACHE INTERNAL "")
  roofline_fetch(nlohmann_json https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
    d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
endif()

find_package(CLI11 2.1 QUIET)
if(NOT TARGET CLI11::CLI11)
  roofline_fetch(CLI11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
    26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb)
endif()

# Packed files are unpacked on a second thread.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_package(ZLIB 1.2 QUIET)
if(NOT TARGET ZLIB::ZLIB)
  set(SKIP_INSTALL_ALL ON)
  roofline_fetch(zlib https://github.com/madler/zlib/archive/refs/tags/v1.2.13.tar.gz
    1525952a0a567581792613a9723333d7f8cc20b87a81f920fb8bc7e3f2251428)
  unset(SKIP_INSTALL_ALL)
  # Its own CMake file gives its headers, one of them made in the build folder, to nobody.
  add_library(roofline_zlib INTERFACE)
  target_include_directories(roofline_zlib SYSTEM INTERFACE ${zlib_SOURCE_DIR} ${zlib_BINARY_DIR})
  target_link_libraries(roofline_zlib INTERFACE zlibstatic)
  add_library(ZLIB::ZLIB ALIAS roofline_zlib)
endif()

# Device code that nvcc compressed for size needs zstd, as .zst files do; without it such parts and files are named and
# left out.
find_package(zstd 1.4 QUIET)
set(ROOFLINE_ZSTD_TARGET "")
foreach(candidate zstd::libzstd_shared zstd::libzstd_static)
  if(TARGET ${candidate} AND (NOT ROOFLINE_ZSTD_TARGET OR ROOFLINE_PORTABLE OR CMAKE_BUILD_TYPE STREQUAL "Release"))
    set(ROOFLINE_ZSTD_TARGET ${candidate})
  endif()
endforeach()

# Nsight Systems writes SQLite. Without it its text tables are read, and databases named for what they are.
find_package(SQLite3 3.38 QUIET)

if(ROOFLINE_TESTS)
  find_package(GTest 1.11 QUIET)
  if(NOT TARGET GTest::gtest_main)
    set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
    roofline_fetch(googletest https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
      81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2)
  endif()
endif()

# Points an imported target at its static archive. Where there is none: an error if `required`, else the shared library
# stays. A target that was built here is static already.
function(roofline_take_archive imported library required)
  if(NOT TARGET ${imported})
    return()
  endif()
  get_target_property(is_imported ${imported} IMPORTED)
  get_target_property(type ${imported} TYPE)
  if(NOT is_imported OR type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  find_library(ROOFLINE_STATIC_${library} lib${library}.a)
  if(NOT ROOFLINE_STATIC_${library})
    if(required)
      message(FATAL_ERROR "ROOFLINE_PORTABLE=ON, but lib${library}.a was not found")
    endif()
    return()
  endif()
  foreach(config IN ITEMS NONE RELEASE DEBUG RELWITHDEBINFO MINSIZEREL)
    set_target_properties(${imported} PROPERTIES IMPORTED_LOCATION_${config} ${ROOFLINE_STATIC_${library}})
  endforeach()
  set_target_properties(${imported} PROPERTIES IMPORTED_LOCATION ${ROOFLINE_STATIC_${library}})
endfunction()

# What only readers of packed files and databases need is inside of an optimised program where it can be: three shared
# libraries less to load are a tenth of the time to the first verdict (bench/startup.py).
if(ROOFLINE_PORTABLE OR CMAKE_BUILD_TYPE STREQUAL "Release")
  roofline_take_archive(ZLIB::ZLIB z ${ROOFLINE_PORTABLE})
  roofline_take_archive(SQLite::SQLite3 sqlite3 ${ROOFLINE_PORTABLE})
  if(ROOFLINE_STATIC_sqlite3)
    set_target_properties(SQLite::SQLite3 PROPERTIES INTERFACE_LINK_LIBRARIES "m;${CMAKE_DL_LIBS}")
  endif()
endif()
# A portable binary takes the static archives of the other packages too and carries the C++ runtime.
if(ROOFLINE_PORTABLE)
  add_link_options(-static-libstdc++ -static-libgcc)
  roofline_take_archive(fmt::fmt fmt ON)
  roofline_take_archive(yaml-cpp yaml-cpp ON)
  roofline_take_archive(yaml-cpp::yaml-cpp yaml-cpp ON)
endif()
