// links: kv_reports
// Runs side by side: only what differs is named, differences are those of the same questions, and nothing is called
// better that chance could have made.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "core/report/formats/compare_formats.h"
#include "core/report/formats/report_formats.h"
#include "core/report/summary_table.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace compare_runs_test {

using namespace kvantage;

namespace {

/// A run whose every time is `factor` of that of seed's, whose qualities are moved by `shift`.
RecordedRun recorded(const std::string& id, const std::string& policy, std::uint64_t seed, int requests, double factor,
                     double shift, Json more = Json::object()) {
  RecordedRun run;
  Json settings{{"alpha", 0.5},
                {"policy", policy},
                {"methods", {"knorm"}},
                {"tiers", {{{"name", "dram"}, {"budget_bytes", 4096}}}}};
  settings.update(more);
  run.summary = {id,
                 1,
                 2,
                 policy,
                 "finished",
                 static_cast<std::uint64_t>(requests),
                 Json{{"settings", settings}, {"environment", {{"seed", 3}, {"run_id", id}}}, {"group", "run-" + id}}};
  std::uint64_t sequence = 0;
  int asked = 0;
  for (RequestRecord record : sample_run(seed, policy, requests).records) {
    record.question = "question " + std::to_string(asked++);
    record.cancelled = false;
    record.held_out = true;
    record.timing.ttft_service_seconds *= factor;
    record.quality["token_f1"] += shift;
    record.quality_uncompressed["exact_match"] = 1;
    record.quality_chance["exact_match"] = 0;
    Event event;
    event.sequence = ++sequence;
    event.monotonic_ns = static_cast<std::int64_t>(sequence) * 1000000;
    event.payload = events::RequestFinished{record};
    run.events.push_back(event);
  }
  return run;
}

const ComparedMetric& metric_of(const RunComparison& comparison, const std::string& name) {
  return *std::ranges::find(comparison.metrics, name, &ComparedMetric::name);
}

}  // namespace

class CompareRunsTest : public QObject {
  Q_OBJECT

 private slots:
  void onlyWhatDiffersIsNamed() {
    const auto comparison = compare_runs(
        {recorded("a", "lru", 1, 30, 1, 0),
         recorded("b", "lru", 1, 30, 1, 0,
                  {{"methods", {"knorm", "snapkv"}}, {"tiers", {{{"name", "dram"}, {"budget_bytes", 8192}}}}})});
    std::vector<std::string> names;
    for (const DifferingSetting& setting : comparison.settings) names.push_back(setting.name);
    const std::vector<std::string> wanted{"methods", "tiers/0/budget_bytes"};
    QCOMPARE(names, wanted);
    QCOMPARE(comparison.settings[1].values[1], Json(8192));
    QVERIFY(compare_runs({recorded("a", "lru", 1, 30, 1, 0), recorded("b", "lru", 1, 30, 1, 0)}).settings.empty());
    QVERIFY(to_text(compare_runs({recorded("a", "lru", 1, 30, 1, 0), recorded("b", "lru", 1, 30, 1, 0)}))
                .find("No setting differs.") != std::string::npos);
  }

  // What a ranking of methods on a model must say is said once, and is no setting.
  void notesOfModelsAreShown() {
    const std::string note = "on m, knorm works by construction";
    auto a = recorded("a", "lru", 1, 30, 1, 0), b = recorded("b", "lru", 1, 30, 1, 0), c = a;
    a.summary.settings["environment"]["model_note"] = b.summary.settings["environment"]["model_note"] = note;
    const auto comparison = compare_runs({a, b, c});
    QCOMPARE(comparison.notes, std::vector<std::string>{note});
    QVERIFY(comparison.settings.empty());
    for (const std::string& text : {to_text(comparison), to_csv(comparison), to_latex(comparison)})
      QVERIFY2(text.find(note) != std::string::npos && text.find(note) == text.rfind(note), text.c_str());
    QCOMPARE(to_json(comparison).at("notes"), Json({note}));
    const RunReport report = report_of_runs({a, c, b});
    QCOMPARE(report.notes, std::vector<std::string>{note});
    QVERIFY(to_text(report).find(note) != std::string::npos);
    const auto without = compare_runs({c, recorded("d", "lru", 1, 30, 1, 0)});
    QVERIFY(without.notes.empty() && !to_json(without).contains("notes"));
  }

