// links: kv_ui
// Modes: what fills the window, how one gets there, and that Live is as it was afterwards.
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/ask/ask_page.h"
#include "ui/learn/help_window.h"
#include "ui/learn/learn_page.h"
#include "ui/runs/runs_dock.h"
#include "ui/tokens/keep_map_dock.h"

namespace modes_test {

using namespace kvantage;

class ModesTest : public QObject {
  Q_OBJECT

 private slots:
  // Every mode fills the window between the bars, hides every dock, and gives all of them back.
  void everyModeFillsTheWindow() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(1280, 800);
    const auto shown = [&window] {
      QStringList ids;
      for (const auto& [id, dock] : docks_of(*window).all())
        if (!dock->isHidden()) ids << id;
      return ids;
    };
    const QStringList before = shown();
    QVERIFY(before.size() > 3);
    for (const ModeEntry& entry : mode_registry()) {
      QSignalSpy changed(&modes_of(*window), &WindowModes::changed);
      QAction* action = modes_of(*window).action(entry.id);
      action->trigger();
      QCOMPARE(modes_of(*window).current(), entry.id);
      QVERIFY(action->isChecked());
      if (entry.id == live_mode) {
        QCOMPARE(changed.size(), 0);
        QCOMPARE(shown(), before);
        continue;
      }
      QCOMPARE(changed.size(), 1);
      QVERIFY(!modes_of(*window).action(live_mode)->isChecked());
      QVERIFY2(shown().isEmpty(), qPrintable(entry.id));
      QWidget* page = modes_of(*window).page(entry.id);
      QTRY_VERIFY(page->isVisible());
      QVERIFY2(page->width() > window->width() * 9 / 10, qPrintable(entry.id));
      action->trigger();  // again: it stays
      QCOMPARE(modes_of(*window).current(), entry.id);
      QVERIFY(action->isChecked());
    }
    modes_of(*window).leave();
    QCOMPARE(shown(), before);
    QVERIFY(modes_of(*window).is_live());
  }

  // The bar has the modes in the order of their keys.
  void modesAreInTheOrderOfTheirKeys() {
    const QStringList order{"live", "ask", "tokens", "experiments", "runs", "papers", "learn", "start", "models"};
    QStringList ids;
    int number = 0;
    for (const ModeEntry& entry : mode_registry()) {
      if (!order.contains(entry.id)) continue;
      ids << entry.id;
      QCOMPARE(entry.shortcut, QStringLiteral("Ctrl+%1").arg(++number));
    }
    QCOMPARE(ids, order);
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    int top = -1;
    for (const QString& id : order) {
      const QWidget* button = modes_of(*window).bar().widgetForAction(modes_of(*window).action(id));
      QVERIFY2(button != nullptr && button->y() > top, qPrintable(id));
      QVERIFY2(!modes_of(*window).action(id)->icon().isNull(), qPrintable(id));
      top = button->y();
    }
  }

  // Ids and keys are those of one mode each, and of no dock: both are found by id.
  void idsAndKeysAreUnique() {
    QStringList ids, keys;
    for (const ModeEntry& entry : mode_registry()) {
      ids << entry.id;
      keys << entry.shortcut;
    }
    for (const DockEntry& entry : dock_registry()) {
      ids << entry.id;
      if (!entry.shortcut.isEmpty()) keys << entry.shortcut;
    }
    QCOMPARE(ids.removeDuplicates(), 0);
    QCOMPARE(keys.removeDuplicates(), 0);
  }

