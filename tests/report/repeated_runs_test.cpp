// links: kv_reports
// Comparisons of repeated runs: what is one side, what machine noise may not be called, and where quality cannot be
// compared.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/random.h"
#include "core/report/formats/compare_formats.h"
#include "tests/support/test_program.h"

namespace repeated_runs_test {

using namespace kvantage;

namespace {

struct Served {
  std::string id, policy, group;
  std::int64_t started_seconds = 0;
  double speed = 1;      // of all times of the run
  double quality = 0.8;  // of every answer
  double uncompressed = 0.9, chance = 0.1;
  bool scored = true, knows_chance = true;
  bool one_question = false;  // a family, of a context each
};

/// Answers to the same sixty questions about twelve contexts; `random`: of the answers' times.
RecordedRun recorded(const Served& served, Random& random, double noise = 0.1) {
  constexpr std::int64_t second = 1'000'000'000;
  RecordedRun run;
  run.summary = {served.id,
                 served.started_seconds * second,
                 (served.started_seconds + 50) * second,
                 served.policy,
                 "finished",
                 60,
                 Json{{"settings", {{"alpha", 0.5}, {"policy", served.policy}}},
                      {"environment", {{"hardware", "one"}, {"run_id", served.id}}},
                      {"group", served.group}}};
  for (int i = 0; i < 60; ++i) {
    RequestRecord record;
    record.id = static_cast<std::uint64_t>(i);
    record.context_id = "c" + std::to_string(i % 12);
    record.context = digest_of(record.context_id);
    record.question = "question " + std::to_string(served.one_question ? i % 12 : i);
    record.family = served.one_question ? record.context_id : "facts";
    record.policy = served.policy;
    record.alpha = 0.5;
    record.held_out = true;
    record.answer_tokens = 4;
    record.source = "dram";
    record.timing.ttft_service_seconds = served.speed * (0.1 + 0.01 * (i % 12)) * std::exp(noise * random.normal());
    record.timing.ttft_seconds = record.timing.e2e_seconds = record.timing.ttft_service_seconds;
    if (served.scored) {
      record.quality = {{"token_f1", served.quality}};
      record.quality_uncompressed = {{"token_f1", served.uncompressed}};
      if (served.knows_chance) record.quality_chance = {{"token_f1", served.chance + 0.02 * (i % 3)}};
    }
    Event event;
    event.sequence = static_cast<std::uint64_t>(i) + 1;
    event.monotonic_ns = (i + 1) * second / 10;
    event.payload = events::RequestFinished{record};
    run.events.push_back(event);
  }
  return run;
}

/// Two policies in `blocks` blocks, as `run --repeat` serves them; every run as a whole differs by `spread`.
std::vector<RecordedRun> command(Random& random, const std::string& group, int blocks, double spread, double faster) {
  std::vector<RecordedRun> runs;
  for (int block = 0; block < blocks; ++block)
    for (const char* policy : {"lru", "evicpress"}) {
      const double speed = std::exp(spread * random.normal()) * (policy == std::string("lru") ? 1 : 1 - faster);
      const auto place = static_cast<std::int64_t>(runs.size());
      runs.push_back(recorded({.id = group + "-" + std::to_string(place),
                               .policy = policy,
                               .group = group,
                               .started_seconds = 100 * (place + 1),
                               .speed = speed},
                              random));
    }
  return runs;
}

const ComparedMetric& metric_of(const RunComparison& comparison, const std::string& name) {
  return *std::ranges::find(comparison.metrics, name, &ComparedMetric::name);
}

bool is_called(const RunComparison& comparison, const char* name) {
  const Judgment judgment = metric_of(comparison, name).values[1]->judgment;
  return judgment == Judgment::better || judgment == Judgment::worse;
}

}  // namespace

class RepeatedRunsTest : public QObject {
  Q_OBJECT

