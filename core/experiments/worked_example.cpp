#include "core/experiments/worked_example.h"

#include <cmath>

#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/actions.h"
#include "core/policy/policy.h"

namespace kvantage::inline experiments {

namespace {
constexpr std::uint64_t gigabyte = 1'000'000'000;
}

Snapshot worked_example() {
  Snapshot snapshot;
  snapshot.alpha = 1;
  snapshot.tiers = {{"fast", 8 * gigabyte, {0, 20e9, 0, 0}, false}, {"slow", 1000 * gigabyte, {0, 2e9, 0, 0}, false}};
  snapshot.prefill = {0, 1e-3, 0};
  const auto add = [&](std::uint64_t key, int tokens, std::uint64_t bytes, double cut_quality) {
    auto profile = std::make_shared<ContextProfile>();
    profile->points.push_back({"none", 0, 1, 1, 1, 8, bytes, tokens});
    for (const double removed : {0.5, 0.95}) {
      const double kept = 1 - removed;
      profile->points.push_back({"cut", removed, cut_quality, cut_quality, cut_quality, 8,
                                 static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * kept)),
                                 static_cast<int>(tokens * kept)});
    }
    ContextState context;
    context.key = {0, key};
    context.id = "context " + std::to_string(key);
    context.family = "example";
    context.tokens = tokens;
    context.full_bytes = bytes;
    context.frequency = 1;
    context.archived = true;
    context.profile = profile;
    snapshot.contexts.push_back(context);
  };
  add(1, 40'000, 4 * gigabyte, 1.0);
  add(2, 80'000, 8 * gigabyte, 0.5);
  return snapshot;
}

Expected<WorkedOutcome> work_example(const std::string& text) {
  KV_ASSIGN(const auto policy, make_policy(text));
  PolicyState state{worked_example()};
  for (std::size_t c = 0; c < state.snapshot.contexts.size(); ++c)
    for (const PlacementAction& action :
         policy->step(state, {PolicyEvent::Kind::context_computed, state.snapshot.contexts[c].key}).actions)
      apply(state.snapshot, action);
  const auto as_it_is = make_policy("lru");  // its plan describes the present placements
  const Plan plan = (*as_it_is)->plan(state.snapshot);
  WorkedOutcome outcome{0, plan.mean_quality};
  for (const PlannedContext& context : plan.contexts) outcome.total_ttft_seconds += context.ttft_seconds;
  return outcome;
}

FigureResult figure_worked_example(const PaperFigure& figure) {
  struct Row {
    const char *scheme, *policy;
    double paper_seconds, paper_quality;
    const char *ttft_claim, *quality_claim;
  };
  constexpr Row rows[] = {
      {"compression only", "fixed(cut,0.5)", 0.3, 0.75, "evicpress/example-compression-ttft",
       "evicpress/example-compression-quality"},
      {"eviction only", "lru", 2.4, 1.0, "evicpress/example-eviction-ttft", "evicpress/example-eviction-quality"},
      {"both together", "evicpress(quality=raw)", 0.5, 1.0, "evicpress/example-joint-ttft",
       "evicpress/example-joint-quality"}};
  FigureResult result = begin_figure(figure, Provenance::simulated);
  result.settings = {{"fast tier", "8 GB at 20 GB/s"}, {"slow tier", "2 GB/s"}, {"alpha", 1.0}};
  FigureTable table{
      "Total TTFT and mean quality", {"scheme", "policy", "TTFT s", "paper TTFT s", "quality", "paper quality"}, {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars, .x = "scheme", .y = {"TTFT s"}, .y_title = "total TTFT, s"};
  bool equal = true;
  for (const Row& row : rows) {
    const auto outcome = work_example(row.policy);
    if (!outcome) continue;
    table.rows.push_back({row.scheme, row.policy, outcome->total_ttft_seconds, row.paper_seconds, outcome->mean_quality,
                          row.paper_quality});
    table.plot->published.push_back({"paper", row.scheme, row.paper_seconds, row.paper_seconds});
    add_claim(result, row.ttft_claim, exactly(outcome->total_ttft_seconds));
    add_claim(result, row.quality_claim, exactly(outcome->mean_quality));
    equal = equal && std::abs(outcome->total_ttft_seconds - row.paper_seconds) < 1e-9 &&
            std::abs(outcome->mean_quality - row.paper_quality) < 1e-9;
  }
  result.tables.push_back(std::move(table));
  result.findings.push_back(equal ? "all numbers match the paper's" : "not all numbers match the paper's");
  return result;
}

}  // namespace kvantage::inline experiments
