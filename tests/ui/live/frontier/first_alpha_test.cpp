// links: kv_ui
// Where nobody has chosen alpha, the window takes the knee of the curve, says so, and gives the old one back.
#include <QTest>

#include "tests/support/own_time.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/frontier/model/curve_knee.h"

namespace first_alpha_test {

using namespace kvantage;
using test::settle;

class FirstAlphaTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static const FrontierCurve* curve_of(MainWindow& window) {
    for (const FrontierCurve& curve : run_of(window).frontier.curves())
      if (curve.policy == "evicpress" && curve.samples.size() >= FrontierDriver::alphas_in_curve) return &curve;
    return nullptr;
  }

 private slots:
  void theKneeIsTakenOnceAndCanBeUndone() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.choose_alpha = true;
    auto window = scripted_.loaded(session, options);
    QTRY_VERIFY(settings_of(*window).committed().alpha != 0.8);
    const double chosen = settings_of(*window).committed().alpha;
    QVERIFY(curve_of(*window) != nullptr);
    QCOMPARE(std::optional(chosen), knee_alpha(*curve_of(*window)));
    QCOMPARE(controls_of(*window).alpha().value(), chosen);
    QTRY_COMPARE(session.settings().alpha, chosen);
    QVERIFY2(window->banner().text().contains("knee of the predicted curve"), qPrintable(window->banner().text()));
    QVERIFY(!window->banner().button().isHidden());
    QTest::mouseClick(&window->banner().button(), Qt::LeftButton);
    QCOMPARE(settings_of(*window).committed().alpha, 0.8);
    QTRY_COMPARE(session.settings().alpha, 0.8);
    session.serve(20);  // another curve chooses nothing more
    QTRY_COMPARE(run_of(*window).served(), std::uint64_t{20});
    settle(0);
    QCOMPARE(settings_of(*window).committed().alpha, 0.8);
  }

  void whoHasChosenIsLeftAlone() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.choose_alpha = true;
    auto window = std::make_unique<MainWindow>(session, options);
    SessionSettings mine = settings_of(*window).committed();
    mine.alpha = 3;
    QVERIFY(settings_of(*window).commit(mine, "alpha", "alpha"));
    window->show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(curve_of(*window) != nullptr);
    QCOMPARE(settings_of(*window).committed().alpha, 3.0);
  }

  void otherSessionsKeepTheirs() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QTRY_VERIFY(curve_of(*window) != nullptr);
    QCOMPARE(settings_of(*window).committed().alpha, 0.8);
  }
};

KV_TEST_MAIN(FirstAlphaTest)

}  // namespace first_alpha_test

#include "first_alpha_test.moc"
