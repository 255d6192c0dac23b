// links: kv_ui
// A comparison of runs without reference answers, in the window: the metric is named by what it is, and its views find
// it by that name.
#include <QAbstractAxis>
#include <QChart>
#include <QChartView>
#include <QTest>
#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/ui/runs/compare_samples.h"
#include "ui/runs/compare/model/forest_rows.h"
#include "ui/runs/compare_chart.h"
#include "ui/runs/model/run_comparison_model.h"

namespace compare_agreement_test {

using namespace kvantage;

class CompareAgreementTest : public QObject {
  Q_OBJECT

 private slots:
  void viewsFindTheMetricByItsName() {
    auto library = test::planted_library();
    for (auto& [id, run] : library->runs)
      for (Event& event : run.events)
        if (auto* finished = std::get_if<events::RequestFinished>(&event.payload))
          finished->record.reference_answer = "uncompressed";
    RunComparisonModel model(library);
    model.compare({"run-a", "run-b"});
    QTRY_COMPARE(model.sides(), 2);
    const std::string name = "agreement with uncompressed, token_f1";
    const auto& metrics = model.comparison().metrics;
    const auto metric = std::ranges::find(metrics, name, &ComparedMetric::name);
    QVERIFY(metric != metrics.end());
    QVERIFY(std::ranges::none_of(metrics, [](const ComparedMetric& one) { return one.name.starts_with("quality"); }));
    QCOMPARE(metric_group(*metric), MetricGroup::quality);
    const auto contexts = model.details().contexts.find(name);
    QVERIFY(contexts != model.details().contexts.end());
    QCOMPARE(contexts->second.at(0).size(), static_cast<std::size_t>(test::planted_contexts));
    CompareChart chart(model);
    chart.resize(800, 600);
    chart.show();
    QTRY_COMPARE(chart.findChild<QChartView*>()->chart()->axes(Qt::Vertical).front()->titleText(),
                 QString("Agreement with uncompressed, token_f1"));
    QCOMPARE(chart.points().size(), std::size_t{2});
  }
};

KV_TEST_MAIN(CompareAgreementTest)

}  // namespace compare_agreement_test

#include "compare_agreement_test.moc"
