// links: kv_ui app_wiring
// The click path of docs/guide.md, with mouse and keys alone, on the quick-start workload, the default model and a real
// engine: from the start through the tour to a changed frontier and a point measured under the new setting.
#include <QApplication>
#include <QElapsedTimer>
#include <QStyleOptionSlider>
#include <QTemporaryDir>
#include <QTest>

#include "app/wiring/resources.h"
#include "app/wiring/session_setup.h"
#include "core/policy/frontier.h"
#include "core/policy/policy.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/window_parts.h"
#include "ui/live/frontier/model/frontier_planner.h"

namespace first_steps_test {

using namespace kvantage;

class FirstStepsTest : public QObject {
  Q_OBJECT
  static constexpr int patience_ms = 150'000;  // ends at once when the condition holds
  static constexpr qint64 promised_ms = 120'000;

  static QRect handle_of(QSlider& slider) {
    QStyleOptionSlider option;
    option.initFrom(&slider);
    option.subControls = QStyle::SC_SliderHandle;
    option.orientation = slider.orientation();
    option.minimum = slider.minimum();
    option.maximum = slider.maximum();
    option.sliderPosition = option.sliderValue = slider.value();
    return slider.style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, &slider);
  }

  // As a hand does it: on the handle, along, and off.
  static void drag(QSlider& slider, double to_share) {
    const QPoint from = handle_of(slider).center();
    const QPoint to(static_cast<int>(to_share * (slider.width() - 1)), from.y());
    QTest::mousePress(&slider, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 8; ++step) {
      QTest::mouseMove(&slider, from + (to - from) * step / 8);
      QTest::qWait(30);
    }
    QTest::mouseRelease(&slider, Qt::LeftButton, {}, to);
  }

  static QList<QPointF> curve(MainWindow& window) {
    frontier_of(window).flush();
    const auto found = frontier_of(window).series().find("evicpress");
    return found == frontier_of(window).series().end() ? QList<QPointF>() : found->second->points();
  }

  /// How far the drawn curve is from the one predicted under this DRAM budget in the engine's state of the moment.
  static double distance(MainWindow& window, Session& engine, std::uint64_t budget_bytes) {
    SessionSettings settings = engine.settings();
    settings.tiers[0].budget = budget_bytes;
    const Snapshot state = expected_demand(snapshot_under(*run_of(window).snapshot(), settings, engine.settings()));
    double sum = 0;
    for (const FrontierCurve& drawn : run_of(window).frontier.curves()) {
      if (drawn.policy != "evicpress") continue;
      std::vector<double> alphas;
      for (const FrontierSample& sample : drawn.samples) alphas.push_back(sample.alpha);
      const auto predicted = (*make_policy("evicpress"))->curve(state, alphas);
      for (std::size_t i = 0; i < predicted.size(); ++i)
        sum += std::abs(drawn.samples[i].mean.quality - predicted[i].mean_quality) +
               std::abs(std::log(drawn.samples[i].mean.ttft_seconds / predicted[i].mean_ttft_seconds));
    }
    return sum;
  }

  static std::optional<MeasuredPoint> current(MainWindow& window) {
    for (const MeasuredPoint& point : run_of(window).frontier.measured())
      if (point.current) return point;
    return std::nullopt;
  }

 private slots:
  void fromTheStartToAChangedFrontier() {
    if (test::model_directory().empty()) QSKIP("no model here");
    QTemporaryDir folder;
    SessionOptions options;
    options.model = test::source_directory() / "resources" / "model";
    options.workload = test::source_directory() / "sample_workloads" / "quickstart";
    options.store = folder.filePath("store").toStdString();
    options.database = folder.filePath("runs.db").toStdString();
    options.endless = true;
    options.displayed = true;
    QElapsedTimer taken;
    taken.start();
    auto session = open_session(options, {});
    QVERIFY2(session, session ? "" : session.error().message.c_str());
    WindowOptions window_options;
    window_options.settings_file = folder.filePath("window.ini");
    window_options.tour_at_first_start = true;
    MainWindow window(*session->engine, window_options);
    window.show();
    session->engine->start();

    // 1. The window opens; the tour begins by itself when all is loaded.
    QTRY_VERIFY_WITH_TIMEOUT(tour_of(window).running(), patience_ms);
    const qint64 loaded = taken.elapsed();
    QTRY_VERIFY_WITH_TIMEOUT(!curve(window).isEmpty(), patience_ms);
    TourCard& card = tour_of(window).card();
    QVERIFY(card.isVisible() && card.title().contains(QStringLiteral("α")));

    // 2. Drag the handle of Alpha to the left and let go.
    const double alpha = session->engine->settings().alpha;
    QVERIFY(controls_of(window).alpha().slider().isVisible());
    drag(controls_of(window).alpha().slider(), 0.1);
    QVERIFY(controls_of(window).alpha().value() < alpha);
    QTRY_VERIFY_WITH_TIMEOUT(session->engine->settings().alpha == controls_of(window).alpha().value(), patience_ms);
    QTRY_COMPARE_WITH_TIMEOUT(tour_of(window).step(), 1, patience_ms);
    const auto shown_alpha = run_of(window).frontier.present_alpha();
    QCOMPARE(shown_alpha, controls_of(window).alpha().value());

    // 3. Drag the handle of the first tier's budget to the left and let go.
    const QList<QPointF> before = curve(window);
    LogSlider& budget = controls_of(window).tier("dram")->budget();
    QVERIFY(card.target() == &budget && budget.isVisible());
    const std::uint64_t bytes = session->engine->settings().tiers[0].budget.bytes();
    drag(budget.slider(), 0.2);
    QTRY_VERIFY_WITH_TIMEOUT(session->engine->settings().tiers[0].budget.bytes() < bytes, patience_ms);
    // The changed frontier: what the chart draws is what is predicted under the new budget, not under the old one, in
    // the engine's state of the moment.
    QTRY_VERIFY_WITH_TIMEOUT(curve(window) != before, patience_ms);
    const std::uint64_t smaller = session->engine->settings().tiers[0].budget.bytes();
    QTRY_VERIFY_WITH_TIMEOUT(distance(window, *session->engine, smaller) < distance(window, *session->engine, bytes),
                             patience_ms);
    QTRY_COMPARE_WITH_TIMEOUT(tour_of(window).step(), 2, patience_ms);
    const qint64 changed = taken.elapsed();
    QVERIFY2(changed < promised_ms, "two minutes is what the guide promises");

    // 4. A point measured under the new setting.
    QTRY_VERIFY_WITH_TIMEOUT(current(window).has_value() && current(window)->ttft.n > 0, patience_ms);
    const qint64 measured = taken.elapsed();
    QCOMPARE(current(window)->alpha, controls_of(window).alpha().value());
    qInfo("loaded after %.1f s, changed frontier after %.1f s, measured point under the new setting after %.1f s",
          static_cast<double>(loaded) / 1e3, static_cast<double>(changed) / 1e3, static_cast<double>(measured) / 1e3);
    QVERIFY2(measured < promised_ms, "two minutes is what the guide promises");

    // 5. The tour is left with the keyboard.
    card.close_button().setFocus();
    QTest::keyClick(&card.close_button(), Qt::Key_Space);
    QVERIFY(!tour_of(window).running());
    window.close();
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  FirstStepsTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace first_steps_test

#include "first_steps_test.moc"
