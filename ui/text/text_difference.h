// Which words of a text are not those of another one.
#pragma once

#include <QString>
#include <vector>

namespace kvantage {

struct TextPart {
  QString text;          // words and the space behind them; joined the parts are the whole text
  bool differs = false;  // its words stand in no longest common subsequence of both texts
  bool operator==(const TextPart&) const = default;
};

/// `text` in runs of words that `other` has in the same order, and of words that it has not. Case and punctuation
/// count.
std::vector<TextPart> differing_parts(const QString& text, const QString& other);
/// The same for a label, differing words in <b> of this color.
QString marked_difference(const QString& text, const QString& other, const QString& color);

}  // namespace kvantage
