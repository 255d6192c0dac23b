// links: kv_reports
// What scores rest on: without reference answers they are the agreement with the answers of uncompressed caches, and
// every view calls them so.
#include "core/report/answer_basis.h"

#include <QtTest>

#include <algorithm>

#include "core/report/formats/compare_formats.h"
#include "core/report/formats/report_formats.h"
#include "core/report/recorded_run.h"
#include "core/report/row_plots.h"
#include "core/report/run_metrics.h"
#include "core/report/run_plots.h"
#include "core/report/summary_table.h"
#include "tests/support/test_program.h"

namespace answer_basis_test {

using namespace kvantage;

namespace {

/// Sixty questions about six contexts, the first `referenced` of them with a reference answer; each is asked twice.
RecordedRun recorded(const std::string& id, int referenced, double quality) {
  RecordedRun run;
  run.summary = {id,
                 1,
                 2,
                 id,
                 "finished",
                 120,
                 Json{{"settings", {{"policy", id}, {"quality_metric", "token_f1"}}},
                      {"environment", {{"run_id", id}}},
                      {"group", id}}};
  for (int i = 0; i < 120; ++i) {
    RequestRecord record;
    const int question = i % 60;
    record.id = static_cast<std::uint64_t>(i);
    record.context_id = std::string(1, 'c').append(std::to_string(question % 6));
    record.context = digest_of(record.context_id);
    record.question = "question " + std::to_string(question);
    record.reference_answer = "uncompressed";
    if (question < referenced) record.gold = "the answer";
    record.policy = id;
    record.source = "dram";
    record.timing.ttft_service_seconds = record.timing.ttft_seconds = 0.1 + 0.01 * (i % 7);
    record.predicted_quality = 0.5;
    record.predicted_ttft_seconds = 0.1;
    for (const char* metric : {"token_f1", "cosine"}) {
      record.quality[metric] = quality + 0.001 * (i % 5);
      record.quality_uncompressed[metric] = 1;
      record.quality_chance[metric] = 0.1;
    }
    Event event;
    event.sequence = static_cast<std::uint64_t>(i) + 1;
    event.monotonic_ns = (i + 1) * std::int64_t{100'000'000};
    event.payload = events::RequestFinished{record};
    run.events.push_back(event);
  }
  return run;
}

std::vector<RecordedRun> two_runs(int referenced) {
  return {recorded("lru", referenced, 0.5), recorded("gdsf", referenced, 0.8)};
}

std::vector<std::string> names_in(const RunComparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedMetric& metric : comparison.metrics) names.push_back(metric.name);
  return names;
}

bool holds(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

const std::string without =
    "no question has a reference answer: quality is the agreement with the answers of "
    "uncompressed caches";
const std::string agreement = "agreement with uncompressed";

}  // namespace

class AnswerBasisTest : public QObject {
  Q_OBJECT

 private slots:
  void aComparisonCallsItAgreement() {
    const RunComparison comparison = compare_runs(two_runs(0));
    const std::vector<std::string> names = names_in(comparison);
    QVERIFY(holds(names, agreement + ", token_f1") && !holds(names, "quality, token_f1"));
    QVERIFY(holds(names, "quality, cosine"));  // its name says what it compares with
    QVERIFY(holds(comparison.notes, without));
    const auto metric = std::ranges::find(comparison.metrics, agreement + ", token_f1", &ComparedMetric::name);
    QCOMPARE(metric->values[1]->judgment, Judgment::better);
    const Table table = summary_table(comparison);
    QVERIFY(std::ranges::any_of(table.rows, [](const auto& row) { return row[0].text == agreement + ", token_f1"; }));
    for (const std::string& text : {to_text(comparison), to_csv(comparison), to_latex(comparison)})
      QVERIFY2(
          text.find(agreement + ", token") != std::string::npos && text.find("quality, token") == std::string::npos,
          text.c_str());
  }

