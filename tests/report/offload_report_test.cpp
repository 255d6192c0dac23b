// links: kv_reports
// Metrics of decode_offload in reports and comparisons: per decoded token, and none where it was off.
#include <QtTest>

#include <algorithm>

#include "core/report/compared_samples.h"
#include "core/report/formats/report_columns.h"
#include "core/report/formats/report_formats.h"
#include "core/report/metric_list.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace offload_report_test {

using namespace kvantage;

namespace {

/// The sample's requests; every other one was decoded with its context on a throttled tier.
PolicyRun offloaded_run() {
  PolicyRun run = sample_run(1, "lru", 40);
  for (RequestRecord& record : run.records) {
    record.cancelled = false;
    record.answer_tokens = 11;
    record.provenance = Provenance::throttled;
    if (record.id % 2 == 1) continue;
    OffloadRecord offload{.setting = "ssd", .not_applied = record.id % 4 == 2 ? "a write to the tier failed" : ""};
    offload.steps = 10;
    offload.recomputed_tokens = 2560;
    offload.input_bytes = 10000;
    offload.kv_bytes = 30000;
    offload.weight_bytes = 20000;
    offload.seconds = 2;
    offload.predicted_seconds = 1.5;
    record.decoding.offload = offload;
  }
  return run;
}

}  // namespace

class OffloadReportTest : public QObject {
  Q_OBJECT

 private slots:
  void figuresArePerToken() {
    const RunReport report = build_report(Json::object(), Json::object(), {offloaded_run(), sample_run(2, "lfu", 40)});
    const DecodingMetrics& with = report.rows[0].decoding;
    QCOMPARE(with.offload_step_seconds.n, std::size_t{10});  // of requests that it was applied to
    QCOMPARE(with.offload_step_seconds.mean, 0.2);
    QCOMPARE(with.offload_predicted_seconds.mean, 0.15);
    QCOMPARE(with.offload_recomputed_tokens.mean, 256.0);
    QCOMPARE(with.offload_read_bytes.mean, 6000.0);  // streamed matrices included
    QVERIFY(with.offload_step_seconds.provenance == Provenance::throttled);
    QVERIFY(with.offload_predicted_seconds.provenance == Provenance::predicted);
    QVERIFY(with.itl_seconds.provenance == Provenance::throttled);  // each token waits for the tier
    const DecodingMetrics& without = report.rows[1].decoding;
    QCOMPARE(without.offload_step_seconds.n, std::size_t{0});
    QVERIFY(without.itl_seconds.provenance == Provenance::measured);

    const Json json = to_report_json(report);
    QVERIFY(json.dump().find("offload_recomputed_tokens") != std::string::npos);
    QVERIFY(to_report_json(build_report(Json::object(), Json::object(), {sample_run(2, "lfu", 40)}))
                .dump()
                .find("\"decode_offload\":") == std::string::npos);
    const auto lists = [](const PolicyRow& row) {
      return std::ranges::any_of(metric_list(row),
                                 [](const ReportMetric& metric) { return metric.name == "offload_step_seconds"; });
    };
    QVERIFY(lists(report.rows[0]) && !lists(report.rows[1]));
  }

  // The table of requests has the same bytes as the report.
  void aRequestsRowHasAllBytes() {
    RecordedRun run;
    run.summary.run_id = "r";
    for (const RequestRecord& record : offloaded_run().records) {
      events::RequestFinished finished;
      finished.record = record;
      run.events.push_back({1, 0, 0, finished});
    }
    const ColumnTable table = request_columns({run});
    const TableColumn* const read = table.find("read_bytes_per_token");
    QVERIFY(read != nullptr && read->rows() == 40);
    std::size_t rows = 0;
    for (std::size_t row = 0; row < read->rows(); ++row) {
      if (std::holds_alternative<std::monostate>(read->at(row))) continue;  // it was off, or not applied
      QCOMPARE(std::get<double>(read->at(row)), 6000.0);
      ++rows;
    }
    QCOMPARE(rows, std::size_t{10});
  }

  // A comparison shows the mean of the report beside the interval of its own samples: both count the same bytes.
  void comparedMeansAreThoseOfTheirSamples() {
    std::vector<ComparedSide> sides(1);
    sides[0].run = offloaded_run();
    sides[0].row = build_report(Json::object(), Json::object(), {sides[0].run}).rows[0];
    int checked = 0;
    for (const ComparedSample& sample : compared_samples(sides)) {
      if (!sample.name.starts_with("decode_offload")) continue;
      double sum = 0;
      int n = 0;
      for (const RequestRecord& record : sides[0].run.records)
        if (const auto value = sample.sample(record)) sum += *value, ++n;
      const auto shown = compared_value(sides[0], sample);
      QVERIFY2(shown && n == 10, sample.name.c_str());
      QCOMPARE(shown->value, sum / n * sample.factor);
      ++checked;
    }
    QCOMPARE(checked, 2);
  }
};

KV_TEST_GUILESS_MAIN(OffloadReportTest)

}  // namespace offload_report_test

#include "offload_report_test.moc"
