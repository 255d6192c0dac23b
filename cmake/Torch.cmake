# libtorch as a plain C++ library: the wheel's own find_package wants the whole CUDA toolkit.
if(NOT KVANTAGE_TORCH_DIR)
  if(DEFINED ENV{KVANTAGE_CACHE})
    set(cache_root $ENV{KVANTAGE_CACHE})
  elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(cache_root $ENV{XDG_CACHE_HOME}/kvantage)
  else()
    set(cache_root $ENV{HOME}/.cache/kvantage)
  endif()
  set(KVANTAGE_TORCH_DIR ${cache_root}/libtorch-2.11.0)
endif()
if(NOT EXISTS ${KVANTAGE_TORCH_DIR}/torch/lib/libtorch_cpu.so)
  message(FATAL_ERROR "libtorch not found in ${KVANTAGE_TORCH_DIR}: "
    "run cmake/fetch_libtorch.sh DIR and pass -DKVANTAGE_TORCH_DIR=DIR")
endif()

add_library(kvantage_c10 SHARED IMPORTED)
set_target_properties(kvantage_c10 PROPERTIES IMPORTED_LOCATION ${KVANTAGE_TORCH_DIR}/torch/lib/libc10.so)
add_library(kvantage_torch_cpu SHARED IMPORTED)
set_target_properties(kvantage_torch_cpu PROPERTIES IMPORTED_LOCATION ${KVANTAGE_TORCH_DIR}/torch/lib/libtorch_cpu.so)

add_library(kvantage_torch INTERFACE)
target_include_directories(kvantage_torch SYSTEM INTERFACE
  ${KVANTAGE_TORCH_DIR}/torch/include ${KVANTAGE_TORCH_DIR}/torch/include/torch/csrc/api/include)
target_link_libraries(kvantage_torch INTERFACE kvantage_torch_cpu kvantage_c10
  ${KVANTAGE_TORCH_DIR}/torch/lib/libgomp.so.1)
add_library(kvantage::torch ALIAS kvantage_torch)
kvantage_headers(kvantage_headers_torch <ATen/ATen.h> ${kvantage_common_headers})
target_link_libraries(kvantage_headers_torch PRIVATE kvantage::torch)
target_compile_options(kvantage_headers_torch PRIVATE -fopenmp)
set(CMAKE_BUILD_RPATH ${KVANTAGE_TORCH_DIR}/torch/lib ${KVANTAGE_TORCH_DIR}/nvidia/cu13/lib)
