// links: kv_experiments
// AdaptCache at the paper's scale and by task: bytes, shares and times worked out by hand, queueing against a plain
// server written apart, and tables of planted outcomes.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "core/experiments/figures/adaptcache/scale.h"
#include "core/experiments/figures/adaptcache/task_tables.h"
#include "core/policy/simulate.h"
#include "core/policy/utility.h"
#include "core/simulator/presets.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace adaptcache_scale_test {

using namespace kvantage;

namespace {

/// A form in a quarter of the bytes, of this quality.
ContextState measured_context(std::size_t number, std::string family, double quality) {
  ContextState context;
  context.key = {0, number + 1};
  context.id = family + "-" + std::to_string(number);
  context.family = std::move(family);
  context.tokens = 1000;
  context.full_bytes = 8000;
  auto profile = std::make_shared<ContextProfile>();
  profile->points.push_back({"none", 0, 1, 1, 1, 8, 8000, 1000, 1});
  profile->points.push_back({"kivi4", 0, quality, quality, quality, 8, 2000, 1000, quality});
  context.profile = profile;
  return context;
}

/// Two contexts of each family; the form loses nothing of code and a lot of all others.
Snapshot measured(const std::vector<std::string>& families) {
  Snapshot snapshot;
  snapshot.prefill = {0, 2e-3, 0};
  for (const std::string& family : families)
    for (int i = 0; i < 2; ++i)
      snapshot.contexts.push_back(measured_context(snapshot.contexts.size(), family, family == "code" ? 1 : 0.5));
  snapshot.tiers = {{"dram", 1 << 20, {0, 8e6, 0, 0}, true}, {"ssd", 1 << 22, {0, 8e5, 0, 0}, true}};
  snapshot.candidates.methods = {"kivi4"};
  return snapshot;
}

SimulatedScale scale_of(const AdaptCacheScale& scale, const std::vector<std::string>& families) {
  auto made = adaptcache_scale(scale, measured(families), {"kivi4"}, 7);
  if (!made) qFatal("%s", made.error().message.c_str());
  return *std::move(made);
}

const std::vector<std::string> three_tasks{"news", "ledger", "code"};

bool close_to(double value, double wanted, double relative = 1e-9) {
  return std::fabs(value - wanted) <= relative * std::fabs(wanted);
}

PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality) {
  PolicyOutcome made{std::move(policy), alpha, 0.07, 1, {}, 1};
  for (const char* family : {"news", "registry", "ledger"})
    for (const char* context : {"a", "b"})
      made.samples.push_back({std::string(family) + context,
                              family,
                              "dram",
                              seconds,
                              0.01,
                              family == std::string("ledger") ? quality / 2 : quality,
                              {},
                              seconds + 0.1,
                              0.02});
  return made;
}

}  // namespace

class AdaptcacheScaleTest : public QObject {
  Q_OBJECT
 private slots:
  // The preset of the simulator has the same published lines; its disk is another one.
  void theNumbersAreThoseOfThePaperAndThePreset() {
    const auto preset = read_preset(test::source_directory() / "resources/presets/llama-3.1-8b-adaptcache.json");
    QVERIFY2(preset, preset ? "" : preset.error().message.c_str());
    const AdaptCacheScale scale;
    QCOMPARE(static_cast<double>(scale.bytes_per_token), preset->bytes_per_token);
    QCOMPARE(scale.bytes_per_token, std::uint64_t{2 * 32 * 8 * 128 * 2});
    QCOMPARE(scale.prefill_seconds, preset->prefill->seconds_per_token);
    QCOMPARE(scale.dram_seconds, preset->tier("dram")->line.seconds_per_token);
    QCOMPARE(scale.contexts, std::size_t{1100});
    QCOMPARE(scale.ssd_bytes, 4 * scale.dram_bytes);
  }

