// Whether an answer has what is looked for, whatever else it says: of retrieval benchmarks.
#include <algorithm>
#include <unordered_set>

#include "core/text/quality.h"

namespace kvantage::inline text {
namespace {

std::vector<std::string_view> words_between_spaces(std::string_view normalized) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < normalized.size();) {
    const std::size_t end = std::min(normalized.find(' ', begin), normalized.size());
    if (end > begin) words.push_back(normalized.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

double contains_answer(std::string_view answer, std::string_view gold) {
  const std::string answered = squad_normalized(answer), expected = squad_normalized(gold);
  if (expected.empty()) return answered.empty() ? 1.0 : 0.0;
  return (" " + answered + " ").find(" " + expected + " ") != std::string::npos ? 1.0 : 0.0;
}

double word_recall(std::string_view answer, std::string_view gold) {
  const std::string answered = squad_normalized(answer), expected = squad_normalized(gold);
  const std::vector<std::string_view> wanted = words_between_spaces(expected), given = words_between_spaces(answered);
  if (wanted.empty()) return given.empty() ? 1.0 : 0.0;
  const std::unordered_set<std::string_view> known(given.begin(), given.end());
  const auto found = std::ranges::count_if(wanted, [&](std::string_view word) { return known.contains(word); });
  return static_cast<double>(found) / static_cast<double>(wanted.size());
}

}  // namespace kvantage::inline text
