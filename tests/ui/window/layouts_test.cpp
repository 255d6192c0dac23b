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
      return sensitivity_of(window).tabs().tabText(sensitivity_of(window).tabs().currentIndex());
    };
    const auto tier_page_of = [](MainWindow& window) {
      return tiers_of(window).pages().tabText(tiers_of(window).pages().currentIndex());
    };
    std::set<QString> shown_before, hidden;  // variants of policies are hidden from the beginning
    {
      ScriptedSession session;
      auto window = scripted_.loaded(session, options);
      shown_before = hidden = run_of(*window).frontier.hidden_policies();
      QVERIFY(!shown_before.empty() && hidden.insert("lru").second);
      const QString first = page_of(*window), first_of_tiers = tier_page_of(*window);
      sensitivity_of(*window).tabs().setCurrentWidget(&sensitivity_of(*window).heat_map());
      tiers_of(*window).pages().setCurrentWidget(&tiers_of(*window).fit_page());
      run_of(*window).frontier.set_hidden("lru", true);
      QCOMPARE(run_of(*window).frontier.hidden_policies(), hidden);
      layouts_of(*window).save("mine");
      QVERIFY(layouts_of(*window).export_to(file, "mine in a file"));

      sensitivity_of(*window).tabs().setCurrentIndex(0);
      tiers_of(*window).pages().setCurrentIndex(0);
      run_of(*window).frontier.set_hidden("lru", false);
      QVERIFY(layouts_of(*window).apply("mine"));
      QCOMPARE(page_of(*window), QString("Heat map"));
      QCOMPARE(tier_page_of(*window), QString("Fit"));
      QCOMPARE(run_of(*window).frontier.hidden_policies(), hidden);
      QVERIFY(layouts_of(*window).go_back());
      QCOMPARE(page_of(*window), first);
      QCOMPARE(tier_page_of(*window), first_of_tiers);
      QCOMPARE(run_of(*window).frontier.hidden_policies(), shown_before);

      // A state from before there were pages in it leaves them as they are.
      sensitivity_of(*window).tabs().setCurrentIndex(1);
      QSettings(options.settings_file, QSettings::IniFormat).setValue("layouts/old", sealed(state_without({})));
      QVERIFY(layouts_of(*window).apply("old"));
      QCOMPARE(sensitivity_of(*window).tabs().currentIndex(), 1);
      QVERIFY(layouts_of(*window).apply("mine"));
      window->close();
    }
    {
      ScriptedSession session;
      auto window = scripted_.loaded(session, options);  // the next start
      QCOMPARE(page_of(*window), QString("Heat map"));
      QCOMPARE(tier_page_of(*window), QString("Fit"));
      QCOMPARE(run_of(*window).frontier.hidden_policies(), hidden);
    }
    ScriptedSession session;
    const WindowOptions other_options = scripted_.options();
    auto other = scripted_.loaded(session, other_options);
    QVERIFY(page_of(*other) != "Heat map");
    QVERIFY(layouts_of(*other).import_from(file).has_value());
    QCOMPARE(page_of(*other), QString("Heat map"));
    QCOMPARE(run_of(*other).frontier.hidden_policies(), hidden);

    // Written as it changes, not only at the end: a start from what is there while the window is open.
    tiers_of(*other).pages().setCurrentIndex(2);
    const auto kept = [&] {
      WindowOptions next = scripted_.options();
      if (!QFile::copy(other_options.settings_file, next.settings_file)) return false;
      ScriptedSession restarted;
      MainWindow after(restarted, next);
      return tiers_of(after).pages().currentIndex() == 2;
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
      dock_of(*window, "events")->hide();
      QVERIFY(layouts_of(*window).export_to(file, "without events"));
    }
    const WindowOptions options = scripted_.options();
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    for (int i = 0; i < 5; ++i) QCoreApplication::sendPostedEvents();
    files_of(window).open(file);
    const auto kept = [&] {
      QFile::remove(copy);
      if (!QFile::copy(options.settings_file, copy)) return false;
      WindowOptions next = options;
      next.settings_file = copy;
      ScriptedSession other;
      MainWindow after(other, next);
      return dock_of(after, "events")->isHidden();
    };
    QTRY_VERIFY(kept());
  }

  void everyDockOfTheRegistryHasAPlaceInEveryLayout() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QStringList shortcuts;
    for (const QString& name : Layouts::built_in()) {
      QVERIFY(layouts_of(*window).apply(name));
      for (const DockEntry& entry : dock_registry())
        QVERIFY2(window->dockWidgetArea(dock_of(*window, entry.id)) != Qt::NoDockWidgetArea,
                 qPrintable(name + entry.id));
      for (const char* known : {"controls", "tiers", "requests"})
        QCOMPARE(dock_of(*window, known)->isHidden(), name == "Frontier only" && QString(known) != "controls");
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
    QVERIFY(!dock_of(window, "controls")->isHidden());
    QVERIFY(dock_of(window, "sensitivity")->isHidden());  // as it was left
    for (const char* fresh : {"events", "hitRates"}) {
      QVERIFY(dock_of(window, fresh)->isHidden());
      QVERIFY(!dock_of(window, fresh)->isFloating());
      QVERIFY(window.dockWidgetArea(dock_of(window, fresh)) != Qt::NoDockWidgetArea);
    }
    docks_of(window).action("events")->trigger();
    QVERIFY(!dock_of(window, "events")->isHidden());
    QCOMPARE(window.dockWidgetArea(dock_of(window, "events")), Qt::BottomDockWidgetArea);
    QVERIFY(window.tabifiedDockWidgets(dock_of(window, "events")).size() > 0);
  }

  void aStateThatIsNoneLeavesTheDocksWhereTheyAre() {
    WindowOptions options = scripted_.options();
    QSettings(options.settings_file, QSettings::IniFormat).setValue("layouts/broken", QByteArray("no state"));
    ScriptedSession session;
    MainWindow window(session, options);
    window.show();
    test::settle(100);
    QVERIFY(!layouts_of(window).apply("broken"));
    for (const char* id : {"controls", "tiers", "requests"}) QVERIFY(!dock_of(window, id)->isHidden());
    QCOMPARE(window.dockWidgetArea(dock_of(window, "requests")), Qt::BottomDockWidgetArea);
  }

  // Qt's own menu entries would hide what stands behind a tab.
  void choosingADockBehindATabBringsItUp() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QDockWidget* events = dock_of(*window, "events");
    QVERIFY(!events->isHidden() && !tab_in_front(*window, "Events"));
    QAction* choose = docks_of(*window).action("events");
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
    dock_of(*window, "tiers")->hide();
    window->addDockWidget(Qt::LeftDockWidgetArea, dock_of(*window, "events"));
    reset->trigger();
    QVERIFY(!dock_of(*window, "tiers")->isHidden());
    QCOMPARE(window->dockWidgetArea(dock_of(*window, "events")), Qt::BottomDockWidgetArea);
    QVERIFY(back->isEnabled());
    back->trigger();
    QVERIFY(dock_of(*window, "tiers")->isHidden());
    QCOMPARE(window->dockWidgetArea(dock_of(*window, "events")), Qt::LeftDockWidgetArea);
    back->trigger();  // and forth again
    QVERIFY(!dock_of(*window, "tiers")->isHidden());
    QVERIFY(!layouts_of(*window).apply("nobody's"));  // changes nothing, so there is nothing new to undo
    back->trigger();
    QVERIFY(dock_of(*window, "tiers")->isHidden());
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