  // 39,673 words in six data sets, at four tokens to three words: 8,816 tokens, and 100 GB are 7.87 % of their KV.
  void budgetsAreTheRegimesShares() {
    QVERIFY(close_to(mean_tokens(adaptcache_datasets), 39'673.0 / 6 * 4 / 3));
    const SimulatedScale scale = scale_of({}, three_tasks);
    QCOMPARE(scale.snapshot.contexts.size(), std::size_t{1100});
    const double bytes = 1100 * (39'673.0 / 6 * 4 / 3) * 131'072;
    QVERIFY(close_to(facts_of(scale.snapshot).kv_bytes, bytes, 1e-4));
    QVERIFY(std::fabs(first_tier_share(scale) - 0.0787) < 1e-4);
    const auto rows = regime_deviations(*regime_named("adaptcache-regime"), scale.snapshot);
    QCOMPARE(rows.size(), std::size_t{4});
    for (std::size_t r = 0; r < 3; ++r) QVERIFY2(rows[r].holds, rows[r].what.c_str());
    QVERIFY(close_to(rows[2].measured, 8.547e-6 / 1.179e-4, 1e-6));
    QVERIFY(close_to(rows[3].measured, 1.31072e-4 / 1.179e-4, 1e-6));  // 1.11, where the regime has 1.0
    const SimulatedScale shared = scale_of({.dram_share = 0.05}, three_tasks);
    QVERIFY(close_to(first_tier_share(shared), 0.05, 1e-6));
    QCOMPARE(shared.snapshot.tiers[1].budget_bytes, 4 * shared.snapshot.tiers[0].budget_bytes);
  }

  // A data set's curves are those of its task, where some were measured; dealt evenly.
  void dataSetsTakeTheCurvesOfTheirTask() {
    const SimulatedScale scale = scale_of({.contexts = 600}, three_tasks);
    std::map<std::string, std::map<std::string, int>> dealt;  // by data set
    for (std::size_t i = 0; i < 600; ++i) {
      const ContextState& context = scale.snapshot.contexts[i];
      ++dealt[context.family][scale.curves[i]];
      const ProfilePoint* form = find_point(context, "kivi4", 0);
      QVERIFY(form != nullptr && form->bytes * 4 == context.full_bytes);
      QCOMPARE(form->quality, context.family == "lcc" || context.family == "repobench-p" ? 1.0 : 0.5);
    }
    const std::map<std::string, std::set<std::string>> wanted{
        {"qmsum", {"ledger-2", "ledger-3"}}, {"samsum", {"ledger-2", "ledger-3"}},
        {"hotpotqa", {"news-0", "news-1"}},  {"triviaqa", {"news-0", "news-1"}},
        {"lcc", {"code-4", "code-5"}},       {"repobench-p", {"code-4", "code-5"}}};
    QCOMPARE(dealt.size(), wanted.size());
    for (const auto& [dataset, curves] : dealt) {
      std::set<std::string> names;
      for (const auto& [curve, count] : curves) {
        names.insert(curve);
        QCOMPARE(count, 50);
      }
      QVERIFY2(names == wanted.at(dataset), dataset.c_str());
    }
    // Without code, its data sets take those of all contexts.
    const SimulatedScale without = scale_of({.contexts = 60}, {"news", "ledger"});
    std::set<std::string> of_code;
    for (std::size_t i = 0; i < 60; ++i)
      if (without.snapshot.contexts[i].family == "lcc") of_code.insert(without.curves[i]);
    QCOMPARE(of_code.size(), std::size_t{4});
  }

  // One server in order of arrival, by Lindley's recursion.
  void requestsQueue() {
    const SimulatedScale scale = scale_of({.contexts = 30}, three_tasks);
    const auto facts = facts_of(scale.snapshot);
    const double mean = facts.prefill_seconds / facts.contexts;
    const auto requests = draw_requests(scale.snapshot, 400, 5);
    const auto arrivals = poisson_arrivals(requests.size(), 0.8 / mean, 9);
    QVERIFY(std::ranges::is_sorted(arrivals));
    QVERIFY(std::fabs(arrivals.back() / (400 * mean / 0.8) - 1) < 0.15);
    const auto outcomes = simulate_policy(scale, "full_prefill", {}, requests, arrivals);
    QVERIFY(outcomes && outcomes->size() == 1);
    double free = 0, waited = 0;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      const PolicySample& sample = outcomes->front().samples[r];
      const double service = 1.179e-4 * scale.snapshot.contexts[requests[r]].tokens;
      QVERIFY(close_to(sample.ttft_seconds, service));
      const double starts = std::max(arrivals[r], free);
      free = starts + service;
      waited += starts - arrivals[r];
      // The arithmetic of the simulation has the seconds of the first requests in front.
      QVERIFY(std::fabs(sample.arrival_to_token_seconds - (free - arrivals[r])) < 1e-6);
    }
    QVERIFY(waited > mean);
    const auto closed = simulate_policy(scale, "full_prefill", {}, requests);
    QVERIFY(closed);
    for (const PolicySample& sample : closed->front().samples)
      QVERIFY(close_to(sample.arrival_to_token_seconds, sample.ttft_seconds));
  }

  void theFigureIsSimulatedAndSettlesNothing() {
    const SimulatedScale scale =
        scale_of({.contexts = 60, .dram_bytes = 5'000'000'000, .ssd_bytes = 20'000'000'000}, three_tasks);
    const auto requests = draw_requests(scale.snapshot, 300, 5);
    std::vector<PolicyOutcome> outcomes;
    for (const char* policy : {"full_prefill", "lru", "fixed(kivi4,0)", "adaptcache(pool=paper)"}) {
      auto some = simulate_policy(scale, policy, {0.1, 1}, requests, poisson_arrivals(300, 0.4, 3));
      QVERIFY2(some, some ? "" : some.error().message.c_str());
      for (PolicyOutcome& one : *some) outcomes.push_back(std::move(one));
    }
    const FigureResult result =
        figure_adaptcache_scale(*find_paper_figure("adaptcache/paper-scale"), scale, outcomes, 0.4);
    QCOMPARE(result.provenance, Provenance::simulated);
    QVERIFY(result.measured.empty() && result.time_findings.empty() && result.runs.empty());
    QCOMPARE(test::verdict_of(result, "adaptcache/delay-vs-static"), std::string("none"));
    QCOMPARE(result.tables.front().rows.size(), std::size_t{5});
    std::size_t simulated = 0;
    for (const FigureTable& table : result.tables) {
      for (const auto& row : table.rows) QVERIFY2(row.size() == table.columns.size(), table.title.c_str());
      simulated += table.title.ends_with(", simulated") ? 1 : 0;
    }
    QCOMPARE(simulated + 1, result.tables.size());  // and the regime
    QCOMPARE(result.settings.at("simulated contexts").get<int>(), 60);
    QVERIFY(std::ranges::none_of(result.findings, [](const std::string& one) { return one.starts_with("claims "); }));
    QVERIFY(std::ranges::any_of(result.findings, [](const std::string& one) {
      return one.starts_with("paper's scale: dram holds ") && one.find("ssd") != std::string::npos;
    }));
    QVERIFY(result.settings.at("lengths").get<std::string>().starts_with("assumed, "));
    QVERIFY(std::ranges::any_of(result.findings, [](const std::string& one) {
      return one == "lengths of contexts are assumed, as the paper prints none";
    }));
    const auto bare = adaptcache_scale({}, Snapshot{}, {"kivi4"}, 1);
    QVERIFY(!bare && bare.error().code == ErrorCode::usage);
  }

  // Each task with its own metric; the whole is split and nothing is lost.
  void tasksAreSplitByTheirMetric() {
    const std::vector<PolicyOutcome> all{outcome("fixed(kivi4,0)", 0, 0.3, 0.8), outcome("fixed(kivi2,0)", 0, 0.2, 0.4),
                                         outcome("adaptcache(pool=paper)", 1, 0.1, 0.8)};
    const auto tasks = tasks_of(all);
    QCOMPARE(tasks.size(), std::size_t{2});
    QCOMPARE(tasks[0].metric, std::string("rouge_l@prefill"));
    QCOMPARE(tasks[0].families, (std::vector<std::string>{"ledger"}));
    QCOMPARE(tasks[1].metric, std::string("token_f1@prefill"));
    QCOMPARE(tasks[1].families, (std::vector<std::string>{"news", "registry"}));
    for (std::size_t o = 0; o < all.size(); ++o)
      QCOMPARE(tasks[0].outcomes[o].samples.size() + tasks[1].outcomes[o].samples.size(), all[o].samples.size());
    FigureResult result;
    add_tasks(result, all);
    QCOMPARE(result.tables.size(), std::size_t{2});
    const FigureTable &points = result.tables[0], &compared = result.tables[1];
    QCOMPARE(points.rows.size(), std::size_t{6});
    for (const FigureTable& table : result.tables)
      for (const auto& row : table.rows) QVERIFY2(row.size() == table.columns.size(), table.title.c_str());
    // (0.3 + 0.1) / (0.1 + 0.1) at equal quality, with queueing; 0.2 s with queueing beside 0.2 + 0.1: no rise there.
    QCOMPARE(compared.rows.size(), std::size_t{2});
    for (const auto& row : compared.rows) QVERIFY(close_to(row.at(2).get<double>(), 2));
    QVERIFY(close_to(points.rows.at(2).at(8).get<double>(), 0.4));  // ledger, adaptcache
    QVERIFY(result.findings.back().ends_with("rouge_l@prefill scores ledger; token_f1@prefill scores news, registry"));
    // A single task has nothing to be told apart.
    FigureResult one;
    add_tasks(one, {tasks[1].outcomes});
    QVERIFY(one.tables.empty() && one.findings.empty());
  }
};

KV_TEST_GUILESS_MAIN(AdaptcacheScaleTest)

}  // namespace adaptcache_scale_test

#include "adaptcache_scale_test.moc"
