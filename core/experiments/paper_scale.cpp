#include "core/experiments/paper_scale.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/policy_figures.h"
#include "core/policy/plan_text.h"
#include "core/ports/tier_config.h"
#include "core/workload/regimes/regime_facts.h"

namespace kvantage::inline experiments {
namespace {

constexpr const char* paper_name = "paper's scale";
constexpr const char* session_name = "session's contexts";

const Regime& paper_regime() { return *regime_named("evicpress-regime"); }

}  // namespace

double paper_mean_tokens() { return mean_tokens(paper_datasets); }

std::vector<int> paper_lengths(std::size_t contexts, std::uint64_t seed) {
  return dataset_lengths(paper_datasets, contexts, seed);
}

Expected<SimulatedScale> paper_scale(const PaperScale& scale, const Snapshot& measured,
                                     const std::vector<std::string>& methods, std::uint64_t seed) {
  const auto with_curves = contexts_with_curves(measured);
  if (with_curves.empty())
    return fail(ErrorCode::usage,
                "evicpress/paper-scale: no context of the session has a quality curve; give a workload with profile "
                "questions");
  const ScaledContexts wanted{paper_datasets, scale.contexts, scale.bytes_per_token, scale.prefill_seconds};
  SimulatedScale made = contexts_at_scale(wanted, measured, methods, {with_curves}, seed);
  made.name = paper_name;
  std::uint64_t dram = scale.dram_bytes, ssd = scale.ssd_bytes;
  if (scale.dram_share > 0) {
    dram = static_cast<std::uint64_t>(scale.dram_share * facts_of(made.snapshot).kv_bytes);
    ssd = static_cast<std::uint64_t>(paper_regime().tiers[1].times_first) * dram;
  }
  const std::uint64_t token = scale.bytes_per_token;
  made.snapshot.tiers = {tier_at_scale("dram", dram, scale.dram_seconds, token),
                         tier_at_scale("ssd", ssd, scale.ssd_seconds, token),
                         tier_at_scale("remote", TierBudget::unlimited_bytes, scale.remote_seconds, token)};
  return made;
}

std::optional<SimulatedScale> session_scale(const Snapshot& measured, const std::vector<std::string>& methods,
                                            double first_share) {
  const Regime& regime = paper_regime();
  if (measured.tiers.size() != regime.tiers.size() || contexts_with_curves(measured).empty()) return std::nullopt;
  SimulatedScale made{session_name, measured, {}};
  Snapshot& snapshot = made.snapshot;
  set_candidates(snapshot, measured, methods);
  snapshot.prefill = measured.undisturbed_prefill();
  snapshot.hybrid.reset();  // the paper's system loads whatever is stored
  std::vector<ContextState> with_curves;
  for (const std::size_t i : contexts_with_curves(measured)) with_curves.push_back(snapshot.contexts[i]);
  snapshot.contexts = std::move(with_curves);
  for (ContextState& context : snapshot.contexts) {
    context.frequency = 0;
    made.curves.push_back(context.id);
  }
  const double first = first_share * facts_of(snapshot).kv_bytes;
  for (std::size_t t = 0; t < regime.tiers.size(); ++t)
    snapshot.tiers[t].budget_bytes = regime.tiers[t].times_first > 0
                                         ? static_cast<std::uint64_t>(first * regime.tiers[t].times_first)
                                         : TierBudget::unlimited_bytes;
  return made;
}

double median_last_load_seconds(const SimulatedScale& scale) {
  std::vector<double> seconds;
  seconds.reserve(scale.snapshot.contexts.size());
  for (const ContextState& context : scale.snapshot.contexts)
    seconds.push_back(
        scale.snapshot.tiers.back().model.seconds(static_cast<double>(context.full_bytes), context.tokens));
  return percentile(std::move(seconds), 0.5);
}

std::vector<double> paper_alphas(const SimulatedScale& scale) {
  std::vector<double> alphas = paper_regime().alpha_factors;
  const double unit = median_last_load_seconds(scale);
  for (double& alpha : alphas) alpha *= unit;
  return alphas;
}

namespace {

/// Share of all uncompressed KV; infinite for an unlimited tier.
double share_of_kv(const Snapshot& snapshot, std::size_t tier) {
  const std::uint64_t budget = snapshot.tiers[tier].budget_bytes;
  return budget == TierBudget::unlimited_bytes ? std::numeric_limits<double>::infinity()
                                               : static_cast<double>(budget) / facts_of(snapshot).kv_bytes;
}

double mean_predicted_quality(const PolicyOutcome& outcome) {
  double sum = 0;
  for (const PolicySample& sample : outcome.samples) sum += sample.predicted_quality.value_or(0);
  return outcome.samples.empty() ? 0 : sum / static_cast<double>(outcome.samples.size());
}

std::vector<std::string> tier_names(const SimulatedScale& scale) {
  std::vector<std::string> names;
  names.reserve(scale.snapshot.tiers.size());
  for (const TierState& tier : scale.snapshot.tiers) names.push_back(tier.name);
  return names;
}

FigureTable scale_points(const ScaleStudy& study) {
  FigureTable table{study.scale.name + ": TTFT, quality and hits, simulated; 95 % intervals over the measured contexts",
                    {"policy", "alpha s", "TTFT s", "low", "high", "quality", "low", "high", "predicted quality"},
                    {}};
  std::vector<std::string> sources = tier_names(study.scale);
  sources.emplace_back("prefill");
  for (const std::string& source : sources) table.columns.push_back(source + " %");
  table.columns.emplace_back("n");
  table.plot = FigurePlot{.kind = FigurePlot::Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy"}};
  for (const PolicyOutcome& outcome : study.outcomes) {
    std::vector<Json> row{outcome.policy, alpha_of(outcome)};
    add_cells(row, mean_ttft(outcome));
    add_cells(row, mean_quality(outcome));
    row.emplace_back(mean_predicted_quality(outcome));
    for (const std::string& source : sources) row.emplace_back(100 * hit_rate(outcome, source));
    row.emplace_back(outcome.samples.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The one of EvicPress's regimes that tries the nearest budget of the fastest tier.
const Regime& regime_beside(const SimulatedScale& scale) {
  const double percent = 100 * first_tier_share(scale);
  const auto off = [percent](const Regime& regime) {
    double least = std::numeric_limits<double>::infinity();
    for (const double tried : regime.first_percents) least = std::min(least, std::abs(percent / tried - 1));
    return least;
  };
  const Regime& authors = *regime_named("authors-simulator");
  return off(authors) < off(paper_regime()) ? authors : paper_regime();
}

FigureTable regime_table(const SimulatedScale& paper, const std::optional<ScaleStudy>& session) {
  const Regime& regime = regime_beside(paper);
  FigureTable table{"Regime " + std::string(regime.name) + ", and what was simulated",
                    {"what", "regime", paper_name, session_name},
                    {}};
  const auto rows = regime_deviations(regime, paper.snapshot);
  const auto others = session ? regime_deviations(regime, session->scale.snapshot) : std::vector<RegimeDeviation>{};
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.rows.push_back({rows[i].what, number_or_unlimited(rows[i].wanted), number_or_unlimited(rows[i].measured),
                          i < others.size() ? number_or_unlimited(others[i].measured) : Json()});
  return table;
}

std::string capacity_finding(const Snapshot& snapshot) {
  double share = 0;
  std::string names;
  for (std::size_t t = 0; t + 1 < snapshot.tiers.size(); ++t) {
    share += share_of_kv(snapshot, t);
    names += (names.empty() ? "" : " + ") + snapshot.tiers[t].name;
  }
  return std::string(paper_name) + ": " + names + " holds " + short_number(100 * share) + " % of all KV, uncompressed";
}

/// Comparisons as in figure 7, of simulated points: without claims, and whatever the machine did.
FigureResult simulated_frontier(const PaperFigure& figure, const ScaleStudy& study) {
  FigureResult result = figure_frontier(figure, study.outcomes);
  result.provenance = Provenance::simulated;
  result.measured.clear();
  result.tables.front() = scale_points(study);
  result.tables.back().title = study.scale.name + ": " + result.tables.back().title;
  std::vector<std::string> timed = std::exchange(result.time_findings, {});
  result.findings.insert(result.findings.begin(), timed.begin(), timed.end());
  return result;
}

}  // namespace

FigureResult figure_paper_scale(const PaperFigure& figure, const ScaleStudy& paper,
                                const std::optional<ScaleStudy>& session) {
  FigureResult result = simulated_frontier(figure, paper);
  result.settings.update(simulated_settings(paper.scale, paper.outcomes));
  result.settings["lengths"] = "log-normal for each data set: mean of table 1, variation of table 2";
  result.settings["request order"] = "each context once, then uniform";
  if (session) {
    FigureResult beside = simulated_frontier(figure, *session);
    std::ranges::move(beside.tables, std::back_inserter(result.tables));
  }
  result.tables.push_back(regime_table(paper.scale, session));
  const FigureResult hits = figure_hits(figure, paper.outcomes, tier_names(paper.scale));
  std::ranges::copy_if(hits.findings, std::back_inserter(result.findings),
                       [](const std::string& finding) { return finding != no_papers_rule; });
  result.findings.push_back(capacity_finding(paper.scale.snapshot));
  return result;
}

}  // namespace kvantage::inline experiments
