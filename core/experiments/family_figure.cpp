// EvicPress figure 12: the speedup of evicpress over the fixed policies in every family.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "core/base/bootstrap.h"
#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/policy_figures.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

/// TTFT of one context in one run, summed.
struct ContextTime {
  double seconds = 0, requests = 0;
};

/// One run in one family.
struct FamilyPoint {
  std::vector<ContextTime> contexts;  // parallel to those of the family
  double seconds = 0, quality = 0;    // means
};

/// A point of evicpress, and the fastest fixed policy of its quality under the same budget.
struct SpeedPair {
  FamilyPoint other, our;
};

/// One family over all budgets, where fixed policies and evicpress were both run.
struct FamilyGain {
  double tokens = 0;                      // of a context, mean
  std::vector<double> speedups = {};      // the largest under each budget
  bool at_some = false, at_every = true;  // ahead at some alpha of some budget, at every alpha of every budget
  std::vector<SpeedPair> pairs = {};      // of the points on evicpress's frontiers
  std::size_t unreached = 0;              // of these points: no fixed policy reaches their quality
  std::optional<MeasuredSpan> mean_speedup = {};

  /// The interval of the mean speedup is above 1. Where no fixed policy reaches any point there is nothing to be slower
  /// than.
  bool improved() const {
    if (pairs.empty()) return unreached > 0;
    return mean_speedup && mean_speedup->low_interval && mean_speedup->low_interval->low > 1;
  }
  bool worse() const { return mean_speedup && mean_speedup->low_interval && mean_speedup->low_interval->high < 1; }
};
using FamilyGains = std::map<std::string, FamilyGain>;

constexpr const char* trade_off_improved = "improved";
constexpr const char* trade_off_worse = "worse";
constexpr const char* ahead_everywhere = "at every alpha";
constexpr const char* ahead_nowhere = "at no alpha";

/// Contexts of a family, each with its place among them.
using ContextPlaces = std::map<std::string, std::size_t>;
ContextPlaces places_of(const std::vector<PolicyOutcome>& outcomes, const std::string& family) {
  ContextPlaces places;
  for (const PolicyOutcome& outcome : outcomes)
    for (const PolicySample& sample : outcome.samples)
      if (sample.family == family) places.emplace(sample.context, places.size());
  return places;
}

/// Mean TTFT over contexts that may be there several times; 0 without a request.
double mean_seconds(const FamilyPoint& point, std::span<const std::size_t> contexts) {
  ContextTime all;
  for (const std::size_t context : contexts) {
    all.seconds += point.contexts[context].seconds;
    all.requests += point.contexts[context].requests;
  }
  return all.requests > 0 ? all.seconds / all.requests : 0;
}

FamilyPoint point_of(const PolicyOutcome& outcome, const std::string& family, const ContextPlaces& places) {
  FamilyPoint point{std::vector<ContextTime>(places.size())};
  double seconds = 0, requests = 0, quality = 0, answers = 0;
  for (const PolicySample& sample : outcome.samples) {
    if (sample.family != family) continue;
    ContextTime& time = point.contexts[places.at(sample.context)];
    time.seconds += sample.ttft_seconds;
    ++time.requests;
    seconds += sample.ttft_seconds;
    ++requests;
    if (!sample.quality) continue;
    quality += *sample.quality;
    ++answers;
  }
  point.seconds = requests > 0 ? seconds / requests : 0;
  point.quality = answers > 0 ? quality / answers : 0;
  return point;
}

std::vector<FamilyPoint> points_of(const Outcomes& outcomes, const std::string& family, const ContextPlaces& places) {
  std::vector<FamilyPoint> points;
  points.reserve(outcomes.size());
  for (const PolicyOutcome* outcome : outcomes) points.push_back(point_of(*outcome, family, places));
  return points;
}

bool is_dominated(const FamilyPoint& point, const std::vector<FamilyPoint>& by) {
  return std::ranges::any_of(by, [&](const FamilyPoint& other) {
    return other.quality >= point.quality && other.seconds <= point.seconds &&
           (other.quality > point.quality || other.seconds < point.seconds);
  });
}

/// Adds the points of one budget.
void add_frontier(FamilyGain& gain, const std::vector<FamilyPoint>& ours, const std::vector<FamilyPoint>& fixed) {
  for (const FamilyPoint& our : ours) {
    if (!(our.seconds > 0) || is_dominated(our, ours)) continue;
    const FamilyPoint* fastest = nullptr;
    for (const FamilyPoint& other : fixed)
      if (other.quality >= our.quality * (1 - equal_quality) &&
          (fastest == nullptr || other.seconds < fastest->seconds))
        fastest = &other;
    if (fastest == nullptr)
      ++gain.unreached;
    else
      gain.pairs.push_back({*fastest, our});
  }
}