  void aClearDifferenceIsCalledByItsName() {
    const auto comparison = compare_runs({recorded("a", "lru", 1, 60, 1, 0), recorded("b", "lru", 1, 60, 0.5, 0.2),
                                          recorded("c", "lru", 1, 60, 1, -0.3)});
    const auto& times = metric_of(comparison, "TTFT, service");
    QVERIFY(!times.values[0]->delta && times.values[0]->verdict.empty());
    QVERIFY2(times.values[1]->verdict.starts_with("better: ["), times.values[1]->verdict.c_str());
    QCOMPARE(times.values[1]->pairs, std::size_t{60});
    QVERIFY(std::abs(*times.values[1]->delta + times.values[0]->value / 2) < 1e-9);
    QVERIFY(times.values[1]->delta_interval->high < 0);
    QCOMPARE(times.values[2]->verdict, std::string("the same for each of 60 questions"));
    const auto& quality = metric_of(comparison, "quality, token_f1");
    QVERIFY(quality.values[1]->verdict.starts_with("better: "));
    QVERIFY(quality.values[2]->verdict.starts_with("worse: "));
  }

  void hostileNamesCommandNothing() {
    const std::string evil = "=HYPERLINK(\"x\") \x1b]0;t\x07\x1b[2J \xe2\x80\xae \\input{/etc/passwd} #$%^^";
    const auto comparison = compare_runs(
        {recorded("a", evil, 1, 30, 1, 0, {{evil, evil}}), recorded("b", "@SUM(A1)", 1, 30, 0.5, 0, {{evil, "-1+2"}})});
    const std::string csv = to_csv(comparison), text = to_text(comparison);
    std::string latex, line;  // without its comments, which TeX does not read
    for (std::stringstream lines(to_latex(comparison)); std::getline(lines, line);)
      if (!line.starts_with('%')) latex += line + "\n";
    for (const char* formula : {",=", ",\"=", ",@", ",-1+2"}) QVERIFY2(csv.find(formula) == std::string::npos, formula);
    QVERIFY(csv.find("'@SUM(A1)") != std::string::npos);
    for (const char* leak : {"\x1b", "\x07", "\xe2\x80\xae"})
      QVERIFY2(text.find(leak) == std::string::npos && latex.find(leak) == std::string::npos, leak);
    for (const char* leak : {"\\input", "^^"}) QVERIFY2(latex.find(leak) == std::string::npos, leak);
  }

  void aRunThatEndedEarlyIsNotJudged() {
    RecordedRun early = recorded("b", "gdsf", 1, 40, 0.5, 0.2);
    early.summary.outcome = "stopped";
    const RecordedRun whole = recorded("a", "lru", 1, 60, 1, 0);
    for (const bool first : {false, true}) {
      const auto comparison = first ? compare_runs({early, whole}) : compare_runs({whole, early});
      for (const char* name : {"TTFT, service", "TTFT, service, p95", "quality, token_f1"}) {
        const ComparedMetric& metric = metric_of(comparison, name);
        QVERIFY(metric.values[1]->judgment == Judgment::incomplete);
        QCOMPARE(judgment_text(comparison, metric, 1), first ? "not judged: the baseline is not complete (stopped)"
                                                             : "not judged: the run is not complete (stopped)");
      }
      const std::string text = to_text(comparison);
      QVERIFY2(text.find("  gdsf" + std::string(first ? "  (baseline)" : "") + "  (not complete: stopped)\n") !=
                       std::string::npos &&
                   text.find("better") == std::string::npos && text.find("worse") == std::string::npos,
               text.c_str());
    }
  }

