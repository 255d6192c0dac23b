# A kernel's test, tests/gpu/kernels/NAME_kernel_test.cpp, becomes two programs: gpu_NAME_emulated (anywhere) and
# gpu_NAME_cuda (skipped without a GPU).
file(GLOB kv_kernel_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/gpu/kernels/*_kernel_test.cpp)
foreach(source IN LISTS kv_kernel_tests)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_kernel_test$" "" name ${name})
  foreach(kind emulated cuda)
    set(library kv_gpu_emulated)
    if(kind STREQUAL "cuda")
      set(library kv_gpu_kernels)
    endif()
    if(NOT TARGET ${library})
      continue()
    endif()
    add_executable(gpu_${name}_${kind} ${source})
    set_target_properties(gpu_${name}_${kind} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_include_directories(gpu_${name}_${kind} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(gpu_${name}_${kind} PRIVATE kv_gpu_offload ${library} kv_base)
    add_test(NAME gpu_${name}_${kind} COMMAND gpu_${name}_${kind})
    set_tests_properties(gpu_${name}_${kind} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endforeach()

# How fast they are beside a copy of the device, and a step over the bus; skipped without a GPU.
if(TARGET kv_gpu_kernels)
  foreach(name kernels offload)
    add_executable(bench_gpu_${name} ${CMAKE_SOURCE_DIR}/tests/bench/gpu_${name}_bench.cpp)
    set_target_properties(bench_gpu_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_include_directories(bench_gpu_${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(bench_gpu_${name} PRIVATE kv_gpu_offload kv_gpu_kernels kv_base)
    add_test(NAME bench_gpu_${name} COMMAND bench_gpu_${name})
    set_tests_properties(bench_gpu_${name} PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL TRUE TIMEOUT 300)
  endforeach()
endif()

# All that a machine with a GPU needs of this build: tests/gpu/prove.sh runs them.
add_custom_target(gpu_proof)
get_property(kv_gpu_programs DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER kv_gpu_programs INCLUDE REGEX "^gpu_.*_cuda$|^bench_gpu_|^gpu_device_tier_gpu_test$")
add_dependencies(gpu_proof ${kv_gpu_programs})
if(TARGET kvantage_gpu)
  add_dependencies(gpu_proof kvantage_gpu)
endif()
if(KVANTAGE_APP)  # the program of sessions; with core and gpu alone the proof has none
  add_dependencies(gpu_proof kvantage-cli)
endif()

# What surrounds the programs: the code that nvcc left in them and what it takes, the proof's verdicts, the script that
# trains.
find_program(KVANTAGE_PYTHON python3)
if(TARGET kvantage_gpu_model AND KVANTAGE_PYTHON)
  add_test(NAME gpu_architectures
    COMMAND ${KVANTAGE_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/gpu/built/architectures_test.py
    $<TARGET_FILE:kvantage_gpu_model> $<TARGET_FILE:gpu_compact_cuda> $<TARGET_FILE:bench_gpu_kernels>)
endif()
if(TARGET kv_gpu_kernels_cuda AND KVANTAGE_PYTHON)
  add_test(NAME gpu_resources COMMAND ${KVANTAGE_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/gpu/built/resources_test.py
    $<TARGET_FILE:kv_gpu_kernels_cuda>)
endif()
add_test(NAME gpu_prove COMMAND bash ${CMAKE_SOURCE_DIR}/tests/gpu/prove_test.sh)
if(KVANTAGE_WINDOW)
  add_test(NAME gpu_train_larger
    COMMAND bash ${CMAKE_SOURCE_DIR}/tests/gpu/train_larger_test.sh ${CMAKE_BINARY_DIR}/app/kvantage-cli)
  set_tests_properties(gpu_train_larger PROPERTIES TIMEOUT 300 ENVIRONMENT "OMP_WAIT_POLICY=passive")
endif()
