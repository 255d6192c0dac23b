// links: kv_experiments
// How policies are compared, against ratios worked out by hand.
#include <QtTest>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/policy_figures.h"
#include "core/policy/policy.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace policy_figures_test {

using namespace kvantage;

namespace {

PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality,
                      const std::string& source = "dram") {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}};
  for (const char* context : {"a", "b"})
    made.samples.push_back({context, context, source, seconds, 0.01, quality, quality + 0.02, seconds + 0.5, 0.02});
  return made;
}

std::vector<PolicyOutcome> outcomes() {
  return {outcome("full_prefill", 0, 1.0, 1.0, "prefill"),   outcome("lru", 0, 0.6, 1.0, "ssd"),
          outcome("fixed(keydiff,0.5)", 0, 0.3, 0.8, "ssd"), outcome("fixed(keydiff,0.9)", 0, 0.1, 0.5),
          outcome("evicpress(quality=raw)", 1, 0.2, 0.98),   outcome("evicpress(quality=raw)", 0.1, 0.1, 0.8),
          outcome("evicpress(quality=raw)", 0.01, 0.15, 0.7)};  // dominated by the one before
}

std::vector<const PolicyOutcome*> of(const std::vector<PolicyOutcome>& all, const char* prefix) {
  std::vector<const PolicyOutcome*> found;
  for (const auto& one : all)
    if (one.policy.starts_with(prefix)) found.push_back(&one);
  return found;
}

