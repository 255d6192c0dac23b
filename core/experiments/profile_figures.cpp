#include "core/experiments/profile_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "core/base/bootstrap.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"
#include "core/policy/utility.h"

namespace kvantage::inline experiments {

namespace {

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// Standard deviation over mean; nothing where the mean is 0.
std::optional<double> variation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  return values.size() > 1 && mean > 0 ? std::optional(deviation_of(values) / mean) : std::nullopt;
}

/// A metric over values, one per context, and its interval; nothing where it has no value.
template <class Figure>
std::optional<MeasuredSpan> drawn(const std::vector<double>& values, Figure figure) {
  const std::optional<double> known = figure(values);
  if (!known) return {};
  const auto interval = bootstrap_statistic(values.size(), [&](std::span<const std::size_t> some) {
    std::vector<double> chosen;
    for (const std::size_t i : some) chosen.push_back(values[i]);
    return figure(chosen);
  });
  return measured_value(*known, interval, values.size());
}
void add_drawn(std::vector<Json>& row, const std::optional<MeasuredSpan>& known) {
  const auto interval = known ? known->low_interval : std::nullopt;
  row.insert(row.end(), {known ? Json(known->low) : Json(), low_of(interval), high_of(interval)});
}
void add_mean(std::vector<Json>& row, const std::vector<double>& values) {
  add_cells(row, {mean_of(values), bootstrap_interval(values), values.size()});
}

void add_share(std::vector<Json>& row, const std::vector<double>& values) {
  add_cells(row, {mean_of(values), share_interval(values), values.size()}, 100);
}

auto percentile_at(double fraction) {
  return [fraction](const std::vector<double>& values) { return std::optional(percentile(values, fraction)); };
}

/// Of figure 3, a curve a family.
FigureTable contexts_table(const std::map<std::string, std::vector<double>>& families) {
  FigureTable table{"Relative drop of quality of each context", {"family", "drop"}, {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::cdf, .x = "drop", .y = {}, .by = {"family"}};
  for (const auto& [family, drops] : families)
    for (const double drop : drops) table.rows.push_back({family, drop});
  return table;
}

/// Of figure 4: the contexts that each method hurts least, in its order. `lengths` is parallel to `methods`.
FigureTable lengths_table(const std::vector<std::string>& methods, const std::vector<std::vector<double>>& lengths) {
  FigureTable table{"Lengths of the contexts by the method with the smallest quality drop; a tie counts for each",
                    {"method", "tokens"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::histogram, .x = "tokens", .y = {}, .by = {"method"}};
  for (std::size_t m = 0; m < methods.size(); ++m)
    for (const double tokens : lengths[m]) table.rows.push_back({methods[m], tokens});
  return table;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::optional<double> sensitivity(const ContextState& context, const std::string& method, double removed_fraction) {
  const ProfilePoint* whole = find_point(context, "none", 0);
  const ProfilePoint* cut = find_point(context, method, removed_fraction);
  if (whole == nullptr || cut == nullptr || !(whole->quality > 0)) return {};
  return (whole->quality - cut->quality) / whole->quality;
}

FigureResult figure_sensitivities(const PaperFigure& figure, const Snapshot& snapshot, const std::string& method,
                                  double removed_fraction) {
  std::map<std::string, std::vector<double>> families;
  std::vector<double> all;
  for (const ContextState& context : snapshot.contexts)
    if (const auto drop = sensitivity(context, method, removed_fraction)) {
      families[context.family].push_back(*drop);
      all.push_back(*drop);
    }
  FigureResult result = begin_figure(figure);
  result.settings = {{"method", method}, {"removed fraction", removed_fraction}, {"contexts", all.size()}};
  FigureTable quantiles{"Relative drop of quality over all contexts, 95 % intervals over contexts",
                        {"what", "drop", "low", "high", "n"},
                        {}};
  if (!all.empty())
    for (const auto& [name, fraction] : {std::pair{"min", 0.0},
                                         {"25th percentile", 0.25},
                                         {"median", 0.5},
                                         {"75th percentile", 0.75},
                                         {"max", 1.0},
                                         {"mean", -1.0}}) {
      std::vector<Json> row{name};
      // The minimum and maximum of a sample do not estimate the spread of another one.
      if (fraction == 0 || fraction == 1)
        row.insert(row.end(), {Json(percentile(all, fraction)), Json(), Json()});
      else if (fraction < 0)
        add_mean(row, all);
      else
        add_drawn(row, drawn(all, percentile_at(fraction)));
      row.push_back(all.size());
      quantiles.rows.push_back(std::move(row));
    }
  FigureTable by_family{
      "By family, 95 % intervals over contexts",
      {"family", "contexts", "median", "low", "high", "mean", "low", "high", "coefficient of variation", "low", "high"},
      {}};
  by_family.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                              .x = "family",
                              .y = {"median"},
                              .y_title = "median drop of quality",
                              .published = {{"paper: medians of six data sets", nullptr, 0.340, 0.759}}};
  double low = 2, high = -2;
  std::vector<MeasuredSpan> variations;
  for (const auto& [family, drops] : families) {
    const double median = percentile(drops, 0.5);
    low = std::min(low, median);
    high = std::max(high, median);
    std::vector<Json> row{family, drops.size()};
    add_drawn(row, drawn(drops, percentile_at(0.5)));
    add_mean(row, drops);
    const auto variation = drawn(drops, variation_of);
    add_drawn(row, variation);
    if (variation) variations.push_back(*variation);
    by_family.rows.push_back(std::move(row));
  }
  std::stable_sort(by_family.rows.begin(), by_family.rows.end(), [](const auto& a, const auto& b) {
    return a[2].template get<double>() < b[2].template get<double>();
  });
  result.tables = {std::move(quantiles), std::move(by_family), contexts_table(families)};
  if (families.size() > 1)
    result.findings.push_back("medians of families from " + short_number(low) + " to " + short_number(high));
  add_claim(result, "evicpress/sensitivity-variation", variations);
  return result;
}

FigureResult figure_least_hurting(const PaperFigure& figure, const Snapshot& snapshot,
                                  const std::vector<std::string>& methods, double removed_fraction) {
  std::vector<std::vector<double>> shares(methods.size()), alone(methods.size());  // per context
  std::vector<std::vector<double>> lengths(methods.size());
  double contexts = 0, tied = 0;
  for (const ContextState& context : snapshot.contexts) {
    double least = 2;
    std::vector<std::size_t> best;
    bool known = true;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const auto drop = sensitivity(context, methods[m], removed_fraction);
      known = known && drop.has_value();
      if (!drop) continue;
      if (*drop < least - 1e-9) best.clear();
      if (*drop < least + 1e-9) best.push_back(m);
      least = std::min(least, *drop);
    }
    if (!known) continue;
    ++contexts;
    tied += best.size() > 1 ? 1 : 0;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const bool leads = std::ranges::find(best, m) != best.end();
      shares[m].push_back(leads ? 1 / static_cast<double>(best.size()) : 0);
      alone[m].push_back(leads && best.size() == 1 ? 1 : 0);
      if (leads) lengths[m].push_back(context.tokens);
    }
  }
  FigureResult result = begin_figure(figure);
  result.settings = {{"methods", listed(methods)},
                     {"removed fraction", removed_fraction},
                     {"contexts", static_cast<std::int64_t>(contexts)}};
  FigureTable table{"Contexts by the method with the smallest quality drop, 95 % intervals over contexts",
                    {"method", "share %", "low", "high", "without ties %", "low", "high", "median tokens", "shortest",
                     "longest", "n"},
                    {}};
  table.plot = FigurePlot{
      .kind = FigurePlot::Kind::bars,
      .x = "method",
      .y = {"share %"},
      .published = {{"paper", "kvzip", 40.3, 40.3}, {"paper", "knorm", 40.0, 40.0}, {"paper", "snapkv", 19.7, 19.7}}};
  std::size_t leaders = 0;
  double most = 0;
  std::size_t first = 0;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const double share = 100 * mean_of(shares[m]);
    if (share > most) {
      most = share;
      first = m;
    }
    leaders += share >= 15 ? 1 : 0;
    std::vector<Json> row{methods[m]};
    if (contexts > 0)
      add_claim(result, "evicpress/best-method-" + methods[m],
                measured_value(share / 100, share_interval(shares[m]), shares[m].size()));
    add_share(row, shares[m]);
    add_share(row, alone[m]);
    for (const double fraction : {0.5, 0.0, 1.0})
      row.push_back(lengths[m].empty() ? Json() : Json(percentile(lengths[m], fraction)));
    row.push_back(shares[m].size());
    table.rows.push_back(std::move(row));
  }
  result.tables = {std::move(table), lengths_table(methods, lengths)};
  if (contexts > 0)
    result.findings.push_back(methods[first] + " leads with " + short_number(most) + " %, " + std::to_string(leaders) +
                              " of " + std::to_string(methods.size()) + " methods lead for 15 % or more; " +
                              short_number(100 * tied / contexts) + " % of the contexts are ties");
  return result;
}

