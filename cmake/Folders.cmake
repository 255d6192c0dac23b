# One library a folder, named after its path: core/policy is core_policy. What it links is what its files may include:
# tests/structure/include_test.cpp holds both against each other.

# kvantage_folder(PATH [LINKS LIBRARY...] [PRIVATE LIBRARY...]): LINKS are seen by users of the folder, too.
function(kvantage_folder path)
  cmake_parse_arguments(folder "" "" "LINKS;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${path}/*.cpp)
  kvantage_library(${name} ${sources})
  target_link_libraries(${name} PUBLIC ${folder_LINKS} PRIVATE ${folder_PRIVATE})
  if(kvantage::torch IN_LIST folder_PRIVATE)
    target_compile_options(${name} PRIVATE -fopenmp)  # at::parallel_for is serial without it; libgomp is libtorch's
    kvantage_reuse_headers(${name} kvantage_headers_torch)
  elseif(path MATCHES "^(core|tiers|profiles|app)(/|$)" AND NOT path MATCHES "^core/model/(kernels|products)$")
    kvantage_reuse_headers(${name} kvantage_headers)
  endif()
  # They read, describe and print.
  if(path MATCHES "^(app|profiles|core/report|core/sweep)(/|$)|^core/(ports|workload)$"
     OR path MATCHES "^core/experiments(/figures.*|/studies)?$")
    target_compile_options(${name} PRIVATE ${kvantage_light_optimization})
  endif()
  set_property(GLOBAL APPEND PROPERTY kvantage_folders ${path})
endfunction()

# Links of all folders, a line each, for the structure test: "core/policy core_base core_eviction".
function(kvantage_write_folders file)
  get_property(paths GLOBAL PROPERTY kvantage_folders)
  set(lines "")
  foreach(path ${paths})
    string(REPLACE "/" "_" name ${path})
    string(APPEND lines "${path} $<JOIN:$<TARGET_PROPERTY:${name},LINK_LIBRARIES>, >\n")
  endforeach()
  file(GENERATE OUTPUT ${file} CONTENT "${lines}")
endfunction()
