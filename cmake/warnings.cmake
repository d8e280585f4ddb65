# Warnings for our own targets only: linked PRIVATE and never exported, so that users do not inherit them.
add_library(roofline_warnings INTERFACE)
target_compile_options(roofline_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Wduplicated-cond -Wduplicated-branches -Wno-pedantic -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(roofline_warnings INTERFACE -Wno-unknown-warning-option)
endif()
# GCC takes what the sanitizers insert for uses of what is not set (its manual, -fsanitize).
if(ROOFLINE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(roofline_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
if(ROOFLINE_WERROR)
  target_compile_options(roofline_warnings INTERFACE -Werror)
endif()
