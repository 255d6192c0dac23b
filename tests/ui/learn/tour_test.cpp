// links: kv_ui
// The guided tour as a user goes through it, to a changed frontier.
#include "ui/learn/tour.h"

#include <QApplication>
#include <QChartView>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QMenuBar>
#include <QStatusBar>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace tour_test {

using namespace kvantage;

class TourTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static void move_slider(LogSlider& slider, int to) {
    slider.slider().setSliderDown(true);
    slider.slider().setValue(to);
    slider.slider().setSliderDown(false);
  }

 private slots:
  void theTourLeadsToAChangedFrontier() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    Tour& tour = tour_of(*window);
    QElapsedTimer taken;
    taken.start();
    tour.start();
    QVERIFY(tour.running() && tour.card().isVisible());
    QVERIFY(QApplication::activeModalWidget() == nullptr);
    QCOMPARE(tour.card().target(), static_cast<QWidget*>(&controls_of(*window).alpha()));
    const auto present = frontier_of(*window).present_position();
    QVERIFY(present.has_value());

    move_slider(controls_of(*window).alpha(), LogSlider::steps / 8);
    QTRY_COMPARE(session.settings().alpha, controls_of(*window).alpha().value());
    QTRY_COMPARE(tour.step(), 1);  // by itself
    QVERIFY(frontier_of(*window).present_position() != present);

    const auto before = evicpress_points(*window);
    QVERIFY(tour.card().target() == &controls_of(*window).tier("dram")->budget());
    QVERIFY(tour.card().target()->isVisible());
    const std::uint64_t budget = session.settings().tiers[0].budget.bytes();
    LogSlider& slider = controls_of(*window).tier("dram")->budget();
    move_slider(slider, slider.slider().value() / 2);
    QTRY_VERIFY(session.settings().tiers[0].budget.bytes() < budget);
    QTRY_COMPARE(tour.step(), 2);
    QTRY_VERIFY(evicpress_points(*window) != before);  // the changed frontier

    auto* family = window->findChild<QComboBox*>("frontierFamily");
    QTRY_VERIFY(family->count() > 1);
    family->setCurrentIndex(1);
    emit family->activated(1);
    QTRY_COMPARE(tour.step(), 3);

    QTRY_VERIFY(sensitivity_of(*window).isVisible());
    sensitivity_of(*window).tabs().setCurrentIndex(1);
    QTRY_COMPARE(tour.step(), 4);
    QTRY_VERIFY(tiers_of(*window).isVisible());
    QTest::mouseClick(&tour.card().next(), Qt::LeftButton);  // Finish, without doing it
    QVERIFY(!tour.running() && tour.card().isHidden());
    QVERIFY(taken.elapsed() < 120000);
  }

  // Tabs belong to the docks that they choose between: the card of the Frontier's step leaves all of them in view.
  void theCardCoversNoTabs() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1280, 800);
    Tour& tour = tour_of(*window);
    tour.start();
    for (int step = 0; step < 3; ++step) {
      QCOMPARE(tour.step(), step);
      test::settle(50);
      const auto rect_of = [&](const QWidget& widget) {
        return QRect(widget.mapTo(window.get(), QPoint(0, 0)), widget.size());
      };
      for (const QTabBar* tabs : window->findChildren<QTabBar*>())
        if (step == 2 && tabs->isVisible())
          QVERIFY2(!rect_of(tour.card()).intersects(rect_of(*tabs)), qPrintable(tabs->tabText(0)));
      QTest::mouseClick(&tour.card().next(), Qt::LeftButton);
    }
  }

  // What happens on the curve is seen at every step: the card is elsewhere.
  void theCardLeavesTheCurveInView() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1280, 800);
    Tour& tour = tour_of(*window);
    tour.start();
    for (int step = 0; step < 5; ++step) {
      QCOMPARE(tour.step(), step);
      test::settle(50);
      FrontierChart& chart = frontier_of(*window);
      const auto rect_of = [&](const QWidget& widget) {
        return QRect(widget.mapTo(window.get(), QPoint(0, 0)), widget.size());
      };
      if (step == 2) {  // about the Frontier as a whole
        QTest::mouseClick(&tour.card().next(), Qt::LeftButton);
        continue;
      }
      const QRect hidden = rect_of(tour.card()) & rect_of(chart);
      QVERIFY2(hidden.width() * hidden.height() * 10 < chart.width() * chart.height(),
               qPrintable(QString("step %1: %2 x %3").arg(step).arg(hidden.width()).arg(hidden.height())));
      const auto present = chart.present_position();
      QVERIFY(present.has_value());
      const QPoint at =
          chart.findChild<QChartView*>()->mapTo(window.get(), chart.findChild<QChartView*>()->mapFromScene(*present));
      QVERIFY(!rect_of(tour.card()).contains(at));
      QVERIFY(!rect_of(tour.card()).intersects(rect_of(*tour.card().target())));
      QVERIFY(!rect_of(tour.card()).intersects(rect_of(*window->menuBar())) &&
              !rect_of(tour.card()).intersects(rect_of(*window->statusBar())));
      QTest::mouseClick(&tour.card().next(), Qt::LeftButton);
    }
  }

  void aHiddenDockIsBroughtBackForItsStep() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    dock_of(*window, "sensitivity")->hide();
    tour_of(*window).start();
    for (int step = 0; step < 3; ++step) QTest::mouseClick(&tour_of(*window).card().next(), Qt::LeftButton);
    QCOMPARE(tour_of(*window).step(), 3);
    QVERIFY(!dock_of(*window, "sensitivity")->isHidden());
    QVERIFY(window->rect().contains(tour_of(*window).card().geometry()));
    window->resize(900, 600);
    QTRY_VERIFY(window->rect().contains(tour_of(*window).card().geometry()));
  }

  // Its card has no place among large text.
  void presentingEndsIt() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    tour_of(*window).start();
    QVERIFY(tour_of(*window).running());
    presenter_of(*window).enter();
    QVERIFY(!tour_of(*window).running() && !tour_of(*window).card().isVisible());
    presenter_of(*window).leave();
    QVERIFY(!tour_of(*window).running());
  }

  void otherChangesAreNotTheStep() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    tour_of(*window).start();
    SessionSettings settings = session.settings();
    settings.requests_per_second = 3;
    QVERIFY(settings_of(*window).commit(settings, "rate", {}));
    test::settle(Tour::pause_ms + 200);
    QCOMPARE(tour_of(*window).step(), 0);
  }

  void itShowsItselfOnceAndGoesWhenItIsClosed() {
    WindowOptions options = scripted_.options();
    options.tour_at_first_start = true;
    {
      ScriptedSession session;
      MainWindow window(session, options);
      window.show();
      QVERIFY(!tour_of(window).running());  // nothing to touch while it loads
      session.set_state(RunState::ready);
      QTRY_VERIFY(tour_of(window).running());
      QTRY_COMPARE(session.state(), RunState::running);  // it holds nothing up
      QTest::mouseClick(&tour_of(window).card().close_button(), Qt::LeftButton);
      QVERIFY(!tour_of(window).running());
    }
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    test::settle(100);
    QVERIFY(!tour_of(window).running());
    QTest::keyClick(&window, Qt::Key_F1);
    QVERIFY(tour_of(window).running());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  TourTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace tour_test

#include "tour_test.moc"
