// links: kv_base
// How policies are compared, against ratios worked out by hand.
#include <QtTest>

#include "core/study/policy_figures.h"

using namespace kvantage;

namespace {

PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality, const std::string& source = "dram") {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}};
  for (const char* context : {"a", "b"})
    made.samples.push_back({context, context, source, seconds, 0.01, quality, quality + 0.02, seconds + 0.5, 0.02});
  return made;
}

std::vector<PolicyOutcome> outcomes() {
  return {outcome("full_prefill", 0, 1.0, 1.0, "prefill"),  outcome("lru", 0, 0.6, 1.0, "ssd"),
          outcome("fixed(keydiff,0.5)", 0, 0.3, 0.8, "ssd"), outcome("fixed(keydiff,0.9)", 0, 0.1, 0.5),
          outcome("evicpress", 1, 0.2, 0.98),                outcome("evicpress", 0.1, 0.1, 0.8),
          outcome("evicpress", 0.01, 0.15, 0.7)};  // dominated by the one before
}

std::vector<const PolicyOutcome*> of(const std::vector<PolicyOutcome>& all, const char* prefix) {
  std::vector<const PolicyOutcome*> found;
  for (const auto& one : all)
    if (one.policy.starts_with(prefix)) found.push_back(&one);
  return found;
}

}  // namespace

class PolicyFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void equalQuality() {
    const auto all = outcomes();
    const Speedups speedups = speedups_at_equal_quality(of(all, "evicpress"), of(all, "fixed"), 0.01);
    QCOMPARE(speedups.unreached, 1UL);  // 0.98 of quality
    QCOMPARE(speedups.span.n, 2UL);
    QVERIFY(std::fabs(speedups.span.high - 3) < 1e-12);
    QVERIFY(std::fabs(speedups.span.low - 2) < 1e-12);
  }
  void equalTtft() {
    const auto all = outcomes();
    const Speedups rises = quality_rises_at_equal_ttft(of(all, "evicpress"), of(all, "fixed"), 0.01);
    QCOMPARE(rises.span.n, 3UL);
    QVERIFY(std::fabs(rises.span.high - 0.96) < 1e-12);  // 0.98 against 0.5, which is all that answers within 0.2 s
    QVERIFY(std::fabs(rises.span.low - 0.4) < 1e-12);
  }
  void nearFullQuality() {
    const auto all = outcomes();
    QCOMPARE(fastest_near(of(all, "evicpress"), 1.0, 0.03), &all[4]);
    QCOMPARE(fastest_near(of(all, "evicpress"), 1.0, 0.3 + 1e-9), &all[5]);
    QVERIFY(fastest_near(of(all, "evicpress"), 1.0, 0.01) == nullptr);
  }
  void theFrontierTellsTheRatios() {
    const FigureResult figure = figure_frontier(outcomes());
    const auto& row = figure.tables.at(1).rows.at(0);
    QCOMPARE(row[1].get<std::string>(), std::string("3 - 3, 1 of 2 unreached"));  // the dominated point is left out
    QVERIFY(std::fabs(row[4].get<double>() - 5) < 1e-12);
    QVERIFY(std::fabs(row[5].get<double>() - 3) < 1e-12);
    QVERIFY(std::fabs(row[6].get<double>() - 0.01) < 1e-12);
    QVERIFY(std::fabs(row[7].get<double>() - 0.02) < 1e-12);
    QCOMPARE(figure.tables.at(0).rows.size(), 7UL);
  }
  void hitsBesideQuality() {
    const FigureResult figure = figure_hits(outcomes(), {"dram", "ssd"});
    QVERIFY(std::fabs(figure.tables.at(0).rows.at(2).at(5).get<double>() - 100) < 1e-9);
    QVERIFY(figure.findings.at(0).find("2 of 2 points") != std::string::npos);
  }
  void recordsBecomeSamples() {
    PolicyOutcome made;
    RequestRecord held, seen, gone;
    held.context_id = "a";
    held.source = "ssd";
    held.timing.ttft_service_seconds = 0.5;
    held.quality["token_f1"] = 0.75;
    held.predicted_quality = 0.8;
    seen = held;
    seen.held_out = false;
    gone = held;
    gone.cancelled = true;
    add_records(made, {held, seen, gone}, "token_f1");
    QCOMPARE(made.samples.size(), 2UL);
    QCOMPARE(mean_quality(made).n, 1UL);
    QCOMPARE(mean_ttft(made).n, 2UL);
    QCOMPARE(hit_rate(made, "ssd"), 1.0);
    QVERIFY(!mean_quality(made).interval);  // one context has none
  }
  void choicesByTier() {
    const FigureResult figure = figure_choices({{"dram", "snapkv", 0.5}, {"dram", "none", 0}, {"ssd", "snapkv", 0.9}}, "evicpress", 1);
    QCOMPARE(figure.tables.at(0).rows.size(), 3UL);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(2).get<double>() - 0.25) < 1e-12);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(1).at(2).get<double>() - 0.9) < 1e-12);
  }
};

QTEST_GUILESS_MAIN(PolicyFiguresTest)
#include "policy_figures_test.moc"
