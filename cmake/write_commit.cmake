# Writes commit.h with the present commit, only when it changed, so that a report can name what it ran.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
  OUTPUT_VARIABLE changes ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
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
  "inline constexpr bool build_dirty = ${dirty}; }\n")
set(before "")
if(EXISTS ${TARGET})
  file(READ ${TARGET} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${TARGET} "${text}")
endif()
