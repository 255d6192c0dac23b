// EvicPress figure 7: TTFT against quality over all families.
#include <algorithm>
#include <utility>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/frontier_findings.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/policy_figures.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

/// Pareto-optimal points of evicpress.
Outcomes own_frontier(Outcomes ours) {
  Outcomes front;
  for (const PolicyOutcome* a : ours) {
    const bool dominated = std::any_of(ours.begin(), ours.end(), [&](const PolicyOutcome* b) {
      const double qa = mean_quality(*a).mean, qb = mean_quality(*b).mean, ta = mean_ttft(*a).mean,
                   tb = mean_ttft(*b).mean;
      return b != a && qb >= qa && tb <= ta && (qb > qa || tb < ta);
    });
    if (!dominated) front.push_back(a);
  }
  return front;
}

/// TTFT of the other over ours; nothing where either is missing.
std::optional<MeasuredSpan> near_full_speed(const Outcomes& others, const PolicyOutcome* ours) {
  if (others.empty() || ours == nullptr) return {};
  return measured_value(mean_ttft(*others.front()).mean / mean_ttft(*ours).mean,
                        ttft_ratio_interval(*others.front(), *ours));
}
void add_near_full(std::vector<Json>& row, const std::optional<MeasuredSpan>& near) {
  if (near)
    row.insert(row.end(), {Json(near->low), low_of(near->low_interval), high_of(near->low_interval)});
  else
    row.insert(row.end(), {Json(), Json(), Json()});
}