  // A fixed load took 40 % longer around one of the runs: qualities are judged, times are not.
  void timesOfADisturbedMachineAreNotJudged() {
    RecordedRun before = recorded("a", "lru", 1, 60, 1, 0), after = recorded("b", "gdsf", 1, 60, 0.5, 0.2);
    const auto at_rest = compare_runs({before, after});  // not timed
    before.calibration_seconds = {0.0050, 0.0051};
    after.calibration_seconds = {0.0051, 0.0070};
    const auto disturbed = compare_runs({before, after});
    for (const char* name : {"TTFT, service", "TTFT, service, p95", "inter-token latency", "end to end"}) {
      const ComparedMetric& metric = metric_of(disturbed, name);
      QVERIFY(metric.values[1]->judgment == Judgment::disturbed);
      QCOMPARE(judgment_text(disturbed, metric, 1), std::string("not judged: the machine was disturbed"));
      QCOMPARE(metric.values[1]->value, metric_of(at_rest, name).values[1]->value);  // the value stands
      QVERIFY(metric_of(at_rest, name).values[1]->judgment != Judgment::disturbed);
    }
    for (const char* name : {"quality, token_f1", "served from tiers"})
      QCOMPARE(metric_of(disturbed, name).values[1]->verdict, metric_of(at_rest, name).values[1]->verdict);
    QVERIFY(at_rest.notes.empty());
    QCOMPARE(disturbed.notes.size(), std::size_t{1});
    QVERIFY2(disturbed.notes.front().find("moved by 40 %, more than 25 %") != std::string::npos,
             disturbed.notes.front().c_str());

    after.calibration_seconds = {0.0051, 0.0060};  // 20 %
    const auto accepted = compare_runs({before, after});
    QCOMPARE(accepted.notes,
             std::vector<std::string>{"a fixed load before and after these runs took 5.00 to 6.00 ms: it "
                                      "moved by 20 %"});
    QVERIFY(metric_of(accepted, "TTFT, service").values[1]->judgment == Judgment::better);
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
    QVERIFY2(metric_of(paired, "quality, token_f1").values[1]->verdict.starts_with("not significant"),
             to_text(paired).c_str());
    RecordedRun apart = recorded("b", "lru", 2, 60, 1, 0);
    for (Event& event : apart.events) std::get<events::RequestFinished>(event.payload).record.question += " again";
    const auto unpaired = compare_runs({recorded("a", "lru", 1, 60, 1, 0), apart});
    const auto& value = *metric_of(unpaired, "quality, token_f1").values[1];
    QCOMPARE(value.pairs, std::size_t{0});
    QVERIFY2(value.verdict.find("other questions were asked") != std::string::npos, value.verdict.c_str());
  }

  void oneContextAllowsNoInterval() {
    RecordedRun a = recorded("a", "lru", 1, 12, 1, 0), b = recorded("b", "lru", 1, 12, 0.5, 0);
    for (RecordedRun* run : {&a, &b})
      for (Event& event : run->events) std::get<events::RequestFinished>(event.payload).record.context_id = "c0";
    const auto comparison = compare_runs({a, b});
    const auto& value = *metric_of(comparison, "TTFT, service").values[1];
    QVERIFY2(value.verdict.starts_with("not known"), value.verdict.c_str());
  }

  // Turned round, every difference changes its sign and its word.
  void anyRunCanBeTheBaseline() {
    const std::vector<RecordedRun> runs{recorded("a", "lru", 1, 60, 1, 0), recorded("b", "lru", 1, 60, 0.5, 0.2)};
    const auto first = compare_runs(runs), second = compare_runs(runs, 1);
    QCOMPARE(second.baseline, std::size_t{1});
    for (std::size_t i = 0; i < first.metrics.size(); ++i) {
      const auto &there = first.metrics[i], &back = second.metrics[i];
      QCOMPARE(there.values[0]->value, back.values[0]->value);
      QVERIFY2(there.values[1]->delta && std::abs(*there.values[1]->delta + *back.values[0]->delta) < 1e-9,
               there.name.c_str());
      QVERIFY(!back.values[1]->delta && back.values[1]->judgment == Judgment::none);
    }
    QCOMPARE(metric_of(first, "TTFT, service").values[1]->judgment, Judgment::better);
    QCOMPARE(metric_of(second, "TTFT, service").values[0]->judgment, Judgment::worse);
    QCOMPARE(compare_runs(runs, 9).baseline, std::size_t{0});
  }

