// How long figures took where they were made, and how long is left of a reproduction of all of them. Nothing is
// guessed: what was not made has no time.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/figures/reproduction.h"

namespace kvantage::inline figures {

struct FigureTime {
  double seconds = 0;
  std::string made;     // UTC, "2026-11-28 17:25"
  std::string command;  // that made it
};
/// By figure, the last time of each. A view of other figures' runs has the time of these.
using FigureTimes = std::map<std::string, FigureTime, std::less<>>;

/// Of a folder of `reproduce all`. Errors as made_figures().
Expected<FigureTimes> times_of_reproduction(const std::filesystem::path& folder);
/// Of the folder in which the window keeps results. Files that are none, and results that it imported, have no time;
/// a folder that is not there has none.
FigureTimes times_of_kept_results(const std::filesystem::path& folder);

/// "took 13 min", "took 3 min with other options", "took 6 min with evicpress/runs"; "not measured yet here".
std::string time_text(const std::string& figure, const FigureTimes& times);

/// "8 s", "12 min", "1 h 50 min": two digits at most of the larger unit.
std::string rough_duration(double seconds);

/// Seconds of the figures left by the mean of those with results, each without the ones that need no model, which are
/// arithmetic. Nothing before one was made.
std::optional<double> seconds_left(std::span<const MadeFigure> made, std::span<const std::string> left);

}  // namespace kvantage::inline figures
