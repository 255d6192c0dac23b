// links: kv_ui
#include "ui/window/layout/layouts.h"
#include "ui/files/settings_seal.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace layouts_test {

using namespace kvantage;

class LayoutsTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  // What a window with fewer docks left behind.
  static QByteArray state_without(const QStringList& missing) {
    QMainWindow old;
    old.resize(1280, 800);
    for (const DockEntry& entry : dock_registry()) {
      if (missing.contains(entry.id)) continue;
      auto* dock = new QDockWidget(entry.title, &old);
      dock->setObjectName(entry.id);
      old.addDockWidget(entry.area, dock);
      if (entry.id == "sensitivity") dock->hide();
    }
    return old.saveState(1);
  }

 private slots:
  // Which pages are open and which series are hidden goes with the docks: into named layouts, files, and the next
  // start.
  void openPagesAndHiddenSeriesGoWithALayout() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("mine.kvlayout");
    const WindowOptions options = scripted_.options();
    const auto page_of = [](MainWindow& window) {
      return window.sensitivity().tabs().tabText(window.sensitivity().tabs().currentIndex());
    };
    const auto tier_page_of = [](MainWindow& window) {
      return window.tiers().pages().tabText(window.tiers().pages().currentIndex());
    };
    std::set<QString> shown_before, hidden;  // variants of policies are hidden from the beginning
    {
      ScriptedSession session;
      auto window = scripted_.loaded(session, options);
      shown_before = hidden = window->run().frontier.hidden_policies();
      QVERIFY(!shown_before.empty() && hidden.insert("lru").second);
      const QString first = page_of(*window), first_of_tiers = tier_page_of(*window);
      window->sensitivity().tabs().setCurrentWidget(&window->sensitivity().heat_map());
      window->tiers().pages().setCurrentWidget(&window->tiers().fit_page());
      emit window->frontier().legend().toggled("lru", true);
      QCOMPARE(window->run().frontier.hidden_policies(), hidden);
      window->layouts().save("mine");
      QVERIFY(window->layouts().export_to(file, "mine in a file"));

      window->sensitivity().tabs().setCurrentIndex(0);
      window->tiers().pages().setCurrentIndex(0);
      emit window->frontier().legend().toggled("lru", false);
      QVERIFY(window->layouts().apply("mine"));
      QCOMPARE(page_of(*window), QString("Heat map"));
      QCOMPARE(tier_page_of(*window), QString("Fit"));
      QCOMPARE(window->run().frontier.hidden_policies(), hidden);
      QVERIFY(window->layouts().go_back());
      QCOMPARE(page_of(*window), first);
      QCOMPARE(tier_page_of(*window), first_of_tiers);
      QCOMPARE(window->run().frontier.hidden_policies(), shown_before);

      // A state from before there were pages in it leaves them as they are.
      window->sensitivity().tabs().setCurrentIndex(1);
      QSettings(options.settings_file, QSettings::IniFormat).setValue("layouts/old", sealed(state_without({})));
      QVERIFY(window->layouts().apply("old"));
      QCOMPARE(window->sensitivity().tabs().currentIndex(), 1);
      QVERIFY(window->layouts().apply("mine"));
      window->close();
    }
    {
      ScriptedSession session;
      auto window = scripted_.loaded(session, options);  // the next start
      QCOMPARE(page_of(*window), QString("Heat map"));
      QCOMPARE(tier_page_of(*window), QString("Fit"));
      QCOMPARE(window->run().frontier.hidden_policies(), hidden);
    }
    ScriptedSession session;
    const WindowOptions other_options = scripted_.options();
    auto other = scripted_.loaded(session, other_options);
    QVERIFY(page_of(*other) != "Heat map");
    QVERIFY(other->layouts().import_from(file).has_value());
    QCOMPARE(page_of(*other), QString("Heat map"));
    QCOMPARE(other->run().frontier.hidden_policies(), hidden);

    // Written as it changes, not only at the end: a start from what is there while the window is open.
    other->tiers().pages().setCurrentIndex(2);
    const auto kept = [&] {
      WindowOptions next = scripted_.options();
      if (!QFile::copy(other_options.settings_file, next.settings_file)) return false;
      ScriptedSession restarted;
      MainWindow after(restarted, next);
      return after.tiers().pages().currentIndex() == 2;
    };
    QTRY_VERIFY(kept());
  }

  // As a late first frame does: nothing else changes afterwards that would have it written.
  void aLayoutOpenedBeforeTheFirstFrameIsKept() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("mine.kvlayout"), copy = folder.filePath("copy.ini");
    {
      ScriptedSession session;
      auto window = scripted_.loaded(session);
      window->dock("events")->hide();
      QVERIFY(window->layouts().export_to(file, "without events"));
    }
    const WindowOptions options = scripted_.options();
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    for (int i = 0; i < 5; ++i) QCoreApplication::sendPostedEvents();
    window.files().open(file);
    const auto kept = [&] {
      QFile::remove(copy);
      if (!QFile::copy(options.settings_file, copy)) return false;
      WindowOptions next = options;
      next.settings_file = copy;
      ScriptedSession other;
      MainWindow after(other, next);
      return after.dock("events")->isHidden();
    };
    QTRY_VERIFY(kept());
  }

  void everyDockOfTheRegistryHasAPlaceInEveryLayout() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QStringList shortcuts;
    for (const QString& name : Layouts::built_in()) {
      QVERIFY(window->layouts().apply(name));
      for (const DockEntry& entry : dock_registry())
        QVERIFY2(window->dockWidgetArea(window->dock(entry.id)) != Qt::NoDockWidgetArea, qPrintable(name + entry.id));
      for (const char* known : {"controls", "tiers", "requests"})
        QCOMPARE(window->dock(known)->isHidden(), name == "Frontier only" && QString(known) != "controls");
    }
    for (const DockEntry& entry : dock_registry()) {
      QVERIFY(!entry.tip.isEmpty() && !entry.title.isEmpty());
      if (!entry.shortcut.isEmpty()) shortcuts << entry.shortcut;
    }
    QCOMPARE(shortcuts.removeDuplicates(), 0);
  }

  void aLayoutFromBeforeADockWasThereRestores() {
    WindowOptions options = scripted_.options();
    QSettings(options.settings_file, QSettings::IniFormat)
        .setValue("window/state", sealed(state_without({"events", "hitRates"})));
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    test::settle(100);
    QVERIFY(!window.dock("controls")->isHidden());
    QVERIFY(window.dock("sensitivity")->isHidden());  // as it was left
    for (const char* fresh : {"events", "hitRates"}) {
      QVERIFY(window.dock(fresh)->isHidden());
      QVERIFY(!window.dock(fresh)->isFloating());
      QVERIFY(window.dockWidgetArea(window.dock(fresh)) != Qt::NoDockWidgetArea);
    }
    window.docks().action("events")->trigger();
    QVERIFY(!window.dock("events")->isHidden());
    QCOMPARE(window.dockWidgetArea(window.dock("events")), Qt::BottomDockWidgetArea);
    QVERIFY(window.tabifiedDockWidgets(window.dock("events")).size() > 0);
  }

  void aStateThatIsNoneLeavesTheDocksWhereTheyAre() {
    WindowOptions options = scripted_.options();
    QSettings(options.settings_file, QSettings::IniFormat).setValue("layouts/broken", QByteArray("no state"));
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    test::settle(100);
    QVERIFY(!window.layouts().apply("broken"));
    for (const char* id : {"controls", "tiers", "requests"}) QVERIFY(!window.dock(id)->isHidden());
    QCOMPARE(window.dockWidgetArea(window.dock("requests")), Qt::BottomDockWidgetArea);
  }

  // Qt's own menu entries would hide what stands behind a tab.
  void choosingADockBehindATabBringsItUp() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QDockWidget* events = window->dock("events");
    QVERIFY(!events->isHidden() && !tab_in_front(*window, "Events"));
    QAction* choose = window->docks().action("events");
    QVERIFY(choose->isChecked());
    choose->trigger();
    QTRY_VERIFY(tab_in_front(*window, "Events"));
    QVERIFY(choose->isChecked());
    choose->trigger();  // now that it is seen
    QVERIFY(events->isHidden() && !choose->isChecked());
    choose->trigger();
    QTRY_VERIFY(tab_in_front(*window, "Events"));
    events->close();  // by its own cross
    QVERIFY(!choose->isChecked());
  }

  void aResetIsUndoneInOneStep() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QAction *back = nullptr, *reset = nullptr;
    for (QAction* action : window->actions()) {
      if (action->text() == "Restore &previous layout") back = action;
      if (action->text() == "&Reset layout") reset = action;
    }
    QVERIFY(back && reset);
    test::settle(50);  // the window's own first arrangement is no change
    QVERIFY(!back->isEnabled());
    window->dock("tiers")->hide();
    window->addDockWidget(Qt::LeftDockWidgetArea, window->dock("events"));
    reset->trigger();
    QVERIFY(!window->dock("tiers")->isHidden());
    QCOMPARE(window->dockWidgetArea(window->dock("events")), Qt::BottomDockWidgetArea);
    QVERIFY(back->isEnabled());
    back->trigger();
    QVERIFY(window->dock("tiers")->isHidden());
    QCOMPARE(window->dockWidgetArea(window->dock("events")), Qt::LeftDockWidgetArea);
    back->trigger();  // and forth again
    QVERIFY(!window->dock("tiers")->isHidden());
    QVERIFY(!window->layouts().apply("nobody's"));  // changes nothing, so there is nothing new to undo
    back->trigger();
    QVERIFY(window->dock("tiers")->isHidden());
  }

  void viewsTakeTheirColorsThroughTheRegistry() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->set_theme(ThemeKind::dark);
    int charts = 0;
    for (ChartPanel* chart : window->findChildren<ChartPanel*>()) {
      QVERIFY2(chart->theme().kind == ThemeKind::dark, qPrintable(chart->accessibleName()));
      ++charts;
    }
    QVERIFY(charts >= 4);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  LayoutsTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace layouts_test

#include "layouts_test.moc"
