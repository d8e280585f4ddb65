# specs/ -> one generated .cpp, so that the program runs without an install prefix. The host program roofline_embed
# reads every file with the readers of the program: a wrong figure fails the build with its place.
function(roofline_embed_specs source_variable)
  cmake_parse_arguments(ARG "" "" "READERS;SOURCES" ${ARGN})
  add_executable(roofline_embed ${ARG_SOURCES} ${ARG_READERS})
  target_include_directories(roofline_embed PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(roofline_embed PRIVATE roofline_base roofline_quantities fmt::fmt roofline_warnings)

  set(specs ${PROJECT_SOURCE_DIR}/specs)
  file(GLOB spec_files CONFIGURE_DEPENDS
    ${specs}/*.yaml ${specs}/gpus/*.yaml ${specs}/architectures/*.yaml ${specs}/schemas/*.json)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_tables.cpp)
  add_custom_command(OUTPUT ${generated}
    COMMAND roofline_embed ${specs} ${generated}
    DEPENDS roofline_embed ${spec_files}
    COMMENT "Reading and checking specs/"
    VERBATIM)
  set(${source_variable} ${generated} PARENT_SCOPE)
endfunction()
