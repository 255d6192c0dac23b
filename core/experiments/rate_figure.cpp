#include "core/experiments/load_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {

namespace {

/// Of evicpress and of the best other policy; 0: none of the tested rates.
struct Highest {
  double ours = 0, others = 0;
  std::string other;
};

/// The rate that every policy sustains, with evicpress at its best alpha. `compared`: the runs of evicpress that count.
Highest add_rates(const std::map<std::string, double>& highest, const std::set<std::string>& compared,
                  FigureTable& table) {
  Highest best;
  for (const auto& [name, rate] : highest) {
    table.rows.push_back({name, rate > 0 ? Json(rate) : Json()});
    if (compared.contains(name)) {
      best.ours = std::max(best.ours, rate);
    } else if (!name.starts_with("evicpress") && rate > best.others) {
      best.others = rate;
      best.other = name;
    }
  }
  return best;
}

std::string sentence(const Highest& best, const std::string& bound) {
  if (!(best.ours > 0)) return bound + ": not met by evicpress at any tested rate";
  if (!(best.others > 0)) return bound + ": not met by any other policy at any tested rate";
  return bound + ": evicpress sustains " + short_number(best.ours / best.others) +
         " times the rate of the best baseline (" + best.other + ", " + short_number(best.others) +
         " requests/s) among the tested rates";
}

/// What the minimum quality is worth: answers to other questions may reach it. Empty where that is unknown.
std::string chance_text(const std::vector<PolicyOutcome>& outcomes, double min_quality) {
  double sum = 0;
  std::size_t n = 0;
  for (const PolicyOutcome& outcome : outcomes) {
    const PolicyMean chance = mean_chance(outcome);
    sum += chance.mean * static_cast<double>(chance.n);
    n += chance.n;
  }
  if (n == 0 || !(min_quality > 0)) return {};
  return "; the minimum quality is " + short_number(min_quality) + ", and answers to other questions score " +
         short_number(sum / static_cast<double>(n));
}

/// A policy sustains at least its highest tested rate and less than the next one, so the quotient of two is between
/// these ends. That is no 95 % interval: what varies from sample to sample is not part of it. None where either
/// sustains the highest of its own.
std::optional<MeasuredSpan> rate_ratio(const Highest& best, const std::vector<PolicyOutcome>& outcomes,
                                       const std::set<std::string>& compared) {
  if (!(best.ours > 0) || !(best.others > 0)) return {};
  const auto next = [&](double rate, bool ours) {
    double above = 0;
    for (const PolicyOutcome& outcome : outcomes) {
      const std::string name = name_of(outcome);
      if (ours ? !compared.contains(name) : name.starts_with("evicpress")) continue;
      if (outcome.requests_per_second > rate && (above == 0 || outcome.requests_per_second < above))
        above = outcome.requests_per_second;
    }
    return above;
  };
  const double times = best.ours / best.others, next_ours = next(best.ours, true),
               next_others = next(best.others, false);
  if (next_ours == 0 || next_others == 0) return measured_value(times, {});
  MeasuredSpan ratio = measured_value(times, Interval{best.ours / next_others, next_ours / best.others});
  ratio.is_sampled = false;  // its ends are tested rates
  return ratio;
}

/// The paper's span of the highest rate over that of the best baseline, in rates of this machine.
PublishedMark times_the_best(const Highest& best, double low, double high) {
  return {"paper: " + short_number(low) + " - " + short_number(high) + " times the best baseline", nullptr,
          low * best.others, high * best.others};
}

/// What one outcome is held against the bounds with.
struct RateMeans {
  PolicyMean ttft, p95, itl, quality;
};

std::vector<RateMeans> means_of(const std::vector<PolicyOutcome>& outcomes) {
  std::vector<RateMeans> all;
  all.reserve(outcomes.size());
  for (const PolicyOutcome& outcome : outcomes)
    all.push_back({mean_ttft_with_queue(outcome), ttft_with_queue_percentile(outcome, 0.95), mean_itl(outcome),
                   mean_quality(outcome)});
  return all;
}

/// A bound in seconds, and as a multiple; 0 times: it was given in seconds.
struct RateLevel {
  double seconds = 0, times = 0;
};

RateLevel ttft_level(const RateBounds& bounds) {
  if (bounds.ttft_seconds > 0) return {bounds.ttft_seconds, 0};
  return {bounds.prefills * bounds.prefill_seconds, bounds.prefills};
}

/// As RateBounds says. `means`: parallel to the outcomes.
RateLevel itl_level(const std::vector<PolicyOutcome>& outcomes, const std::vector<RateMeans>& means,
                    const RateBounds& bounds, double unloaded_seconds) {
  if (bounds.itl_seconds > 0) return {bounds.itl_seconds, 0};
  RateLevel level{bounds.unloaded_times * unloaded_seconds, bounds.unloaded_times};
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const bool is_baseline =
        outcomes[i].condition != unloaded_condition && !outcomes[i].policy.starts_with("evicpress");
    if (is_baseline && means[i].itl.n > 0 && means[i].quality.mean >= bounds.min_quality)
      lowest = std::min(lowest, means[i].itl.mean);
  }
  if (!(level.seconds > 0) || !std::isfinite(lowest)) return level;
  for (; level.seconds < lowest; level.seconds *= 2) level.times *= 2;
  return level;
}