FigureResult figure_best_fractions(const PaperFigure& figure, const Snapshot& snapshot,
                                   const std::vector<std::string>& methods, std::size_t tier) {
  std::map<std::string, std::vector<double>> families;
  std::size_t contexts = 0;
  for (const ContextState& context : snapshot.contexts) {
    const ProfilePoint* whole = find_point(context, "none", 0);
    if (whole == nullptr || !(whole->quality > 0) || tier >= snapshot.tiers.size()) continue;
    const auto seconds = [&](const ProfilePoint& point) {
      return predict(snapshot, context, {static_cast<int>(tier), point.method, point.removed_fraction}, 1).ttft_seconds;
    };
    const double whole_seconds = seconds(*whole);
    double best = 0, fraction = 0;  // of the uncompressed cache: 1 - 1
    for (const ProfilePoint& point : context.profile->points) {
      if (std::find(methods.begin(), methods.end(), point.method) == methods.end()) continue;
      const double balance = point.quality / whole->quality - seconds(point) / whole_seconds;
      if (balance <= best) continue;
      best = balance;
      fraction = point.removed_fraction;
    }
    families[context.family].push_back(fraction);
    ++contexts;
  }
  FigureResult result =
      begin_figure(figure, Provenance::predicted);  // qualities are measured, times come from the fitted tier
  result.settings = {{"methods", listed(methods)},
                     {"tier", tier < snapshot.tiers.size() ? snapshot.tiers[tier].name : ""},
                     {"balance", "quality / uncompressed quality - TTFT / uncompressed TTFT"},
                     {"contexts", contexts}};
  FigureTable table{"By family, 95 % intervals over contexts",
                    {"family", "contexts", "mean removed fraction", "low", "high", "standard deviation",
                     "coefficient of variation", "low", "high"},
                    {}};
  // The paper's bars have their standard deviation as whiskers; whiskers are intervals of the mean here.
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "family",
                          .y = {"mean removed fraction", "standard deviation"},
                          .y_title = "removed fraction"};
  double low = 2, high = -1;
  std::vector<MeasuredSpan> variations;
  for (const auto& [family, fractions] : families) {
    low = std::min(low, mean_of(fractions));
    high = std::max(high, mean_of(fractions));
    std::vector<Json> row{family, fractions.size()};
    add_mean(row, fractions);
    row.push_back(deviation_of(fractions));
    const auto variation = drawn(fractions, variation_of);
    add_drawn(row, variation);
    if (variation) variations.push_back(*variation);
    table.rows.push_back(std::move(row));
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return a[2].template get<double>() < b[2].template get<double>();
  });
  result.tables = {std::move(table)};
  if (families.size() > 1)
    result.findings.push_back("means of families from " + short_number(low) + " to " + short_number(high));
  add_claim(result, "evicpress/best-ratio-variation", variations);
  return result;
}

}  // namespace kvantage::inline experiments
