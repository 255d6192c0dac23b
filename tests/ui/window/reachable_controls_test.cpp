// links: kv_ui
// Without a mouse: Tab alone leads to every control that takes the keyboard, in every mode, dock and page of tabs.
#include <QCheckBox>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/live/scripted_spans.h"
#include "tests/ui/window/filled_window.h"
#include "tests/ui/window/keyboard_controls.h"

namespace reachable_controls_test {

using namespace kvantage;
using namespace kvantage::keyboard_controls;

namespace {

/// What Tab leads to, pressed until it returns to where it began.
std::set<const QWidget*> reached_by_tab(QWidget& window) {
  constexpr int most = 3000;  // a text with links takes a press for each
  std::set<const QWidget*> reached;
  const QWidget *first = nullptr, *before = nullptr;
  for (int press = 0; press < most; ++press) {
    QTest::keyClick(window.focusWidget() != nullptr ? window.focusWidget() : &window, Qt::Key_Tab);
    const QWidget* now = window.focusWidget();
    if (now == nullptr) continue;
    if (first == nullptr) first = now;
    if (now == first && before != nullptr && before != first) break;
    reached.insert(now);
    before = now;
  }
  return reached;
}

struct Walk {
  int controls = 0;
  QStringList missed;

  /// All that is shown now.
  void add(const QString& state, QWidget& window) {
    const std::set<const QWidget*> reached = reached_by_tab(window);
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      if (!is_walked_to(*widget) || widget->window() != &window) continue;
      ++controls;
      if (!reached.contains(widget)) missed << state + ": " + where(*widget) + name_of(*widget);
    }
  }
  /// Every page of the tabs in a part of the window, which shows it.
  void add_pages(const QString& state, QWidget& window, const QWidget& part) {
    add(state, window);
    for (QTabWidget* tabs : part.findChildren<QTabWidget*>()) {
      const int before = tabs->currentIndex();
      for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab) {
        if (tab == before || !tabs->isTabEnabled(tab) || !tabs->isTabVisible(tab)) continue;
        tabs->setCurrentIndex(tab);
        test::settle(20);
        add(state + ", " + tabs->tabText(tab), window);
      }
      tabs->setCurrentIndex(before);
    }
  }
};

}  // namespace

class ReachableControlsTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

 private slots:
  // Whoever walks finds what holds Tab back, and what is behind it.
  void whatHoldsTabBackIsFound() {
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    auto *first = new QPushButton("First"), *last = new QPushButton("Last");
    auto* text = new QPlainTextEdit;  // writes a tab
    auto* switched_off = new QCheckBox("Off");
    switched_off->setEnabled(false);
    for (QWidget* widget : std::initializer_list<QWidget*>{first, text, switched_off, last}) column->addWidget(widget);
    page.show();
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    first->setFocus();
    Walk walk;
    walk.add("page", page);
    QCOMPARE(walk.controls, 3);
    QCOMPARE(walk.missed.size(), 2);
    text->setTabChangesFocus(true);
    first->setFocus();
    Walk again;
    again.add("page", page);
    QVERIFY2(again.missed.isEmpty(), qPrintable(again.missed.join('\n')));
  }

  void tabReachesEveryControlOfEveryMode() {
    ScriptedSession session;
    ScriptedInspector inspector(400);
    ScriptedAsker asker;
    auto window = scripted_.loaded(session, filled_options(scripted_, folder_, inspector, asker));
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    fill_pages(*window, asker);
    if (QTest::currentTestFailed()) return;
    window->resize(1280, 800);
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    Walk walk;
    for (const ModeEntry& mode : mode_registry()) {
      if (mode.id == live_mode) continue;  // has docks
      window->show_view(mode.id);
      test::settle(60);
      const int before = walk.controls;
      walk.add_pages(mode.id, *window, *modes_of(*window).page(mode.id));
      QVERIFY2(walk.controls > before, qPrintable(mode.id));
    }
    for (const QString& one : walk.missed) qWarning("Tab does not reach %s", qPrintable(one));
    QVERIFY(walk.missed.isEmpty());
    QVERIFY2(walk.controls > 100, qPrintable(QString::number(walk.controls)));
  }

  void tabReachesEveryControlOfLive() {
    ScriptedSession session;
    const TwoReads spans;
    WindowOptions options = scripted_.options();
    options.spans = &spans;
    auto window = scripted_.loaded(session, options);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    run_of(*window).selection.choose_context(to_q(run_of(*window).snapshot()->contexts[3].id));
    window->resize(1280, 800);
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    Walk walk;
    for (const auto& [id, dock] : docks_of(*window).all()) {
      window->show_view(id);
      dock->raise();
      test::settle(60);
      QVERIFY2(dock->isVisible(), qPrintable(id));
      const int before = walk.controls;
      walk.add_pages(id, *window, *dock);
      QVERIFY2(walk.controls > before, qPrintable(id));
    }
    for (const QString& one : walk.missed) qWarning("Tab does not reach %s", qPrintable(one));
    QVERIFY(walk.missed.isEmpty());
    QVERIFY2(walk.controls > 300, qPrintable(QString::number(walk.controls)));
  }
};

KV_TEST_MAIN(ReachableControlsTest)

}  // namespace reachable_controls_test

#include "reachable_controls_test.moc"
