// What a window on a real engine shows of a run, and what the core says of the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/frontier.h"
#include "core/policy/utility.h"
#include "core/ports/placement_reasons.h"
#include "tests/support/live_window.h"

namespace live_run_test {

using namespace kvantage;
using namespace kvantage::test;

inline const FrontierCurve* evicpress_curve(MainWindow& window) {
  for (const FrontierCurve& curve : run_of(window).frontier.curves())
    if (curve.policy == "evicpress" && !curve.samples.empty()) return &curve;
  return nullptr;
}

inline QList<QPointF> drawn_curve(MainWindow& window) {
  frontier_of(window).flush();
  const auto found = frontier_of(window).series().find("evicpress");
  return found == frontier_of(window).series().end() ? QList<QPointF>() : found->second->points();
}

/// What the core predicts for the newest state that the window has, under this alpha and DRAM budget.
inline std::vector<FrontierPoint> core_prediction(MainWindow& window, double alpha, std::uint64_t dram_bytes) {
  Snapshot snapshot = *run_of(window).snapshot();
  snapshot.alpha = alpha;
  snapshot.tiers.front().budget_bytes = dram_bytes;
  return predict_frontier(snapshot, **make_policy("evicpress"),
                          run_of(window).alpha_scale().grid(FrontierDriver::alphas_in_curve));
}

/// Sum over alphas of the difference in quality and in the logarithm of TTFT; 0 = the same curve.
inline double distance(const FrontierCurve* curve, const std::vector<FrontierPoint>& points) {
  if (!curve || curve->samples.size() != points.size()) return 1e9;
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    sum += std::abs(curve->samples[i].mean.quality - points[i].mean_quality) +
           std::abs(std::log(curve->samples[i].mean.ttft_seconds / points[i].mean_ttft_seconds));
  return sum;
}

/// Those with which something was wrong: that a later plan took the place of a write in flight is none of them.
inline std::size_t failed_placements(const CollectingSink& sink) {
  const auto failed = sink.all<events::PlacementFailed>();
  for (const auto& one : failed) qInfo("placement failed: %s", one.reason.c_str());
  return static_cast<std::size_t>(
      std::ranges::count_if(failed, [](const auto& one) { return one.reason != superseded_reason; }));
}

/// Tier, method and removed fraction of every context, as the Contexts table says them.
inline QStringList shown_placements(MainWindow& window) {
  QStringList placements;
  const ContextsModel& contexts = run_of(window).contexts;
  for (int row = 0; row < contexts.rowCount(); ++row)
    placements << contexts.index(row, ContextsModel::tier).data().toString() + ' ' +
                      contexts.index(row, ContextsModel::method).data().toString();
  return placements;
}

inline std::map<Digest128, Configuration> placements(MainWindow& window) {
  std::map<Digest128, Configuration> placements;
  for (int row = 0; row < run_of(window).contexts.rowCount(); ++row) {
    const ContextState& state = run_of(window).contexts.row(row)->state;
    placements[state.key] = state.placement;
  }
  return placements;
}

/// In the Contexts table, of the contexts that this tier holds.
inline std::uint64_t bytes_in_table(MainWindow& window, int tier) {
  std::uint64_t bytes = 0;
  for (int row = 0; row < run_of(window).contexts.rowCount(); ++row)
    if (const ContextState& state = run_of(window).contexts.row(row)->state; state.placement.tier == tier)
      bytes += state.stored_bytes;
  return bytes;
}

inline bool holds_compressed_only(MainWindow& window) {
  std::size_t stored = 0, uncompressed = 0;
  for (const auto& [context, placement] : placements(window)) {
    if (!placement.stored()) continue;
    ++stored;
    uncompressed += placement.method == "none" ? 1 : 0;
  }
  return stored > 0 && uncompressed == 0;
}

/// Predicted mean quality of these placements, weighted by the frequencies of now.
inline double quality_of(MainWindow& window, const std::map<Digest128, Configuration>& placements) {
  const Snapshot& snapshot = *run_of(window).snapshot();
  double quality = 0, weight = 0;
  for (const ContextState& context : snapshot.contexts) {
    quality += context.frequency * predict(snapshot, context, placements.at(context.key), 0).quality;
    weight += context.frequency;
  }
  return weight > 0 ? quality / weight : 0;
}

inline std::optional<MeasuredPoint> current_point(MainWindow& window) {
  for (const MeasuredPoint& point : run_of(window).frontier.measured())
    if (point.current) return point;
  return std::nullopt;
}

/// No policy can hold what was never asked for: compulsory misses are left out of measured points.
inline bool counts(const RequestRecord& record) { return !record.cancelled && record.miss_reason != compulsory_miss; }

inline std::uint64_t counting_requests(const LiveWindow& live) {
  return static_cast<std::uint64_t>(std::ranges::count_if(live.sink.records(), counts));
}

/// Whether so many contexts were asked for, and the SSD served each the last time; caches on their way there are no
/// source.
inline bool all_last_from_ssd(const CollectingSink& sink, std::size_t contexts) {
  std::map<std::string, std::string> newest;
  for (const RequestRecord& record : sink.records())
    if (record.source != write_back_source) newest[record.context_id] = record.source;
  return newest.size() == contexts && std::ranges::all_of(newest, [](const auto& one) { return one.second == "ssd"; });
}

inline int position_of(const LogSlider& slider, double value) {
  return static_cast<int>(
      std::lround(LogSlider::steps * std::log(value / slider.low()) / std::log(slider.high() / slider.low())));
}

}  // namespace live_run_test