  // Where the tail and the share of hits differ is said, with an interval over contexts and n.
  void hitRateAndTailAreJudged() {
    RecordedRun a = recorded("a", "lru", 1, 60, 1, 0), b = recorded("b", "lru", 1, 60, 0.5, 0);
    for (Event& event : b.events) {
      auto& record = std::get<events::RequestFinished>(event.payload).record;
      record.source = "dram";
      record.miss_reason.clear();
      record.timing.ttft_seconds = record.timing.ttft_service_seconds;
    }
    for (Event& event : a.events) {
      auto& record = std::get<events::RequestFinished>(event.payload).record;
      if (record.context_id < "c5") record.source = "prefill";
      record.timing.ttft_seconds = record.timing.ttft_service_seconds;
    }
    const auto comparison = compare_runs({a, b, a});
    QCOMPARE(comparison.runs, (std::vector<std::string>{"a", "b", "a"}));  // no repetition of itself
    for (const char* name : {"TTFT, service, p95", "TTFT, with queue, p95"}) {
      const ComparedMetric& tail = metric_of(comparison, name);
      QCOMPARE(tail.values.size(), std::size_t{3});
      QVERIFY2(tail.values[1]->judgment == Judgment::better, tail.values[1]->verdict.c_str());
      QVERIFY(tail.values[1]->delta_interval && tail.values[1]->delta_interval->high < 0 && tail.values[1]->interval);
      QCOMPARE(tail.values[1]->pairs, std::size_t{60});
      QCOMPARE(tail.values[1]->n, std::size_t{60});
      QVERIFY(tail.values[1]->interval->low <= tail.values[1]->value &&
              tail.values[1]->value <= tail.values[1]->interval->high);
      QCOMPARE(tail.values[2]->judgment, Judgment::same);
    }
    const ComparedMetric& hits = metric_of(comparison, "served from tiers");
    QCOMPARE(hits.values[1]->value, 100.0);
    QCOMPARE(hits.values[1]->judgment, Judgment::better);
    const std::string words = judgment_text(comparison, hits, 1);
    QVERIFY2(
        words.starts_with("better by ") && words.find(" points [") != std::string::npos && words.ends_with("], n = 60"),
        words.c_str());
    QVERIFY(to_text(comparison).find("served from tiers, %") != std::string::npos);
  }

  // A first request cannot be served from a tier, so its context is computed and not recomputed.
  void whatIsComputedAgainIsCounted() {
    RequestRecord record;
    record.context_tokens = 100;
    record.source = "prefill";
    record.miss_reason = compulsory_miss;
    QCOMPARE(recomputed_tokens(record), 0);
    record.miss_reason = "absent";
    QCOMPARE(recomputed_tokens(record), 100);
    record.miss_reason.clear();
    record.source = "dram";
    QCOMPARE(recomputed_tokens(record), 0);
    record.compute_or_load.tokens_from_inputs = 32;  // of an entry that was loaded
    QCOMPARE(recomputed_tokens(record), 32);
    record.prefix_hit_tokens = 60;  // the rest was computed, behind the prefix or while it loaded
    QCOMPARE(recomputed_tokens(record), 72);
    record.compute_or_load.tokens_from_inputs = 0;
    QCOMPARE(recomputed_tokens(record), 40);

    std::vector<RecordedRun> runs{recorded("a", "lru", 1, 60, 1, 0), recorded("b", "evicpress", 1, 60, 1, 0)};
    for (std::size_t run = 0; run < runs.size(); ++run)
      for (Event& event : runs[run].events)
        if (auto* finished = std::get_if<events::RequestFinished>(&event.payload)) {
          finished->record.context_tokens = 100;
          finished->record.prefix_hit_tokens = run == 0 ? 0 : 60;
          finished->record.source = run == 0 ? "prefill" : "dram";
          finished->record.miss_reason = run == 0 ? "absent" : "";
        }
    const RunComparison comparison = compare_runs(runs);
    const ComparedMetric& tokens = metric_of(comparison, "recomputed context tokens");
    QCOMPARE(tokens.values[0]->value, 100.0);
    QCOMPARE(tokens.values[1]->value, 40.0);
    QCOMPARE(tokens.values[1]->judgment, Judgment::better);
  }

