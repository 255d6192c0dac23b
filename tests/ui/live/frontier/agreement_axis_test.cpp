// links: kv_ui
// The Frontier calls quality what it is: agreement with uncompressed, where no question has a reference answer.
#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QTest>

#include "tests/support/test_program.h"
#include "ui/live/frontier/frontier_chart.h"

namespace agreement_axis_test {

using namespace kvantage;

class AgreementAxisTest : public QObject {
  Q_OBJECT

  static RequestRecord answered(std::uint64_t id, const std::string& gold) {
    RequestRecord record;
    record.id = id;
    record.context_id = std::string(1, 'c').append(std::to_string(id % 3));
    record.question = "question " + std::to_string(id);
    record.gold = gold;
    record.reference_answer = "uncompressed";
    record.policy = "evicpress";
    record.alpha = 1;
    record.source = "dram";
    record.timing.ttft_service_seconds = 0.1;
    record.quality = {{"token_f1", 0.75}};
    return record;
  }
  static QString title_of(const FrontierChart& chart) {
    return chart.findChild<QChartView*>()->chart()->axes(Qt::Vertical).front()->titleText();
  }

 private slots:
  void theAxisIsNamedByWhatScoresRestOn() {
    FrontierModel model;
    SessionSettings settings;
    settings.policy = "evicpress";
    settings.alpha = 1;
    model.set_committed(settings);
    model.set_present(settings);
    FrontierChart chart(model);
    chart.set_quality_metric("token_f1");
    chart.resize(1000, 700);
    chart.show();
    QTRY_COMPARE(title_of(chart), QString("Mean quality (token_f1)"));
    for (std::uint64_t id = 1; id <= 3; ++id) model.add_request(answered(id, ""));
    QVERIFY(model.segments().shows_agreement());
    const FrontierModel::Measurements kept = model.measurements();
    QVERIFY(kept.shows_agreement());
    QTRY_COMPARE(title_of(chart), QString("Mean agreement with uncompressed (token_f1)"));
    model.add_request(answered(4, "gold"));
    QVERIFY(!model.segments().shows_agreement() && kept.shows_agreement());
    QTRY_COMPARE(title_of(chart), QString("Mean quality (token_f1)"));
  }

  // These compare with the uncompressed answer whatever the workload has.
  void aMetricThatSaysItKeepsItsName() {
    FrontierModel model;
    SessionSettings settings;
    settings.policy = "evicpress";
    settings.alpha = 1;
    settings.quality_metric = "token_f1";
    model.set_committed(settings);
    FrontierChart chart(model);
    chart.set_quality_metric("token_f1@prefill");
    chart.resize(1000, 700);
    chart.show();
    for (std::uint64_t id = 1; id <= 3; ++id) model.add_request(answered(id, ""));
    QTest::qWait(200);
    QCOMPARE(title_of(chart), QString("Mean quality (token_f1@prefill)"));
  }
};

KV_TEST_MAIN(AgreementAxisTest)

}  // namespace agreement_axis_test

#include "agreement_axis_test.moc"
