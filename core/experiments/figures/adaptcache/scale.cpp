#include "core/experiments/figures/adaptcache/scale.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/random.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/figures/adaptcache/task_tables.h"
#include "core/experiments/load_figures.h"
#include "core/policy/plan_text.h"
#include "core/text/quality.h"

namespace kvantage::inline adaptcache_figures {
namespace {

constexpr const char* scale_name = "paper's scale";

const Regime& papers_regime() { return *regime_named("adaptcache-regime"); }

const QualityMetric& task_of(std::string_view family) {
  return metric_for_family(*find_quality_metric(by_task_metric), family);
}

/// For each data set the measured contexts of its task, or all.
std::vector<std::vector<std::size_t>> decks_of(const Snapshot& measured, const std::vector<std::size_t>& with_curves) {
  std::vector<std::vector<std::size_t>> decks;
  decks.reserve(adaptcache_datasets.size());
  for (const PaperDataset& dataset : adaptcache_datasets) {
    std::vector<std::size_t>& deck = decks.emplace_back();
    std::ranges::copy_if(with_curves, std::back_inserter(deck), [&](std::size_t i) {
      return &task_of(measured.contexts[i].family) == &task_of(dataset.name);
    });
    if (deck.empty()) deck = with_curves;
  }
  return decks;
}

FigureTable regime_table(const Snapshot& snapshot) {
  FigureTable table{"Regime " + std::string(papers_regime().name) + ", and what was simulated",
                    {"what", "regime", scale_name, "off %"},
                    {}};
  for (const RegimeDeviation& row : regime_deviations(papers_regime(), snapshot))
    table.rows.push_back({row.what, number_or_unlimited(row.wanted), number_or_unlimited(row.measured),
                          number_or_unlimited(row.off_percent)});
  return table;
}

/// "paper's scale: dram holds 7.9 % of all KV, uncompressed, ssd 31.5 %".
std::string capacity_finding(const Snapshot& snapshot) {
  const double all = facts_of(snapshot).kv_bytes;
  std::string text = std::string(scale_name) + ": ";
  for (std::size_t t = 0; t < snapshot.tiers.size(); ++t)
    text += (t == 0 ? "" : ", ") + snapshot.tiers[t].name + (t == 0 ? " holds " : " ") +
            short_number(100 * static_cast<double>(snapshot.tiers[t].budget_bytes) / all) +
            (t == 0 ? " % of all KV, uncompressed" : " %");
  return text;
}

}  // namespace

Expected<SimulatedScale> adaptcache_scale(const AdaptCacheScale& scale, const Snapshot& measured,
                                          const std::vector<std::string>& methods, std::uint64_t seed) {
  const auto with_curves = contexts_with_curves(measured);
  if (with_curves.empty())
    return fail(ErrorCode::usage,
                "adaptcache/paper-scale: no context of the session has a quality curve; give a workload with profile "
                "questions");
  const ScaledContexts wanted{adaptcache_datasets, scale.contexts, scale.bytes_per_token, scale.prefill_seconds};
  SimulatedScale made = contexts_at_scale(wanted, measured, methods, decks_of(measured, with_curves), seed);
  made.name = scale_name;
  std::uint64_t dram = scale.dram_bytes, ssd = scale.ssd_bytes;
  if (scale.dram_share > 0) {
    dram = static_cast<std::uint64_t>(scale.dram_share * facts_of(made.snapshot).kv_bytes);
    ssd = static_cast<std::uint64_t>(papers_regime().tiers[1].times_first) * dram;
  }
  const double ssd_seconds = static_cast<double>(scale.bytes_per_token) / scale.ssd_bytes_per_second;
  made.snapshot.tiers = {tier_at_scale("dram", dram, scale.dram_seconds, scale.bytes_per_token),
                         tier_at_scale("ssd", ssd, ssd_seconds, scale.bytes_per_token)};
  return made;
}

std::vector<double> poisson_arrivals(std::size_t requests, double requests_per_second, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> arrivals(requests);
  double now = 0;
  for (double& arrival : arrivals) arrival = now += random.exponential(1 / requests_per_second);
  return arrivals;
}

FigureResult figure_adaptcache_scale(const PaperFigure& figure, const SimulatedScale& scale,
                                     const std::vector<PolicyOutcome>& outcomes, double requests_per_second) {
  // Without the times of loads, which are arithmetic.
  FigureResult result = figure_adaptcache(figure, outcomes, scale.snapshot.tiers.front().name);
  result.provenance = Provenance::simulated;
  result.measured.clear();
  std::erase_if(result.findings, [](const std::string& finding) { return finding.starts_with("claims "); });
  std::vector<std::string> timed = std::exchange(result.time_findings, {});  // whatever the machine did
  result.findings.insert(result.findings.begin(), timed.begin(), timed.end());
  add_tasks(result, outcomes);
  for (FigureTable& table : result.tables) table.title = scale_name + (": " + table.title) + ", simulated";
  result.settings = simulated_settings(scale, outcomes);
  result.settings["lengths"] =
      "assumed, log-normal for each data set: LongBench's mean in words x 4/3, variation of EvicPress's table 2";
  result.settings["request order"] = "each context once, then uniform, Poisson arrivals";
  result.settings["requests per second"] = requests_per_second;
  result.tables.push_back(regime_table(scale.snapshot));
  result.findings.push_back(capacity_finding(scale.snapshot));
  result.findings.emplace_back("lengths of contexts are assumed, as the paper prints none");
  return result;
}

}  // namespace kvantage::inline adaptcache_figures
