#include "ui/text/fuzzy_match.h"

#include <QStringList>
#include <algorithm>
#include <vector>

namespace kvantage {
namespace {

bool begins_word(const QString& text, qsizetype at) {
  return at == 0 || !text[at - 1].isLetterOrNumber() || (text[at].isUpper() && text[at - 1].isLower());
}

// The best way to place one word, letter by letter: best[j] = highest score with the present letter at j.
std::optional<double> match_word(const QString& word, const QString& text) {
  constexpr double none = -1e9;
  const std::size_t n = static_cast<std::size_t>(text.size());
  std::vector<double> best(n, none), next(n);
  for (qsizetype i = 0; i < word.size(); ++i) {
    double before = i == 0 ? 0 : none;  // highest score of the letters before, ending left of j
    for (std::size_t j = 0; j < n; ++j) {
      next[j] = none;
      const qsizetype at = static_cast<qsizetype>(j);
      if (text[at].toLower() == word[i].toLower()) {
        const double here = 1 + (begins_word(text, at) ? 2 : 0);
        const double beside = i > 0 && j > 0 && best[j - 1] > none ? best[j - 1] + 3 : none;
        const double from = std::max(before, beside);
        if (from > none) next[j] = from + here;
      }
      if (i > 0) before = std::max(before, best[j]);
    }
    best.swap(next);
  }
  const double found = best.empty() ? none : *std::max_element(best.begin(), best.end());
  return found > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<double> fuzzy_match(const QString& query, const QString& text) {
  double score = 0;
  for (const QString& word : query.split(' ', Qt::SkipEmptyParts)) {
    const auto found = match_word(word, text);
    if (!found) return std::nullopt;
    score += *found;
  }
  return score == 0 ? 0 : score - 0.01 * static_cast<double>(text.size());
}

}  // namespace kvantage