const PaperFigure& named(const char* name) { return *find_paper_figure(name); }

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
    const FigureResult figure = figure_frontier(named("evicpress/fig7"), outcomes());
    const auto& row = figure.tables.at(1).rows.at(0);
    QCOMPARE(row[1].get<std::string>(), std::string("section 4.4"));
    QCOMPARE(row[2].get<std::string>(),
             std::string("3 [3, 3] - 3 [3, 3], 1 of 2 unreached"));    // the dominated point is left out
    QCOMPARE(row[5].get<std::string>(), std::string("none reached"));  // no impress there
    QVERIFY(std::fabs(row[6].get<double>() - 5) < 1e-12);
    QVERIFY(std::fabs(row[9].get<double>() - 3) < 1e-12);
    QVERIFY(std::fabs(row[12].get<double>() - 0.01) < 1e-12);
    QVERIFY(std::fabs(row[13].get<double>() - 0.02) < 1e-12);
    for (const FigureTable& table : figure.tables)
      for (const auto& one : table.rows) QCOMPARE(one.size(), table.columns.size());
    QCOMPARE(figure.tables.at(0).rows.size(), 7UL);
    QVERIFY(!figure.settings.contains("impress"));
    QVERIFY(figure_frontier(named("evicpress/fig7"), {outcome("impress(kept=0.5)", 0, 0.1, 0.9)})
                .settings.at("impress")
                .get<std::string>()
                .find("stored whole, in chunks") != std::string::npos);
  }
  void theFrontierSaysASentenceForEachOfThePapersSpans() {
    auto all = outcomes();
    all.push_back(outcome("impress(kept=0.5)", 0, 0.16, 0.84));
    const FigureResult figure = figure_frontier(named("evicpress/fig7"), all);
    const std::string where = "evicpress by section 4.4 at 10 % of the bytes: ";
    const std::vector<std::string> expected{
        where +
            "speedup over the fastest of the fixed configurations at equal quality, times: 3 [3, 3] - 3 [3, 3], 1 of 2 "
            "unreached",
        where + "quality gain over the best of the fixed configurations at equal TTFT, %: 60 [60, 60] - 96 [96, 96]",
        where +
            "speedup over the fastest of the impress shares at equal quality, times: 1.6 [1.6, 1.6] - 1.6 [1.6, 1.6], "
            "1 of 2 unreached",
        where +
            "quality gain over the best of the impress shares at equal TTFT, %: 16.7 [16.7, 16.7] - 16.7 [16.7, 16.7], "
            "1 of 2 unreached",
        where + "speedup over prefill within 3 % of full quality, times: 5 [5, 5]",
        where + "speedup over lru within 3 % of full quality, times: 3 [3, 3]"};
    const auto verdict = [&](const char* claim) { return test::verdict_of(figure, std::string("evicpress/") + claim); };
    QCOMPARE(verdict("ttft-vs-compression-lru"), std::string("agrees"));                    // 1.43 - 3.77
    QCOMPARE(verdict("quality-vs-compression-lru"), std::string("cannot tell at this n"));  // .136 - .554
    QCOMPARE(verdict("ttft-vs-impress"), std::string("agrees"));                            // 1.5 - 5.2
    QCOMPARE(verdict("quality-vs-impress"), std::string("agrees"));                         // .143 - .27
    QCOMPARE(verdict("ttft-vs-prefill"), std::string("contradicts: larger"));               // 1.29 - 2.19
    QCOMPARE(verdict("ttft-up-to"), std::string("contradicts: larger"));                    // 2.19
    QCOMPARE(verdict("ttft-vs-lru"), std::string("contradicts: larger"));                   // 1.22 - 1.56
    QCOMPARE(figure.time_findings.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(figure.time_findings[i], expected[i]);
    QVERIFY(figure.findings.empty());  // all of them rest on times
    const auto& row = figure.tables.at(1).rows.at(0);
    QCOMPARE(figure.tables.at(1).columns.at(5), std::string("impress, quality % at equal TTFT"));
    QCOMPARE(row[5].get<std::string>(), std::string("16.7 [16.7, 16.7] - 16.7 [16.7, 16.7], 1 of 2 unreached"));
  }
  void theSentencesOfTheFrontierFollowTheNumbers() {
    const auto figure = [](double seconds, double quality) {
      return figure_frontier(named("evicpress/fig7"), {outcome("full_prefill", 0, 1, 1, "prefill"),
                                                       outcome("lru", 0, 0.5, 1), outcome("fixed(x,0.5)", 0, 0.12, 0.9),
                                                       outcome("evicpress(quality=raw)", 1, seconds, quality)});
    };
    const auto said = [&](double seconds, double quality) { return figure(seconds, quality).time_findings; };
    const auto verdict = [&](double seconds, double quality, const char* claim) {
      return test::verdict_of(figure(seconds, quality), std::string("evicpress/") + claim);
    };
    const char* const speed = "ttft-vs-compression-lru";
    QCOMPARE(verdict(0.1, 0.9, speed), std::string("contradicts: smaller"));  // 1.2 times, where it has 1.43 at least
    QCOMPARE(verdict(0.08, 0.9, speed), std::string("agrees"));
    QCOMPARE(verdict(0.02, 0.9, speed), std::string("contradicts: larger"));
    QCOMPARE(verdict(0.13, 0.9, speed), std::string("contradicts: smaller"));
    QCOMPARE(verdict(0.12, 0.9, speed), std::string("contradicts: smaller"));
    QVERIFY2(said(0.12, 0.9).at(0).ends_with("times: 1 [1, 1] - 1 [1, 1]"), said(0.12, 0.9)[0].c_str());
    QCOMPARE(verdict(0.12, 0.95, speed), std::string("not measured with these settings"));
    QVERIFY2(
        said(0.12, 0.95).at(0).ends_with("none of the fixed configurations reaches the quality of any of its points"),
        said(0.12, 0.95)[0].c_str());
    QCOMPARE(verdict(0.12, 0.95, "quality-vs-compression-lru"), std::string("contradicts: smaller"));
    QVERIFY2(
        said(0.1, 0.9).back().ends_with("no point is within 3 % of full quality: no comparison with prefill or lru"),
        said(0.1, 0.9).back().c_str());
    QVERIFY2(
        said(0.9, 0.99).back().ends_with("speedup over lru within 3 % of full quality, times: 0.556 [0.556, 0.556]"),
        said(0.9, 0.99).back().c_str());
    QCOMPARE(verdict(0.9, 0.99, "ttft-vs-lru"), std::string("contradicts: smaller"));
    QCOMPARE(verdict(0.8, 0.99, "ttft-vs-prefill"), std::string("agrees"));
    QVERIFY2(said(0.8, 0.99)
                 .at(said(0.8, 0.99).size() - 2)
                 .ends_with("speedup over prefill within 3 % of full quality, times: 1.25 [1.25, 1.25]"),
             said(0.8, 0.99).at(said(0.8, 0.99).size() - 2).c_str());
  }
  // The paper's claims are held against its own rule; ours are in rows of their own.
  void ourRulesHaveNoVerdict() {
    auto all = outcomes();
    all.push_back(outcome("evicpress(drop=best,quality=raw)", 1, 0.02, 0.98));
    all.push_back(outcome("evicpress(drop=best,quality=raw)", 0.1, 0.01, 0.98));
    all.back().extension = codecs_extension;
    const FigureResult mixed = figure_frontier(named("evicpress/fig7"), all);
    const auto alone = figure_frontier(named("evicpress/fig7"), outcomes());
    QCOMPARE(mixed.measured.size(), alone.measured.size());
    for (std::size_t i = 0; i < alone.measured.size(); ++i) {
      QCOMPARE(mixed.measured[i].claim, alone.measured[i].claim);
      QCOMPARE(mixed.measured[i].measured.low, alone.measured[i].measured.low);
      QCOMPARE(mixed.measured[i].measured.high, alone.measured[i].measured.high);
    }
    std::vector<std::string> rules;
    for (const auto& row : mixed.tables.at(1).rows) rules.push_back(row.at(1).get<std::string>());
    QCOMPARE(rules,
             (std::vector<std::string>{"section 4.4", "section 4.4, drop=best (ours)",
                                       "section 4.4, drop=best (ours), codecs (EvicPress section 8, extension)"}));
    QCOMPARE(mixed.tables.at(0).rows.back().at(1).get<std::string>(),
             std::string("evicpress(drop=best,quality=raw), codecs (EvicPress section 8, extension)"));
    QCOMPARE(mixed.settings.at("evicpress").get<std::string>(), std::string("section 4.4"));
    // Other figures compare with the paper's rule alone, too.
    const FigureResult hits = figure_hits(named("evicpress/fig9"), all, {"dram", "ssd"});
    QVERIFY2(hits.findings.at(0).find("2 of 2 points") != std::string::npos, hits.findings[0].c_str());
    const auto families = [](const std::vector<PolicyOutcome>& runs) {
      return figure_frontier_by_family(named("evicpress/fig12"), runs).tables.at(0).rows;
    };
    QCOMPARE(families(all), families(outcomes()));
    // Without it there is a comparison, but nothing about the paper.
    const FigureResult ours =
        figure_frontier(named("evicpress/fig7"), {outcome("full_prefill", 0, 1.0, 1.0, "prefill"),
                                                  outcome("fixed(keydiff,0.5)", 0, 0.3, 0.8, "ssd"),
                                                  outcome("evicpress(prices=lp,quality=raw)", 1, 0.2, 0.98)});
    QVERIFY(ours.measured.empty());
    QCOMPARE(ours.tables.at(1).rows.at(0).at(1).get<std::string>(), std::string("section 4.4, prices=lp (ours)"));
    QCOMPARE(ours.findings.at(0), std::string(no_papers_rule));
  }
  void everyPolicyIsCompared() {
    const auto texts = compared_policies({"fixed(kivi4,0)"});
    QCOMPARE(texts.front(), std::string("fixed(kivi4,0)"));
    for (const char* name : {"full_prefill", "lru", "lfu", "s3fifo", "gdsf", "impress(kept=0.5)", "adaptcache",
                             "evicpress", "evicpress(quality=raw)", "evicpress(start=quality,quality=raw)",
                             "evicpress(drop=per_byte,quality=raw)", "evicpress(drop=best)", "evicpress(prices=lp)"})
      QVERIFY2(std::ranges::find(texts, name) != texts.end(), name);
    for (const std::string& text : texts) QVERIFY2(make_policy(text).has_value(), text.c_str());
    QVERIFY(std::ranges::find(texts, "optimal") == texts.end());
  }
  void hitsBesideQuality() {
    const FigureResult figure = figure_hits(named("evicpress/fig9"), outcomes(), {"dram", "ssd"});
    QCOMPARE(figure.tables.size(), std::size_t{3});  // a chart for each tier, then the numbers
    QVERIFY(std::fabs(figure.tables.at(2).rows.at(2).at(9).get<double>() - 100) < 1e-9);
    QVERIFY(!figure.tables[2].plot);
    for (const auto& [t, tier] : {std::pair{std::size_t{0}, "dram"}, {std::size_t{1}, "ssd"}}) {
      const FigureTable& served = figure.tables.at(t);
      QVERIFY2(served.title.find(tier) != std::string::npos, served.title.c_str());
      QVERIFY(served.plot && served.plot->kind == FigurePlot::Kind::scatter && served.plot->x == "requests served %");
      QCOMPARE(served.rows.size(), outcomes().size());
      QCOMPARE(served.rows.at(2).at(3).get<double>(), t == 0 ? 0.0 : 100.0);  // fixed(keydiff,0.5) is on the SSD
      QCOMPARE(served.rows.at(2).at(6).get<double>(), 0.8);
      QCOMPARE(served.rows.at(3).at(3).get<double>(), t == 0 ? 100.0 : 0.0);
    }
    QVERIFY2(figure.findings.at(0).find("2 of 2 points") != std::string::npos, figure.findings[0].c_str());
    for (const FigureTable& table : figure.tables)
      for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    // A fixed policy that hits the fast tier as often leaves nothing to be ahead of.
    const FigureResult even = figure_hits(
        named("evicpress/fig9"), {outcome("fixed(x,0.5)", 0, 0.1, 1), outcome("evicpress(quality=raw)", 1, 0.1, 1)},
        {"dram", "ssd"});
    QVERIFY2(even.findings.at(0).find("0 of 1 points") != std::string::npos, even.findings[0].c_str());
    QCOMPARE(test::verdict_of(even, "evicpress/hits-fast-tier"), std::string("agrees"));  // as often: at least 1
    QCOMPARE(test::verdict_of(even, "evicpress/hits-slow-tier"), std::string("not measured with these settings"));
    // Half as often, and every context of the slow tier by us.
    const FigureResult fewer = figure_hits(
        named("evicpress/fig9"),
        {outcome("fixed(x,0.5)", 0, 0.1, 1), outcome("evicpress(quality=raw)", 1, 0.1, 1, "ssd")}, {"dram", "ssd"});
    QCOMPARE(test::verdict_of(fewer, "evicpress/hits-fast-tier"), std::string("contradicts: smaller"));
  }
  void familiesAheadAtSomeAlphaAndAtEvery() {
    std::vector<PolicyOutcome> all{outcome("fixed(x,0.5)", 0, 0.2, 0.8), outcome("evicpress(quality=raw)", 1, 0.1, 0.8),
                                   outcome("evicpress(quality=raw)", 0.1, 0.1, 0.8)};
    all[2].samples[1].ttft_seconds = 0.4;  // slower in family "b"
    const FigureResult figure = figure_frontier_by_family(named("evicpress/fig12"), all);
    QVERIFY2(
        figure.time_findings.at(0).find("at every alpha in 1 of 2 families, at some alpha in 2") != std::string::npos,
        figure.time_findings[0].c_str());
    QCOMPARE(test::verdict_of(figure, "evicpress/tasks-improved"), std::string("cannot tell at this n"));
    // A second budget adds no family: both are ahead at every alpha under it, and "b" still not under the first.
    std::vector<PolicyOutcome> two = all;
    for (PolicyOutcome outcome_of : {all[0], all[1]}) {
      outcome_of.budget_fraction = 0.5;
      two.push_back(outcome_of);
    }
    const auto improved = [](const std::vector<PolicyOutcome>& outcomes) {
      const FigureResult made = figure_frontier_by_family(named("evicpress/fig12"), outcomes);
      return std::ranges::find(made.measured, "evicpress/tasks-improved", &MeasuredClaim::claim)->measured;
    };
    QCOMPARE(improved(two).low, 0.5);
    QCOMPARE(improved(two).low_interval->low, improved(all).low_interval->low);
    QCOMPARE(improved(two).low_interval->high, improved(all).low_interval->high);
    all[2].samples[1].ttft_seconds = 0.1;
    QVERIFY(
        figure_frontier_by_family(named("evicpress/fig12"), all).time_findings.at(0).find("at every alpha in 2 of 2") !=
        std::string::npos);
    for (PolicyOutcome* ours : {&all[1], &all[2]})
      for (PolicySample& sample : ours->samples) sample.ttft_seconds = 0.3;
    QVERIFY(figure_frontier_by_family(named("evicpress/fig12"), all)
                .time_findings.at(0)
                .find("at every alpha in 0 of 2 families, at some alpha "
                      "in 0") != std::string::npos);
    QCOMPARE(test::verdict_of(figure_frontier_by_family(named("evicpress/fig12"), all), "evicpress/tasks-improved"),
             std::string("contradicts: smaller"));
  }
  // Contexts are drawn, the same ones on both sides: a ratio that holds in each of them is certain however they differ.
  void ratiosHaveIntervalsOfTheirOwn() {
    PolicyOutcome slow{"lru", 0, 0.1, 1, {}}, fast{"evicpress", 1, 0.1, 1, {}};
    double seconds = 0.1;
    for (const char* context : {"a", "b", "c", "d"}) {
      slow.samples.push_back({context, "f", "ssd", 3 * seconds, 0, 1.0, {}, 3 * seconds, 0});
      fast.samples.push_back({context, "f", "ssd", seconds, 0, 1.0, {}, seconds, 0});
      seconds *= 4;
    }
    auto interval = ttft_ratio_interval(slow, fast);
    QVERIFY(interval && std::fabs(interval->low - 3) < 1e-9 && std::fabs(interval->high - 3) < 1e-9);
    QVERIFY(mean_ttft(slow).interval->high > 2 * mean_ttft(slow).interval->low);
    slow.samples[3].ttft_seconds *= 2;
    interval = ttft_ratio_interval(slow, fast);
    QVERIFY(interval && interval->low < interval->high && interval->low >= 3 - 1e-9 && interval->high <= 6 + 1e-9);
    slow.samples.resize(1);
    fast.samples.resize(1);
    QVERIFY(!ttft_ratio_interval(slow, fast));  // one context has none
    const PolicyMean p95 = ttft_with_queue_percentile(outcome("lru", 0, 0.2, 1), 0.95);
    QCOMPARE(p95.mean, 0.7);
    QVERIFY(p95.interval && p95.n == 2);
  }
  void recordsBecomeSamples() {
    PolicyOutcome made;
    RequestRecord held, seen, gone;
    held.context_id = "a";
    held.source = "ssd";
    held.timing.ttft_service_seconds = 0.5;
    held.quality["token_f1"] = 0.75;
    held.quality_chance = {{"token_f1", 0.25}, {"cosine", 0.5}};
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
    QCOMPARE(mean_chance(made).mean, 0.25);
    QCOMPARE(mean_chance(made).n, 1UL);
  }
  // Of those questions that have a quality; unknown where no record has it.
  void chanceIsBesideQuality() {
    auto all = outcomes();
    all[4].samples[0].quality_by_chance = 0.1;
    all[4].samples[1].quality_by_chance = 0.3;
    all[5].samples[0].quality_by_chance = 0.1;
    all[5].samples[0].quality.reset();
    const FigureTable points = figure_frontier(named("evicpress/fig7"), all).tables.at(0);
    QCOMPARE(points.columns.back(), std::string("quality by chance"));
    QVERIFY(std::fabs(points.rows.at(4).back().get<double>() - 0.2) < 1e-12);
    QVERIFY(points.rows.at(5).back().is_null() && points.rows.at(0).back().is_null());
    for (const auto& row : points.rows) QCOMPARE(row.size(), points.columns.size());
  }
  // The paper's number is a share of its tasks, beside ours of the families.
  void familiesAheadBesideThePapers() {
    std::vector<PolicyOutcome> all{outcome("fixed(x,0.5)", 0, 0.2, 0.8), outcome("evicpress(quality=raw)", 1, 0.1, 0.8),
                                   outcome("evicpress(quality=raw)", 0.1, 0.1, 0.8)};
    all[2].samples[1].ttft_seconds = 0.4;  // slower in family "b"
    const FigureTable shares = figure_frontier_by_family(named("evicpress/fig12"), all).tables.at(2);
    QCOMPARE(shares.rows.size(), std::size_t{2});
    QCOMPARE(shares.rows[0].at(1).get<double>(), 50.0);
    QCOMPARE(shares.rows[1].at(1).get<double>(), 0.0);
    QVERIFY(shares.rows[0].at(2).get<double>() < 50 && shares.rows[0].at(3).get<double>() > 50);
    QCOMPARE(shares.plot->published.at(0).at, Json(shares.rows[0].at(0)));
    QCOMPARE(shares.plot->published[0].low, 91.7);
  }
  void ourChoicesHaveNoVerdict() {
    const FigureResult figure = figure_choices(
        named("evicpress/fig11"), {{"dram", "snapkv", 0.5, "a", 0, 0.5}, {"ssd", "keydiff", 0.9, "c", 1, 0.1}},
        "evicpress(drop=best)", 1);
    QVERIFY(figure.measured.empty());
    QCOMPARE(figure.findings.back(), std::string(no_papers_rule));
  }
  void choicesByTier() {
    const FigureResult figure = figure_choices(
        named("evicpress/fig11"),
        {{"dram", "snapkv", 0.5, "a", 0, 0.5}, {"dram", "none", 0, "b", 0, 1}, {"ssd", "snapkv", 0.9, "c", 1, 0.1}},
        "evicpress(quality=raw)", 1);
    QCOMPARE(figure.tables.at(0).rows.size(), 3UL);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(2).get<double>() - 0.25) < 1e-12);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(1).at(2).get<double>() - 0.9) < 1e-12);
    QCOMPARE(figure.findings.at(0), std::string("3 configurations of 2 methods are in use"));
    QVERIFY2(figure.findings.at(1).ends_with("in 1 of 1 step from tier to tier"), figure.findings[1].c_str());
    const auto verdict = [](std::vector<ChosenForm> chosen, const char* claim) {
      return test::verdict_of(figure_choices(named("evicpress/fig11"), chosen, "evicpress(quality=raw)", 1),
                              std::string("evicpress/") + claim);
    };
    const std::vector<ChosenForm> more_in_dram{{"dram", "snapkv", 0.9, "a", 0, 0.1},
                                               {"dram", "snapkv", 0.9, "b", 0, 0.1},
                                               {"ssd", "keydiff", 0.5, "c", 1, 0.5},
                                               {"ssd", "snapkv", 0.5, "d", 1, 0.5}};
    QCOMPARE(verdict(more_in_dram, "slower-tier-more-compressed"), std::string("contradicts: smaller"));
    QCOMPARE(verdict(more_in_dram, "keydiff-chosen-more-often"), std::string("cannot tell at this n"));
    std::vector<ChosenForm> many;
    for (int i = 0; i < 30; ++i)
      many.push_back({i % 2 == 0 ? "dram" : "ssd", "keydiff+kivi4", 0.5, std::to_string(i),
                      static_cast<std::size_t>(i % 2), i % 2 == 0 ? 0.5 : 0.1});
    QCOMPARE(verdict(many, "slower-tier-more-compressed"), std::string("agrees"));
    QCOMPARE(verdict(many, "keydiff-chosen-more-often"), std::string("agrees"));
  }
};

KV_TEST_GUILESS_MAIN(PolicyFiguresTest)

}  // namespace policy_figures_test

#include "policy_figures_test.moc"
