// links: kv_experiments
// The highest rates within bounds of latency, on outcomes made by hand.
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "core/base/form_text.h"
#include "core/experiments/evicpress_rules.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/paper_figures.h"
#include "tests/experiments/load_outcomes.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace rates_figure_test {

using namespace kvantage;
using test::loads::any_time_finding;
using test::loads::named;
using test::loads::outcome;

class RatesFigureTest : public QObject {
  Q_OBJECT
 private slots:
  void theHighestRateWithinTheBounds() {
    std::vector<PolicyOutcome> outcomes{outcome("lru", 0, 0.2, 1, 1, 0.1), outcome("lru", 0, 0.2, 1, 4, 9),
                                        outcome("fixed(x,0.9)", 0, 0.1, 0.5, 4, 0),  // fast, but not good enough
                                        outcome("evicpress(quality=raw)", 1, 0.1, 0.9, 1, 0),
                                        outcome("evicpress(quality=raw)", 1, 0.1, 0.9, 4, 0.2)};
    const FigureResult figure =
        figure_rates(named("evicpress/fig8"), outcomes, {.min_quality = 0.8, .ttft_seconds = 0.5, .itl_seconds = 0.02});
    QCOMPARE(figure.time_findings.at(0),
             std::string("mean TTFT within 0.5 s: evicpress sustains 4 times the rate of the best baseline (lru, 1 "
                         "requests/s) among the tested rates"));
    // With what the minimum quality is worth, where that is known: of two questions that chance scores 0.2 and 0.4.
    auto judged = outcomes;
    judged[0].samples.front().quality_by_chance = 0.2;
    judged[4].samples.back().quality_by_chance = 0.4;
    const FigureResult with_chance =
        figure_rates(named("evicpress/fig8"), judged, {.min_quality = 0.8, .ttft_seconds = 0.5, .itl_seconds = 0.02});
    const std::string chance = "; the minimum quality is 0.8, and answers to other questions score 0.3";
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      QCOMPARE(with_chance.time_findings.at(i), figure.time_findings.at(i) + chance);
    QCOMPARE(figure.settings.at("mean TTFT bound s").get<double>(), 0.5);
    QVERIFY(!figure.settings.contains("TTFT bound / mean prefill"));  // it was given in seconds
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
    // The paper's ratios, in rates of the best other policy: lru at 1, and at 9 where latency counts.
    const auto mark = [&bracketed](std::size_t table) { return bracketed.tables.at(table).plot->published.at(0); };
    QVERIFY(mark(1).low == 2.0 && mark(1).high == 3.6 && mark(1).at.is_null());
    QVERIFY(std::fabs(mark(2).low - 9 * 1.9) < 1e-12 && std::fabs(mark(2).high - 9 * 3.4) < 1e-12);
    // The paper's figure is of means; the 95th percentile has a chart of its own.
    for (const auto& [table, column] : {std::pair{std::size_t{0}, "TTFT s"},
                                        {std::size_t{4}, "inter-token latency s"},
                                        {std::size_t{5}, "p95 TTFT s"}}) {
      const FigureTable& lines = bracketed.tables.at(table);
      QVERIFY(lines.plot->kind == FigurePlot::Kind::lines && lines.plot->x == "rate 1/s");
      QCOMPARE(lines.plot->y, (std::vector<std::string>{column}));
      QCOMPARE(lines.columns.at(3), std::string(column));
      QCOMPARE(lines.rows.size(), outcomes.size());
      for (const auto& row : lines.rows) QCOMPARE(row.size(), lines.columns.size());
    }
    for (const auto& row : bracketed.tables.at(4).rows) QCOMPARE(row.at(3).get<double>(), 0.02);
    QVERIFY(figure.tables.at(1).rows.at(1).at(1).is_null());  // fixed
    // Inter-token latencies are all 0.02 s: within the bound at every rate, so nobody is ahead.
    QVERIFY2(figure.time_findings.at(1).find("evicpress sustains 1 times the rate") != std::string::npos,
             figure.time_findings[1].c_str());
    QCOMPARE(figure.tables.at(2).rows.at(2).at(1).get<double>(), 4.0);  // lru
    QCOMPARE(figure_rates(named("evicpress/fig8"), outcomes, {.itl_seconds = 0.019}).time_findings.at(1),
             std::string("inter-token latency within 19 ms: not met by evicpress at any tested rate"));
  }
  // A context with a long queue moves the 95th percentile past the bound, and the mean not.
  void ttftIsComparedByItsMean() {
    PolicyOutcome uneven = outcome("lru", 0, 0.1, 1, 4, 0);  // 0.1 and 0.7 s
    uneven.samples.back().arrival_to_token_seconds = 0.7;
    const auto rate_within = [&](double seconds) {
      return figure_rates(named("evicpress/fig8"), {uneven}, {.ttft_seconds = seconds}).tables.at(1).rows.at(0).at(1);
    };
    QCOMPARE(rate_within(0.41), Json(4.0));
    QVERIFY(rate_within(0.39).is_null());
    const FigureResult figure = figure_rates(named("evicpress/fig8"), {uneven}, {.ttft_seconds = 0.41});
    QVERIFY(std::fabs(figure.tables.at(0).rows.at(0).at(3).get<double>() - 0.4) < 1e-12);
    QVERIFY(figure.tables.at(5).rows.at(0).at(3).get<double>() > 0.6);
    QCOMPARE(figure.tables.at(1).title, std::string("Highest rate with the mean TTFT within the bound"));
  }
  void theTtftBoundIsTwiceTheMeanPrefill() {
    const std::vector<PolicyOutcome> outcomes{outcome("lru", 0, 0.1, 1, 1, 0.1), outcome("lru", 0, 0.1, 1, 2, 0.2),
                                              outcome("evicpress(quality=raw)", 1, 0.1, 1, 2, 0.1),
                                              outcome("evicpress(quality=raw)", 1, 0.1, 1, 4, 0.2)};
    const FigureResult figure = figure_rates(named("evicpress/fig8"), outcomes, {.prefill_seconds = 0.125});
    QCOMPARE(figure.settings.at("mean TTFT bound s").get<double>(), 0.25);
    QCOMPARE(figure.settings.at("mean prefill s").get<double>(), 0.125);
    QCOMPARE(figure.settings.at("TTFT bound / mean prefill").get<double>(), 2.0);
    QCOMPARE(figure.time_findings.at(0),
             std::string("mean TTFT within 0.25 s (2 times the mean prefill of a context): evicpress sustains 2 times "
                         "the rate of the best baseline (lru, 1 requests/s) among the tested rates"));
    // At least 2 and less than 4, against at least 1 and less than 2.
    const auto measured =
        std::ranges::find(figure.measured, "evicpress/rate-vs-best-baseline", &MeasuredClaim::claim)->measured;
    QVERIFY(measured.low == 2.0 && measured.low_interval->low == 1.0 && measured.low_interval->high == 4.0);
    // Seconds take the multiple's place; without either there is nothing to compare at.
    QCOMPARE(figure_rates(named("evicpress/fig8"), outcomes, {.ttft_seconds = 0.31, .prefill_seconds = 0.125})
                 .tables.at(1)
                 .rows.at(1)
                 .at(1),
             Json(2.0));
    const FigureResult unknown = figure_rates(named("evicpress/fig8"), outcomes, {});
    QCOMPARE(unknown.time_findings.at(0),
             std::string("no comparison at equal TTFT: no prefill was timed, and no bound is given"));
    QCOMPARE(test::verdict_of(unknown, "evicpress/rate-vs-best-baseline"),
             std::string("not measured with these settings"));
  }
  void theInterTokenBoundIsTwiceTheUnloadedOne() {
    PolicyOutcome alone = outcome("lru", 0, 0.2, 1, 0, 0, unloaded_condition), slow = outcome("lru", 0, 0.2, 1, 4, 0);
    for (PolicySample& sample : alone.samples) sample.itl_seconds = 0.008;
    for (PolicySample& sample : slow.samples) sample.itl_seconds = 0.0159;
    PolicyOutcome ours = outcome("evicpress(quality=raw)", 1, 0.1, 1, 4, 0);
    for (PolicySample& sample : ours.samples) sample.itl_seconds = 0.0161;
    const FigureResult figure = figure_rates(named("evicpress/fig8"), {alone, slow, ours}, {.ttft_seconds = 1});
    QCOMPARE(figure.settings.at("unloaded inter-token latency s").get<double>(), 0.008);
    QCOMPARE(figure.settings.at("mean inter-token latency bound s").get<double>(), 0.016);
    QCOMPARE(figure.settings.at("inter-token latency bound / unloaded").get<double>(), 2.0);
    QCOMPARE(figure.tables.at(2).rows.size(), std::size_t{2});  // requests one at a time are at no rate
    QVERIFY(figure.tables.at(2).rows.at(0).at(1).is_null());
    QCOMPARE(figure.tables.at(2).rows.at(1).at(1).get<double>(), 4.0);
    QCOMPARE(figure.time_findings.at(1), std::string("inter-token latency within 16 ms (2 times the unloaded one): not "
                                                     "met by evicpress at any tested rate"));
    QVERIFY(!any_time_finding(figure, "the bound is doubled"));
  }
  // Where no baseline meets it, the level is one that a baseline has: evicpress alone decides nothing.
  void theInterTokenBoundIsOneThatABaselineMeets() {
    const auto with_itl = [](const char* policy, double alpha, double quality, double rate, double seconds) {
      PolicyOutcome made = outcome(policy, alpha, 0.1, quality, rate, 0);
      if (rate == 0) made.condition = unloaded_condition;
      for (PolicySample& sample : made.samples) sample.itl_seconds = seconds;
      return made;
    };
    const char* const ours = "evicpress(quality=raw)";
    const std::vector<PolicyOutcome> outcomes{with_itl("lru", 0, 1, 0, 0.001),
                                              with_itl("lru", 0, 1, 1, 0.0035),
                                              with_itl("lru", 0, 1, 2, 0.0039),
                                              with_itl("lru", 0, 1, 4, 0.0041),
                                              with_itl("fixed(x,0.9)", 0, 0.5, 4, 0.001),  // not good enough
                                              with_itl("fixed(x,0.4)", 0, 1, 1, 0.005),
                                              with_itl(ours, 1, 1, 2, 0.0015),
                                              with_itl(ours, 1, 1, 6, 0.0039),
                                              with_itl(ours, 1, 1, 12, 0.0045)};
    const FigureResult figure = figure_rates(named("evicpress/fig8"), outcomes, {.ttft_seconds = 1});
    QCOMPARE(figure.settings.at("mean inter-token latency bound s").get<double>(), 0.004);
    QCOMPARE(figure.settings.at("inter-token latency bound / unloaded").get<double>(), 4.0);
    QCOMPARE(figure.time_findings.at(1),
             std::string("inter-token latency within 4 ms (4 times the unloaded one): evicpress sustains 3 times the "
                         "rate of the best baseline (lru, 2 requests/s) among the tested rates"));
    QCOMPARE(
        figure.time_findings.at(2),
        std::string("no baseline of the minimum quality has an inter-token latency within 2 times the unloaded one "
                    "at any tested rate: the bound is doubled until one has"));
    // At least 6 and less than 12, against at least 2 and less than 4.
    const auto measured =
        std::ranges::find(figure.measured, "evicpress/rate-at-equal-itl", &MeasuredClaim::claim)->measured;
    QVERIFY(measured.low == 3.0 && measured.low_interval->low == 1.5 && measured.low_interval->high == 6.0);
    // A bound in seconds stays as it is given, and so does twice the unloaded one where no baseline runs.
    const FigureResult given =
        figure_rates(named("evicpress/fig8"), outcomes, {.ttft_seconds = 1, .itl_seconds = 0.002});
    QVERIFY(given.time_findings.at(1).ends_with("not met by any other policy at any tested rate"));
    QVERIFY(!given.settings.contains("inter-token latency bound / unloaded"));
    const FigureResult alone = figure_rates(named("evicpress/fig8"), {outcomes[0], outcomes[6]}, {.ttft_seconds = 1});
    QCOMPARE(alone.settings.at("mean inter-token latency bound s").get<double>(), 0.002);
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
    // A step that others shared is counted once for all of them.
    record.timing.question_prefill_seconds = 0.5;
    record.timing.shared_prefill = SharedPrefill{.context = {4, 0.2, 0.15}, .question = {4, 0.5, 0.125}};
    const auto shared = serving_cost(events, {record});
    QVERIFY(shared && std::abs(shared->context_prefill_seconds - 0.2) < 1e-12);
    QVERIFY(std::abs(shared->question_prefill_seconds - 0.125) < 1e-12);
  }
  // Section 6.1 of EvicPress: prefill, LRU, keydiff, knorm and snapkv with LRU, IMPRESS.
  void eachKindOfThePapersBaselinesIsThere() {
    const std::vector<std::string> policies = split_policies(figure_standard("evicpress/fig8", "--policy"));
    const auto beginning = [&policies](const std::string& text) {
      return std::ranges::count_if(policies, [&](const std::string& policy) { return policy.starts_with(text); });
    };
    for (const char* text : {"full_prefill", "lru", "fixed(knorm,", "fixed(snapkv,", "impress("})
      QVERIFY2(beginning(text) == 1, text);
    QVERIFY(beginning("fixed(keydiff,") == 2);
    QVERIFY(beginning("evicpress") == 1 && evicpress_rule(policies.back())->is_papers);
  }
};

KV_TEST_GUILESS_MAIN(RatesFigureTest)

}  // namespace rates_figure_test

#include "rates_figure_test.moc"
