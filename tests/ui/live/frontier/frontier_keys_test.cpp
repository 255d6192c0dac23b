// links: kv_ui
// The Frontier without a mouse: keys move along points and curves, show what hovering shows, and open the run of a
// measured point.
#include <QGraphicsView>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/runs/runs_dock.h"

namespace frontier_keys_test {

using namespace kvantage;
using Kind = FrontierStop::Kind;

class FrontierKeysTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static FrontierPrediction two_curves() {
    FrontierPrediction prediction;
    for (const char* policy : {"adaptcache", "evicpress"}) {
      FrontierCurve curve{policy, {}};
      for (int i = 1; i <= 25; ++i) curve.samples.push_back({0.1 * i, {0.5 + 0.01 * i, 0.05 * i}});
      prediction.curves.push_back(curve);
    }
    prediction.simulated = {{"lru", {0.4, 0.3}, 100, false}, {"lfu", {0.45, 0.2}, 100, false}};
    prediction.simulated_known = true;
    return prediction;
  }

 private slots:
  void rowsAndKeys() {
    FrontierModel model;
    SessionSettings settings;
    settings.policy = "evicpress";
    settings.alpha = 1;
    settings.tiers = {{"dram", 6 << 20}};
    model.set_committed(settings);
    model.set_present(settings);
    model.set_prediction(two_curves());
    std::vector<MeasuredPoint> measured(3);
    for (int i = 0; i < 3; ++i) {
      measured[static_cast<std::size_t>(i)].epoch = i;
      measured[static_cast<std::size_t>(i)].policy = "evicpress";
      measured[static_cast<std::size_t>(i)].run = "run-" + QString::number(i);
      measured[static_cast<std::size_t>(i)].quality.mean = 0.6 + 0.1 * i;
      measured[static_cast<std::size_t>(i)].ttft.mean = 0.2 * (i + 1);
    }
    QString hidden;
    const FrontierCanvas canvas{
        model,
        measured,
        theme_of(ThemeKind::light),
        QRectF(0, 0, 1000, 1000),
        QFont(),
        [](const FrontierMean& mean) { return std::optional(QPointF(1000 * mean.ttft_seconds, 1000 * mean.quality)); },
        [&hidden](const QString& policy) { return policy == hidden; }};
    auto rows = frontier_rows(canvas);
    QCOMPARE(rows.size(), 5u);
    QVERIFY(rows[0][0].kind == Kind::present && rows[1][0].kind == Kind::measured &&
            rows[4][0].kind == Kind::simulated);
    QCOMPARE(rows[2][0].policy, QString("evicpress"));  // the present one's curve comes first
    QCOMPARE(rows[3][0].policy, QString("adaptcache"));
    QCOMPARE(rows[4][0].policy, QString("lfu"));  // from left to right, as drawn

    FrontierCursor cursor;
    QVERIFY(!cursor.stop(rows));
    QVERIFY(!cursor.move(Qt::Key_A, rows) && !cursor.stop(rows));
    QVERIFY(cursor.move(Qt::Key_Right, rows));
    QVERIFY(cursor.stop(rows)->kind == Kind::present);
    cursor.move(Qt::Key_Up, rows);
    QVERIFY(cursor.stop(rows)->kind == Kind::present);
    cursor.move(Qt::Key_Down, rows);
    QVERIFY(cursor.stop(rows)->kind == Kind::measured);
    cursor.move(Qt::Key_End, rows);
    QCOMPARE(cursor.stop(rows)->run, QString("run-2"));
    cursor.move(Qt::Key_Right, rows);
    QCOMPARE(cursor.stop(rows)->run, QString("run-2"));
    cursor.move(Qt::Key_Left, rows);
    QCOMPARE(cursor.stop(rows)->run, QString("run-1"));
    QCOMPARE(cursor.stop(rows)->tip, measured_tip(measured[1]));
    cursor.move(Qt::Key_Home, rows);
    QCOMPARE(cursor.stop(rows)->run, QString("run-0"));
    cursor.move(Qt::Key_Down, rows);
    const auto on_curve = [&](double alpha) {
      const auto stop = cursor.stop(rows);
      return stop && stop->kind == Kind::curve && stop->policy == "evicpress" && std::abs(stop->alpha - alpha) < 1e-9;
    };
    QVERIFY(on_curve(0.4));  // 0.2 s there as well
    cursor.move(Qt::Key_PageDown, rows);
    QVERIFY(on_curve(1.4));
    cursor.move(Qt::Key_PageUp, rows);
    cursor.move(Qt::Key_PageUp, rows);
    QVERIFY(on_curve(0.1));
    QVERIFY(cursor.stop(rows)->tip.startsWith("evicpress\nα = 0.100 s") &&
            cursor.stop(rows)->tip.contains("dram 6.0 MiB"));

    // The curve is recomputed with other samples: the nearest alpha. It is gone: nowhere, and the next key begins
    // again.
    FrontierPrediction other = two_curves();
    other.curves[1].samples.erase(other.curves[1].samples.begin(), other.curves[1].samples.begin() + 2);
    model.set_prediction(other);
    rows = frontier_rows(canvas);
    QVERIFY(on_curve(0.3));
    hidden = "evicpress";
    rows = frontier_rows(canvas);
    QVERIFY(!cursor.stop(rows));
    cursor.move(Qt::Key_Left, rows);
    QVERIFY(cursor.stop(rows).has_value());
    QVERIFY(FrontierCursor().move(Qt::Key_Left, {}));  // an empty chart takes the key and stays as it is
  }

