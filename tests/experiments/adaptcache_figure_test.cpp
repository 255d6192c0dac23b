// links: kv_experiments
// AdaptCache against other policies, on outcomes made by hand.
#include <QtTest>

#include "core/experiments/load_figures.h"
#include "tests/experiments/load_outcomes.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace adaptcache_figure_test {

using namespace kvantage;
using test::loads::has_finding;
using test::loads::hitting;
using test::loads::measured_of;
using test::loads::measures;
using test::loads::named;
using test::loads::on_code;
using test::loads::outcome;

class AdaptcacheFigureTest : public QObject {
  Q_OBJECT
 private slots:
  void adaptcacheAgainstEachFixedMethod() {
    const FigureResult figure = figure_adaptcache(
        named("adaptcache/fig2"),
        {outcome("fixed(kivi2,0)", 0, 0.3, 0.7, 1, 0), outcome("fixed(streaming_llm,0.5)", 0, 0.1, 0.5, 1, 0),
         outcome("adaptcache(pool=paper)", 1, 0.1, 0.7, 1, 0)},
        "dram");
    const auto& rows = figure.tables.at(1).rows;
    QCOMPARE(rows.size(), 2UL);
    QVERIFY(std::fabs(rows[0][1].get<double>() - 3) < 1e-12);
    QVERIFY(rows[1][1].is_null());  // streaming_llm never reaches 0.7
    QVERIFY(std::fabs(rows[1][8].get<double>() - 40) < 1e-9);
    const auto said = [&](const char* words) {
      const auto holds = [&](const std::string& one) { return one.find(words) != std::string::npos; };
      return std::ranges::any_of(figure.findings, holds) || std::ranges::any_of(figure.time_findings, holds);
    };
    QVERIFY(said("against fixed(kivi...): 3 [3, 3] - 3 [3, 3] times the speed at equal quality"));
    QVERIFY(said("40 [40, 40] - 40 [40, 40] % more quality at equal TTFT"));
    const auto verdict = [&](const char* claim) {
      return test::verdict_of(figure, std::string("adaptcache/") + claim);
    };
    QCOMPARE(verdict("delay-vs-static"), std::string("contradicts: larger"));  // 3, where it has 1.43 - 2.4
    QCOMPARE(verdict("quality-vs-streaming-llm"), std::string("agrees"));      // .4, where it has .15 - .89
    QCOMPARE(verdict("ttft-vs-kivi"), std::string("agrees"));                  // two thirds less; .69
    QCOMPARE(verdict("hits-fast-device"), std::string("agrees"));              // all hit it always: at least 1
    QCOMPARE(verdict("ttft-vs-prefill-and-offloading"), std::string("not measured with these settings"));
    for (const char* claim : {"hit-rate-kivi2", "hit-rate-adaptcache"}) {  // of another figure, and of code alone
      QCOMPARE(verdict(claim), std::string("none"));
      QVERIFY(!measures(figure, claim));
    }
  }
  // Requests that arrive by Poisson wait: claims are about the time from arrival, and service time is beside it.
  void adaptcacheTimesAreFromArrival() {
    const FigureResult figure = figure_adaptcache(
        named("adaptcache/fig2"),
        {outcome("full_prefill", 0, 0.5, 0.7, 1, 0.7), outcome("lru", 0, 0.3, 0.7, 1, 0.3),
         outcome("fixed(kivi2,0)", 0, 0.2, 0.7, 1, 0.4), outcome("fixed(streaming_llm,0.5)", 0, 0.25, 0.5, 1, 0.05),
         outcome("adaptcache(pool=paper)", 1, 0.2, 0.7, 1, 0.1)},
        "dram");
    const auto near = [](const MeasuredSpan& span, double low, double high) {
      return std::fabs(span.low - low) < 1e-9 && std::fabs(span.high - high) < 1e-9;
    };
    QVERIFY(near(measured_of(figure, "delay-vs-static"), 2, 2));  // 0.6 / 0.3; of service 1
    QVERIFY(near(measured_of(figure, "delay-vs-strongest-fixed"), 2, 2));
    QVERIFY(near(measured_of(figure, "ttft-vs-all-baselines"), 2, 2));
    QVERIFY(near(measured_of(figure, "ttft-vs-kivi"), 0.5, 0.5));
    QVERIFY(near(measured_of(figure, "ttft-vs-prefill-and-offloading"), 0.5, 0.75));  // 0.6 and 1.2 to 0.3
    QVERIFY(near(measured_of(figure, "quality-vs-streaming-llm"), 0.4, 0.4));         // by service it is slower
    QVERIFY(near(measured_of(figure, "quality-vs-static"), 0.4, 0.4));
    const auto number = [](const FigureTable& table, std::size_t row, std::size_t column, double value) {
      return std::fabs(table.rows.at(row).at(column).get<double>() - value) < 1e-9;
    };
    QVERIFY(number(figure.tables.at(0), 4, 3, 0.3) && number(figure.tables.at(0), 4, 6, 0.2));  // TTFT, service
    const FigureTable &queued = figure.tables.at(1), &service = figure.tables.at(2);
    QCOMPARE(queued.title, std::string("adaptcache against others, TTFT with queueing, 95 % intervals over contexts"));
    QCOMPARE(service.title, std::string("adaptcache against others, service time, 95 % intervals over contexts"));
    QVERIFY(queued.plot && !service.plot && queued.columns == service.columns);
    QCOMPARE(queued.rows.size(), std::size_t{4});  // KIVI, StreamingLLM, lru, full prefill
    QCOMPARE(service.rows.size(), std::size_t{4});
    QVERIFY(number(queued, 0, 1, 2) && number(service, 0, 1, 1));
    QVERIFY(number(queued, 1, 8, 40) && service.rows.at(1).at(8).is_null());
    QVERIFY(number(queued, 2, 1, 2) && number(service, 2, 1, 1.5));
    QVERIFY(number(queued, 3, 1, 4) && number(service, 3, 1, 2.5));
    // The paper gives its quality gains, too: bars of their own, without those that have the TTFT of none.
    const FigureTable& rises = figure.tables.at(3);
    QVERIFY(rises.title.starts_with("Quality of adaptcache above others at equal TTFT"));
    QVERIFY(!rises.rows.empty() && rises.rows.size() < queued.rows.size() + 1);
    const auto of_streaming = std::ranges::find_if(
        rises.rows, [](const auto& row) { return row.front() == Json("fixed(streaming_llm...)"); });
    QVERIFY(of_streaming != rises.rows.end());
    QVERIFY(std::fabs(of_streaming->at(3).get<double>() - 40) < 1e-9 && of_streaming->size() == rises.columns.size());
    for (const auto& row : rises.rows) QVERIFY(row.at(3).is_number() && row.at(6).is_number());
    QVERIFY(rises.plot->published.at(0).low == 6 && rises.plot->published.at(0).high == 55);
    QVERIFY(rises.plot->published.at(1).at == of_streaming->front() && rises.plot->published.at(1).high == 89);
    QVERIFY(has_finding(figure, "claims and comparisons take TTFT with queueing, from arrival to the first token"));
    QCOMPARE(
        std::ranges::count_if(figure.time_findings,
                              [](const std::string& one) { return one.starts_with("against fixed(kivi...): 2 "); }),
        std::ptrdiff_t{1});
    QVERIFY(std::ranges::none_of(figure.time_findings,
                                 [](const std::string& one) { return one.starts_with("against lru: 1.5 "); }));
  }
  // Loads of the slow tier, beside the fixed configuration of equal quality: half as long, planted.
  void loadsOfTheSlowTierAreCompared() {
    const auto loading = [](const char* policy, double alpha, double seconds) {
      PolicyOutcome made{policy, alpha, 0.07, 1, {}, 1};
      for (const char* context : {"a", "b"})
        for (const char* source : {"dram", "ssd"}) {
          made.samples.push_back({context, "family", source, 0.1, 0.01, 0.8, {}, 0.1, 0.02});
          made.samples.back().parts = TtftParts{.load = std::string(source) == "ssd" ? seconds : 5.0};
        }
      return made;
    };
    const std::vector<PolicyOutcome> outcomes{loading("fixed(kivi2,0)", 0, 0.25),
                                              loading("adaptcache(pool=paper)", 0.1, 0.125)};
    const FigureResult figure = figure_adaptcache(named("adaptcache/fig2"), outcomes, "dram", "ssd");
    const MeasuredSpan ratio = measured_of(figure, "disk-loading-time");
    QCOMPARE(ratio.low, 0.5);
    QCOMPARE(ratio.high, 0.5);
    QCOMPARE(test::verdict_of(figure, "adaptcache/disk-loading-time"), std::string("agrees"));
    const FigureTable& loads = figure.tables.back();
    QCOMPARE(loads.rows.size(), std::size_t{2});
    QCOMPARE(loads.rows[0][3].get<double>(), 250.0);
    QCOMPARE(loads.rows[1][3].get<double>(), 125.0);
    QCOMPARE(loads.rows[1].back().get<int>(), 2);
    QVERIFY(!measures(figure_adaptcache(named("adaptcache/fig2"), outcomes, "dram"), "disk-loading-time"));
  }
  // The paper gives its hit rates for coding alone, and so they are compared: exactly its own numbers, planted.
  void hitRatesAreOfTheCodingTask() {
    std::vector<PolicyOutcome> outcomes{hitting("fixed(kivi2,0)", 0, 38)};
    for (const auto& [alpha, percent] : {std::pair{0.1, 81}, {1.0, 56}, {2.0, 44}, {10.0, 11}})
      outcomes.push_back(hitting("adaptcache(pool=paper)", alpha, percent));
    const auto made = [](const std::vector<PolicyOutcome>& of) {
      return figure_adaptcache(named("adaptcache/coding"), of, "dram");
    };
    const FigureResult coding = made(outcomes);
    QVERIFY(std::fabs(measured_of(coding, "hit-rate-kivi2").low - 0.38) < 1e-12);
    QVERIFY(std::fabs(measured_of(coding, "hit-rate-adaptcache").low - 0.11) < 1e-12);
    QVERIFY(std::fabs(measured_of(coding, "hit-rate-adaptcache").high - 0.81) < 1e-12);
    for (const char* claim : {"adaptcache/hit-rate-kivi2", "adaptcache/hit-rate-adaptcache"})
      QCOMPARE(test::verdict_of(coding, claim), std::string("agrees"));
    // Claims over all three tasks are those of figure 2.
    for (const char* claim : {"adaptcache/delay-vs-static", "adaptcache/hits-fast-device"})
      QCOMPARE(test::verdict_of(coding, claim), std::string("none"));
    std::vector<PolicyOutcome> twice = outcomes;
    for (PolicyOutcome outcome : outcomes) {
      outcome.budget_fraction = 0.1;
      twice.push_back(std::move(outcome));
    }
    const FigureTable hits = made(twice).tables.at(3);
    QCOMPARE(hits.rows.size(), std::size_t{10});
    QCOMPARE(hits.plot->published.size(), std::size_t{5});
    // One request of another family, and it is another task.
    outcomes.back().samples.back().family = twice.back().samples.back().family = "news";
    const FigureResult mixed = made(outcomes);
    for (const char* claim : {"hit-rate-kivi2", "hit-rate-adaptcache"}) {
      QVERIFY(!measures(mixed, claim));
      QCOMPARE(test::verdict_of(mixed, std::string("adaptcache/") + claim),
               std::string("not measured with these settings"));
    }
    QVERIFY(measures(mixed, "hits-fast-device"));  // of no task of its own
    QVERIFY(made(twice).tables.at(3).plot->published.empty());
  }
  // Hits are compared at equal quality: a fixed configuration that hits always and answers badly counts for nothing.
  void adaptcacheHitsAtEqualQuality() {
    const auto half = [](PolicyOutcome made) {
      made.samples.front().source = "ssd";
      return made;
    };
    const std::vector<PolicyOutcome> ours{outcome("adaptcache(pool=paper)", 0.1, 0.1, 0.5, 1, 0),
                                          half(outcome("adaptcache(pool=paper)", 1, 0.1, 0.9, 1, 0))};
    std::vector<PolicyOutcome> outcomes = ours;
    outcomes.push_back(outcome("fixed(kivi2,0)", 0, 0.1, 0.2, 1, 0));
    const FigureResult unreached = figure_adaptcache(named("adaptcache/fig2"), on_code(outcomes), "dram");
    QCOMPARE(test::verdict_of(unreached, "adaptcache/hits-fast-device"),
             std::string("not measured with these settings"));
    QVERIFY(
        has_finding(unreached, " hits dram on 100 % of requests [34.2, 100]; no fixed configuration has its quality"));
    QCOMPARE(measured_of(unreached, "hit-rate-adaptcache").low, 0.5);
    QCOMPARE(measured_of(unreached, "hit-rate-adaptcache").high, 1.0);
    outcomes.push_back(half(outcome("fixed(kivi8,0)", 0, 0.1, 0.9, 1, 0)));
    const FigureResult figure = figure_adaptcache(named("adaptcache/fig2"), on_code(outcomes), "dram");
    QCOMPARE(measured_of(figure, "hits-fast-device").low, 1.0);   // 50 and 50 %
    QCOMPARE(measured_of(figure, "hits-fast-device").high, 2.0);  // 100 and 50 %
    QVERIFY(has_finding(figure, "; the best fixed configuration of its quality, fixed(kivi8,0), on 50 %"));
    QCOMPARE(measured_of(figure, "hit-rate-kivi2").low, 1.0);
  }
};

KV_TEST_GUILESS_MAIN(AdaptcacheFigureTest)

}  // namespace adaptcache_figure_test

#include "adaptcache_figure_test.moc"
