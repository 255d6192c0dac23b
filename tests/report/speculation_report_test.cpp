// links: kv_reports
// Metrics of speculation in reports: over the answers that it was applied to, and none where it was off.
#include <QtTest>

#include <algorithm>

#include "core/report/compared_samples.h"
#include "core/report/formats/report_formats.h"
#include "core/report/metric_list.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace speculation_report_test {

using namespace kvantage;

namespace {

/// The sample's requests: every other one was decoded with speculation, and every fourth one could not be.
PolicyRun drafted_run() {
  PolicyRun run = sample_run(1, "lru", 40);
  for (RequestRecord& record : run.records) {
    record.cancelled = false;
    record.answer_tokens = 11;
    if (record.id % 2 == 1) continue;
    record.decoding.speculation = SpeculationRecord{"lookup", "", 4, 30, 6};
    if (record.id % 4 == 2) record.decoding.speculation = SpeculationRecord{"lookup", "the model runs on a device", 9};
  }
  return run;
}

}  // namespace

class SpeculationReportTest : public QObject {
  Q_OBJECT

 private slots:
  void metricsAreOfAnswersThatItWasAppliedTo() {
    QCOMPARE((SpeculationRecord{"lookup", "", 4, 30, 6}).tokens_per_pass(), 2.5);
    QCOMPARE(SpeculationRecord{}.tokens_per_pass(), 0.0);
    const RunReport report = build_report(Json::object(), Json::object(), {drafted_run(), sample_run(2, "lfu", 40)});
    const DecodingMetrics &with = report.rows[0].decoding, &without = report.rows[1].decoding;
    QCOMPARE(with.tokens_per_pass.n, std::size_t{10});
    QCOMPARE(with.tokens_per_pass.mean, 2.5);
    QCOMPARE(with.drafted_tokens.mean, 30.0);
    QCOMPARE(with.accepted_tokens.mean, 6.0);
    QVERIFY(with.tokens_per_pass.provenance == Provenance::measured);
    QCOMPARE(without.tokens_per_pass.n, std::size_t{0});

    const Json rows = to_report_json(report);
    QVERIFY(rows.dump().find("\"speculation\":{") != std::string::npos);
    QVERIFY(to_report_json(build_report(Json::object(), Json::object(), {sample_run(2, "lfu", 40)}))
                .dump()
                .find("\"speculation\":{") == std::string::npos);
    const auto lists = [](const PolicyRow& row) {
      return std::ranges::any_of(metric_list(row),
                                 [](const ReportMetric& metric) { return metric.name == "tokens_per_pass"; });
    };
    QVERIFY(lists(report.rows[0]) && !lists(report.rows[1]));
  }

  // Answers that drafts of one run saved more passes of than drafts of the other, question by question.
  void comparisonsHaveTokensPerPass() {
    std::vector<ComparedSide> sides(2);
    for (ComparedSide& side : sides) side.run = drafted_run();
    for (RequestRecord& record : sides[1].run.records)
      if (auto& speculation = record.decoding.speculation; speculation && speculation->used())
        speculation = SpeculationRecord{"lookup", "", 5, 30, record.id % 8 == 0 ? 10 : 15};
    for (ComparedSide& side : sides) side.row = build_report(Json::object(), Json::object(), {side.run}).rows[0];
    const auto compared = [](const std::vector<ComparedSide>& of) {
      auto list = compared_samples(of);
      std::erase_if(list, [](const ComparedSample& sample) { return sample.name != "speculation, tokens per pass"; });
      return list;
    };
    const std::vector<ComparedSample> samples = compared(sides);
    QCOMPARE(samples.size(), std::size_t{1});
    int n = 0;
    for (const RequestRecord& record : sides[0].run.records)
      if (const auto value = samples[0].sample(record)) {
        QCOMPARE(*value, 2.5);
        ++n;
      }
    QCOMPARE(n, 10);  // of requests that it was applied to
    const auto base = compared_value(sides[0], samples[0]);
    auto value = compared_value(sides[1], samples[0]);
    QVERIFY(base && value);
    QCOMPARE(base->value, 2.5);
    QCOMPARE(value->value, 3.5);  // five answers of 3, five of 4
    (void)judge(*value, sides[1], *base, sides[0], samples[0]);
    QCOMPARE(*value->delta, 1.0);
    QVERIFY2(value->judgment == Judgment::better, value->verdict.c_str());  // more is better
    // A run without it has no value, and two of them have no such metric.
    std::vector<ComparedSide> without(1);
    without[0].run = sample_run(2, "lfu", 40);
    without[0].row = build_report(Json::object(), Json::object(), {without[0].run}).rows[0];
    QVERIFY(!compared_value(without[0], samples[0]));
    QVERIFY(compared(without).empty());
    QCOMPARE(compared({sides[0], without[0]}).size(), std::size_t{1});
  }
};

KV_TEST_APPLESS_MAIN(SpeculationReportTest)

}  // namespace speculation_report_test

#include "speculation_report_test.moc"
