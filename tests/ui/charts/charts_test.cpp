// links: kv_ui
#include <QCategoryAxis>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/ticks.h"
#include "ui/live/contexts/quality_curve_chart.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/tiers/hit_rate_chart.h"

namespace charts_test {

using namespace kvantage;

class ChartsTest : public QObject {
  Q_OBJECT

 private slots:
  void logTicksAreRoundAndFewAndInside() {
    for (double low = 1e-4; low < 10; low *= 1.7)
      for (double factor = 1.3; factor < 1e5; factor *= 1.9) {
        const auto ticks = log_ticks(low, low * factor, 9);
        QVERIFY(ticks.size() <= 9);
        if (factor > 10.001) QVERIFY(ticks.size() >= 1);
        for (const double tick : ticks) {
          QVERIFY(tick >= low * 0.999 && tick <= low * factor * 1.001);
          const double mantissa = tick / std::pow(10, std::floor(std::log10(tick) + 1e-9));
          QVERIFY(std::abs(mantissa * 2 - std::round(mantissa * 2)) < 1e-6);  // 1, 1.5, 2, 3 ..
        }
      }
    QCOMPARE(log_ticks(1, 100, 3).size(), 3u);
  }

  void linearTicksCoverTheRange() {
    QCOMPARE(linear_ticks(0, 1, 6), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0}));
    QVERIFY(linear_ticks(0.83, 0.91, 7).size() >= 3);
    QCOMPARE(linear_ticks(2, 2, 5).size(), 1u);
  }

  // An axis makes its ticks whenever its range or their distance changes: in between, too, they must be few.
  void longRunsGetNoTickForEachRequest() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    HitRateChart chart(rates);
    chart.resize(500, 300);
    double most = 0;
    for (QAbstractAxis* axis : chart.chart().axes(Qt::Horizontal)) {
      auto* requests = qobject_cast<QValueAxis*>(axis);
      QVERIFY(requests);
      const auto count = [&most, requests] {
        if (requests->tickInterval() > 0)
          most = std::max(most, (requests->max() - requests->min()) / requests->tickInterval());
      };
      connect(requests, &QValueAxis::rangeChanged, this, count);
      connect(requests, &QValueAxis::tickIntervalChanged, this, count);
    }
    RequestRecord record;
    record.source = "dram";
    record.context_tokens = 100;
    for (const int requests : {5, 40, 3000, 60'000}) {
      while (rates.requests() < static_cast<std::uint64_t>(requests)) rates.request_finished(record, 1);
      chart.flush();
      for (const auto& [name, series] : chart.series()) QVERIFY(series->count() <= HitRateModel::point_limit);
    }
    rates.clear();  // and back
    rates.request_finished(record, 1);
    chart.flush();
    QVERIFY2(most > 1 && most <= 10, qPrintable(QString::number(most)));
  }

  void aTtftOfZeroDoesNotEmptyTheChart() {
    FrontierModel model;
    FrontierChart chart(model);
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{0.1, {0.5, 0}}, {1, {0.7, 0.05}}, {10, {0.9, 0.2}}}}};
    model.set_prediction(prediction);
    chart.flush();
    const auto points = chart.series().at("evicpress")->points();
    QCOMPARE(points.size(), 2);  // the impossible one is left out, the others stay
    for (const QPointF& point : points) QVERIFY(std::isfinite(point.x()));
    QCOMPARE(points[1], QPointF(std::log10(0.2), 0.9));
  }

  void everyRowOfACurveHasBothBaselinesBesideIt() {
    auto profile = std::make_shared<ContextProfile>();
    profile->points = {{"none", 0, 0.8, 0.7, 0.9, 8, 1000, 100}, {"knorm", 0.5, 0.4, 0.3, 0.5, 8, 500, 50}};
    profile->chance = {0.05, 0.02, 0.09, 8};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts.resize(1);
    snapshot->contexts[0].id = "c0";
    snapshot->contexts[0].profile = profile;
    SensitivityModel model;
    QualityCurveChart chart(model);
    model.set_snapshot(snapshot);
    const ChartTable table = chart.table();
    QCOMPARE(table.rows.size(), 2);
    for (const QStringList& row : table.rows) {
      QCOMPARE(row.size(), table.header.size());
      QCOMPARE(row[table.header.indexOf("uncompressed")], QString("0.8"));
      QCOMPARE(row[table.header.indexOf("uncompressed_high")], QString("0.9"));
      QCOMPARE(row[table.header.indexOf("chance")], QString("0.05"));
      QCOMPARE(row[table.header.indexOf("chance_low")], QString("0.02"));
    }
    // Two dashed lines more than a chart without them.
    chart.resize(500, 300);
    chart.flush();
    const QImage with = chart.grab().toImage();
    profile = std::make_shared<ContextProfile>(*profile);
    profile->chance = {};
    snapshot = std::make_shared<Snapshot>(*snapshot);
    snapshot->contexts[0].profile = profile;
    model.set_snapshot(snapshot);
    chart.flush();
    QVERIFY(chart.grab().toImage() != with);
    QCOMPARE(chart.table().rows[0][table.header.indexOf("chance")], QString());
  }

  // keydiff and h2o share a hue.
  void curvesOfMethodsOfOneHueHaveOtherDashes() {
    auto profile = std::make_shared<ContextProfile>();
    profile->points = {{"none", 0, 0.8, 0.7, 0.9, 8, 1000, 100},
                       {"keydiff", 0.5, 0.4, 0.3, 0.5, 8, 500, 50},
                       {"h2o", 0.5, 0.6, 0.5, 0.7, 8, 500, 50}};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts.resize(1);
    snapshot->contexts[0].id = "c0";
    snapshot->contexts[0].profile = profile;
    SensitivityModel model;
    QualityCurveChart chart(model);
    model.set_snapshot(snapshot);
    chart.flush();
    std::map<QString, QPen> pens;
    for (const QAbstractSeries* series : chart.chart().series())
      if (const auto* line = qobject_cast<const QLineSeries*>(series)) pens[line->name()] = line->pen();
    QVERIFY(pens.contains("keydiff") && pens.contains("h2o"));
    QCOMPARE(pens["keydiff"].color(), pens["h2o"].color());
    QVERIFY(pens["keydiff"].dashPattern() != pens["h2o"].dashPattern());
    std::map<QString, LegendItem> items;
    for (const LegendItem& item : chart.legend().items()) items[item.text] = item;
    QCOMPARE(items["h2o"].dashes, pens["h2o"].dashPattern());
    QVERIFY(items["h2o"].dashes != items["keydiff"].dashes && items["h2o"].strokes != items["keydiff"].strokes);
  }

  // Titles of axes that have no range yet would be painted over one another.
  void axesWithoutARangeHaveNoTitles() {
    FrontierModel model;
    FrontierChart chart(model);
    chart.resize(600, 400);
    chart.show();
    chart.flush();
    const auto titled = [&chart] {
      int titles = 0;
      for (const QAbstractAxis* axis : chart.chart().axes()) titles += axis->isTitleVisible();
      return titles;
    };
    QCOMPARE(titled(), 0);
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{1, {0.7, 0.05}}, {10, {0.9, 0.2}}}}};
    model.set_prediction(prediction);
    chart.flush();
    QCOMPARE(titled(), 2);
    chart.resize(600, 120);
    QTRY_COMPARE(titled(), 0);
  }

  void aChangedPolicyEmptiesTheOldCurve() {
    FrontierModel model;
    FrontierChart chart(model);
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{1, {0.7, 0.05}}, {10, {0.9, 0.2}}}}};
    model.set_prediction(prediction);
    chart.flush();
    prediction.curves = {{"evicpress(drop=best)", {{1, {0.7, 0.05}}, {10, {0.9, 0.2}}}}};
    prediction.policies = std::vector<QString>{"evicpress(drop=best)"};
    model.set_prediction(prediction);
    chart.flush();
    QVERIFY(chart.series().at("evicpress")->points().isEmpty());
    QCOMPARE(chart.series().at("evicpress(drop=best)")->points().size(), 2);
  }

  void tablesExportAsCsv() {
    const ChartTable table{{"a", "b,c"}, {{"1", "say \"hi\""}, {"two\nlines", ""}}};
    QCOMPARE(table.to_csv(), QString("a,\"b,c\"\r\n1,\"say \"\"hi\"\"\"\r\n\"two\nlines\",\r\n"));
  }

  void picturesAreWritten() {
    QTemporaryDir folder;
    FrontierModel model;
    FrontierChart chart(model);
    chart.resize(500, 400);
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{1, {0.7, 0.05}}, {10, {0.9, 0.2}}}}};
    model.set_prediction(prediction);
    chart.flush();
    QVERIFY(save_png(chart, folder.filePath("f.png")));
    QCOMPARE(QImage(folder.filePath("f.png")).size(), QSize(1000, 800));
    QVERIFY(save_svg(chart, folder.filePath("f.svg"), "Frontier"));
    QFile svg(folder.filePath("f.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(svg.readAll().contains("<path"));
    QVERIFY(!save_csv(chart.table(), "/nowhere/f.csv"));
    const ChartTable table = chart.table();
    QCOMPARE(table.rows.size(), 2);
    QCOMPARE(table.rows[0][1], QString("predicted"));
  }

  void policiesReadWell() {
    QCOMPARE(short_policy("fixed(keydiff,0.5)"), QString("fixed keydiff 50 %"));
    QCOMPARE(short_policy("fixed(adakv(snapkv),0.25)"), QString("fixed adakv(snapkv) 25 %"));
    QCOMPARE(short_policy("fixed(kivi4,0)"), QString("fixed kivi4"));
    QCOMPARE(short_policy("lru"), QString("lru"));
  }
};

KV_TEST_MAIN(ChartsTest)

}  // namespace charts_test

#include "charts_test.moc"