  // Memory at the end of an answer is compared as its peak is; runs from before it was recorded lack it.
  void memoryAtTheEndIsCompared() {
    std::vector<RecordedRun> runs{recorded("a", "lru", 1, 60, 1, 0), recorded("b", "lru", 1, 60, 1, 0)};
    const std::string name = "KV cache at the end of an answer";
    QVERIFY(std::ranges::none_of(compare_runs(runs).metrics,
                                 [&](const ComparedMetric& metric) { return metric.name == name; }));
    for (std::size_t run = 0; run < runs.size(); ++run)
      for (Event& event : runs[run].events) {
        DecodingRecord& decoding = std::get<events::RequestFinished>(event.payload).record.decoding;
        decoding.peak_bytes = std::uint64_t{4} << 20;
        decoding.held_bytes = std::uint64_t{run == 0 ? 4U : 1U} << 20;
      }
    const RunComparison comparison = compare_runs(runs);
    const ComparedMetric& held = metric_of(comparison, name);
    QCOMPARE(held.values[0]->value, 4.0);
    QCOMPARE(held.values[1]->value, 1.0);
    QCOMPARE(held.values[1]->judgment, Judgment::better);
    QCOMPARE(metric_of(comparison, "peak KV cache of a request").values[1]->judgment, Judgment::same);
  }

  // The short form has what settings of decoding change, where they differ or where it differs.
  void theShortFormHasWhatDecodingChanges() {
    const auto rows = [](const std::vector<RecordedRun>& runs) {
      std::set<std::string> names;
      for (const std::vector<Cell>& row : summary_table(compare_runs(runs)).rows) names.insert(row.front().text);
      names.erase("");
      return names;
    };
    const auto with_peak = [](RecordedRun run, std::uint64_t mebibytes) {
      for (Event& event : run.events)
        std::get<events::RequestFinished>(event.payload).record.decoding.peak_bytes = mebibytes << 20;
      return run;
    };
    const RecordedRun plain = with_peak(recorded("a", "lru", 1, 60, 1, 0), 4);
    std::set<std::string> wanted{"TTFT, service", "TTFT, service, p95", "quality, token_f1", "quality, exact_match",
                                 "served from tiers"};
    QVERIFY(rows({plain, with_peak(recorded("b", "lru", 1, 60, 1, 0), 4)}) == wanted);
    const auto more = rows({plain, with_peak(recorded("b", "lru", 1, 60, 1, 0), 1)});
    wanted.insert("peak KV cache of a request");
    QVERIFY(more == wanted);
    wanted.insert({"inter-token latency", "recomputed context tokens"});
    QVERIFY(
        rows({plain, with_peak(recorded("b", "lru", 1, 60, 1, 0, {{"decode_eviction", "paged_eviction(budget=25%)"}}),
                               4)}) == wanted);
  }

  // Ten times the same requests about each context say nothing new of the tail.
  void theTailIsDrawnByContexts() {
    const auto tail = [](int copies) {
      PolicyRun run = sample_run(4, "lru", 120), copied = run;
      for (int i = 1; i < copies; ++i)
        copied.records.insert(copied.records.end(), run.records.begin(), run.records.end());
      const Distribution d = build_report({}, {}, {copied}).rows[0].ttft_service_seconds;
      return d.p95_interval->high - d.p95_interval->low;
    };
    QVERIFY2(tail(10) > 0.8 * tail(1), "copies narrowed the interval");
  }