  void aReportCallsItAgreement() {
    const RunReport report = report_of_runs(two_runs(0));
    QVERIFY2(report.claim.find("the best " + agreement + " (") != std::string::npos ||
                 report.claim.find("for the best " + agreement) != std::string::npos,
             report.claim.c_str());
    QVERIFY2(report.claim.find("token_f1") == std::string::npos, report.claim.c_str());
    QVERIFY(holds(report.notes, without));
    const Table summary = summary_table(report);
    QVERIFY(holds(summary.columns, agreement) && !holds(summary.columns, "token_f1 [95 % CI]"));
    QVERIFY2(summary.note.find(agreement + " [95 % CI]: token_f1 against") != std::string::npos, summary.note.c_str());
    QStringList titles;
    for (const Table& table : tables_of(report)) titles << QString::fromStdString(table.title);
    QVERIFY2(titles.contains("Agreement with uncompressed: token_f1") && titles.contains("Quality: cosine"),
             qPrintable(titles.join('\n')));
    const auto plots = plots_of_rows(report);
    const auto frontier = std::ranges::find(plots, std::string("ttft_quality"), &ReportPlot::name);
    QVERIFY(frontier != plots.end());
    QCOMPARE(frontier->y_label, agreement);
    const auto predicted = std::ranges::find(report.plots, std::string("predicted_quality"), &ReportPlot::name);
    QVERIFY(predicted != report.plots.end());
    QCOMPARE(predicted->y_label, "measured " + agreement);
    QVERIFY(to_text(report).find(without) != std::string::npos);
  }

  void withReferenceAnswersItIsQuality() {
    const RunComparison comparison = compare_runs(two_runs(60));
    QVERIFY(holds(names_in(comparison), "quality, token_f1") && comparison.notes.empty());
    const RunReport report = report_of_runs(two_runs(60));
    QVERIFY(report.notes.empty() && report.claim.find(agreement) == std::string::npos);
    QVERIFY(holds(summary_table(report).columns, "token_f1 [95 % CI]"));
  }

  void aMixIsSaidWithItsCounts() {
    const std::string mixed =
        "reference answers: of 40 of 60 questions; quality of the other 20 is the agreement with "
        "the answers of uncompressed caches";
    const RunComparison comparison = compare_runs(two_runs(40));
    QVERIFY(holds(names_in(comparison), "quality, token_f1"));
    QCOMPARE(comparison.notes, std::vector<std::string>{mixed});
    QCOMPARE(report_of_runs(two_runs(40)).notes, std::vector<std::string>{mixed});
    // Of the pair, not of each side.
    const RunComparison unlike = compare_runs({recorded("lru", 60, 0.5), recorded("gdsf", 0, 0.5)});
    QVERIFY(holds(names_in(unlike), "quality, token_f1"));
  }

  void theTableOfRunsCallsItAgreement() {
    for (const int referenced : {0, 40, 60}) {
      RunMetrics metrics;
      for (const Event& event : recorded("lru", referenced, 0.5).events)
        metrics.add(std::get<events::RequestFinished>(event.payload).record);
      const auto again = RunMetrics::from_json(Json::parse(metrics.to_json(7).dump()));
      QVERIFY(again && again->first == metrics);
      QCOMPARE(again->first.quality_name("token_f1"), referenced == 0 ? agreement : std::string("token_f1"));
      QCOMPARE(again->first.quality_name("cosine"), std::string("cosine"));
      Json older = metrics.to_json(7);
      older["version"] = 1;
      QVERIFY(!RunMetrics::from_json(older));  // is computed again
    }
  }

  void aNameOfAComparisonHasItsMetric() {
    AnswerBasis none{0, 3};
    for (const std::string metric : {"token_f1", "rouge_l", "cosine", "token_f1@prefill"})
      for (const AnswerBasis& basis : {AnswerBasis{}, AnswerBasis{3, 0}, AnswerBasis{2, 1}, none}) {
        QCOMPARE(std::string(compared_quality_metric(compared_quality_name(metric, basis))), metric);
        const bool is_agreement = quality_name(metric, basis) != metric;
        QCOMPARE(is_agreement, basis == none && !compares_with_uncompressed(metric));
      }
    for (const char* other : {"TTFT, service", "served from tiers", "agreement", "quality"})
      QVERIFY2(compared_quality_metric(other).empty(), other);
  }
};

KV_TEST_GUILESS_MAIN(AnswerBasisTest)

}  // namespace answer_basis_test

#include "answer_basis_test.moc"
