// Tokens of code, as Python's str.split() finds them, and BLEU over their n-grams.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace kvantage::inline code_quality {

/// Without white space at either end, as str.strip(); `text` is valid UTF-8.
std::string_view stripped_code(std::string_view text);
/// The tokens between white space, as str.split(); `text` is valid UTF-8 and must outlive them.
std::vector<std::string_view> code_tokens(std::string_view text);

/// BLEU-4 (Papineni et al. 2002) of one answer and one reference: geometric mean of the clipped n-gram precisions for n
/// from 1 to 4, times the brevity penalty. An order without a match counts as a tenth of a match (method 1 of Chen and
/// Cherry 2014); no token in common is 0. From 0 to 1.
double ngram_match(std::span<const std::string_view> answer, std::span<const std::string_view> reference);
/// The same with recall in place of precision; unigrams are weighted, keywords of Python 1 and other tokens 0.2. The
/// brevity penalty applies only to an answer of one token, as in the package.
double weighted_ngram_match(std::span<const std::string_view> answer, std::span<const std::string_view> reference);

}  // namespace kvantage::inline code_quality
