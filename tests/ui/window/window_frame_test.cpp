// links: kv_ui
// The window stays on the screen, where and as large as it is, while its sessions change.
#include <QCloseEvent>
#include <QMenuBar>
#include <QTest>

#include "tests/support/own_time.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/window/window_frame.h"

namespace window_frame_test {

using namespace kvantage;
using test::settle;

/// Counts how often a window left the screen.
class Hides : public QObject {
 public:
  int count = 0;
  bool eventFilter(QObject* watched, QEvent* event) override {
    count += event->type() == QEvent::Hide ? 1 : 0;
    return QObject::eventFilter(watched, event);
  }
};

class WindowFrameTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static std::unique_ptr<MainWindow> window_for(ScriptedSession& session, const WindowOptions& options) {
    return std::make_unique<MainWindow>(session, options);
  }

 private slots:
  void itStaysWhileSessionsChange() {
    WindowFrame frame;
    Hides hides;
    frame.installEventFilter(&hides);
    ScriptedSession first_session, second_session;
    auto first = window_for(first_session, scripted_.options());
    const QSize own = first->size();
    frame.take(*first);
    QVERIFY(frame.isVisible() && first->isVisible() && !first->isWindow());
    QCOMPARE(frame.size(), own);
    QCOMPARE(frame.windowTitle(), QString("KVantage"));
    frame.setGeometry(70, 50, 1111, 777);
    QTRY_COMPARE(first->size(), QSize(1111, 777));
    frame.cover("Opening notes.txt…");
    QVERIFY(frame.covered());
    QCOMPARE(frame.findChild<QLabel*>("openingLine")->text(), QString("Opening notes.txt…"));
    QVERIFY(first->close());
    QCOMPARE(first_session.stops, 1);
    first.reset();
    QVERIFY(frame.isVisible());
    auto second = window_for(second_session, scripted_.options());
    frame.take(*second);
    QVERIFY(second->isVisible() && !frame.covered());
    QCOMPARE(frame.geometry(), QRect(70, 50, 1111, 777));
    QCOMPARE(second->size(), QSize(1111, 777));
    QCOMPARE(hides.count, 0);
    QVERIFY(frame.close());
    QVERIFY(frame.isHidden());
    QCOMPARE(second_session.stops, 1);
  }

  // The place of the frame is what the next start begins with.
  void itsPlaceIsKept() {
    const WindowOptions options = scripted_.options();
    {
      WindowFrame frame;
      ScriptedSession session;
      auto window = window_for(session, options);
      frame.take(*window);
      session.set_state(RunState::ready);
      QTRY_VERIFY(!shows_start_page(*window));
      frame.setGeometry(40, 30, 1201, 803);
      settle(0);
      QVERIFY(frame.close());
    }
    WindowFrame frame;
    ScriptedSession session;
    auto window = window_for(session, options);
    frame.take(*window);
    QCOMPARE(frame.geometry(), QRect(40, 30, 1201, 803));
  }

  void aWindowThatDoesNotCloseKeepsItOpen() {
    struct Stubborn : QWidget {
      bool closes = false;
      void closeEvent(QCloseEvent* event) override { event->setAccepted(closes); }
    };
    WindowFrame frame;
    Stubborn held;
    frame.take(held);
    QVERIFY(!frame.close());
    QVERIFY(frame.isVisible());
    frame.cover("Opening…");
    frame.uncover();
    QVERIFY(held.isVisible());
    held.closes = true;
    QVERIFY(frame.close());
    QVERIFY(frame.isHidden());
  }

  void theMenuQuitsTheFrame() {
    WindowFrame frame;
    ScriptedSession session;
    auto window = window_for(session, scripted_.options());
    frame.take(*window);
    for (QAction* action : window->actions())
      if (action->shortcut() == QKeySequence(QKeySequence::Quit)) action->trigger();
    QVERIFY(frame.isHidden());
    QCOMPARE(session.stops, 1);
  }
};

KV_TEST_MAIN(WindowFrameTest)

}  // namespace window_frame_test

#include "window_frame_test.moc"