 private slots:
  void repetitionsOfACommandAreOneSide() {
    Random random(3);
    const std::vector<RecordedRun> runs = command(random, "run-1", 5, 0.01, 0.3);
    const RunComparison comparison = compare_runs(runs);
    QCOMPARE(comparison.runs, (std::vector<std::string>{"run-1-0", "run-1-1"}));
    QCOMPARE(comparison.members[1], (std::vector<std::string>{"run-1-1", "run-1-3", "run-1-5", "run-1-7", "run-1-9"}));
    QCOMPARE(sides_of(runs, ComparedUnit::period), (std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
    QCOMPARE(periods_of(runs), std::size_t{2});
    const ComparedValue& ttft = *metric_of(comparison, "TTFT, service").values[1];
    QCOMPARE(ttft.n, std::size_t{300});
    QCOMPARE(ttft.pairs, std::size_t{60});
    QCOMPARE(ttft.judgment, Judgment::better);
    QVERIFY2(ttft.verdict.ends_with("over 60 pairs of 5 runs excludes 0"), ttft.verdict.c_str());
    const std::string words = judgment_text(comparison, metric_of(comparison, "TTFT, service"), 1);
    QVERIFY2(words.ends_with(", n = 60, runs = 5"), words.c_str());
    QVERIFY(side_notes(comparison, 1).find("(5 runs)") != std::string::npos);
    QCOMPARE(to_json(comparison).at("run_ids").at(1).size(), std::size_t{5});
    // Each by itself, and other commands apart.
    QCOMPARE(compare_runs(runs, 0, ComparedUnit::period, RepeatedRuns::separate).runs.size(), std::size_t{10});
    std::vector<RecordedRun> two = command(random, "run-2", 2, 0.01, 0);
    two.insert(two.end(), runs.begin(), runs.end());
    QCOMPARE(compare_runs(two).runs.size(), std::size_t{4});
    // Repetitions of one configuration are compared with each other.
    QCOMPARE(compare_runs({runs[0], runs[2], runs[4]}).runs.size(), std::size_t{3});
  }

  // Two frozen runs under load: one is slower by up to a quarter, and that is no result.
  void aSlowerSingleRunIsNotWorse() {
    Random random(5);
    for (const double slower : {1.02, 1.05, 1.1, 1.2}) {
      const auto comparison =
          compare_runs({recorded({.id = "a", .policy = "lru", .group = "a"}, random, 0.02),
                        recorded({.id = "b", .policy = "lru", .group = "b", .speed = slower}, random, 0.02)});
      for (const char* name : {"TTFT, service", "TTFT, service, p95", "end to end"}) {
        QVERIFY2(!is_called(comparison, name), name);
        const std::string said = judgment_text(comparison, metric_of(comparison, name), 1);
        QVERIFY2(said.find("worse by") == std::string::npos && said.find("better by") == std::string::npos,
                 said.c_str());
      }
      QCOMPARE(metric_of(comparison, "quality, token_f1").values[1]->judgment, Judgment::same);
    }
    // What exceeds all that is accepted of one machine is judged.
    const auto far = compare_runs({recorded({.id = "a", .policy = "lru", .group = "a"}, random, 0.02),
                                   recorded({.id = "b", .policy = "lru", .group = "b", .speed = 2}, random, 0.02)});
    QCOMPARE(metric_of(far, "TTFT, service").values[1]->judgment, Judgment::worse);
  }

  // A/A through the whole comparison: commands whose two policies do the same.
  void sidesThatDoTheSameAreRarelyCalledDifferent() {
    Random random(17);
    int called = 0;
    constexpr int pairs = 60;
    for (int i = 0; i < pairs; ++i)
      called += is_called(compare_runs(command(random, "run-" + std::to_string(i), 5, 0.05, 0)), "TTFT, service");
    QVERIFY2(called <= 8, qPrintable(QString::number(called)));  // 3 expected, three standard errors
  }

  // The comparison says how many runs find a tenth, and with these it is found.
  void theEstimateIsSaidAndHolds() {
    Random random(19);
    int found = 0;
    constexpr int tries = 20;
    for (int i = 0; i < tries; ++i) {
      const RunComparison pilot = compare_runs(command(random, "run-a", 5, 0.03, 0));
      const auto power = std::ranges::find(pilot.power, std::string("TTFT, service"), &ComparedPower::metric);
      QVERIFY(power != pilot.power.end() && power->estimate.runs >= 2 && power->runs == 5);
      QVERIFY2(power_text(*power).find(" runs of each side, with 12 contexts, find a difference of 10 %") !=
                   std::string::npos,
               power_text(*power).c_str());
      if (i == 0) QVERIFY(to_text(pilot).find(power_text(*power)) != std::string::npos);
      const auto planned = static_cast<int>(power->estimate.runs);
      const RunComparison real = compare_runs(command(random, "run-b", planned, 0.03, 0.1));
      found += metric_of(real, "TTFT, service").values[1]->judgment == Judgment::better;
    }
    QVERIFY2(found >= 17, qPrintable(QString::number(found)));
    QVERIFY(compare_runs({recorded({.id = "a", .policy = "lru", .group = "a"}, random),
                          recorded({.id = "b", .policy = "gdsf", .group = "b"}, random)})
                .power.empty());
  }

  void qualityIsNotComparedBelowChance() {
    Random random(23);
    const auto one = [&](const char* id, double quality, double uncompressed, bool scored = true) {
      return recorded({.id = id,
                       .policy = id,
                       .group = id,
                       .started_seconds = id[0] * 100,
                       .quality = quality,
                       .uncompressed = uncompressed,
                       .scored = scored},
                      random);
    };
    const auto good = compare_runs({one("a", 0.5, 0.9), one("b", 0.7, 0.9)});
    QCOMPARE(metric_of(good, "quality, token_f1").values[1]->judgment, Judgment::better);
    const auto gated = compare_runs({one("a", 0.05, 0.1), one("b", 0.07, 0.1)});
    QCOMPARE(metric_of(gated, "quality, token_f1").values[1]->judgment, Judgment::no_quality);
    QCOMPARE(judgment_text(gated, metric_of(gated, "quality, token_f1"), 1),
             std::string("quality cannot be compared here"));
    QVERIFY(std::ranges::any_of(gated.notes, [](const std::string& note) {
      return note ==
             "quality cannot be compared here: with uncompressed caches token_f1 is 0.100, not above that of "
             "answers to other questions (0.120)";
    }));
    const auto unscored = compare_runs({one("a", 0, 0, false), one("b", 0, 0, false)});
    QVERIFY(std::ranges::any_of(unscored.notes, [](const std::string& note) {
      return note.starts_with("quality cannot be compared here: no answer was scored");
    }));
    // Ties are ties.
    const auto tied = compare_runs({one("a", 0.5, 0.9), one("b", 0.5, 0.9)});
    QCOMPARE(metric_of(tied, "quality, token_f1").values[1]->judgment, Judgment::same);
  }

  // Where no other answer is known to hold a score against, that is said; and 0 is no quality, whatever chance is.
  void unknownChanceIsSaid() {
    Random random(43);
    const auto runs = [&](double uncompressed, bool one_question) {
      std::vector<RecordedRun> both;
      for (const char* id : {"a", "b"})
        both.push_back(recorded({.id = id,
                                 .policy = id,
                                 .group = id,
                                 .started_seconds = id[0] * 100,
                                 .quality = *id == 'a' ? 0.5 : 0.7,
                                 .uncompressed = uncompressed,
                                 .knows_chance = false,
                                 .one_question = one_question},
                                random));
      return both;
    };
    for (const bool one_question : {false, true}) {
      const std::string reason =
          one_question ? "chance unknown: one question a family" : "chance unknown: it was not measured";
      const std::vector<RecordedRun> right = runs(0.9, one_question), wrong = runs(0, one_question);
      const RunComparison compared = compare_runs(right), gated = compare_runs(wrong);
      QCOMPARE(compared.notes, std::vector<std::string>{reason + " (token_f1)"});
      QCOMPARE(metric_of(compared, "quality, token_f1").values[1]->judgment, Judgment::better);
      QCOMPARE(gated.notes, std::vector<std::string>{
                                "quality cannot be compared here: with uncompressed caches token_f1 is 0; " + reason});
      QCOMPARE(metric_of(gated, "quality, token_f1").values[1]->judgment, Judgment::no_quality);
      const RunReport good = report_of_runs(right), bad = report_of_runs(wrong);
      QCOMPARE(good.notes, std::vector<std::string>{reason});
      QVERIFY2(good.claim.find("best token_f1") != std::string::npos, good.claim.c_str());
      QVERIFY2(bad.claim.ends_with(" Quality is not compared: with uncompressed caches, token_f1 is 0."),
               bad.claim.c_str());
    }
  }

  // The sentence above the table names no best answers where there are none to compare, and why.
  void theHeadlineComparesNoQualityBelowChance() {
    Random random(31);
    const auto claim = [&](double quality, double uncompressed) {
      std::vector<RecordedRun> runs;
      for (const char* id : {"a", "b"})
        runs.push_back(
            recorded({.id = id, .policy = id, .group = id, .quality = quality, .uncompressed = uncompressed}, random));
      return report_of_runs(runs).claim;
    };
    const std::string below = " Quality is not compared: with uncompressed caches, token_f1 is not above chance.";
    const std::string none = " Quality is not compared: token_f1 of every answer is 0.";
    for (const auto& [quality, uncompressed, reason] :
         {std::tuple(0.0, 0.1, below), std::tuple(0.5, 0.1, below), std::tuple(0.0, 0.9, none)}) {
      const std::string said = claim(quality, uncompressed);
      QVERIFY2(said.ends_with(reason) && said.find("best token_f1") == std::string::npos, said.c_str());
      QVERIFY2(said.find("Quality is not compared") == said.rfind("Quality is not compared"), said.c_str());
    }
    const std::string compared = claim(0.5, 0.9);
    QVERIFY2(compared.find("Quality is not compared") == std::string::npos &&
                 compared.find("best token_f1") != std::string::npos,
             compared.c_str());
  }

  // What `run --repeat` prints: one row for each policy, over the answers of all repetitions.
  void repetitionsAreOneRowOfASummary() {
    Random random(37);
    std::vector<RecordedRun> runs = command(random, "run-1", 3, 0, 0.3);
    const std::vector<PolicyRun> joined = joined_policy_runs(runs);
    QCOMPARE(joined.size(), std::size_t{2});
    QCOMPARE(joined[0].policy, std::string("lru (3 runs)"));
    QCOMPARE(joined[1].policy, std::string("evicpress (3 runs)"));
    QCOMPARE(joined[1].records.size(), std::size_t{180});
    const std::string claim = build_report(Json::object(), Json::object(), joined).claim;
    QVERIFY2(claim.starts_with("Of 2 compared, ") && claim.find("evicpress (3 runs)") != std::string::npos,
             claim.c_str());
    // A single policy, too, and one that was stopped stays apart.
    std::erase_if(runs, [](const RecordedRun& run) { return run.summary.policy == "lru"; });
    QCOMPARE(joined_policy_runs(runs).size(), std::size_t{1});
    runs.back().summary.outcome = "stopped";
    QCOMPARE(joined_policy_runs(runs).size(), std::size_t{2});
    QCOMPARE(joined_policy_runs(runs)[1].policy, std::string("evicpress"));
    // Runs of no group are no repetitions.
    QCOMPARE(joined_policy_runs({recorded({.id = "a", .policy = "lru", .group = {}}, random),
                                 recorded({.id = "b", .policy = "lru", .group = {}}, random)})
                 .size(),
             std::size_t{2});
  }

  // One rule for reports and comparisons: differences by request, drawn by context, over all runs.
  void aReportAndAComparisonGateQualityAlike() {
    Random random(41);
    for (const double uncompressed : {0.05, 0.1, 0.115, 0.125, 0.2, 0.9}) {
      std::vector<RecordedRun> runs;
      for (const char* id : {"a", "b"})
        runs.push_back(
            recorded({.id = id, .policy = id, .group = id, .quality = 0.5, .uncompressed = uncompressed}, random));
      const bool reported = report_of_runs(runs).claim.find("Quality is not compared") != std::string::npos;
      const bool compared = std::ranges::any_of(compare_runs(runs).notes, [](const std::string& note) {
        return note.starts_with("quality cannot be compared here");
      });
      QCOMPARE(reported, compared);
      QCOMPARE(reported, uncompressed < 0.13);
    }
  }

  void runsBesideEachOtherAreNamed() {
    Random random(29);
    const auto at = [&](const char* id, std::int64_t started) {
      return recorded({.id = id, .policy = id, .group = id, .started_seconds = started}, random);
    };
    const auto beside = [](const RunComparison& comparison) {
      return std::ranges::any_of(comparison.notes, [](const std::string& note) {
        return note.find("were served at the same time as another one") != std::string::npos;
      });
    };
    QVERIFY(!beside(compare_runs({at("a", 100), at("b", 200)})));
    QVERIFY(!beside(compare_runs({at("a", 100), at("b", 150)})));
    QVERIFY(beside(compare_runs({at("a", 100), at("b", 140)})));
    RecordedRun other = at("b", 140);
    other.summary.settings["environment"]["hardware"] = "another";
    QVERIFY(!beside(compare_runs({at("a", 100), other})));
  }
};

KV_TEST_GUILESS_MAIN(RepeatedRunsTest)

}  // namespace repeated_runs_test

#include "repeated_runs_test.moc"