std::string ttft_text(const RateLevel& level) {
  const std::string text = "mean TTFT within " + short_number(level.seconds) + " s";
  return level.times > 0 ? text + " (" + short_number(level.times) + " times the mean prefill of a context)" : text;
}

std::string itl_text(const RateLevel& level) {
  const std::string text = "inter-token latency within " + short_number(1e3 * level.seconds) + " ms";
  return level.times > 0 ? text + " (" + short_number(level.times) + " times the unloaded one)" : text;
}

/// A line for each policy and alpha against the rate: the mean of `column`, in seconds, as `y_title`.
FigureTable lines_table(const std::string& title, const std::string& column, const std::string& y_title) {
  FigureTable table{title, {"policy", "alpha s", "rate 1/s", column, "low", "high", "n"}, {}};
  table.plot = FigurePlot{
      .kind = FigurePlot::Kind::lines, .x = "rate 1/s", .y = {column}, .y_title = y_title, .by = {"policy", "alpha s"}};
  return table;
}

/// `begin`: policy, alpha and rate, as in the row of all numbers.
void add_line_row(FigureTable& table, const std::vector<Json>& begin, const PolicyMean& mean) {
  std::vector<Json> row(begin.begin(), begin.begin() + 3);
  add_cells(row, mean);
  row.emplace_back(mean.n);
  table.rows.push_back(std::move(row));
}

/// All numbers by rate, then inter-token latency and the 95th percentile of TTFT in charts of their own.
struct RateTables {
  FigureTable all, itl, p95;
};

RateTables rate_tables(const std::vector<PolicyOutcome>& outcomes, const std::vector<RateMeans>& means) {
  RateTables tables{{"By rate, queueing included, 95 % intervals over contexts",
                     {"policy", "alpha s", "rate 1/s", "TTFT s", "low", "high", "inter-token latency s", "low", "high",
                      "quality", "low", "high", "n", "quality by chance"},
                     {}},
                    lines_table("Inter-token latency by rate, 95 % intervals over contexts", "inter-token latency s",
                                "mean inter-token latency, s"),
                    lines_table("95th percentile of TTFT by rate, queueing included, 95 % intervals over contexts",
                                "p95 TTFT s", "95th percentile of TTFT, s")};
  tables.all.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                               .x = "rate 1/s",
                               .y = {"TTFT s"},
                               .y_title = "mean TTFT, s",
                               .by = {"policy", "alpha s"}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const PolicyOutcome& outcome = outcomes[i];
    std::vector<Json> row{
        outcome.policy, alpha_of(outcome),
        outcome.requests_per_second > 0 ? Json(outcome.requests_per_second) : Json(outcome.condition)};
    add_cells(row, means[i].ttft);
    add_cells(row, means[i].itl);
    add_cells(row, means[i].quality);
    row.emplace_back(outcome.samples.size());
    row.push_back(chance_of(outcome));
    add_line_row(tables.itl, row, means[i].itl);
    add_line_row(tables.p95, row, means[i].p95);
    tables.all.rows.push_back(std::move(row));
  }
  return tables;
}