/// Over the pairs; the interval draws the same contexts for all of them. Nothing without a pair.
std::optional<MeasuredSpan> mean_speedup(const std::vector<SpeedPair>& pairs) {
  if (pairs.empty()) return std::nullopt;
  const auto over = [&](std::span<const std::size_t> contexts) -> std::optional<double> {
    double sum = 0;
    for (const SpeedPair& pair : pairs) {
      const double other = mean_seconds(pair.other, contexts), our = mean_seconds(pair.our, contexts);
      if (!(other > 0) || !(our > 0)) return std::nullopt;  // a draw of contexts that one of them did not serve
      sum += other / our;
    }
    return sum / static_cast<double>(pairs.size());
  };
  std::vector<std::size_t> all(pairs.front().our.contexts.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto mean = over(all);
  if (!mean) return std::nullopt;
  return measured_value(*mean, bootstrap_statistic(all.size(), over));
}

/// A share of the families, with Wilson's interval.
template <class Counted>
MeasuredSpan share_of(const FamilyGains& families, Counted counted) {
  const auto count =
      static_cast<std::size_t>(std::ranges::count_if(families, [&](const auto& one) { return counted(one.second); }));
  return measured_value(static_cast<double>(count) / static_cast<double>(families.size()),
                        proportion_interval(count, families.size()), families.size());
}

/// Shares of the families whose trade-off is better than that of the fixed policies, and worse.
struct FamilyShares {
  MeasuredSpan improved, worse;
};
FamilyShares shares_of(const FamilyGains& families) {
  return {share_of(families, [](const FamilyGain& gain) { return gain.improved(); }),
          share_of(families, [](const FamilyGain& gain) { return gain.worse(); })};
}

/// The paper's number is of 12 tasks, each with its one trade-off.
FigureTable shares_table(const FamilyGains& families) {
  FigureTable table{
      "Families by trade-off and by the alphas at which evicpress is ahead of every fixed policy, Wilson's "
      "95 % intervals",
      {"trade-off", "% of the families", "low", "high", "evicpress is ahead", "% of the families ahead", "families"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "trade-off",
                          .y = {"% of the families"},
                          .published = {{"paper: 11 of 12 tasks", trade_off_improved, 91.7, 91.7},
                                        {"paper: 1 of 12 tasks", trade_off_worse, 8.3, 8.3}}};
  if (families.empty()) return table;
  const FamilyShares shares = shares_of(families);
  const auto add = [&](const char* name, const MeasuredSpan& share, const char* ahead, const MeasuredSpan& of_ahead) {
    std::vector<Json> row{name};
    add_interval_cells(row, scaled(share, 100));
    row.insert(row.end(), {Json(ahead), Json(100 * of_ahead.low), Json(families.size())});
    table.rows.push_back(std::move(row));
  };
  add(trade_off_improved, shares.improved, ahead_everywhere,
      share_of(families, [](const FamilyGain& gain) { return gain.at_every; }));
  add(trade_off_worse, shares.worse, ahead_nowhere,
      share_of(families, [](const FamilyGain& gain) { return !gain.at_some; }));
  return table;
}

FigureTable speedups_table(const FamilyGains& families) {
  FigureTable table{
      "Mean speedup over the fixed policies at equal quality, points of evicpress's frontiers under all budgets, 95 % "
      "intervals over contexts",
      {"family", "mean speedup", "low", "high", "trade-off", "evicpress is ahead", "points", "unreached"},
      {}};
  for (const auto& [family, gain] : families) {
    std::vector<Json> row{family};
    if (gain.mean_speedup)
      add_interval_cells(row, *gain.mean_speedup);
    else
      row.insert(row.end(), {Json(), Json(), Json()});
    const char* const trade_off = gain.improved() ? trade_off_improved : gain.worse() ? trade_off_worse : "cannot tell";
    const char* const ahead = gain.at_every ? ahead_everywhere : gain.at_some ? "at some alpha" : ahead_nowhere;
    row.insert(row.end(),
               {Json(trade_off), Json(ahead), Json(gain.pairs.size() + gain.unreached), Json(gain.unreached)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string trade_off_finding(const FamilyGains& families) {
  std::size_t improved = 0, worse = 0;
  for (const auto& [family, gain] : families) {
    improved += gain.improved() ? 1 : 0;
    worse += gain.worse() ? 1 : 0;
  }
  return "the mean speedup at equal quality is above 1 in " + std::to_string(improved) + " of " +
         std::to_string(families.size()) + " families and below 1 in " + std::to_string(worse) +
         ", by intervals over contexts";
}

void measure_claims(FigureResult& result, const FamilyGains& families) {
  if (families.empty()) return;
  const FamilyShares shares = shares_of(families);
  add_claim(result, "evicpress/tasks-improved", shares.improved, true);
  add_claim(result, "evicpress/tasks-worse", shares.worse, true);
  std::vector<FamilyGain> gains;
  gains.reserve(families.size());
  for (const auto& [name, gain] : families) gains.push_back(gain);
  // The gain of the shorter half over that of the longer half, one value a family.
  std::ranges::sort(gains, {}, &FamilyGain::tokens);
  std::vector<double> shorter, longer;
  for (std::size_t i = 0; i < gains.size(); ++i)
    if (!gains[i].speedups.empty()) (2 * i < gains.size() ? shorter : longer).push_back(mean_of(gains[i].speedups));
  if (!shorter.empty() && !longer.empty())
    add_claim(result, "evicpress/short-contexts-gain-more", quotient(measured_mean(shorter), measured_mean(longer)),
              true);
}

FigureTable family_points_table(const std::vector<PolicyOutcome>& outcomes, const std::set<std::string>& families) {
  FigureTable table{"Measured points by family, 95 % intervals over contexts",
                    {"family", "budget %", "policy", "alpha s", "TTFT s", "low", "high", "quality", "low", "high"},
                    {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy", "family"}};
  for (const std::string& family : families)
    for (const PolicyOutcome& outcome : outcomes) {
      std::vector<Json> row{family, 100 * outcome.budget_fraction, policy_text(outcome), alpha_of(outcome)};
      add_cells(row, mean_ttft(outcome, family));
      add_cells(row, mean_quality(outcome, family));
      table.rows.push_back(std::move(row));
    }
  return table;
}

}  // namespace

FigureResult figure_frontier_by_family(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure(figure);
  std::set<std::string> families;
  for (const PolicyOutcome& outcome : outcomes)
    for (const PolicySample& sample : outcome.samples) families.insert(sample.family);
  FigureTable table{
      "evicpress against the fixed policies: TTFT of the other / TTFT of evicpress at equal quality, 95 % intervals "
      "over contexts",
      {"budget %", "family", "smallest ratio", "low", "high", "largest ratio", "low", "high", "points", "ahead",
       "unreached", "contexts"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "family",
                          .y = {"smallest ratio", "largest ratio"},
                          .y_title = "TTFT of the other / TTFT of evicpress",
                          .by = {"budget %"}};
  FamilyGains gains;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = compared_runs(with_prefix(outcomes, "evicpress", budget)),
                   fixed = with_prefix(outcomes, "fixed", budget);
    std::size_t at_some = 0, at_every = 0, compared = 0;
    for (const std::string& family : families) {
      const Speedups speedups = speedups_at_equal_quality(ours, fixed, equal_quality, family);
      const bool any = speedups.span.n > 0;
      std::map<std::string, int> contexts;
      for (const PolicyOutcome* our : ours)
        for (const PolicySample& sample : our->samples)
          if (sample.family == family) contexts[sample.context] = sample.context_tokens;
      table.rows.push_back({100 * budget, family, any ? Json(speedups.span.low) : Json(), low_of(speedups.low_interval),
                            high_of(speedups.low_interval), any ? Json(speedups.span.high) : Json(),
                            low_of(speedups.high_interval), high_of(speedups.high_interval), speedups.span.n,
                            speedups.ahead, speedups.unreached, contexts.size()});
      if (ours.empty() || fixed.empty()) continue;
      FamilyGain& gain = gains[family];
      gain.tokens = 0;
      for (const auto& [context, tokens] : contexts)
        gain.tokens += static_cast<double>(tokens) / static_cast<double>(contexts.size());
      if (any) gain.speedups.push_back(speedups.span.high);
      const ContextPlaces places = places_of(outcomes, family);
      add_frontier(gain, points_of(ours, family, places), points_of(fixed, family, places));
      // A point whose quality no fixed policy reaches is ahead of all of them.
      const bool some = speedups.ahead + speedups.unreached > 0;
      const bool every = speedups.ahead + speedups.unreached == ours.size();
      gain.at_some = gain.at_some || some;
      gain.at_every = gain.at_every && every;
      ++compared;
      at_some += some ? 1 : 0;
      at_every += every ? 1 : 0;
    }
    if (compared > 0)
      result.time_findings.push_back(
          "at " + short_number(100 * budget) +
          " % of the bytes faster than every fixed policy of equal quality at every alpha in " +
          std::to_string(at_every) + " of " + std::to_string(compared) + " families, at some alpha in " +
          std::to_string(at_some) + " (a quality that no fixed policy reaches counts)");
  }
  for (auto& [family, gain] : gains) gain.mean_speedup = mean_speedup(gain.pairs);
  if (!gains.empty()) result.time_findings.push_back(trade_off_finding(gains));
  result.tables = {std::move(table), family_points_table(outcomes, families), shares_table(gains),
                   speedups_table(gains)};
  if (name_rule(result, outcomes)) measure_claims(result, gains);
  return result;
}

}  // namespace kvantage::inline experiments
