#include "core/experiments/figures/figure_times.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvantage::inline figures {
namespace {

struct FigureTime {
  std::string_view figure;
  double full, brief, quick;  // seconds
};

constexpr auto times = std::to_array<FigureTime>({
    {"evicpress/fig2", 0.1, 0.1, 0.1},
    {"evicpress/examples", 0.1, 0.1, 0.1},
    {"evicpress/fig3", 80, 80, 5},
    {"evicpress/fig4", 165, 165, 5},
    {"evicpress/fig5", 450, 260, 5},
    {"evicpress/fig8", 1000, 750, 10},
    {"evicpress/fig10", 520, 175, 6},
    {"evicpress/runs", 2000, 380, 10},
    {"evicpress/limits", 400, 180, 6},
    {"evicpress/paper-scale", 30, 30, 5},
    {"adaptcache/fig2", 1500, 500, 10},
    {"adaptcache/coding", 600, 360, 10},
    {"adaptcache/paper-scale", 40, 40, 6},
    {"pagedeviction/fig2", 40, 40, 5},
    {"pagedeviction/fig3", 55, 55, 4},
    {"pagedeviction/fig4", 90, 90, 5},
    {"pagedeviction/throughput", 800, 800, 3},
    {"compaction/decode", 160, 160, 6},
    {"compaction/overheads", 70, 70, 5},
    {"compaction/compaction", 110, 110, 5},
    {"compaction/long-decode", 550, 550, 2},
    {"kvpr/examples", 0.1, 0.1, 0.1},
    {"kvpr/table1", 20, 20, 3},
    {"kvpr/table2", 100, 100, 4},
    {"kvpr/table5", 46, 46, 4},
    {"kvpr/fig3", 15, 15, 3},
    {"kvpr/fig6", 80, 80, 4},
    {"kvpr/fig7", 100, 100, 4},
    {"kvpr/fig9", 13, 13, 3},
    {"kvpr/fig10", 7, 7, 3},
    {"kvpr/fig12", 40, 40, 4},
    {"kvpr/fig13", 66, 66, 4},
    {"kvpr/context-load", 16, 16, 3},
});

/// Each is a view of the runs of evicpress/runs.
constexpr auto views =
    std::to_array<std::string_view>({"evicpress/fig7", "evicpress/fig9", "evicpress/fig11", "evicpress/fig12"});

}  // namespace

double expected_seconds(std::string_view figure, FigureEffort effort) {
  const std::string_view made = std::ranges::find(views, figure) != views.end() ? "evicpress/runs" : figure;
  const auto found = std::ranges::find(times, made, &FigureTime::figure);
  if (found == times.end()) return 0;
  return effort == FigureEffort::full ? found->full : effort == FigureEffort::brief ? found->brief : found->quick;
}

std::string rough_duration(double seconds) {
  if (seconds < 1) return "1 s";
  // To ten minutes from an hour on, to a minute below, and to a second below a minute.
  const auto rounded = [](double value, double step) { return std::llround(value / step) * std::llround(step); };
  if (seconds < 59.5) return std::to_string(rounded(seconds, 1)) + " s";
  const long long minutes = seconds < 3570 ? rounded(seconds / 60, 1) : rounded(seconds / 60, 10);
  if (minutes < 60) return std::to_string(minutes) + " min";
  const long long hours = minutes / 60, rest = minutes % 60;
  return std::to_string(hours) + " h" + (rest == 0 ? "" : " " + std::to_string(rest) + " min");
}

void ReproductionPace::made(std::string_view figure, double seconds) {
  taken_ += seconds;
  expected_ += expected_seconds(figure, effort_);
}

double ReproductionPace::factor() const {
  constexpr double least = 0.05, most = 50;  // figures of a second say little about those of an hour
  return expected_ > 0 ? std::clamp(taken_ / expected_, least, most) : 1;
}

double ReproductionPace::seconds_left(std::span<const std::string> figures) const {
  double seconds = 0;
  for (const std::string& figure : figures) seconds += expected_seconds(figure, effort_);
  return factor() * seconds;
}

}  // namespace kvantage::inline figures
