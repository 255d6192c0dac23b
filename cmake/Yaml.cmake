# libyaml, which reads settings files of LMCache and vLLM. Without it files in YAML are refused in one line; the same in
# JSON can be read, and all else works.
include(CMakeDependentOption)
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML IMPORTED_TARGET yaml-0.1)
cmake_dependent_option(KVANTAGE_YAML "Read settings of serving systems in YAML; needs libyaml (libyaml-dev)" ON
                       YAML_FOUND OFF)
if(NOT KVANTAGE_YAML)
  message(STATUS "no settings in YAML: libyaml is not installed, or KVANTAGE_YAML is OFF")
endif()

# kvantage_yaml_parser(NAME): gives this library the parser, where there is one.
function(kvantage_yaml_parser name)
  if(KVANTAGE_YAML)
    target_link_libraries(${name} PRIVATE PkgConfig::YAML)
    target_compile_definitions(${name} PRIVATE KVANTAGE_YAML)
  endif()
endfunction()
