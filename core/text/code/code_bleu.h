// CodeBLEU (Ren et al. 2020, arXiv 2009.10297) of Python: how alike two pieces of code are in their words, their syntax
// trees and the flow of their data. AdaptCache's metric of answers that are code. It gives what the package codebleu
// 0.7.0 gives under Python 3.11 (tests/parity/make_code_bleu_goldens.py), with its defaults: weights of a quarter,
// words between white space, smoothing of orders without a match.
#pragma once

#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline code_quality {

/// The four parts, each from 0 to 1.
struct CodeBleu {
  double words = 0;           // BLEU-4 of the words
  double weighted_words = 0;  // BLEU-4 by recall, where a keyword of Python weighs 1 and another word 0.2
  double syntax = 0;          // subtrees of the reference's syntax tree that the answer has
  double data_flow = 0;       // uses of values in the reference that the answer has, without the names of variables

  /// Their mean. As in the package, no data flow in common counts as 1: it rates code without variables by the rest.
  double score() const { return 0.25 * (words + weighted_words + syntax + (data_flow > 0 ? data_flow : 1)); }
};

/// Compares an answer with the code that it should be; malformed UTF-8 is repaired first. Two equal texts score less
/// than 1 if they have fewer than four words. rejected_input as code_parser_is_there().
Expected<CodeBleu> code_bleu(std::string_view answer, std::string_view reference);

/// rejected_input that says what to do where the program was built without tree-sitter and its grammar of Python.
Status code_parser_is_there();

}  // namespace kvantage::inline code_quality
