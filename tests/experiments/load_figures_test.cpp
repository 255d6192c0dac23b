// links: kv_experiments
// Figures under load and other conditions, on outcomes made by hand.
#include <QtTest>

#include "core/experiments/drift_figure.h"
#include "core/experiments/evicpress_rules.h"
#include "core/experiments/load_figures.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace load_figures_test {

using namespace kvantage;

namespace {

struct AskedAgain {
  const char *context, *question;
  double quality;
  bool in_profile = false;
};

/// One sequence; requests end in this order. Each takes 0.5 s of service and 2 s in all.
PolicyOutcome sequence(const char* condition, const std::vector<AskedAgain>& requests) {
  PolicyOutcome made{"evicpress(quality=raw)", 1, 0.1, 1, {}, 1, condition};
  for (const AskedAgain& request : requests) {
    PolicySample& sample = made.samples.emplace_back();
    sample.context = request.context;
    sample.question = request.question;
    sample.quality = request.quality;
    sample.uncompressed_quality = sample.predicted_quality = 1;
    sample.in_profile = request.in_profile;
    sample.ttft_seconds = 0.5;
    sample.end_to_end_seconds = 2;
  }
  return made;
}

PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality, double rate, double queued,
                      std::string condition = {}) {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}, rate, std::move(condition)};
  for (const char* context : {"a", "b"}) {
    made.samples.push_back({context, "family", "dram", seconds, 0.01, quality, {}, seconds + queued, 0.02});
    made.samples.back().end_to_end_seconds = 2 * seconds + queued;
  }
  return made;
}

const PaperFigure& named(const char* name) { return *find_paper_figure(name); }

}  // namespace

class LoadFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void theHighestRateWithinTheBounds() {
    std::vector<PolicyOutcome> outcomes{outcome("lru", 0, 0.2, 1, 1, 0.1), outcome("lru", 0, 0.2, 1, 4, 9),
                                        outcome("fixed(x,0.9)", 0, 0.1, 0.5, 4, 0),  // fast, but not good enough
                                        outcome("evicpress(quality=raw)", 1, 0.1, 0.9, 1, 0),
                                        outcome("evicpress(quality=raw)", 1, 0.1, 0.9, 4, 0.2)};
    const FigureResult figure =
        figure_rates(named("evicpress/fig8"), outcomes, {.min_quality = 0.8, .ttft_seconds = 0.5, .itl_seconds = 0.02});
    QVERIFY2(figure.time_findings.at(0).find(
                 "evicpress sustains 4 times the rate of the best baseline (lru, 1 requests/s)") != std::string::npos,
             figure.time_findings[0].c_str());
    // At least 4 requests/s, the highest that was tested, against less than 4: no interval.
    QCOMPARE(test::verdict_of(figure, "evicpress/rate-vs-best-baseline"), std::string("cannot tell: no interval"));
    outcomes.push_back(outcome("lru", 0, 0.2, 1, 9, 9));
    outcomes.push_back(outcome("lru", 0, 0.2, 1, 2, 9));
    outcomes.push_back(outcome("evicpress(quality=raw)", 1, 0.1, 0.9, 9, 9));
    // At least 4 and less than 9, against at least 1 and less than 2: 2 to 9 times.
    const FigureResult bracketed =
        figure_rates(named("evicpress/fig8"), outcomes, {.min_quality = 0.8, .ttft_seconds = 0.5, .itl_seconds = 0.02});
    const auto measured =
        std::ranges::find(bracketed.measured, "evicpress/rate-vs-best-baseline", &MeasuredClaim::claim)->measured;
    QCOMPARE(measured.low, 4.0);
    QCOMPARE(measured.low_interval->low, 2.0);
    QCOMPARE(measured.low_interval->high, 9.0);
    QCOMPARE(test::verdict_of(bracketed, "evicpress/rate-vs-best-baseline"), std::string("cannot tell at this n"));
    QVERIFY(figure.tables.at(1).rows.at(1).at(1).is_null());  // fixed
    // Inter-token latencies are all 0.02 s: within the bound at every rate, so nobody is ahead.
    QVERIFY2(figure.time_findings.at(1).find("evicpress sustains 1 times the rate") != std::string::npos,
             figure.time_findings[1].c_str());
    QCOMPARE(figure.tables.at(2).rows.at(2).at(1).get<double>(), 4.0);  // lru
    QCOMPARE(figure_rates(named("evicpress/fig8"), outcomes, {.itl_seconds = 0.019}).time_findings.at(1),
             std::string("inter-token latency within 19 ms: not met by evicpress at any tested rate"));
  }
  void theInterTokenBoundIsTwiceTheUnloadedOne() {
    PolicyOutcome alone = outcome("lru", 0, 0.2, 1, 0, 0, unloaded_condition), slow = outcome("lru", 0, 0.2, 1, 4, 0);
    for (PolicySample& sample : alone.samples) sample.itl_seconds = 0.008;
    for (PolicySample& sample : slow.samples) sample.itl_seconds = 0.0161;
    PolicyOutcome ours = outcome("evicpress(quality=raw)", 1, 0.1, 1, 4, 0);
    for (PolicySample& sample : ours.samples) sample.itl_seconds = 0.0159;
    const FigureResult figure = figure_rates(named("evicpress/fig8"), {alone, slow, ours}, {.ttft_seconds = 1});
    QCOMPARE(figure.settings.at("unloaded inter-token latency s").get<double>(), 0.008);
    QCOMPARE(figure.settings.at("mean inter-token latency bound s").get<double>(), 0.016);
    QCOMPARE(figure.tables.at(2).rows.size(), std::size_t{2});  // requests one at a time are at no rate
    QCOMPARE(figure.tables.at(2).rows.at(0).at(1).get<double>(), 4.0);
    QVERIFY(figure.tables.at(2).rows.at(1).at(1).is_null());
    QVERIFY(figure.time_findings.at(1).find("not met by any other policy") != std::string::npos);
  }
  void theEnginesTimeIsToldByPart() {
    PolicyOutcome made = outcome("evicpress(quality=raw)", 1, 0.1, 1, 4, 0);
    made.serving = {{.wall_seconds = 8,
                     .busy_seconds = 4,
                     .context_prefill_seconds = 1,
                     .question_prefill_seconds = 0.5,
                     .placing_seconds = 1.75,
                     .profiling_seconds = 0.25,
                     .answer_tokens = 80,
                     .requests = 16,
                     .prefills = 3},
                    {.wall_seconds = 2,
                     .busy_seconds = 1,
                     .context_prefill_seconds = 0,
                     .question_prefill_seconds = 0,
                     .placing_seconds = 0.25,
                     .profiling_seconds = 0,
                     .answer_tokens = 20,
                     .requests = 4,
                     .prefills = 0}};
    const FigureResult figure = figure_rates(named("evicpress/fig8"), {made}, {});
    const std::vector<double> expected{4, 2, 50, 20, 10, 40, 5, 25, 10, 3, 20};  // from the rate on
    const auto& row = figure.tables.at(3).rows.at(0);
    for (std::size_t c = 0; c < expected.size(); ++c)
      QVERIFY2(std::fabs(row.at(c + 2).get<double>() - expected[c]) < 1e-9, figure.tables[3].columns[c + 2].c_str());
    QCOMPARE(
        figure.time_findings.back(),
        std::string(
            "at 4 requests/s under evicpress, the engine is busy for 50 % of the time, mostly with placing: 40 %"));
  }
  // The time of the warm-up is in none of its metrics.
  void servingBeginsWhenTheWarmUpEnds() {
    std::vector<Event> events;
    const auto add = [&](double seconds, EventPayload payload) {
      events.push_back({.sequence = events.size(),
                        .monotonic_ns = static_cast<std::int64_t>(seconds * 1e9),
                        .payload = std::move(payload)});
    };
    RequestRecord record;
    record.source = "prefill";
    record.answer_tokens = 12;
    record.timing.context_prefill_seconds = 0.25;
    record.timing.measuring_seconds = 0.5;
    add(10, events::RequestFinished{record});
    add(11, events::EngineCounted{.busy_seconds = 7, .serving_seconds = 5, .placing_seconds = 2});
    QVERIFY(!serving_cost(events, {}));
    add(13, events::RequestFinished{record});
    add(20, events::EngineCounted{.busy_seconds = 8, .serving_seconds = 5.5, .placing_seconds = 2.5});
    const auto cost = serving_cost(events, {record});
    QVERIFY(cost);
    QCOMPARE(cost->wall_seconds, 1.5);
    QCOMPARE(cost->busy_seconds, 1.0);
    QCOMPARE(cost->placing_seconds, 0.5);
    QCOMPARE(cost->context_prefill_seconds, 0.25);
    QCOMPARE(cost->answer_tokens, std::uint64_t{12});
    QCOMPARE(cost->prefills, std::uint64_t{1});
  }
  void ourRuleHasNoVerdictOnDrift() {
    PolicyOutcome reprofiled = outcome("evicpress(drop=best)", 1, 0.1, 0.9, 3, 0, "re-profiled"),
                  once = outcome("evicpress(drop=best)", 1, 0.1, 0.6, 3, 0, "profiled once");
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled, once}, 2);
    QVERIFY(figure.measured.empty());
    QCOMPARE(figure.findings.back(), std::string(no_papers_rule));
  }
  void driftIsToldWithWhatItCost() {
    PolicyOutcome reprofiled = outcome("evicpress(quality=raw)", 1, 0.1, 0.9, 3, 0, "re-profiled"),
                  once = outcome("evicpress(quality=raw)", 1, 0.1, 0.6, 3, 0, "profiled once");
    for (PolicyOutcome* made : {&reprofiled, &once}) {
      for (PolicySample& sample : made->samples) {
        sample.predicted_quality = 1.0;
        sample.uncompressed_quality = 0.96;
      }
      made->seeds = 2;
      made->samples.insert(made->samples.end(), made->samples.begin(), made->samples.end());
      made->costs = {
          {.busy_seconds = 6, .reprofiling_seconds = 0.2, .drifts = 1, .curves = 1, .longest_step_seconds = 0.002},
          {.busy_seconds = 4, .reprofiling_seconds = 0.3, .drifts = 2, .curves = 1, .longest_step_seconds = 0.001}};
    }
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled, once}, 2);
    QCOMPARE(figure.tables.at(0).rows.size(), std::size_t{4});
    QCOMPARE(figure.tables.at(1).rows.size(), std::size_t{4});
    const auto& cost = figure.tables.at(2).rows.at(0);
    QCOMPARE(cost.at(2).get<int>(), 3);
    QCOMPARE(cost.at(6).get<double>(), 5.0);
    QCOMPARE(cost.at(7).get<double>(), 2.0);
    QCOMPARE(figure.findings.at(0), std::string("in the last part quality is 0.9 with re-profiling and 0.6 without: 50 "
                                                "% [50, 50] higher"));
    QVERIFY2(figure.findings.at(1).ends_with(": the drift costs no quality here"), figure.findings[1].c_str());
    QVERIFY2(figure.time_findings.at(0).ends_with(": latency never rises"), figure.time_findings[0].c_str());
    QCOMPARE(test::verdict_of(figure, "evicpress/reprofiling-quality"), std::string("contradicts: larger"));
    QCOMPARE(test::verdict_of(figure, "evicpress/reprofiling-quality-about-10"), std::string("contradicts: larger"));
    const auto said = [&](const char* words) {
      return std::ranges::find(figure.findings, words) != figure.findings.end();
    };
    QVERIFY(said("profiled once: quality in the last part is 40 % below the profiled quality of the first, 1"));
    QVERIFY(
        said("re-profiled: quality in the last quarter is 6.25 % below that of the uncompressed cache on the same "
             "questions"));
  }
  void theSentencesFollowTheNumbers() {
    const auto run = [](const char* condition, std::vector<double> qualities, std::vector<double> seconds) {
      PolicyOutcome made{"evicpress(quality=raw)", 1, 0.1, 1, {}, 1, condition};
      for (std::size_t i = 0; i < qualities.size(); ++i)
        for (const char* context : {"a", "b"}) {
          made.samples.push_back({context, "family", "dram", 0.05, 0.01, qualities[i], {}, 0.05, 0.02});
          made.samples.back().end_to_end_seconds = seconds[i];
        }
      return made;
    };
    const FigureResult like = figure_drift(
        named("evicpress/fig10"),
        {run("re-profiled", {0.9, 0.6, 0.9}, {0.1, 0.3, 0.1}), run("profiled once", {0.9, 0.6, 0.6}, {0.1, 0.1, 0.1})},
        3);
    QVERIFY2(like.findings.at(1).ends_with(": quality recovers"), like.findings[1].c_str());
    QCOMPARE(test::verdict_of(like, "evicpress/reprofiling-latency"), std::string("agrees"));
    QCOMPARE(test::verdict_of(like, "evicpress/reprofiling-latency", true),
             std::string("withheld: the machine was disturbed"));
    QCOMPARE(like.time_findings.at(0),
             std::string("end-to-end latency with re-profiling is at most 3 times that without (part 2) and 1 times in "
                         "the last part: latency rises temporarily"));
    const FigureResult unlike = figure_drift(
        named("evicpress/fig10"),
        {run("re-profiled", {0.9, 0.6, 0.5}, {0.1, 0.1, 0.2}), run("profiled once", {0.9, 0.6, 0.6}, {0.1, 0.1, 0.1})},
        3);
    QCOMPARE(test::verdict_of(unlike, "evicpress/reprofiling-quality"), std::string("contradicts: smaller"));
    QVERIFY(unlike.findings.at(1).ends_with(": quality does not recover"));
    QVERIFY(unlike.time_findings.at(0).ends_with(": latency is still elevated at the end"));
  }
  // A profile knows the questions that it was measured on. Both conditions leave the same requests out, whatever the
  // order in which they ended; what was asked before it was in a profile counts.
  void questionsThatReprofilingUsedAreLeftOut() {
    const PolicyOutcome once = sequence("profiled once", {{"a", "1", 0.5},
                                                          {"b", "1", 0.5},
                                                          {"a", "2", 0.5},
                                                          {"b", "2", 0.5},
                                                          {"a", "3", 0.4},
                                                          {"a", "1", 0.2},
                                                          {"b", "1", 0.2},
                                                          {"b", "3", 0.4}});
    const auto reprofiled = [](bool used) {
      return sequence("re-profiled", {{"a", "1", 0.5},
                                      {"b", "1", 0.5},
                                      {"a", "2", 0.5},
                                      {"b", "2", 0.5},
                                      {"a", "1", 1, used},
                                      {"b", "3", 0.8},
                                      {"a", "3", 0.8},
                                      {"b", "1", 1, used}});
    };
    const auto has = [](const FigureResult& figure, const char* words) {
      return std::ranges::any_of(figure.findings, [&](const std::string& one) { return one.starts_with(words); });
    };
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled(true), once}, 2);
    const FigureTable& quality = figure.tables.at(0);
    QCOMPARE(quality.columns.at(12), std::string("n"));
    QCOMPARE(quality.columns.at(13), std::string("left out"));
    const auto number = [&quality](std::size_t row, std::size_t column) {
      return quality.rows.at(row).at(column).get<double>();
    };
    for (const std::size_t row : {0, 2}) {  // the first part of each condition
      QCOMPARE(number(row, 3), 0.5);
      QCOMPARE(number(row, 12), 4.0);
      QCOMPARE(number(row, 13), 0.0);
    }
    QCOMPARE(number(1, 3), 0.8);
    QCOMPARE(number(3, 3), 0.4);
    for (const std::size_t row : {1, 3}) {
      QCOMPARE(number(row, 12), 2.0);
      QCOMPARE(number(row, 13), 2.0);
    }
    QVERIFY(
        has(figure, "quality leaves out 2 of 8 requests under each condition: re-profiling had used their questions"));
    QVERIFY(has(figure, "in the last part quality is 0.8 with re-profiling and 0.4 without: 100 % [100, 100] higher"));
    const FigureResult unused = figure_drift(named("evicpress/fig10"), {reprofiled(false), once}, 2);
    QVERIFY(!has(unused, "quality leaves out"));
    QVERIFY(has(unused, "in the last part quality is 0.9 with re-profiling and 0.3 without"));
  }
  // Beside TTFT, of all requests: those without a quality as well.
  void endToEndLatencyIsToldByPart() {
    const PolicyOutcome reprofiled =
        sequence("re-profiled", {{"a", "1", 1}, {"b", "1", 1}, {"a", "1", 1, true}, {"b", "1", 1, true}});
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled}, 2);
    QVERIFY(figure.tables.at(0).rows.at(1).at(3).is_null());
    const FigureTable& latency = figure.tables.at(1);
    QCOMPARE(latency.columns.at(3), std::string("end-to-end latency s"));
    QCOMPARE(latency.columns.at(6), std::string("TTFT s"));
    QVERIFY((latency.plot->y == std::vector<std::string>{"end-to-end latency s", "TTFT s"}));
    QCOMPARE(latency.rows.size(), std::size_t{2});
    for (const auto& row : latency.rows) {
      QCOMPARE(row.at(3).get<double>(), 2.0);
      QCOMPARE(row.at(6).get<double>(), 0.5);
      QCOMPARE(row.at(9).get<int>(), 2);
    }
  }
  void samplesSayWhenARequestEndedAndWhetherAProfileKnewIt() {
    RequestRecord record;
    record.question = "where?";
    record.timing.ttft_service_seconds = 1;
    record.timing.e2e_seconds = 3;
    record.in_profile = true;
    PolicyOutcome made;
    add_records(made, {record}, "token_f1");
    QCOMPARE(made.samples.at(0).question, std::string("where?"));
    QCOMPARE(made.samples.at(0).ttft_seconds, 1.0);
    QCOMPARE(made.samples.at(0).end_to_end_seconds, 3.0);
    QVERIFY(made.samples.at(0).in_profile);
  }
  void whereLessIsToBeGained() {
    const auto figure = [](double abundant_seconds) {
      return figure_limits(named("evicpress/limits"),
                           {outcome("lru", 0, 0.4, 1, 0, 0, "unchanged tiers"),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "unchanged tiers"),
                            outcome("lru", 0, abundant_seconds, 1, 0, 0, limit_abundant_dram),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_abundant_dram)});
    };
    QVERIFY2(figure(0.2).time_findings.at(1).ends_with(": a smaller maximum gain than with unchanged tiers"),
             figure(0.2).time_findings[1].c_str());
    QCOMPARE(test::verdict_of(figure(0.2), "evicpress/limit-abundant-dram"), std::string("agrees"));
    QVERIFY2(figure(0.5).time_findings.at(1).ends_with(": no smaller gain than with unchanged tiers"),
             figure(0.5).time_findings[1].c_str());
    QCOMPARE(test::verdict_of(figure(0.5), "evicpress/limit-abundant-dram"), std::string("contradicts: larger"));
    QCOMPARE(test::verdict_of(figure(0.5), "evicpress/limit-equal-bandwidths"),
             std::string("not measured with these settings"));
  }
  void ofAllOfItInDramThePaperSaysNothing() {
    const auto said = [](double seconds) {
      return figure_limits(named("evicpress/limits"),
                           {outcome("lru", 0, 0.4, 1, 0, 0, "unchanged tiers"),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "unchanged tiers"),
                            outcome("lru", 0, seconds, 1, 0, 0, limit_all_dram),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_all_dram)})
          .time_findings;
    };
    QVERIFY2(said(0.2).at(1).ends_with(": a smaller maximum gain than with unchanged tiers; not covered by the paper"),
             said(0.2)[1].c_str());
    QVERIFY2(said(0.5).at(1).ends_with(": no smaller gain than with unchanged tiers; not covered by the paper"),
             said(0.5)[1].c_str());
    // Where nothing reaches evicpress with unchanged tiers, no other condition stands in for that.
    const auto alone = figure_limits(named("evicpress/limits"),
                                     {outcome("lru", 0, 0.4, 0.5, 0, 0, "unchanged tiers"),
                                      outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "unchanged tiers"),
                                      outcome("lru", 0, 0.5, 1, 0, 0, limit_all_dram),
                                      outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_all_dram),
                                      outcome("lru", 0, 0.2, 1, 0, 0, limit_abundant_dram),
                                      outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_abundant_dram)})
                           .time_findings;
    QVERIFY(alone.size() == 2 && alone[1].ends_with(" times the speed of the best baseline at equal quality"));
  }
  void conditionsAreComparedApart() {
    const FigureResult figure = figure_limits(
        named("evicpress/limits"),
        {outcome("lru", 0, 0.4, 1, 0, 0, "small"), outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "small"),
         outcome("lru", 0, 0.1, 1, 0, 0, "large"), outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "large")});
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(1).get<double>() - 4) < 1e-12);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(3).get<double>() - 4) <
            1e-12);  // both contexts alike: an interval of no width
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(1).at(1).get<double>() - 1) < 1e-12);
  }
  void adaptcacheAgainstEachFixedMethod() {
    const FigureResult figure = figure_adaptcache(
        named("adaptcache/fig2"),
        {outcome("fixed(kivi2,0)", 0, 0.3, 0.7, 1, 0), outcome("fixed(streaming_llm,0.5)", 0, 0.1, 0.5, 1, 0),
         outcome("adaptcache", 1, 0.1, 0.7, 1, 0)},
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
    QCOMPARE(verdict("hit-rate-kivi2"), std::string("contradicts: larger"));   // always, where it has .38
    QCOMPARE(verdict("ttft-vs-prefill-and-offloading"), std::string("not measured with these settings"));
  }
};

KV_TEST_GUILESS_MAIN(LoadFiguresTest)

}  // namespace load_figures_test

#include "load_figures_test.moc"
