// Whether an answer has what is looked for, whatever else it says: of retrieval benchmarks.
#include <algorithm>
#include <unordered_set>

#include "core/text/quality.h"

namespace kvantage::inline text {

double contains_answer(std::string_view answer, std::string_view gold) {
  const std::string answered = squad_normalized(answer), expected = squad_normalized(gold);
  if (expected.empty()) return answered.empty() ? 1.0 : 0.0;
  return (" " + answered + " ").find(" " + expected + " ") != std::string::npos ? 1.0 : 0.0;
}

double word_recall(std::string_view answer, std::string_view gold) {
  const std::vector<std::string> wanted = squad_words(gold), given = squad_words(answer);
  if (wanted.empty()) return given.empty() ? 1.0 : 0.0;
  const std::unordered_set<std::string> known(given.begin(), given.end());
  const auto found = std::ranges::count_if(wanted, [&](const std::string& word) { return known.contains(word); });
  return static_cast<double>(found) / static_cast<double>(wanted.size());
}

}  // namespace kvantage::inline text
