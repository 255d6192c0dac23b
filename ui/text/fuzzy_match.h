// Finding a name by a few of its letters, as command palettes do.
#pragma once

#include <QString>
#include <optional>

namespace kvantage {

/// How well `query` finds `text`, higher is better; nothing when it does not. Every word of the query has to be found:
/// its letters in their order, upper or lower case alike. Letters side by side and at the beginning of words count
/// more, and a shorter text comes before a longer one. An empty query finds everything with 0.
std::optional<double> fuzzy_match(const QString& query, const QString& text);

}  // namespace kvantage
