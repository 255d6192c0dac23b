// Words of code for BLEU, as Python's str.split() finds them, and BLEU over them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace kvantage::inline code_quality {

/// Without white space at either end, as str.strip(); `text` is valid UTF-8.
std::string_view stripped_code(std::string_view text);
/// The words between white space, as str.split(); `text` is valid UTF-8 and must outlive them.
std::vector<std::string_view> code_words(std::string_view text);

/// BLEU-4 (Papineni et al. 2002) of one answer and one reference: geometric mean of the clipped precisions of 1 to 4
/// words, times the penalty for short answers. An order without a match counts as a tenth of a match (method 1 of Chen
/// and Cherry 2014); no word in common is 0. From 0 to 1.
double words_bleu(std::span<const std::string_view> answer, std::span<const std::string_view> reference);
/// The same with recall in place of precision; single words are weighted, keywords of Python 1 and others 0.2. Only an
/// answer of one word is too short, as in the package.
double weighted_words_bleu(std::span<const std::string_view> answer, std::span<const std::string_view> reference);

}  // namespace kvantage::inline code_quality