FigureTable points_table(const std::vector<PolicyOutcome>& outcomes) {
  FigureTable table{"Measured points, 95 % intervals over contexts",
                    {"budget %", "policy", "alpha s", "TTFT s", "low", "high", "quality", "low", "high",
                     "predicted quality", "n", "seeds", "quality by chance"},
                    {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy", "budget %"}};
  for (const PolicyOutcome& outcome : outcomes) {
    const PolicyMean ttft = mean_ttft(outcome), quality = mean_quality(outcome);
    double predicted = 0;
    std::size_t n = 0;
    for (const PolicySample& sample : outcome.samples)
      if (sample.predicted_quality) {
        predicted += *sample.predicted_quality;
        ++n;
      }
    table.rows.push_back({100 * outcome.budget_fraction, policy_text(outcome), alpha_of(outcome), ttft.mean,
                          low_of(ttft.interval), high_of(ttft.interval), quality.mean, low_of(quality.interval),
                          high_of(quality.interval), n > 0 ? Json(predicted / static_cast<double>(n)) : Json(),
                          quality.n, outcome.seeds, chance_of(outcome)});
  }
  return table;
}

/// As a share of the quality of prefill; nothing where it is unknown.
std::optional<double> chance_of_full(const PolicyOutcome& prefill) {
  const PolicyMean chance = mean_chance(prefill);
  const double full = mean_quality(prefill).mean;
  return chance.n > 0 && full > 0 ? std::optional(chance.mean / full) : std::nullopt;
}

/// What the run says about evicpress by one rule under one budget.
FrontierComparison compare_frontier(const std::vector<PolicyOutcome>& outcomes, double budget, const std::string& rule,
                                    const Outcomes& ours) {
  const Outcomes fixed = with_prefix(outcomes, "fixed", budget), impress = with_prefix(outcomes, "impress", budget),
                 prefill = with_prefix(outcomes, "full_prefill", budget), lru = with_prefix(outcomes, "lru", budget);
  const PolicyOutcome* best =
      prefill.empty() ? nullptr : fastest_near(ours, mean_quality(*prefill.front()).mean, near_full);
  FrontierComparison compared{.budget_fraction = budget,
                              .rule = rule,
                              .full_quality_known = !prefill.empty(),
                              .prefill = near_full_speed(prefill, best),
                              .lru = near_full_speed(lru, best)};
  if (!prefill.empty()) compared.chance = chance_of_full(*prefill.front());
  if (!fixed.empty()) {
    compared.fixed_speed = speedups_at_equal_quality(ours, fixed, equal_quality);
    compared.fixed_rise = quality_rises_at_equal_ttft(ours, fixed, equal_ttft);
  }
  if (!impress.empty()) {
    compared.impress_speed = speedups_at_equal_quality(ours, impress, equal_quality);
    compared.impress_rise = quality_rises_at_equal_ttft(ours, impress, equal_ttft);
  }
  return compared;
}

std::vector<Json> ratios_row(const FrontierComparison& compared, const Outcomes& ours) {
  double question = 0, gap = 0;
  std::size_t requests = 0, judged = 0;
  for (const PolicyOutcome* our : ours)
    for (const PolicySample& sample : our->samples) {
      question += sample.question_seconds;
      ++requests;
      if (!sample.predicted_quality || !sample.quality) continue;
      gap += *sample.predicted_quality - *sample.quality;
      ++judged;
    }
  std::vector<Json> row{100 * compared.budget_fraction,
                        compared.rule,
                        span_text(compared.fixed_speed.value_or(Speedups{})),
                        span_text(compared.fixed_rise.value_or(Speedups{}), 100),
                        span_text(compared.impress_speed.value_or(Speedups{})),
                        span_text(compared.impress_rise.value_or(Speedups{}), 100)};
  add_near_full(row, compared.prefill);
  add_near_full(row, compared.lru);
  row.push_back(requests > 0 ? Json(question / static_cast<double>(requests)) : Json());
  row.push_back(judged > 0 ? Json(gap / static_cast<double>(judged)) : Json());
  return row;
}

/// Over all budgets, as the paper's spans are over all of its models.
std::optional<MeasuredSpan> over_budgets(const std::vector<FrontierComparison>& all,
                                         std::optional<Speedups> FrontierComparison::*member) {
  std::vector<Speedups> some;
  for (const FrontierComparison& one : all)
    if (one.*member) some.push_back(*(one.*member));
  return measured_span(some);
}

/// Of those near full quality: one for each budget that has one.
std::vector<MeasuredSpan> each_near(const std::vector<FrontierComparison>& all,
                                    std::optional<MeasuredSpan> FrontierComparison::*member) {
  std::vector<MeasuredSpan> some;
  for (const FrontierComparison& one : all)
    if (one.*member) some.push_back(*(one.*member));
  return some;
}

void measure_claims(FigureResult& result, const std::vector<FrontierComparison>& all) {
  add_claim(result, "evicpress/ttft-vs-compression-lru", over_budgets(all, &FrontierComparison::fixed_speed), true);
  add_claim(result, "evicpress/quality-vs-compression-lru", over_budgets(all, &FrontierComparison::fixed_rise), true);
  add_claim(result, "evicpress/ttft-vs-impress", over_budgets(all, &FrontierComparison::impress_speed), true);
  add_claim(result, "evicpress/quality-vs-impress", over_budgets(all, &FrontierComparison::impress_rise), true);
  std::vector<MeasuredSpan> prefill = each_near(all, &FrontierComparison::prefill);
  const std::vector<MeasuredSpan> lru = each_near(all, &FrontierComparison::lru);
  add_claim(result, "evicpress/ttft-vs-prefill", prefill, true);
  if (!prefill.empty()) add_claim(result, "evicpress/ttft-up-to", largest_of(prefill), true);
  for (const char* claim : {"evicpress/ttft-vs-lru", "evicpress/ttft-vs-full-eviction"})
    add_claim(result, claim, lru, true);
  std::vector<MeasuredSpan> both = std::move(prefill);
  both.insert(both.end(), lru.begin(), lru.end());
  add_claim(result, "evicpress/ttft-vs-prefill-and-eviction-figure-7", both, true);
}

/// A range of the paper's abstract and section 6, beside the same comparison here.
struct ComparedRange {
  const char* name;
  std::optional<MeasuredSpan> here;  // by the paper's rule, over all budgets
  double low, high;                  // the paper's, over its models
};

/// Both ends of each range as bars, with the paper's beside them. No rows where nothing was compared.
FigureTable ranges_table(const char* title, const char* column, const char* y_title,
                         const std::vector<ComparedRange>& ranges, double factor) {
  FigureTable table{title, {"comparison", "end", column, "low", "high"}, {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::bars, .x = "comparison", .y = {column}, .y_title = y_title, .by = {"end"}};
  for (const ComparedRange& range : ranges) {
    if (!range.here) continue;
    const auto add = [&](const char* end, double value, const std::optional<Interval>& interval) {
      std::vector<Json> row{range.name, end};
      add_cells(row, {value, interval, 1}, factor);
      table.rows.push_back(std::move(row));
    };
    add("smallest", range.here->low, range.here->low_interval);
    add("largest", range.here->high, range.here->high_interval);
    table.plot->published.push_back(
        {"paper: range over its models", range.name, factor * range.low, factor * range.high});
  }
  return table;
}

void add_ranges(FigureResult& result, const std::vector<FrontierComparison>& all) {
  const auto near = [&](std::optional<MeasuredSpan> FrontierComparison::*member) {
    const std::vector<MeasuredSpan> some = each_near(all, member);
    return some.empty() ? std::nullopt : std::optional(span_of(some));
  };
  FigureTable speeds = ranges_table(
      "Times faster by the paper's rule, smallest and largest over all budgets, 95 % intervals over contexts",
      "times faster", "TTFT of the other / TTFT of evicpress",
      {{"fixed + lru, equal quality", over_budgets(all, &FrontierComparison::fixed_speed), 1.43, papers_fixed_speed},
       {"impress, equal quality", over_budgets(all, &FrontierComparison::impress_speed), 1.5, papers_impress_speed},
       {"prefill, 3 % near full", near(&FrontierComparison::prefill), 1.29, papers_prefill_speed},
       {"lru, 3 % near full", near(&FrontierComparison::lru), 1.22, papers_lru_speed}},
      1);
  FigureTable rises = ranges_table(
      "Quality at equal TTFT by the paper's rule, smallest and largest over all budgets, 95 % intervals over contexts",
      "quality gain %", "",
      {{"fixed + lru, equal TTFT", over_budgets(all, &FrontierComparison::fixed_rise), 0.1358, papers_fixed_rise},
       {"impress, equal TTFT", over_budgets(all, &FrontierComparison::impress_rise), 0.1429, papers_impress_rise}},
      100);
  for (FigureTable* table : {&speeds, &rises})
    if (!table->rows.empty()) result.tables.push_back(std::move(*table));
}

/// Beyond the paper's own rules and its authors' code.
bool is_extension(const RuleOutcomes& rule) {
  return !rule.rule.is_papers && !rule.rule.name.ends_with("(the authors' code)");
}

/// `tiers`, then what else something was loaded from.
std::vector<std::string> load_sources(const std::vector<PolicyOutcome>& outcomes, std::vector<std::string> tiers) {
  for (const PolicyOutcome& outcome : outcomes)
    for (const PolicySample& sample : outcome.samples)
      if (sample.parts && sample.parts->load > 0 && std::ranges::find(tiers, sample.source) == tiers.end())
        tiers.push_back(sample.source);
  return tiers;
}

/// The fastest of all others that has the mean quality of evicpress's runs, of those with known parts; null: none.
const PolicyOutcome* best_baseline(const std::vector<PolicyOutcome>& outcomes, double budget, double quality) {
  Outcomes others;
  for (const PolicyOutcome& outcome : outcomes)
    if (outcome.budget_fraction == budget && !evicpress_rule(outcome.policy) &&
        std::ranges::any_of(outcome.samples, [](const PolicySample& sample) { return sample.parts.has_value(); }))
      others.push_back(&outcome);
  return fastest_near(others, quality, equal_quality);
}

/// Under each budget evicpress by the paper's rule, the best baseline and the extensions. No rows where parts of TTFT
/// are unknown, as of simulated requests.
FigureTable breakdown_table(const std::vector<PolicyOutcome>& outcomes, const std::vector<std::string>& sources) {
  FigureTable table{
      "Time to first token by part: means over all runs of a rule, and the best baseline of their quality",
      {"budget %", "policy", "TTFT s", "quality", "queue s"},
      {}};
  for (const std::string& source : sources) table.columns.push_back("load from " + source + " s");
  for (const char* column : {"unpacking s", "context prefill s", "question prefill s", "other s", "n"})
    table.columns.emplace_back(column);
  const auto add = [&](double budget, const std::string& name, const TtftBreakdown& of) {
    if (of.n == 0) return;
    std::vector<Json> row{100 * budget, name, of.ttft, of.quality, of.queue};
    row.insert(row.end(), of.loads.begin(), of.loads.end());
    row.insert(row.end(), {Json(of.unpack), Json(of.context_prefill), Json(of.question), Json(of.other()), Json(of.n)});
    table.rows.push_back(std::move(row));
  };
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes compared = compared_runs(with_prefix(outcomes, "evicpress", budget));
    if (compared.empty()) continue;
    const TtftBreakdown ours = ttft_breakdown(compared, sources);
    const auto rules = by_rule(outcomes, budget);
    for (const RuleOutcomes& rule : rules)
      if (rule.rule.is_papers && rule.outcomes.front() == compared.front())
        add(budget, "evicpress by " + rule.rule.name, ours);
    if (const PolicyOutcome* best = best_baseline(outcomes, budget, ours.quality))
      add(budget, policy_text(*best), ttft_breakdown({best}, sources));
    for (const RuleOutcomes& rule : rules)
      if (is_extension(rule)) add(budget, "evicpress by " + rule.rule.name, ttft_breakdown(rule.outcomes, sources));
  }
  return table;
}

/// What extensions gain over all budgets, and what limits them.
class Extensions {
 public:
  void add(const RuleOutcomes& rule, const FrontierComparison& compared) {
    if (!is_extension(rule)) return;
    const auto known = std::ranges::find(all_, rule.rule.name, &Extension::rule);
    Extension& extension = known != all_.end() ? *known : all_.emplace_back(Extension{rule.rule.name, {}, {}});
    extension.of_budgets.push_back(compared);
    extension.runs.insert(extension.runs.end(), rule.outcomes.begin(), rule.outcomes.end());
  }
  void tell(FigureResult& result, const std::vector<std::string>& sources) const {
    for (const Extension& one : all_)
      for (std::string& finding :
           extension_findings(one.rule, points_above_paper(one.of_budgets), ttft_breakdown(one.runs, sources), sources))
        result.time_findings.push_back(std::move(finding));
  }

 private:
  struct Extension {
    std::string rule;
    std::vector<FrontierComparison> of_budgets;
    Outcomes runs;
  };
  std::vector<Extension> all_;  // in the order of their first comparison
};

/// Beyond this share next to nothing was left unread, so a comparison says nothing about reads by importance.
constexpr double max_chunks_read = 0.9;

/// Of the chunks of the contexts that impress hit, under any budget, the mean share that was read; nothing: unknown.
std::optional<double> chunks_read_by_impress(const std::vector<PolicyOutcome>& outcomes) {
  double sum = 0;
  std::size_t hits = 0;
  for (const PolicyOutcome& outcome : outcomes) {
    if (!outcome.policy.starts_with("impress")) continue;
    for (const PolicySample& sample : outcome.samples) {
      if (!sample.chunks) continue;
      sum += sample.chunks->read;
      ++hits;
    }
  }
  return hits > 0 ? std::optional(sum / static_cast<double>(hits)) : std::nullopt;
}

/// To call when the claims are measured.
void judge_impress(FigureResult& result, const std::vector<PolicyOutcome>& outcomes) {
  const std::optional<double> read = chunks_read_by_impress(outcomes);
  if (!read) return;
  const std::string share = short_number(100 * *read);
  std::string finding = "impress read " + share + " % of the chunks of the contexts that it hit";
  if (*read > max_chunks_read) {
    finding += ": nothing is said about reads by importance";
    for (MeasuredClaim& claim : result.measured)
      if (claim.claim.ends_with("-vs-impress")) claim.withheld = "impress read " + share + " % of the chunks";
  }
  result.findings.push_back(std::move(finding));
}

}  // namespace

FigureResult figure_frontier(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                             const std::vector<std::string>& tiers) {
  FigureResult result = begin_figure(figure);
  result.tables = {points_table(outcomes)};
  if (std::ranges::any_of(outcomes, [](const PolicyOutcome& outcome) { return outcome.policy.starts_with("impress"); }))
    result.settings["impress"] =
        "contexts stored whole, in chunks; a hit reads those that hold tokens important to the question";
  FigureTable ratios{
      "evicpress against others (TTFT of the other / TTFT of evicpress; points of its own frontier; 95 % intervals in "
      "brackets)",
      {"budget %", "evicpress by", "fixed + lru, equal quality", "quality % at equal TTFT", "impress, equal quality",
       "impress, quality % at equal TTFT", "prefill, 3 % near full", "low", "high", "lru, 3 % near full", "low", "high",
       "floor s", "predicted - measured"},
      {}};
  ratios.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                           .x = "budget %",
                           .y = {"prefill, 3 % near full", "lru, 3 % near full"},
                           .y_title = "TTFT of the other / TTFT of evicpress",
                           .by = {"evicpress by"},
                           .published = {{"paper: prefill, 3 % near full", nullptr, 1.29, 2.19},
                                         {"paper: lru, 3 % near full", nullptr, 1.22, 1.56}}};
  std::vector<FrontierComparison> papers;
  Extensions extensions;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes of_paper = of_papers_rule(with_prefix(outcomes, "evicpress", budget));
    for (const RuleOutcomes& rule : by_rule(outcomes, budget)) {
      const Outcomes ours = own_frontier(rule.outcomes);
      const FrontierComparison compared = compare_frontier(outcomes, budget, rule.rule.name, ours);
      ratios.rows.push_back(ratios_row(compared, ours));
      for (std::string& finding : frontier_findings(compared)) result.time_findings.push_back(std::move(finding));
      if (!of_paper.empty() && rule.outcomes.front() == of_paper.front()) papers.push_back(compared);
      extensions.add(rule, compared);
    }
  }
  const std::vector<std::string> sources = load_sources(outcomes, tiers);
  extensions.tell(result, sources);
  name_rule(result, outcomes);
  result.tables.push_back(std::move(ratios));
  if (FigureTable parts = breakdown_table(outcomes, sources); !parts.rows.empty())
    result.tables.push_back(std::move(parts));
  add_ranges(result, papers);
  measure_claims(result, papers);
  judge_impress(result, outcomes);
  return result;
}

}  // namespace kvantage::inline experiments
