# ROOFLINE_CUPTI decides whether the profiler plug-in is built; everything else builds without CUDA.
if(ROOFLINE_CUPTI STREQUAL "OFF")
  set(ROOFLINE_HAS_CUPTI FALSE)
else()
  find_path(ROOFLINE_CUPTI_INCLUDE cupti.h
    HINTS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda /opt/cuda
    PATH_SUFFIXES extras/CUPTI/include targets/x86_64-linux/include include)
  if(ROOFLINE_CUPTI_INCLUDE)
    set(ROOFLINE_HAS_CUPTI TRUE)
    message(STATUS "roofline: CUPTI headers in ${ROOFLINE_CUPTI_INCLUDE}")
  elseif(ROOFLINE_CUPTI STREQUAL "ON")
    message(FATAL_ERROR "ROOFLINE_CUPTI=ON, but cupti.h was not found: install the CUDA toolkit, or set CUDA_PATH, or use -DROOFLINE_CUPTI=OFF")
  else()
    set(ROOFLINE_HAS_CUPTI FALSE)
    message(STATUS "roofline: no CUPTI headers; building without the profiler plug-in")
  endif()
endif()
