// links: kv_ui
// Modes: what fills the window, how one gets there, and that Live is as it was afterwards.
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/window/scripted_window.h"
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
      for (const auto& [id, dock] : window->docks().all())
        if (!dock->isHidden()) ids << id;
      return ids;
    };
    const QStringList before = shown();
    QVERIFY(before.size() > 3);
    for (const ModeEntry& entry : mode_registry()) {
      QSignalSpy changed(&window->modes(), &WindowModes::changed);
      QAction* action = window->modes().action(entry.id);
      action->trigger();
      QCOMPARE(window->modes().current(), entry.id);
      QVERIFY(action->isChecked());
      if (entry.id == live_mode) {
        QCOMPARE(changed.size(), 0);
        QCOMPARE(shown(), before);
        continue;
      }
      QCOMPARE(changed.size(), 1);
      QVERIFY(!window->modes().action(live_mode)->isChecked());
      QVERIFY2(shown().isEmpty(), qPrintable(entry.id));
      QWidget* page = window->modes().page(entry.id);
      QTRY_VERIFY(page->isVisible());
      QVERIFY2(page->width() > window->width() * 9 / 10, qPrintable(entry.id));
      action->trigger();  // again: it stays
      QCOMPARE(window->modes().current(), entry.id);
      QVERIFY(action->isChecked());
    }
    window->modes().leave();
    QCOMPARE(shown(), before);
    QVERIFY(window->modes().is_live());
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
    QVERIFY(window->modes().is_live());
    QVERIFY(window->dock("tiers")->isVisible());
    QVERIFY(!window->body<KeepMapDock>("tokens")->isVisible());
  }

  // The session continues behind a mode, and the selection is shared.
  void theSessionContinuesBehindAMode() {
    FittedSession session;
    auto window = scripted_.loaded(session);
    window->show_view("learn");
    session.serve(5);
    QTRY_COMPARE(window->run().served(), 5u);
    const QString context = QString::fromStdString(window->run().snapshot()->contexts.front().id);
    window->show_view("tokens");
    window->run().selection.choose_context(context);
    QTRY_COMPARE(window->body<KeepMapDock>("tokens")->model().context(), context);
    window->modes().leave();
    QCOMPARE(window->run().selection.context(), context);
  }

  void learnLeadsToTourAndLessons() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
    options.help_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/docs");
    auto window = scripted_.loaded(session, options);
    window->show_view("learn");
    auto* page = window->body<LearnPage>("learn");
    QCOMPARE(page->lesson_cards().size(), window->lessons().all().size());
    QVERIFY(page->lesson_cards().size() >= 8);
    QCOMPARE(page->pages().count(), 3);
    QTest::mouseClick(page->tour_card(), Qt::LeftButton);
    QVERIFY(window->tour().running());
    QVERIFY(window->modes().is_live());
    window->tour().close();
  }

  // A window of before there were modes kept an arrangement that knows no mode bar.
  void anOldArrangementGetsTheBar() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QToolBar& bar = window->modes().bar();
    window->removeToolBar(&bar);
    const QByteArray without = window->layouts().state();
    window->addToolBar(Qt::LeftToolBarArea, &bar);
    bar.show();
    QVERIFY(window->layouts().set_state(without));
    QCOMPARE(window->toolBarArea(&bar), Qt::LeftToolBarArea);
    QVERIFY(bar.isVisible());
  }

 private:
  ScriptedWindow scripted_;
};

KV_TEST_MAIN(ModesTest)

}  // namespace modes_test

#include "modes_test.moc"
