// What each line and marker of the Frontier means.
#pragma once

#include <set>

#include "ui/live/frontier/frontier_canvas.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

std::vector<LegendItem> frontier_legend(const FrontierCanvas& canvas);

/// Id of the item that shows and hides the names of policies that the chart does not show.
inline constexpr char folded_policies[] = "more-policies";
/// The items with those of `foldable` that are hidden replaced by one that names how many they are; with `unfolded`
/// they stay, and that item follows them.
std::vector<LegendItem> fold_hidden(std::vector<LegendItem> items, const std::set<QString>& foldable, bool unfolded);

}  // namespace kvantage