/// The engine's time breakdown by policy and rate.
FigureTable rate_cost_table(const std::vector<PolicyOutcome>& outcomes) {
  FigureTable table{"Engine time after the warm-up, all seeds together",
                    {"policy", "alpha s", "rate 1/s", "answered 1/s", "busy %", "context prefill % of busy",
                     "question prefill % of busy", "placing % of busy", "profiling % of busy",
                     "decoding and unpacking % of busy", "answer tokens/s", "prefills", "n"},
                    {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::lines, .x = "rate 1/s", .y = {"answered 1/s"}, .by = {"policy", "alpha s"}};
  for (const PolicyOutcome& outcome : outcomes) {
    ServingCost all;
    for (const ServingCost& cost : outcome.serving) {
      all.wall_seconds += cost.wall_seconds;
      all.busy_seconds += cost.busy_seconds;
      all.context_prefill_seconds += cost.context_prefill_seconds;
      all.question_prefill_seconds += cost.question_prefill_seconds;
      all.placing_seconds += cost.placing_seconds;
      all.profiling_seconds += cost.profiling_seconds;
      all.answer_tokens += cost.answer_tokens;
      all.requests += cost.requests;
      all.prefills += cost.prefills;
    }
    if (!(all.wall_seconds > 0) || !(all.busy_seconds > 0)) continue;
    const auto share = [&](double seconds) { return Json(100 * seconds / all.busy_seconds); };
    const double named =
        all.context_prefill_seconds + all.question_prefill_seconds + all.placing_seconds + all.profiling_seconds;
    table.rows.push_back({outcome.policy, alpha_of(outcome),
                          outcome.requests_per_second > 0 ? Json(outcome.requests_per_second) : Json(outcome.condition),
                          static_cast<double>(all.requests) / all.wall_seconds,
                          100 * all.busy_seconds / all.wall_seconds, share(all.context_prefill_seconds),
                          share(all.question_prefill_seconds), share(all.placing_seconds), share(all.profiling_seconds),
                          share(std::max(all.busy_seconds - named, 0.0)),
                          static_cast<double>(all.answer_tokens) / all.wall_seconds, all.prefills, all.requests});
  }
  return table;
}

/// The largest part of evicpress's busy time at the highest rate, as text.
std::string limit_of(const FigureTable& costs) {
  const std::vector<Json>* highest = nullptr;
  for (const auto& row : costs.rows)
    if (row[0].get<std::string>().starts_with("evicpress") && row[2].is_number() &&
        (highest == nullptr || row[2].get<double>() > (*highest)[2].get<double>()))
      highest = &row;
  if (highest == nullptr) return {};
  std::size_t most = 5;
  for (std::size_t c = 5; c < 10; ++c)
    if ((*highest)[c].get<double>() > (*highest)[most].get<double>()) most = c;
  std::string part = costs.columns[most];
  part.resize(part.find(" %"));
  return "at " + short_number((*highest)[2].get<double>()) + " requests/s under evicpress, the engine is busy for " +
         short_number((*highest)[4].get<double>()) + " % of the time, mostly with " + part + ": " +
         short_number((*highest)[most].get<double>()) + " %";
}

/// The levels, and what they are multiples of where that is known.
Json settings_of(const RateBounds& bounds, const RateLevel& ttft, const RateLevel& itl, const PolicyMean& unloaded) {
  Json settings{{"min quality", bounds.min_quality}, {"mean TTFT bound s", ttft.seconds}};
  if (bounds.prefill_seconds > 0) settings["mean prefill s"] = bounds.prefill_seconds;
  if (ttft.times > 0) settings["TTFT bound / mean prefill"] = ttft.times;
  if (itl.seconds > 0) settings["mean inter-token latency bound s"] = itl.seconds;
  if (unloaded.n > 0) settings["unloaded inter-token latency s"] = unloaded.mean;
  if (unloaded.n > 0 && itl.times > 0) settings["inter-token latency bound / unloaded"] = itl.times;
  return settings;
}

}  // namespace

