# muParser, which compiles the expression of the policy formula(EXPRESSION). Without it that policy is refused in one
# line, and all else works.
include(CMakeDependentOption)
find_package(PkgConfig REQUIRED)
pkg_check_modules(MUPARSER IMPORTED_TARGET muparser)
cmake_dependent_option(KVANTAGE_FORMULA "Build the policy formula; needs muParser (libmuparser-dev)" ON
                       MUPARSER_FOUND OFF)
if(NOT KVANTAGE_FORMULA)
  message(STATUS "no policy formula: muParser is not installed, or KVANTAGE_FORMULA is OFF")
endif()

# kvantage_formula_parser(NAME): gives this library the parser, where there is one.
function(kvantage_formula_parser name)
  if(KVANTAGE_FORMULA)
    target_link_libraries(${name} PRIVATE PkgConfig::MUPARSER)
    target_compile_definitions(${name} PRIVATE KVANTAGE_FORMULA)
  endif()
endfunction()
