# Writes commit.h with the present commit and its date, only when it changed, so that a report can name what it ran.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
  OUTPUT_VARIABLE changes ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
# Of the commit, not of the build: the same source makes the same programs and manual pages.
execute_process(COMMAND git -C ${SOURCE} log -1 --format=%cs
  OUTPUT_VARIABLE date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(date STREQUAL "" AND NOT "$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  string(TIMESTAMP date "%Y-%m-%d" UTC)  # CMake takes it from SOURCE_DATE_EPOCH
endif()
if(commit STREQUAL "")
  set(commit "unknown")
endif()
if(changes STREQUAL "")
  set(dirty false)
else()
  set(dirty true)
endif()
string(CONCAT text "#pragma once\n"
  "namespace kvantage { inline constexpr const char* build_commit = \"${commit}\"; "
  "inline constexpr bool build_dirty = ${dirty}; "
  "inline constexpr const char* build_commit_date = \"${date}\"; }\n")
set(before "")
if(EXISTS ${TARGET})
  file(READ ${TARGET} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${TARGET} "${text}")
endif()
