# specs/cupti/metrics.yaml as constant data. The kernel layer has it, and so has the plug-in, which links nothing of ours
# and compiles the same sources: ROOFLINE_METRIC_SOURCES, after the target roofline_metric_tables.
add_executable(roofline_embed_metrics
  metrics/embed_metrics.cpp metrics/metrics_file.cpp metrics/metric_tables_source.cpp)
target_include_directories(roofline_embed_metrics PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(roofline_embed_metrics PRIVATE roofline_base fmt::fmt roofline_warnings)

set(metric_specs ${PROJECT_SOURCE_DIR}/specs/cupti/metrics.yaml)
set(metric_tables ${CMAKE_CURRENT_BINARY_DIR}/metric_tables.cpp)
add_custom_command(OUTPUT ${metric_tables}
  COMMAND roofline_embed_metrics ${metric_specs} ${metric_tables}
  DEPENDS roofline_embed_metrics ${metric_specs}
  COMMENT "Reading and checking specs/cupti/metrics.yaml"
  VERBATIM)
add_custom_target(roofline_metric_tables DEPENDS ${metric_tables})
set(roofline_metric_sources
  ${CMAKE_CURRENT_SOURCE_DIR}/metrics/metric_sets.cpp ${CMAKE_CURRENT_SOURCE_DIR}/metrics/metric_choice.cpp
  ${metric_tables})
set_property(GLOBAL PROPERTY ROOFLINE_METRIC_SOURCES ${roofline_metric_sources})