FigureResult figure_rates(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                          const RateBounds& bounds) {
  FigureResult result = begin_figure(figure);
  const std::vector<RateMeans> means = means_of(outcomes);
  PolicyMean unloaded;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i].condition == unloaded_condition) unloaded = means[i].itl;
  const RateLevel ttft_bound = ttft_level(bounds), itl_bound = itl_level(outcomes, means, bounds, unloaded.mean);
  result.settings = settings_of(bounds, ttft_bound, itl_bound, unloaded);
  std::map<std::string, double> by_ttft, by_itl;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].condition == unloaded_condition) continue;
    const std::string name = name_of(outcomes[i]);
    double &of_ttft = by_ttft[name], &of_itl = by_itl[name];
    const auto& [ttft, p95, itl, quality] = means[i];
    if (quality.mean < bounds.min_quality) continue;
    const double rate = outcomes[i].requests_per_second;
    if (ttft.mean <= ttft_bound.seconds) of_ttft = std::max(of_ttft, rate);
    if (itl.n > 0 && itl.mean <= itl_bound.seconds) of_itl = std::max(of_itl, rate);
  }
  FigureTable ttft_rates{"Highest rate with the mean TTFT within the bound", {"policy", "rate 1/s"}, {}};
  FigureTable itl_rates{"Highest rate with the mean inter-token latency within the bound", {"policy", "rate 1/s"}, {}};
  ttft_rates.plot = itl_rates.plot = FigurePlot{.kind = FigurePlot::Kind::bars, .x = "policy", .y = {"rate 1/s"}};
  const std::set<std::string> compared = compared_names(outcomes);
  const Highest ttft = add_rates(by_ttft, compared, ttft_rates), itl = add_rates(by_itl, compared, itl_rates);
  if (ttft.others > 0) ttft_rates.plot->published = {times_the_best(ttft, 2.0, 3.6)};
  if (itl.others > 0) itl_rates.plot->published = {times_the_best(itl, 1.9, 3.4)};
  FigureTable costs = rate_cost_table(outcomes);
  const std::string limit = limit_of(costs);
  RateTables by_rate = rate_tables(outcomes, means);
  result.tables = {std::move(by_rate.all), std::move(ttft_rates),  std::move(itl_rates),
                   std::move(costs),       std::move(by_rate.itl), std::move(by_rate.p95)};
  const std::string chance = chance_text(outcomes, bounds.min_quality);
  result.time_findings = {ttft_bound.seconds > 0
                              ? sentence(ttft, ttft_text(ttft_bound)) + chance
                              : std::string("no comparison at equal TTFT: no prefill was timed, and no bound is given"),
                          sentence(itl, itl_text(itl_bound)) + chance};
  if (itl_bound.times > bounds.unloaded_times)
    result.time_findings.push_back("no baseline of the minimum quality has an inter-token latency within " +
                                   short_number(bounds.unloaded_times) +
                                   " times the unloaded one at any tested rate: the bound is doubled until one has");
  if (name_rule(result, outcomes)) {
    add_claim(result, "evicpress/rate-vs-best-baseline", rate_ratio(ttft, outcomes, compared), true);
    add_claim(result, "evicpress/rate-at-equal-itl", rate_ratio(itl, outcomes, compared), true);
  }
  if (!limit.empty()) result.time_findings.push_back(limit);
  return result;
}

}  // namespace kvantage::inline experiments
