# Programs that hold the device tier against a GPU: without Qt, so that they build where core and gpu alone do
# (-DKVANTAGE_APP=OFF). Without a GPU they end with 77, and ctest calls them skipped.
function(kvantage_device_program name source)
  # What stands in front of every store, and the buffers that reads go to; of tiers nothing else, as that needs
  # libraries.
  add_executable(${name} ${source} ${CMAKE_SOURCE_DIR}/tiers/queued_tier.cpp
    ${CMAKE_SOURCE_DIR}/tiers/queued_tier_state.cpp ${CMAKE_SOURCE_DIR}/tiers/transfer_jobs.cpp
    ${CMAKE_SOURCE_DIR}/tiers/worker_thread.cpp ${CMAKE_SOURCE_DIR}/tiers/buffer_pool.cpp
    ${CMAKE_SOURCE_DIR}/tiers/mapped_memory.cpp)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE kv_gpu_device kvantage_warnings)
  if(TARGET kv_gpu_memory)
    target_link_libraries(${name} PRIVATE kv_gpu_memory)
    target_compile_definitions(${name} PRIVATE KVANTAGE_CUDA)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()
kvantage_device_program(gpu_device_tier_gpu_test ${CMAKE_SOURCE_DIR}/tests/gpu/device_tier_gpu_test.cpp)
kvantage_device_program(bench_gpu_copy_bench ${CMAKE_SOURCE_DIR}/tests/bench/gpu_copy_bench.cpp)

# Modules for tests of the loader and of sessions with a tier named device.
if(KVANTAGE_WINDOW)
  add_custom_target(test_gpu_modules)
  foreach(row "double" "bare KVANTAGE_TEST_NO_DEVICE" "old KVANTAGE_TEST_ABI=7"
      "other KVANTAGE_TEST_ENTRY=another_entry")
    separate_arguments(row)
    list(POP_FRONT row name)
    kvantage_gpu_module(test_gpu_${name} ${CMAKE_SOURCE_DIR}/tests/gpu/test_module.cpp)
    target_compile_definitions(test_gpu_${name} PRIVATE ${row})
    set_target_properties(test_gpu_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_dependencies(test_gpu_modules test_gpu_${name})
  endforeach()
endif()

# All calls of CUDA's runtime over one of ours (tests/gpu/fake); only the headers are NVIDIA's. Beside cuda_memory.cpp
# these are the parts of gpu/kernels that have no kernels, and launchers of emulated kernels under other names.
if(KVANTAGE_WINDOW AND TARGET kv_gpu_memory)
  set(kv_fake_cuda ${CMAKE_BINARY_DIR}/tests/fake_cuda)
  foreach(name device streams)
    file(GENERATE OUTPUT ${kv_fake_cuda}/${name}.cpp
      CONTENT "#define KV_CUDA_HOST\n#include \"gpu/kernels/${name}.cu\"\n")
  endforeach()
  file(GENERATE OUTPUT ${kv_fake_cuda}/leaf_checksums.cpp
    CONTENT "#define launch_leaf_checksums run_leaf_checksums\n#define launch_check_blocks run_check_blocks\n\
#define launch_reset_count run_reset_count\n#include \"gpu/kernels/leaf_checksums.cu\"\n")
  kvantage_library(test_fake_cuda ${CMAKE_SOURCE_DIR}/tests/gpu/fake/fake_cuda.cpp
    ${CMAKE_SOURCE_DIR}/tests/gpu/fake/fake_cuda_runtime.cpp ${CMAKE_SOURCE_DIR}/tests/gpu/fake/fake_launches.cpp
    ${CMAKE_SOURCE_DIR}/tests/gpu/fake/fake_streams.cpp ${CMAKE_SOURCE_DIR}/gpu/device/cuda_memory.cpp
    ${kv_fake_cuda}/device.cpp ${kv_fake_cuda}/streams.cpp ${kv_fake_cuda}/leaf_checksums.cpp)
  set_target_properties(test_fake_cuda PROPERTIES UNITY_BUILD OFF)  # CUDA's headers or the emulation's, not both
  target_link_libraries(test_fake_cuda PUBLIC kv_gpu_device PRIVATE kv_gpu_emulated)
  target_include_directories(test_fake_cuda SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_options(test_fake_cuda PRIVATE -ffp-contract=off -Wno-unknown-pragmas)  # as kv_gpu_emulated
endif()
