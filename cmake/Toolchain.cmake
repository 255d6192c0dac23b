# Speed of the build and warnings of our own code.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers and __TIME__ are safe to cache here: no source of ours uses the time of compilation.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
if(KVANTAGE_SANITIZE)
  add_compile_options(-fsanitize=${KVANTAGE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KVANTAGE_SANITIZE})
endif()

add_library(kvantage_warnings INTERFACE)
target_compile_options(kvantage_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
# GCC 12 sees overlaps in string concatenation that are not there (its bug 105651).
target_compile_options(kvantage_warnings INTERFACE -Wno-restrict)
target_include_directories(kvantage_warnings INTERFACE ${CMAKE_SOURCE_DIR})
# -fpch-preprocess lets ccache see through precompiled headers.
target_compile_options(kvantage_warnings INTERFACE -fpch-preprocess)

# What nearly every source includes and nobody here changes: read once a library instead of once a source.
set(kvantage_common_headers <algorithm> <array> <atomic> <chrono> <condition_variable> <deque> <filesystem> <functional> <map>
    <memory> <mutex> <optional> <set> <span> <string> <thread> <tuple> <unordered_map> <utility> <variant> <vector>
    <nlohmann/json.hpp> <tl/expected.hpp>)

# kvantage_library(NAME SOURCES...): a static library of ours with our warnings.
function(kvantage_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC kvantage_warnings)
endfunction()
