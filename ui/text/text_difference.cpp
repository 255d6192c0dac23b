#include "ui/text/text_difference.h"

#include <QStringList>
#include <algorithm>

namespace kvantage {
namespace {

/// Each with the space behind it; space before the first word belongs to that.
QStringList words_of(const QString& text) {
  QStringList words;
  qsizetype begin = 0;
  for (qsizetype i = 1; i <= text.size(); ++i) {
    const bool starts_word = i < text.size() && !text[i].isSpace() && text[i - 1].isSpace() &&
                             !text.mid(begin, i - begin).trimmed().isEmpty();
    if (!starts_word && i < text.size()) continue;
    words << text.mid(begin, i - begin);
    begin = i;
  }
  return words;
}

}  // namespace

std::vector<TextPart> differing_parts(const QString& text, const QString& other) {
  const QStringList a = words_of(text), b = words_of(other);
  const qsizetype columns = b.size() + 1;
  std::vector<int> longest(static_cast<std::size_t>((a.size() + 1) * columns),
                           0);  // common subsequence of the ends behind i and j
  const auto at = [&](qsizetype i, qsizetype j) -> int& { return longest[static_cast<std::size_t>(i * columns + j)]; };
  const auto same = [&](qsizetype i, qsizetype j) { return a[i].trimmed() == b[j].trimmed(); };
  for (qsizetype i = a.size() - 1; i >= 0; --i)
    for (qsizetype j = b.size() - 1; j >= 0; --j)
      at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<TextPart> parts;
  const auto add = [&](const QString& word, bool differs) {
    if (parts.empty() || parts.back().differs != differs) parts.push_back({QString(), differs});
    parts.back().text += word;
  };
  for (qsizetype i = 0, j = 0; i < a.size();) {
    if (j < b.size() && same(i, j)) {
      add(a[i++], false);
      ++j;
    } else if (j < b.size() && at(i, j + 1) >= at(i + 1, j)) {
      ++j;
    } else {
      add(a[i++], true);
    }
  }
  return parts;
}

QString marked_difference(const QString& text, const QString& other, const QString& color) {
  QString html;
  for (const TextPart& part : differing_parts(text, other)) {
    const QString escaped = part.text.toHtmlEscaped();
    html += part.differs ? QStringLiteral("<b style='color:%1'>%2</b>").arg(color, escaped) : escaped;
  }
  return html;
}

}  // namespace kvantage
