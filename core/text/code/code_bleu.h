// CodeBLEU (Ren et al. 2020, arXiv 2009.10297) of Python: similarity of two pieces of code by their n-grams, syntax
// trees and data flow. AdaptCache's metric of answers that are code. It gives what the package codebleu 0.7.0 gives
// under Python 3.11 (tests/parity/make_code_bleu_goldens.py), with its defaults: weights of a quarter, tokens between
// white space, smoothing of orders without a match.
#pragma once

#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline code_quality {

/// The four parts, each from 0 to 1.
struct CodeBleu {
  double ngram_match = 0;           // BLEU-4
  double weighted_ngram_match = 0;  // BLEU-4 by recall; a keyword of Python has weight 1, another token 0.2
  double syntax_match = 0;          // share of the subtrees of the reference's syntax tree that the answer has
  double dataflow_match = 0;        // share of the reference's data flow that the answer has, whatever its names

  /// Their mean. As in the package, no data flow in common counts as 1: it rates code without variables by the rest.
  double score() const {
    return 0.25 * (ngram_match + weighted_ngram_match + syntax_match + (dataflow_match > 0 ? dataflow_match : 1));
  }
};

/// Compares an answer with the code that it should be; malformed UTF-8 is repaired first. Two equal texts score less
/// than 1 if they have fewer than four tokens. rejected_input as code_parser_is_there().
Expected<CodeBleu> code_bleu(std::string_view answer, std::string_view reference);

/// rejected_input that says what to do where the program was built without tree-sitter and its grammar of Python.
Status code_parser_is_there();

}  // namespace kvantage::inline code_quality
