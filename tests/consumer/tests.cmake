# Included by tests/CMakeLists.txt: the folder's own CMakeLists.txt is the consumer's. With the flags of this build, the
# objects of the second test come from the compiler's cache where there is one.
set(options "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}" "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
  "-DCMAKE_CXX_FLAGS_DEBUG=${CMAKE_CXX_FLAGS_DEBUG}" "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
  "-DROOFLINE_WERROR=${ROOFLINE_WERROR}" "-DROOFLINE_SANITIZE=${ROOFLINE_SANITIZE}")
foreach(how find_package add_subdirectory)
  add_test(NAME consumer.${how} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.sh ${how} ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR} ${options})
  set_tests_properties(consumer.${how} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1500)
endforeach()
