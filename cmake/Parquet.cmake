# The module that writes Parquet files, only where its libraries were asked for (./run --parquet): no program of ours
# links them.
set(KVANTAGE_PARQUET_DIR "" CACHE PATH
  "Folder that holds pyarrow/ as unpacked by cmake/fetch_pyarrow.sh; empty: no module for Parquet is built")

# What of the module is its own is its one entry.
function(kvantage_parquet_module name)  # NAME SOURCE
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD OFF)
  target_link_libraries(${name} PRIVATE kvantage_warnings)
endfunction()

if(KVANTAGE_PARQUET_DIR)
  file(GLOB libarrow ${KVANTAGE_PARQUET_DIR}/pyarrow/libarrow.so.*)
  file(GLOB libparquet ${KVANTAGE_PARQUET_DIR}/pyarrow/libparquet.so.*)
  if(NOT libarrow OR NOT libparquet OR NOT EXISTS ${KVANTAGE_PARQUET_DIR}/pyarrow/include/parquet/arrow/writer.h)
    message(FATAL_ERROR "pyarrow not found in ${KVANTAGE_PARQUET_DIR}: "
      "run cmake/fetch_pyarrow.sh DIR and pass -DKVANTAGE_PARQUET_DIR=DIR, or leave it empty")
  endif()
  kvantage_parquet_module(kvantage_parquet ${CMAKE_SOURCE_DIR}/app/parquet_module.cpp)
  target_include_directories(kvantage_parquet SYSTEM PRIVATE ${KVANTAGE_PARQUET_DIR}/pyarrow/include)
  target_link_libraries(kvantage_parquet PRIVATE ${libparquet} ${libarrow})
  set_target_properties(kvantage_parquet PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/app  # by the programs
    BUILD_RPATH ${KVANTAGE_PARQUET_DIR}/pyarrow)
endif()
