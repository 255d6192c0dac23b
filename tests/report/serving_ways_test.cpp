// links: kv_reports
// Which way contexts came to requests: each record has one, and each way its numbers.
#include "core/report/serving_ways.h"
#include "core/report/formats/report_formats.h"

#include <QtTest>

#include "core/report/metric_list.h"
#include "core/report/report.h"
#include "tests/support/test_program.h"

namespace serving_ways_test {

using namespace kvantage;

namespace {

RequestRecord record_of(const std::string& source, double ttft, double predicted) {
  RequestRecord record;
  record.context_id = "c01";
  record.source = source;
  record.context_tokens = 1000;
  record.timing.ttft_service_seconds = ttft;
  record.predicted_ttft_seconds = predicted;
  return record;
}

}  // namespace

class ServingWaysTest : public QObject {
  Q_OBJECT

 private slots:
  void eachRequestHasOneWay() {
    RequestRecord load = record_of("ssd", 0.1, 0.2), inputs = load, hybrid = load,
                  recompute = record_of("prefill", 0.1, 0.2), prefill = recompute;
    inputs.compute_or_load.tokens_from_inputs = 512;
    hybrid.compute_or_load = {.computed_tokens = 256, .loaded_tokens = 744, .predicted_seconds = 0.15};
    recompute.compute_or_load = {.computed_tokens = 1000, .loaded_tokens = 0, .predicted_seconds = 0.3};
    QCOMPARE(serving_way(load), std::string_view("load"));
    QCOMPARE(serving_way(inputs), std::string_view("load_recompute"));
    QCOMPARE(serving_way(hybrid), std::string_view("hybrid_prefill"));
    QCOMPARE(serving_way(recompute), std::string_view("recompute"));
    QCOMPARE(serving_way(prefill), std::string_view("prefill"));
    QCOMPARE(predicted_service_seconds(load), 0.2);
    QCOMPARE(predicted_service_seconds(hybrid), 0.15);  // serving's own, newer than the plan's
    QCOMPARE(serving_way_text("load_recompute"), std::string("load, recompute from layer inputs (our extension)"));
  }

  void reportsHaveThemByWay() {
    std::vector<RequestRecord> records{record_of("ssd", 0.1, 0.2), record_of("ssd", 0.3, -1),
                                       record_of("prefill", 1, 1.5)};
    records[1].compute_or_load.tokens_from_inputs = 256;
    PolicyRun run;
    run.policy = "lru";
    run.records = records;
    const RunReport report = build_report(Json::object(), Json::object(), {run});
    const auto& ways = report.rows.front().split.ways;
    QCOMPARE(ways.size(), std::size_t{3});
    QCOMPARE(ways.at("load").ttft_service_seconds.mean, 0.1);
    QCOMPARE(ways.at("load").predicted_seconds.mean, 0.2);
    QVERIFY(ways.at("load").predicted_seconds.provenance == Provenance::predicted);
    QCOMPARE(ways.at("load").computed_tokens.mean, 0.0);
    QCOMPARE(ways.at("load_recompute").predicted_seconds.n, std::size_t{0});
    QCOMPARE(ways.at("load_recompute").computed_tokens.mean, 256.0);
    QCOMPARE(ways.at("prefill").computed_tokens.mean, 1000.0);
    std::map<std::string, double> listed;
    for (const ReportMetric& metric : metric_list(report.rows.front()))
      if (metric.name.starts_with("way_") && metric.value) listed[metric.name + " " + metric.part] = *metric.value;
    QCOMPARE(listed.at("way_requests load"), 1.0);
    QCOMPARE(listed.at("way_seconds prefill"), 1.0);
    QCOMPARE(listed.at("way_predicted_seconds prefill"), 1.5);
    QVERIFY(!listed.contains("way_predicted_seconds load_recompute"));
    const Json row = to_report_json(report).at("rows").at(0);
    QCOMPARE(row.at("serving_ways").at("prefill").at("seconds").at("mean").get<double>(), 1.0);
  }
};

KV_TEST_GUILESS_MAIN(ServingWaysTest)

}  // namespace serving_ways_test

#include "serving_ways_test.moc"