  // Every quality metric is a score, logit_kl too: more is better.
  void moreOfAnyQualityIsBetter() {
    RecordedRun a = recorded("a", "lru", 1, 60, 1, 0), b = a;
    for (auto [run, score] : {std::pair(&a, 0.4), std::pair(&b, 0.9)})
      for (Event& event : run->events) {
        auto& record = std::get<events::RequestFinished>(event.payload).record;
        record.quality["logit_kl"] = score + 0.001 * static_cast<double>(record.id % 7);
      }
    QCOMPARE(metric_of(compare_runs({a, b}), "quality, logit_kl").values[1]->judgment, Judgment::better);
  }

  void differencesAreSaidInText() {
    const auto comparison = compare_runs(
        {recorded("a", "lru", 1, 60, 1, 0), recorded("b", "lru", 1, 60, 0.5, 0.2), recorded("c", "lru", 1, 60, 1, 0)});
    const auto& times = metric_of(comparison, "TTFT, service");
    QCOMPARE(judgment_text(comparison, times, 0), std::string());
    const std::string better = judgment_text(comparison, times, 1);
    QVERIFY2(better.starts_with("better by 50 %: ") && better.find(" ms [") != std::string::npos &&
                 better.ends_with("], n = 60"),
             better.c_str());
    QCOMPARE(judgment_text(comparison, times, 2), std::string("the same for each of n = 60"));
    const std::string quality = judgment_text(comparison, metric_of(comparison, "quality, token_f1"), 1);
    QVERIFY2(quality.starts_with("better by 0.200"), quality.c_str());
    ComparedMetric rate{"requests", "1/s", {}};
    for (const double per_second : {2.0, 2.5, 3.0}) {
      ComparedValue value;
      value.value = per_second;
      value.delta = per_second - 2;
      value.judgment = Judgment::single;
      rate.values.emplace_back(std::move(value));
    }
    const std::string single = judgment_text(comparison, rate, 2);
    QVERIFY2(single.ends_with("not judged"), single.c_str());
  }

  // Every digit of the comparison is in the CSV; the LaTeX table has a column for each run.
  void tablesHoldTheComparison() {
    const auto comparison =
        compare_runs({recorded("a", "lru", 1, 60, 1, 0), recorded("b", "fixed(knorm,0.5)", 1, 60, 0.5, 0.2)}, 1);
    const std::string csv = to_csv(comparison), latex = to_latex(comparison);
    for (const ComparedMetric& metric : comparison.metrics)
      for (const auto& value : metric.values)
        QVERIFY2(csv.find("," + Json(value->value).dump() + ",") != std::string::npos, metric.name.c_str());
    QVERIFY(csv.find("\"fixed(knorm,0.5)\"") != std::string::npos);
    const auto commas = [](const std::string& line) {
      bool quoted = false;
      int count = 0;
      for (const char letter : line) {
        if (letter == '"') quoted = !quoted;
        if (letter == ',' && !quoted) ++count;
      }
      return count;
    };
    int lines = 0;
    std::stringstream stream(csv);
    for (std::string line; std::getline(stream, line); ++lines) QVERIFY2(commas(line) == 15, line.c_str());
    QVERIFY(lines > 10);
    QVERIFY(latex.find("\\begin{tabular}{lll}") != std::string::npos && latex.find("(baseline)") != std::string::npos);
  }

  void aRunWithoutAnswersIsLeftOut() {
    RecordedRun none = recorded("b", "lru", 1, 12, 1, 0);
    none.events.clear();
    const auto comparison = compare_runs({recorded("a", "lru", 1, 12, 1, 0), none});
    QCOMPARE(comparison.runs.size(), std::size_t{2});
    for (const ComparedMetric& metric : comparison.metrics) QVERIFY2(!metric.values[1], metric.name.c_str());
    QVERIFY(!to_text(comparison).empty() && to_json(comparison).at("figures").size() == comparison.metrics.size());
  }
};

KV_TEST_GUILESS_MAIN(CompareRunsTest)

}  // namespace compare_runs_test

#include "compare_runs_test.moc"
