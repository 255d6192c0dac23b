# Speed of the build and warnings of our own code.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers and __TIME__ are safe to cache here: no source of ours uses the time of compilation.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
if(KVANTAGE_SANITIZE)
  add_compile_options(-fsanitize=${KVANTAGE_SANITIZE} -fno-omit-frame-pointer)
  if(KVANTAGE_SANITIZE_SKIP)
    add_compile_options(-fno-sanitize=${KVANTAGE_SANITIZE_SKIP})
  endif()
  add_link_options(-fsanitize=${KVANTAGE_SANITIZE})
endif()

# Of code that does not compute for long: a tenth to a third less to compile.
set(kvantage_light_optimization $<$<CONFIG:Release>:-O1>)

add_library(kvantage_warnings INTERFACE)
# Compiles batches of a target's sources together. A local name may equal one of another source then, and the unnamed
# namespace of a source counts as a header's; builds without batches (./run lint) keep both warnings.
option(KVANTAGE_UNITY "Compile sources in batches: fast from nothing; OFF is faster after a small change" ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(kvantage_warnings INTERFACE -w)  # compiles fuzzers alone; warnings are those of GCC
else()
  target_compile_options(kvantage_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
endif()
if(KVANTAGE_UNITY)
  target_compile_options(kvantage_warnings INTERFACE -Wno-subobject-linkage)
else()
  target_compile_options(kvantage_warnings INTERFACE -Wshadow)
endif()
# GCC 12 sees overlaps in string concatenation that are not there (its bug 105651).
target_compile_options(kvantage_warnings INTERFACE -Wno-restrict)
target_include_directories(kvantage_warnings INTERFACE ${CMAKE_SOURCE_DIR})
# -fpch-preprocess lets ccache see through precompiled headers.
target_compile_options(kvantage_warnings INTERFACE -fpch-preprocess)

# What nearly every source includes and nobody here changes: read once a library instead of once a source.
set(kvantage_common_headers <algorithm> <array> <atomic> <chrono> <condition_variable> <deque> <filesystem>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <thread> <tuple> <unordered_map> <utility>
    <variant> <vector> <nlohmann/json.hpp> <tl/expected.hpp>)

# GCC 12 forgets in precompiled headers that <string> is a system header, and finds overflows there that are none (its
# bug 105651); ./run lint compiles without.
set(kvantage_no_false_overflows -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)

# Compiles these headers alone; other targets of the same options read what comes of it.
function(kvantage_headers name)  # NAME HEADERS...
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cmake/headers.cpp)
  target_link_libraries(${name} PRIVATE kvantage_warnings)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
kvantage_headers(kvantage_headers ${kvantage_common_headers})
function(kvantage_reuse_headers name headers)
  target_precompile_headers(${name} REUSE_FROM ${headers})
  target_compile_options(${name} PRIVATE ${kvantage_no_false_overflows})
endfunction()

# kvantage_unity(NAME BATCH): up to BATCH sources of the target together.
function(kvantage_unity name batch)
  if(KVANTAGE_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()

# kvantage_library(NAME SOURCES...): a static library of ours with our warnings.
function(kvantage_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC kvantage_warnings)
  kvantage_unity(${name} 24)
endfunction()
