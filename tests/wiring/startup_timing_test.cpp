// links: kv_ui kv_window_program
// When the start of the window's program reached what: the beginning of the process as the kernel has it, each moment
// once, and a curve only where points were painted.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "app/startup_timing.h"
#include "core/base/json.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace startup_timing_test {

using namespace kvantage;

class StartupTimingTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

 private slots:
  // As proc(5) has the line; the name may hold anything.
  void theKernelSaysWhenAProcessBegan_data() {
    QTest::addColumn<QString>("stat");
    QTest::addColumn<double>("ticks");
    const QString behind = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20 21\n";
    QTest::newRow("plain") << "42 (kvantage)" + behind << 987654.0;
    QTest::newRow("a name with a space") << "42 (a b)" + behind << 987654.0;
    QTest::newRow("a name with a parenthesis") << "42 (a) S 7 (b)" + behind << 987654.0;
    QTest::newRow("the last field") << "1 (x) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 5" << 5.0;
    QTest::newRow("too short") << "42 (kvantage) S 1 2 3" << -1.0;
    QTest::newRow("no name") << "42 S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654" << -1.0;
    QTest::newRow("no number") << "1 (x) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 soon" << -1.0;
    QTest::newRow("nothing") << "" << -1.0;
  }
  void theKernelSaysWhenAProcessBegan() {
    QFETCH(QString, stat);
    QFETCH(double, ticks);
    const auto found = start_ticks(stat.toStdString());
    QCOMPARE(found.has_value(), ticks >= 0);
    if (found) QCOMPARE(*found, ticks);
  }

  void eachMomentCountsOnce() {
    StartupTiming timing;
    timing.note("window_made");
    const Json once = timing.to_json();
    QTest::qSleep(30);
    timing.note("window_made");
    QVERIFY(timing.to_json() == once);
    timing.note("window_shown");
    const Json seconds = timing.to_json().at("seconds");
    // This process began before the test did, and takes no day.
    QVERIFY(seconds.at("main").get<double>() > 0 && seconds.at("main").get<double>() < 86400);
    QVERIFY(seconds.at("window_shown").get<double>() >= seconds.at("window_made").get<double>() + 0.029);
    QVERIFY(timing.to_json().at("first_curve").is_null());
    QCOMPARE(timing.to_json().at("start_resolution_seconds").get<double>(), 0.01);
  }

  // While it loads there are axes and a sentence; the file comes with the first points.
  void aCurveIsPaintedPoints() {
    const std::filesystem::path file = folder_.filePath("times.json").toStdString();
    ScriptedSession session;
    StartupTiming timing;
    MainWindow window(session, scripted_.options());
    timing.watch(window, file);
    layouts_of(window).apply("Overview");
    window.resize(1600, 1000);
    window.show();
    dock_of(window, "sensitivity")->show();
    dock_of(window, "sensitivity")->raise();
    QualityCurveChart& curves = sensitivity_of(window).curves();
    QSignalSpy drawn(&curves, &ChartPanel::drawn);
    QVERIFY(QTest::qWaitFor([&] { return curves.isVisible(); }, 60000));
    curves.grab();
    QCOMPARE(drawn.size(), 0);
    QVERIFY(!std::filesystem::exists(file));
    QVERIFY(timing.to_json().at("first_curve").is_null());

    session.set_state(RunState::ready);
    const auto has_both = [&] {
      if (!std::filesystem::exists(file)) return false;
      const auto json = read_json_file(file);
      return json && json->contains("seconds") && json->at("seconds").contains("sensitivity_curve") &&
             json->at("seconds").contains("frontier_curve");
    };
    QVERIFY(QTest::qWaitFor(has_both, 60000));
    QVERIFY(!drawn.isEmpty());
    const auto json = read_json_file(file);
    QVERIFY(json.has_value());
    QCOMPARE(json->at("format").get<std::string>(), std::string("kvantage-startup-timing"));
    const Json& seconds = json->at("seconds");
    const auto first = json->at("first_curve").get<std::string>();
    QVERIFY(first == "sensitivity_curve" || first == "frontier_curve");
    for (const char* curve : {"sensitivity_curve", "frontier_curve"})
      QVERIFY(seconds.at(first).get<double>() <= seconds.at(curve).get<double>());
    QVERIFY(seconds.at("session_ready").get<double>() <= seconds.at(first).get<double>());  // this one has none before
  }
};

KV_TEST_MAIN(StartupTimingTest)

}  // namespace startup_timing_test

#include "startup_timing_test.moc"