  void aDockLeadsBackToLive() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->show_view("tokens");
    QVERIFY(window->body<KeepMapDock>("tokens")->isVisible());
    window->show_view("tiers");
    QVERIFY(modes_of(*window).is_live());
    QVERIFY(dock_of(*window, "tiers")->isVisible());
    QVERIFY(!window->body<KeepMapDock>("tokens")->isVisible());
  }

  // The session continues behind a mode, and the selection is shared.
  void theSessionContinuesBehindAMode() {
    FittedSession session;
    auto window = scripted_.loaded(session);
    window->show_view("learn");
    session.serve(5);
    QTRY_COMPARE(run_of(*window).served(), 5u);
    const QString context = QString::fromStdString(run_of(*window).snapshot()->contexts.front().id);
    window->show_view("tokens");
    run_of(*window).selection.choose_context(context);
    QTRY_COMPARE(window->body<KeepMapDock>("tokens")->model().context(), context);
    modes_of(*window).leave();
    QCOMPARE(run_of(*window).selection.context(), context);
  }

  void learnLeadsToTourAndLessons() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
    options.help_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/docs");
    auto window = scripted_.loaded(session, options);
    auto* page = window->body<LearnPage>("learn");
    const auto length = [page](int tab) {
      return static_cast<int>(qobject_cast<HelpBrowser*>(page->pages().widget(tab))->toPlainText().size());
    };
    for (int tab = 0; tab < 3; ++tab) QCOMPARE(length(tab), 0);  // a start does not wait for pages that nobody sees
    window->show_view("learn");
    QVERIFY(length(0) > 1000 && length(1) == 0);
    page->pages().setCurrentIndex(1);
    QVERIFY(length(1) > 1000);
    QCOMPARE(page->lesson_cards().size(), lessons_of(*window).all().size());
    QVERIFY(page->lesson_cards().size() >= 8);
    QCOMPARE(page->pages().count(), 3);
    QTest::mouseClick(page->tour_card(), Qt::LeftButton);
    QVERIFY(tour_of(*window).running());
    QVERIFY(modes_of(*window).is_live());
    tour_of(*window).close();
  }

  // Whoever is in a mode while the session loads stays there: neither the first frame, which arranges the docks, nor
  // the session that is ready, nor the tour of the first start leads to Live. All of them come with Live.
  void loadingLeavesTheModeAlone() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.tour_at_first_start = true;
    MainWindow window(session, options);
    window.show();
    window.show_view("ask");  // before the first frame
    test::settle(5 * MainWindow::frame_ms);
    QCOMPARE(modes_of(window).current(), QString("ask"));
    AskPage& ask = *window.body<AskPage>("ask");
    ask.question().setFocus();
    session.set_state(RunState::ready);
    QTRY_VERIFY(controls_of(window).isEnabled());
    test::settle(5 * MainWindow::frame_ms);
    QCOMPARE(modes_of(window).current(), QString("ask"));
    QVERIFY(ask.isVisible());
    QVERIFY2(!controls_of(window).isAncestorOf(window.focusWidget()), "keys would move a slider that nobody sees");
    QVERIFY(!tour_of(window).running());
    for (const auto& [id, dock] : docks_of(window).all()) QVERIFY2(dock->isHidden(), qPrintable(id));
    modes_of(window).leave();
    QTRY_VERIFY(tour_of(window).running());
    QTRY_VERIFY(dock_of(window, "controls")->isVisible() && dock_of(window, "tiers")->isVisible());
    QVERIFY(!shows_start_page(window));
    tour_of(window).close();
  }

  // A window of before there were modes kept an arrangement that knows no mode bar.
  void anOldArrangementGetsTheBar() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QToolBar& bar = modes_of(*window).bar();
    window->removeToolBar(&bar);
    const QByteArray without = layouts_of(*window).state();
    window->addToolBar(Qt::LeftToolBarArea, &bar);
    bar.show();
    QVERIFY(layouts_of(*window).set_state(without));
    QCOMPARE(window->toolBarArea(&bar), Qt::LeftToolBarArea);
    QVERIFY(bar.isVisible());
  }

 private:
  ScriptedWindow scripted_;
};

KV_TEST_MAIN(ModesTest)

}  // namespace modes_test

#include "modes_test.moc"
