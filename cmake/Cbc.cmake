# coinor-cbc (COIN-OR branch and cut), with which the policy `optimal` continues where its own search gives up. Without
# it the plan is the best one found, with its gap, and all else works.
include(CMakeDependentOption)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CBC IMPORTED_TARGET cbc)
cmake_dependent_option(KVANTAGE_CBC "Solve large plans of optimal as a MILP; needs coinor-cbc (coinor-libcbc-dev)" ON
  CBC_FOUND OFF)
if(NOT KVANTAGE_CBC)
  message(STATUS "no MILP solver for the policy optimal: coinor-cbc is not installed, or KVANTAGE_CBC is OFF")
endif()

# kvantage_milp_solver(NAME): gives this library the solver, where there is one.
function(kvantage_milp_solver name)
  if(KVANTAGE_CBC)
    target_link_libraries(${name} PRIVATE PkgConfig::CBC)
    target_compile_definitions(${name} PRIVATE KVANTAGE_CBC)
  endif()
endfunction()
