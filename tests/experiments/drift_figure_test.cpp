// links: kv_experiments
// Quality and latency while questions drift, on outcomes made by hand.
#include "core/experiments/drift_figure.h"

#include <QtTest>

#include <cmath>
#include <tuple>

#include "core/experiments/evicpress_rules.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace drift_figure_test {

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

constexpr DriftSpan middle{.begin = 0.4, .end = 0.6};

}  // namespace

class DriftFigureTest : public QObject {
  Q_OBJECT
 private slots:
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
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled, once}, middle, 2);
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
        middle, 3);
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
        middle, 3);
    QCOMPARE(test::verdict_of(unlike, "evicpress/reprofiling-quality"), std::string("contradicts: smaller"));
    QVERIFY(unlike.findings.at(1).ends_with(": quality does not recover"));
    QVERIFY(unlike.time_findings.at(0).ends_with(": latency is still elevated at the end"));
  }
  // Where the highest part is another one than those in which questions drift, the claim is about the latter.
  void latencyIsComparedWhereQuestionsDrift() {
    const auto run = [](const char* condition, std::vector<double> seconds) {
      PolicyOutcome made{"evicpress(quality=raw)", 1, 0.1, 1, {}, 1, condition};
      for (const double one : seconds)
        for (const char* context : {"a", "b"}) {
          made.samples.push_back({context, "family", "dram", 0.05, 0.01, 0.5, {}, 0.05, 0.02});
          made.samples.back().end_to_end_seconds = one;
          made.samples.back().quality_by_chance = 0.25;
        }
      return made;
    };
    const std::vector<PolicyOutcome> outcomes{run("re-profiled", {0.1, 0.1, 0.1, 0.05, 0.1, 0.1, 0.9, 0.1}),
                                              run("profiled once", {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1})};
    const FigureResult figure = figure_drift(named("evicpress/fig10"), outcomes, middle);
    const auto measured =
        std::ranges::find(figure.measured, "evicpress/reprofiling-latency", &MeasuredClaim::claim)->measured;
    QVERIFY(std::fabs(measured.low - 0.75) < 1e-12);
    QCOMPARE(test::verdict_of(figure, "evicpress/reprofiling-latency"), std::string("contradicts: smaller"));
    QCOMPARE(test::verdict_of(figure, "evicpress/reprofiling-latency-baseline"), std::string("agrees"));  // 1, part 8
    QVERIFY2(figure.time_findings.at(0).find("at most 9 times that without (part 7)") != std::string::npos,
             figure.time_findings[0].c_str());
    QVERIFY2(figure.time_findings.at(1).find("is 0.75 times that without over parts 4 to 5, where questions drift") !=
                 std::string::npos,
             figure.time_findings[1].c_str());
    const FigureTable& quality = figure.tables.at(0);
    QCOMPARE(quality.columns.back(), std::string("quality by chance"));
    QCOMPARE(quality.rows.at(0).back().get<double>(), 0.25);
    const PublishedMark& mark = quality.plot->published.at(0);
    QCOMPARE(mark.at, Json(8));
    QVERIFY(std::fabs(mark.low - 1.11 * 0.5) < 1e-12 && mark.low == mark.high);
    // The parts are those of the workload's drift; one that is over at once is within a part, too.
    const auto compared = [&](double begin, double end) {
      return figure_drift(named("evicpress/fig10"), outcomes, DriftSpan{begin, end}).time_findings.at(1);
    };
    for (const auto& [begin, end, words] : {std::tuple(0.7, 0.85, "is 5 times that without over parts 6 to 7"),
                                            std::tuple(0.75, 0.75, "is 9 times that without over parts 7 to 7"),
                                            std::tuple(0.99, 1.0, "is 1 times that without over parts 8 to 8")})
      QVERIFY2(compared(begin, end).find(words) != std::string::npos, compared(begin, end).c_str());
  }
  // The paper has both: higher while profiling runs, and back at the baseline afterwards.
  void latencyReturnsToTheBaseline() {
    const auto run = [](const char* condition, double during, double last) {
      PolicyOutcome made{"evicpress(quality=raw)", 1, 0.1, 1, {}, 1, condition};
      for (const double seconds : {0.1, 0.1, during, during, 0.1, last})
        for (const char* context : {"a", "b"}) {
          made.samples.push_back({context, "family", "dram", 0.05, 0.01, 0.5, {}, 0.05, 0.02});
          made.samples.back().end_to_end_seconds = seconds;
        }
      return made;
    };
    const auto figure = [&](double during, double last, DriftSpan drift = {.begin = 0.4, .end = 0.6}) {
      return figure_drift(named("evicpress/fig10"), {run("re-profiled", during, last), run("profiled once", 0.1, 0.1)},
                          drift, 6);
    };
    const auto verdicts = [&](double during, double last) {
      const FigureResult made = figure(during, last);
      return test::verdict_of(made, "evicpress/reprofiling-latency") + ", then " +
             test::verdict_of(made, "evicpress/reprofiling-latency-baseline");
    };
    QCOMPARE(verdicts(0.2, 0.1), std::string("agrees, then agrees"));
    QCOMPARE(verdicts(0.2, 0.109), std::string("agrees, then agrees"));
    QCOMPARE(verdicts(0.2, 0.111), std::string("agrees, then contradicts: larger"));
    QCOMPARE(verdicts(0.2, 0.2), std::string("agrees, then contradicts: larger"));
    QCOMPARE(verdicts(0.05, 0.089), std::string("contradicts: smaller, then contradicts: smaller"));
    const FigureResult late = figure(0.2, 0.15);
    const auto measured =
        std::ranges::find(late.measured, "evicpress/reprofiling-latency-baseline", &MeasuredClaim::claim);
    QVERIFY(measured != late.measured.end());
    QVERIFY(measured->of_time && std::fabs(measured->measured.low - 1.5) < 1e-12);
    QVERIFY(measured->measured.low_interval && std::fabs(measured->measured.low_interval->high - 1.5) < 1e-12);
    // Where questions drift up to the end, nothing comes after it.
    const FigureResult to_the_end = figure(0.2, 0.1, {.begin = 0.4, .end = 1});
    QCOMPARE(test::verdict_of(to_the_end, "evicpress/reprofiling-latency"), std::string("agrees"));
    QCOMPARE(test::verdict_of(to_the_end, "evicpress/reprofiling-latency-baseline"),
             std::string("not measured with these settings"));
  }
  void withoutADriftNothingIsCompared() {
    PolicyOutcome reprofiled = outcome("evicpress(quality=raw)", 1, 0.1, 0.9, 3, 0, "re-profiled"),
                  once = outcome("evicpress(quality=raw)", 1, 0.1, 0.6, 3, 0, "profiled once");
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled, once}, {}, 2);
    QVERIFY(figure.measured.empty());
    QCOMPARE(figure.findings.back(), std::string(no_drift_text));
    QCOMPARE(figure.tables.at(0).rows.size(), std::size_t{4});
    QVERIFY(figure.tables.at(0).plot->published.empty());
    for (const std::string& words : figure.time_findings)
      QVERIFY2(words.find("where questions drift") == std::string::npos, words.c_str());
    QVERIFY(!figure_drift(named("evicpress/fig10"), {reprofiled, once}, middle, 2).measured.empty());
  }
  // Of a shorter run the drift takes a larger share, or none.
  void aDriftIsInTheSharesOfItsRun() {
    const auto whole = drift_in_run(middle, 960, 960);
    QVERIFY(whole && whole->begin == middle.begin && whole->end == middle.end);
    const auto shorter = drift_in_run(middle, 960, 480);
    QVERIFY(shorter && std::fabs(shorter->begin - 0.8) < 1e-12 && shorter->end == 1.0);
    const auto longer = drift_in_run(middle, 960, 1920);
    QVERIFY(longer && std::fabs(longer->begin - 0.2) < 1e-12 && std::fabs(longer->end - 0.3) < 1e-12);
    for (const std::uint64_t requests : {0, 4, 384}) QVERIFY(!drift_in_run(middle, 960, requests));
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
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled(true), once}, middle, 2);
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
    const FigureResult unused = figure_drift(named("evicpress/fig10"), {reprofiled(false), once}, middle, 2);
    QVERIFY(!has(unused, "quality leaves out"));
    QVERIFY(has(unused, "in the last part quality is 0.9 with re-profiling and 0.3 without"));
  }
  // Beside TTFT, of all requests: those without a quality as well.
  void endToEndLatencyIsToldByPart() {
    const PolicyOutcome reprofiled =
        sequence("re-profiled", {{"a", "1", 1}, {"b", "1", 1}, {"a", "1", 1, true}, {"b", "1", 1, true}});
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled}, middle, 2);
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
  void ourRuleHasNoVerdictOnDrift() {
    PolicyOutcome reprofiled = outcome("evicpress(drop=best)", 1, 0.1, 0.9, 3, 0, "re-profiled"),
                  once = outcome("evicpress(drop=best)", 1, 0.1, 0.6, 3, 0, "profiled once");
    const FigureResult figure = figure_drift(named("evicpress/fig10"), {reprofiled, once}, middle, 2);
    QVERIFY(figure.measured.empty());
    QCOMPARE(figure.findings.back(), std::string(no_papers_rule));
  }
};

KV_TEST_GUILESS_MAIN(DriftFigureTest)

}  // namespace drift_figure_test

#include "drift_figure_test.moc"
