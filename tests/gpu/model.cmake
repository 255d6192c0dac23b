# A test of the model on a device, tests/gpu/model/model_NAME_gpu_test.cpp, becomes two programs:
# gpu_model_NAME_emulated (the processor and emulated kernels) and gpu_model_NAME_cuda (out of the module; skipped
# without a GPU). Both need core and gpu alone.
function(kvantage_gpu_model_program program source kind)
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${program} PRIVATE KVANTAGE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_options(${program} PRIVATE -Wl,--as-needed)
  if(kind STREQUAL "cuda")
    target_link_libraries(${program} PRIVATE kv_gpu_model_loader kv_gpu_kernels kv_runtime kvantage_warnings)
    target_compile_definitions(${program} PRIVATE KVANTAGE_TEST_CUDA)
    add_dependencies(${program} kvantage_gpu_model)
  else()
    target_link_libraries(${program} PRIVATE kv_gpu_model_emulated kv_gpu_model_loader kvantage_warnings)
  endif()
endfunction()

file(GLOB kv_gpu_model_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/gpu/model/model_*_gpu_test.cpp)
foreach(source IN LISTS kv_gpu_model_tests)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_gpu_test$" "" name ${name})
  foreach(kind emulated cuda)
    if(kind STREQUAL "cuda" AND NOT TARGET kvantage_gpu_model)
      continue()
    endif()
    kvantage_gpu_model_program(gpu_${name}_${kind} ${source} ${kind})
    add_test(NAME gpu_${name}_${kind} COMMAND gpu_${name}_${kind} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(gpu_${name}_${kind} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900
      ENVIRONMENT "OMP_WAIT_POLICY=passive")
  endforeach()
endforeach()

# The module is loaded as where libtorch's CUDA half is, with an empty library in its place: what it leaves open must
# not be wanted before it is called.
if(TARGET kvantage_gpu_model)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/tests/no_torch_cuda/empty.cpp CONTENT "")
  add_library(test_no_torch_cuda SHARED ${CMAKE_BINARY_DIR}/tests/no_torch_cuda/empty.cpp)
  set_target_properties(test_no_torch_cuda PROPERTIES OUTPUT_NAME torch_cuda
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/no_torch_cuda)
  add_dependencies(gpu_model_default_cuda test_no_torch_cuda)
  add_test(NAME gpu_model_module_loads COMMAND gpu_model_default_cuda WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(gpu_model_module_loads PROPERTIES
    ENVIRONMENT LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/tests/no_torch_cuda
    PASS_REGULAR_EXPRESSION "NVIDIA driver|the device cannot be used|libtorch sees no CUDA device")
endif()

# The bench; its emulated form shows in every test run that it works.
set(kv_gpu_model_bench ${CMAKE_SOURCE_DIR}/tests/bench/gpu_model_bench.cpp)
kvantage_gpu_model_program(bench_gpu_model_emulated ${kv_gpu_model_bench} emulated)
add_test(NAME bench_gpu_model_emulated COMMAND bench_gpu_model_emulated WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
if(TARGET kvantage_gpu_model)
  kvantage_gpu_model_program(bench_gpu_model ${kv_gpu_model_bench} cuda)
  add_test(NAME bench_gpu_model COMMAND bench_gpu_model --small WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(bench_gpu_model PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL TRUE TIMEOUT 600)
endif()
