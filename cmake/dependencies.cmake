# What the system has is used; what it lacks is fetched by address and hash. Versions are those of Debian 12.
include(FetchContent)

function(roofline_fetch name url hash)
  message(STATUS "roofline: ${name} is not installed, fetching ${url}")
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${hash})
  FetchContent_MakeAvailable(${name})
endfunction()

find_package(tl-expected QUIET)
find_package(fmt 9 QUIET)
find_package(yaml-cpp 0.7 QUIET)
find_package(CLI11 2.1 QUIET)
find_package(nlohmann_json 3.10 QUIET)

add_library(roofline_yaml_cpp INTERFACE)
add_library(roofline::yaml_cpp ALIAS roofline_yaml_cpp)
target_link_libraries(roofline_yaml_cpp INTERFACE yaml-cpp)

if(ROOFLINE_TESTS)
  find_package(GTest QUIET)
endif()
