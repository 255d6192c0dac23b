// ROUGE-L (Lin 2004) with the tokenization of Google's rouge-score: lower case, runs of a-z and 0-9 are words,
// everything else separates them.
#include <algorithm>
#include <unordered_map>

#include "core/text/quality.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

/// Words as numbers assigned by `known`: cheap to compare, and long answers have thousands.
std::vector<int> words_of(std::string_view given, std::unordered_map<std::string, int>& known) {
  const std::string lower = text::lower_case(text::mended_utf8(given));
  std::vector<int> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(known.emplace(word, static_cast<int>(known.size())).first->second);
    word.clear();
  };
  for (const char c : lower) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word += c;
    else
      end_word();
  }
  end_word();
  return words;
}

std::size_t longest_common_subsequence(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const int word : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(row[j], word == b[j - 1] ? diagonal + 1 : std::max(row[j], row[j - 1]));
  }
  return row.back();
}

}  // namespace

double rouge_l(std::string_view answer, std::string_view gold) {
  std::unordered_map<std::string, int> known;
  const std::vector<int> answered = words_of(answer, known);
  const std::vector<int> expected = words_of(gold, known);
  if (answered.empty() || expected.empty()) return answer == gold ? 1 : 0;
  const auto common = static_cast<double>(longest_common_subsequence(answered, expected));
  if (common == 0) return 0;
  const double precision = common / static_cast<double>(answered.size());
  const double recall = common / static_cast<double>(expected.size());
  return 2 * precision * recall / (precision + recall);
}

}  // namespace kvantage::inline text