  void keysOpenARun() {
    ScriptedSession session;
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["run-1"] = scripted_run("run-1", 12, 40, 2);
    library->runs["run-1"].summary.finished_utc_ns = 0;  // it continues
    library->runs["run-1"].summary.outcome.clear();
    library->runs["run-0"] = scripted_run("run-0", 12, 40, 2);
    WindowOptions options = scripted_.options();
    options.runs = library;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!run_of(window).frontier.curves().empty() && session.state() == RunState::running);
    session.serve(40);
    QTRY_COMPARE(run_of(window).served(), 40u);
    FrontierChart& chart = frontier_of(window);
    QVERIFY2(chart.toolTip().contains("Enter opens"), qPrintable(chart.toolTip()));
    window.activateWindow();
    chart.setFocus();
    QTRY_VERIFY(chart.hasFocus());
    const QString before = chart.accessibleDescription();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.key_stop() && chart.key_stop()->kind == Kind::present);
    QCOMPARE(chart.accessibleDescription(), chart.key_stop()->tip);
    QVERIFY(chart.accessibleDescription() != before);
    QTest::keyClick(&chart, Qt::Key_Down);
    QVERIFY(chart.key_stop() && chart.key_stop()->kind == Kind::measured);
    for (const char* part : {"measured", "over ", "dram ", "Enter to open run run-1"})
      QVERIFY2(chart.accessibleDescription().contains(part), qPrintable(chart.accessibleDescription()));

    QSignalSpy opened(&chart, &FrontierChart::measuredPointClicked);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(opened.size(), 1);
    auto* runs = window.body<RunsDock>("runs");
    const QStringList present{"run-1"}, earlier{"run-0"};
    QTRY_COMPARE(runs->chosen(), present);
    QTRY_VERIFY(runs->showing_metrics() && runs->metrics().rowCount() > 0);
    QCOMPARE(modes_of(window).current(), QString("runs"));
    QVERIFY(runs->isVisible());
    QTRY_VERIFY2(window.banner().text().contains("run-1 is still running"), qPrintable(window.banner().text()));
    QCOMPARE(chart.accessibleDescription(), before);  // the focus went to the metrics

    // An earlier run that has ended: its metrics, and nothing needs saying.
    QStringList said;
    connect(runs, &RunsDock::said, this, [&said](const QString&, const QString& text) { said << text; });
    emit chart.measuredPointClicked(0, "run-0");
    QTRY_COMPARE(runs->chosen(), earlier);
    QTRY_VERIFY(runs->showing_metrics() && !runs->metrics().busy() && runs->metrics().rowCount() > 0);
    QVERIFY2(said.isEmpty(), qPrintable(said.join('\n')));

    // On the present policy's curve Enter is what a click is there.
    QSignalSpy picked(&chart, &FrontierChart::alphaPicked);
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Down);
    QVERIFY(chart.key_stop() && chart.key_stop()->kind == Kind::curve);
    QTest::keyClick(&chart, Qt::Key_Enter);
    QCOMPARE(picked.size(), 1);
    QCOMPARE(picked[0][0].toDouble(), chart.key_stop()->alpha);
  }
};

KV_TEST_MAIN(FrontierKeysTest)

}  // namespace frontier_keys_test

#include "frontier_keys_test.moc"
