// links: kv_ui
#include "ui/window/command_palette.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTest>
#include <QToolBar>
#include <QWidgetAction>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/charts/chart_panel.h"
#include "ui/papers/charts/paper_picture.h"
#include "ui/text/fuzzy_match.h"
#include "ui/window/palette_entries.h"

namespace command_palette_test {

using namespace kvantage;

class CommandPaletteTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static bool find(CommandPalette& palette, const QString& letters) {
    palette.line().clear();
    QTest::keyClicks(&palette.line(), letters);
    return palette.model().rowCount() > 0;
  }
  static QString best(CommandPalette& palette) {
    return palette.model().rowCount() ? palette.model().index(0, 0).data().toString() : QString();
  }

 private slots:
  void lettersFindNames_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("better");
    QTest::addColumn<QString>("worse");  // empty: `better` is not to be found
    QTest::newRow("beginnings of words") << "dt"
                                         << "Dark theme"
                                         << "Hide the dust";
    QTest::newRow("side by side") << "stop"
                                  << "Stop"
                                  << "Set to open";
    QTest::newRow("shorter") << "tiers"
                             << "Tiers"
                             << "Tiers of the store";
    QTest::newRow("words in any order") << "theme dark"
                                        << "Dark theme"
                                        << "Dark and a theme of many words";
    QTest::newRow("order of letters") << "krad"
                                      << "Dark theme"
                                      << "";
    QTest::newRow("every word") << "dark blue"
                                << "Dark theme"
                                << "";
  }
  void lettersFindNames() {
    QFETCH(QString, query);
    QFETCH(QString, better);
    QFETCH(QString, worse);
    const auto found = fuzzy_match(query, better);
    if (worse.isEmpty()) {
      QVERIFY(!found);
      return;
    }
    QVERIFY(found.has_value());
    if (const auto other = fuzzy_match(query, worse)) QVERIFY2(*found > *other, qPrintable(better));
  }

  void everyActionOfTheMenusIsInThePalette() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.check_workload = [](const QString&) { return QString(); };
    options.samples = {{"quickstart", "/nowhere", "The first one"}};
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(!shows_start_page(window));
    layouts_of(window).save("mine");
    const auto entries = palette_entries(window);
    std::multiset<QString> offered;
    for (const PaletteEntry& entry : entries) offered.insert(entry.title);
    int counted = 0;
    for (QAction* top : window.menuBar()->actions())
      for (QAction* leaf : leaf_actions(*top->menu())) {
        const QString title = leaf->text().remove('&').remove(QStringLiteral("…")).trimmed();
        QVERIFY2(offered.contains(title), qPrintable(title));
        ++counted;
      }
    QVERIFY2(counted > 25, qPrintable(QString::number(counted)));
    for (const char* named :
         {"quickstart", "mine", "Overview", "Serving", "Dark theme", "Reset layout", "Events", "Bit flips"})
      QVERIFY2(offered.contains(named), named);
    for (const PaletteEntry& entry : entries) QVERIFY2(!entry.title.isEmpty() && entry.run, qPrintable(entry.place));
  }

  // Every action that exists anywhere in the window, however it came there: the palette is not asked where it looked.
  void everyActionOfTheWindowAndItsDocksIsInThePalette() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(20);
    QTRY_COMPARE(run_of(*window).served(), 20u);
    const auto entries = palette_entries(*window);
    std::set<QString> offered;
    for (const PaletteEntry& entry : entries) offered.insert(entry.title);
    const auto of_qt = [&](const QAction& action) {
      if (action.isSeparator() || action.menu() || qobject_cast<QLineEdit*>(action.parent()) ||
          qobject_cast<const QWidgetAction*>(&action))
        return true;  // lines, submenus, "clear", widgets in a menu
      for (const QDockWidget* dock : window->findChildren<QDockWidget*>())
        if (dock->toggleViewAction() == &action) return true;  // the window has its own for that
      for (const QToolBar* bar : window->findChildren<QToolBar*>())
        if (bar->toggleViewAction() == &action || action.parent() == bar)
          return true;  // nobody hides it; its widgets have actions
      return false;
    };
    int counted = 0;
    for (const QAction* action : window->findChildren<QAction*>()) {
      if (of_qt(*action)) continue;
      ++counted;
      if (action->property(export_property).toBool()) continue;  // of a view: behind its one entry, see below
      QVERIFY2(
          offered.contains(without_mnemonic(action->text())),
          qPrintable(QStringLiteral("“%1” of %2").arg(action->text(), action->parent()->metaObject()->className())));
    }
    QVERIFY2(counted > 100, qPrintable(QString::number(counted)));
    // Each view has one entry for its exports, and each button of a dock is there.
    const auto at = [&](const QString& title, const QString& place) {
      return std::ranges::count_if(
          entries, [&](const PaletteEntry& entry) { return entry.title == title && entry.place.startsWith(place); });
    };
    for (const ChartExport& chart : charts_of(*window)) {
      const auto exported =
          std::ranges::find(entries, QStringLiteral("Export %1…").arg(chart.name), &PaletteEntry::title);
      QVERIFY2(exported != entries.end(), qPrintable(chart.name));
      // Figures of papers and those of experiments have charts of one kind each: their places tell them apart.
      const auto same = [&](const PaletteEntry& entry) {
        return entry.title == exported->title && entry.place == exported->place;
      };
      QVERIFY2(std::ranges::count_if(entries, same) == 1, qPrintable(exported->title));
      exported->run();  // leads to every format
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY2(menu != nullptr, qPrintable(chart.name));
      QStringList formats;
      for (const QAction* format : menu->actions()) formats << without_mnemonic(format->text());
      QStringList expected{"Export PNG", "Export SVG", "Export PDF", "Export CSV", "Export LaTeX"};
      const bool is_table = qobject_cast<QAbstractItemView*>(chart.picture) != nullptr;
      if (has_paper_picture(*chart.picture))
        expected << "Export picture, 1 column (85 mm)"
                 << "Export picture, 2 columns (178 mm)"
                 << "Export picture, choose font";
      const bool is_chart = qobject_cast<ChartPanel*>(chart.picture) != nullptr;
      QVERIFY2(is_chart ? has_paper_picture(*chart.picture) : !is_table || !has_paper_picture(*chart.picture),
               qPrintable(chart.name));
      if (is_table)
        expected << "Copy CSV";
      else
        expected << "Copy image"
                 << "Copy SVG"
                 << "Copy CSV"
                 << "Copy pgfplots"
                 << "Copy matplotlib";
      QCOMPARE(formats, expected);
      menu->close();
    }
    QVERIFY(at("Show as table", "Contexts") >= 1 && at("Show as table", "Frontier") >= 1);
    for (const char* title : {"Export run file", "Edit tags", "Edit note", "Delete", "Replay a run file",
                              "Write report", "Import run file", "Compare"})
      QVERIFY2(at(title, "Runs") >= 1, title);
    QVERIFY(at("Explain placement changes between two α", "Frontier") == 1);
    QVERIFY(at("Second alpha", "Go to › Frontier") == 1 && at("Family filter", "Go to › Frontier") == 1);
    for (QDockWidget* dock : window->findChildren<QDockWidget*>())
      for (const QPushButton* button : dock->findChildren<QPushButton*>())
        if (!button->menu() && !button->accessibleName().isEmpty())
          QVERIFY2(at(button->accessibleName(), dock->windowTitle()) >= 1, qPrintable(button->accessibleName()));
  }

  void whatStandsInAClosedPanelOpensIt() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    auto* explain = window->findChild<ExplainPanel*>();
    QVERIFY(explain->isHidden());
    const auto run = [&](const QString& letters, const QString& title) {
      CommandPalette& palette = palette_of(*window);
      palette.open_fresh();
      if (!find(palette, letters)) return QTest::qFail("nothing found", __FILE__, __LINE__);
      QCOMPARE(best(palette), title);
      QTest::keyClick(&palette.line(), Qt::Key_Return);
    };
    run("second alpha", "Second alpha");
    QTRY_VERIFY(explain->isVisible());
    QVERIFY(window->focusWidget() && explain->isAncestorOf(window->focusWidget()));
    run("explain placement", "Explain placement changes between two α");
    QTRY_VERIFY(explain->isHidden());
    // A table of another dock is brought up before it is shown as one.
    dock_of(*window, "events")->hide();
    for (const PaletteEntry& entry : palette_entries(*window))
      if (entry.title == "Show as table" && entry.place == "Events") entry.run();
    QTRY_VERIFY(!dock_of(*window, "events")->isHidden());
    QDialog* table = nullptr;
    for (QDialog* dialog : window->findChildren<QDialog*>())
      if (dialog->windowTitle() == "Events") table = dialog;
    QVERIFY(table && table->isVisible());
    table->close();
  }

  // A long tip has any letters in order; its words are found as they are typed.
  void tipsAreSearchedByWords() {
    PaletteEntry entry;
    entry.title = "Formula of the utility";
    entry.place = "Controls";
    entry.tip = "size_bytes (B), zero for none; quality (0 to 1), max(a, b), ln(x)";
    PaletteModel model;
    model.set_entries({entry});
    for (const auto& [query, rows] : {std::pair("zzqx", 0), std::pair("size max", 1), std::pair("QUALITY", 1),
                                      std::pair("frml", 1), std::pair("frml quality", 1), std::pair("frml zzqx", 0)}) {
      model.set_query(query);
      QVERIFY2(model.rowCount() == rows, query);
    }
    QVERIFY(fuzzy_match("zzqx", entry.tip).has_value());
  }

  void enterRunsWhatWasFound() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
    CommandPalette& palette = palette_of(*window);
    QTRY_VERIFY(palette.isVisible());
    QAbstractItemModelTester tester(&palette.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(find(palette, "dark"));
    QCOMPARE(best(palette), QString("Dark theme"));
    QVERIFY(palette.tip_text().contains("light theme"));
    QCOMPARE(palette.model().entry(0).shortcut, QString("Ctrl+T"));
    const ThemeKind before = window->theme_kind();
    QTest::keyClick(&palette.line(), Qt::Key_Return);
    QVERIFY(!palette.isVisible());
    QVERIFY(window->theme_kind() != before);

    // A dock behind another tab is brought up, and hidden the next time, by arrows alone.
    QVERIFY(!tab_in_front(*window, "Events"));
    for (const bool hidden : {false, true}) {
      palette.open_fresh();
      QVERIFY(find(palette, "events view"));
      QCOMPARE(best(palette), QString("Events"));
      QTest::keyClick(&palette.line(), Qt::Key_Down);
      QTest::keyClick(&palette.line(), Qt::Key_Up);
      QTest::keyClick(&palette.line(), Qt::Key_Return);
      QTRY_COMPARE(tab_in_front(*window, "Events"), !hidden);
      QCOMPARE(dock_of(*window, "events")->isHidden(), hidden);
    }

    // A fault, as undoable as through its menu.
    palette.open_fresh();
    QVERIFY(find(palette, "bit flips"));
    QCOMPARE(best(palette), QString("Bit flips"));
    QTest::keyClick(&palette.line(), Qt::Key_Return);
    QVERIFY(settings_of(*window).undo_stack().canUndo());
    QTRY_VERIFY(status_text_of(*window).contains("faults injected"));

    palette.open_fresh();
    QVERIFY(!find(palette, "zzqx"));
    QVERIFY(palette.tip_text().contains("No matching command"));
    QTest::keyClick(&palette.line(), Qt::Key_Return);
    QVERIFY(palette.isVisible());
    QTest::keyClick(&palette, Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
  }

  // Each of many views can be exported: the command for all of them comes first, then views that are seen, and the
  // others are found by their names.
  void exportsOfViewsAreFewUntilOneIsNamed() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    CommandPalette& palette = palette_of(*window);
    palette.open_fresh();
    QVERIFY(find(palette, "export"));
    QCOMPARE(best(palette), QString("Export all charts"));
    const auto views = [&] {
      QStringList titles;
      for (int row = 0; row < palette.model().rowCount(); ++row)
        if (const PaletteEntry& entry = palette.model().entry(row); !entry.view.isEmpty()) {
          titles << entry.title;
          if (titles.size() == 1) QVERIFY2(entry.in_sight, qPrintable(entry.title));
        }
      QVERIFY2(!titles.isEmpty() && titles.size() <= 3, qPrintable(titles.join(", ")));
    };
    views();
    const std::vector<PaletteEntry> all = palette.model().all();
    for (const PaletteEntry& entry : all) {
      if (entry.view.isEmpty()) continue;
      palette.line().setText("export " + entry.view);  // names of views have letters that no key of a test types
      bool listed = false;
      for (int row = 0; row < palette.model().rowCount(); ++row)
        listed = listed || palette.model().entry(row).title == entry.title;
      QVERIFY2(listed, qPrintable(entry.title));
    }
  }

  void whatCannotBeDoneNowSaysSoAndDoesNothing() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    CommandPalette& palette = palette_of(*window);
    palette.open_fresh();
    QVERIFY(find(palette, "undo"));
    QVERIFY(best(palette).startsWith("Undo"));
    QVERIFY(palette.tip_text().contains("Not available now"));
    QTest::keyClick(&palette.line(), Qt::Key_Return);
    QVERIFY(palette.isVisible());
  }

  void controlsAreFoundByNameAndTakeTheKeyboard() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    dock_of(*window, "sensitivity")->hide();
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    CommandPalette& palette = palette_of(*window);
    int gone_to = 0;
    palette.open_fresh();
    const std::vector<PaletteEntry> entries = palette.model().all();
    palette.close();
    for (const PaletteEntry& entry : entries) {
      if (!entry.place.startsWith("Go to") || !entry.enabled) continue;
      entry.run();
      QWidget* reached = window->focusWidget();
      QVERIFY2(reached != nullptr, qPrintable(entry.title));
      QWidget* named = reached;
      while (named && named->accessibleName() != entry.title) named = named->parentWidget();
      QVERIFY2(named && named->isVisible(), qPrintable(entry.title + " reached " + reached->accessibleName()));
      ++gone_to;
    }
    QVERIFY2(gone_to > 20, qPrintable(QString::number(gone_to)));
    QVERIFY(!dock_of(*window, "sensitivity")->isHidden());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  CommandPaletteTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace command_palette_test

#include "command_palette_test.moc"
