// links: kv_base
// Runs side by side: only what differs is named, differences are those of the same questions, and nothing is called better
// that chance could have made.
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/report/compare_runs.h"
#include "tests/report/sample_runs.h"

using namespace kvantage;

namespace {

/// A run whose every time is `factor` of that of seed's, whose qualities are moved by `shift`.
RecordedRun recorded(const std::string& id, const std::string& policy, std::uint64_t seed, int requests, double factor, double shift, Json more = Json::object()) {
  RecordedRun run;
  Json settings{{"alpha", 0.5}, {"policy", policy}, {"methods", {"knorm"}}, {"tiers", {{{"name", "dram"}, {"budget_bytes", 4096}}}}};
  settings.update(more);
  run.summary = {id, 1, 2, policy, "finished", static_cast<std::uint64_t>(requests),
                 Json{{"settings", settings}, {"environment", {{"seed", 3}, {"run_id", id}}}, {"group", "run-" + id}}};
  std::uint64_t sequence = 0;
  int asked = 0;
  for (RequestRecord record : sample_run(seed, policy, requests).records) {
    record.question = "question " + std::to_string(asked++);
    record.cancelled = false;
    record.held_out = true;
    record.timing.ttft_service_seconds *= factor;
    record.quality["token_f1"] += shift;
    Event event;
    event.sequence = ++sequence;
    event.monotonic_ns = static_cast<std::int64_t>(sequence) * 1000000;
    event.payload = events::RequestFinished{record};
    run.events.push_back(event);
  }
  return run;
}

const ComparedFigure& figure_of(const RunComparison& comparison, const std::string& name) {
  return *std::ranges::find(comparison.figures, name, &ComparedFigure::name);
}

}  // namespace

class CompareRunsTest : public QObject {
  Q_OBJECT

 private slots:
  void onlyWhatDiffersIsNamed() {
    const auto comparison = compare_runs({recorded("a", "lru", 1, 30, 1, 0), recorded("b", "lru", 1, 30, 1, 0, {{"methods", {"knorm", "snapkv"}}, {"tiers", {{{"name", "dram"}, {"budget_bytes", 8192}}}}})});
    std::vector<std::string> names;
    for (const DifferingSetting& setting : comparison.settings) names.push_back(setting.name);
    const std::vector<std::string> wanted{"methods", "tiers/0/budget_bytes"};
    QCOMPARE(names, wanted);
    QCOMPARE(comparison.settings[1].values[1], Json(8192));
    QVERIFY(compare_runs({recorded("a", "lru", 1, 30, 1, 0), recorded("b", "lru", 1, 30, 1, 0)}).settings.empty());
    QVERIFY(to_text(compare_runs({recorded("a", "lru", 1, 30, 1, 0), recorded("b", "lru", 1, 30, 1, 0)})).find("No setting differs.") != std::string::npos);
  }

  void aClearDifferenceIsCalledByItsName() {
    const auto comparison = compare_runs({recorded("a", "lru", 1, 60, 1, 0), recorded("b", "lru", 1, 60, 0.5, 0.2), recorded("c", "lru", 1, 60, 1, -0.3)});
    const auto& times = figure_of(comparison, "TTFT, service");
    QVERIFY(!times.values[0]->delta && times.values[0]->verdict.empty());
    QVERIFY2(times.values[1]->verdict.starts_with("better: ["), times.values[1]->verdict.c_str());
    QCOMPARE(times.values[1]->pairs, std::size_t{60});
    QVERIFY(std::abs(*times.values[1]->delta + times.values[0]->value / 2) < 1e-9);
    QVERIFY(times.values[1]->delta_interval->high < 0);
    QCOMPARE(times.values[2]->verdict, std::string("the same for each of 60 questions"));
    const auto& quality = figure_of(comparison, "quality, token_f1");
    QVERIFY(quality.values[1]->verdict.starts_with("better: "));
    QVERIFY(quality.values[2]->verdict.starts_with("worse: "));
  }

  // Two draws from one distribution: other questions, so nothing is paired, and nothing is found.
  void chanceIsNoDifference() {
    RecordedRun other = recorded("b", "lru", 1, 60, 1, 0);
    int moved = 0;
    for (Event& event : other.events) {
      auto& record = std::get<events::RequestFinished>(event.payload).record;
      record.quality["token_f1"] += moved++ % 2 == 0 ? 0.05 : -0.05;
    }
    const auto paired = compare_runs({recorded("a", "lru", 1, 60, 1, 0), other});
    QVERIFY2(figure_of(paired, "quality, token_f1").values[1]->verdict.starts_with("no difference shown"), to_text(paired).c_str());
    RecordedRun apart = recorded("b", "lru", 2, 60, 1, 0);
    for (Event& event : apart.events) std::get<events::RequestFinished>(event.payload).record.question += " again";
    const auto unpaired = compare_runs({recorded("a", "lru", 1, 60, 1, 0), apart});
    const auto& value = *figure_of(unpaired, "quality, token_f1").values[1];
    QCOMPARE(value.pairs, std::size_t{0});
    QVERIFY2(value.verdict.find("other questions were asked") != std::string::npos, value.verdict.c_str());
  }

  void oneContextBearsNoInterval() {
    RecordedRun a = recorded("a", "lru", 1, 12, 1, 0), b = recorded("b", "lru", 1, 12, 0.5, 0);
    for (RecordedRun* run : {&a, &b})
      for (Event& event : run->events) std::get<events::RequestFinished>(event.payload).record.context_id = "c0";
    const auto comparison = compare_runs({a, b});
    const auto& value = *figure_of(comparison, "TTFT, service").values[1];
    QVERIFY2(value.verdict.starts_with("not known"), value.verdict.c_str());
  }

  void aRunWithoutAnswersIsLeftOut() {
    RecordedRun none = recorded("b", "lru", 1, 12, 1, 0);
    none.events.clear();
    const auto comparison = compare_runs({recorded("a", "lru", 1, 12, 1, 0), none});
    QCOMPARE(comparison.runs.size(), std::size_t{2});
    for (const ComparedFigure& figure : comparison.figures) QVERIFY2(!figure.values[1], figure.name.c_str());
    QVERIFY(!to_text(comparison).empty() && to_json(comparison).at("figures").size() == comparison.figures.size());
  }
};

QTEST_GUILESS_MAIN(CompareRunsTest)
#include "compare_runs_test.moc"
