# cmake -P ExtractTexts.cmake -- LUPDATE ARGUMENT...: runs lupdate, and fails if it reports a text that it cannot
# extract.
set(command "")
set(taken FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  if(taken)
    list(APPEND command "${CMAKE_ARGV${index}}")
  elseif(CMAKE_ARGV${index} STREQUAL "--")
    set(taken TRUE)
  endif()
endforeach()
execute_process(COMMAND ${command} OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE code)
# About headers of core, which lupdate reads for the classes of the window and which hold no texts.
string(REGEX REPLACE "[^\n]*Ignoring definition of undeclared qualified class[^\n]*\n" "" said "${said}")
if(NOT code EQUAL 0 OR NOT said STREQUAL "")
  message(FATAL_ERROR "texts cannot be extracted for translation:\n${said}")
endif()
