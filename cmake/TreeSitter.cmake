# tree-sitter and its grammar of Python, the parser of the quality metric code_bleu, as a static library. The sources
# are fetched by cmake/fetch_tree_sitter.sh. Without them the metric is refused in one line, and all else works.
set(KVANTAGE_TREE_SITTER_DIR "" CACHE PATH
  "Folder that holds lib/ and python/ as unpacked by cmake/fetch_tree_sitter.sh")
set(tree_sitter ${KVANTAGE_TREE_SITTER_DIR})
if(NOT tree_sitter)
  get_filename_component(cache_root "${KVANTAGE_TORCH_DIR}" DIRECTORY)
  set(tree_sitter ${cache_root}/tree-sitter-0.23.2)
endif()
set(tree_sitter_found FALSE)
if(EXISTS ${tree_sitter}/lib/src/lib.c AND EXISTS ${tree_sitter}/python/parser.c)
  set(tree_sitter_found TRUE)
endif()
include(CMakeDependentOption)
cmake_dependent_option(KVANTAGE_CODE_BLEU
  "Build the quality metric code_bleu; needs tree-sitter and its grammar of Python" ON tree_sitter_found OFF)

if(KVANTAGE_CODE_BLEU)
  enable_language(C)
  add_library(kvantage_tree_sitter STATIC ${tree_sitter}/lib/src/lib.c ${tree_sitter}/python/parser.c
    ${tree_sitter}/python/scanner.c)
  set_target_properties(kvantage_tree_sitter PROPERTIES C_STANDARD 11 C_EXTENSIONS ON C_VISIBILITY_PRESET hidden
    UNITY_BUILD OFF)
  target_compile_options(kvantage_tree_sitter PRIVATE -w)  # not ours to mend
  target_compile_definitions(kvantage_tree_sitter PRIVATE TREE_SITTER_HIDE_SYMBOLS)
  target_include_directories(kvantage_tree_sitter SYSTEM PUBLIC ${tree_sitter}/lib/include
    PRIVATE ${tree_sitter}/lib/src ${tree_sitter}/python)
else()
  message(STATUS "no quality metric code_bleu: tree-sitter is not in ${tree_sitter}, or KVANTAGE_CODE_BLEU is OFF")
endif()

# kvantage_code_parser(NAME): gives this library the parser, where there is one.
function(kvantage_code_parser name)
  if(KVANTAGE_CODE_BLEU)
    target_link_libraries(${name} PRIVATE kvantage_tree_sitter)
    target_compile_definitions(${name} PRIVATE KVANTAGE_CODE_BLEU)
  endif()
endfunction()
