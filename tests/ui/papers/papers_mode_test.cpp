// links: kv_ui
// Papers in a window: the page takes the place of Frontier and docks, leads to the runs behind a result, and leaves the
// docks as they were.
#include "ui/papers/papers_mode.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/papers/figures_page.h"
#include "ui/runs/runs_dock.h"

namespace papers_mode_test {

using namespace kvantage;

namespace {

/// As the command prints it: with two runs behind it.
QByteArray printed_result() {
  FigureResult result = begin_figure("evicpress/fig8", Provenance::throttled);
  result.tables.push_back({"By rate", {"policy", "rate 1/s"}, {{"lru", 4.0}, {"evicpress", 8.0}}});
  result.findings = {"evicpress sustains 2 times the rate of the best other"};
  result.runs = {"20261122T100000Z-aaaa", "20261122T100100Z-bbbb"};
  return QByteArray::fromStdString(to_json(result).dump(2) + "\n");
}

}  // namespace

class PapersModeTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  // In a real window: the page takes the place of Frontier and docks, and a result leads to its runs.
  void aResultLeadsToItsRuns() {
    ScriptedSession session;
    auto figures = std::make_shared<ScriptedFigures>();
    WindowOptions options = scripted_.options();
    options.figures = figures;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_COMPARE(session.state(), RunState::running);
    QVERIFY(dock_of(window, "controls")->isVisible());
    window.show_view("papers");
    FiguresPage& page = figures_of(window);
    QTRY_VERIFY(page.isVisible());
    for (const auto& [id, dock] : docks_of(window).all()) QVERIFY2(!dock->isVisible(), qPrintable(id));
    QVERIFY2(page.width() > window.width() * 9 / 10, "the page has all of the window's width");
    page.choose("evicpress/fig8");
    page.start();
    QTRY_COMPARE(session.state(), RunState::paused);
    QVERIFY(page.isVisible());  // another state of the session leaves it there
    figures->end(0, printed_result());
    QSignalSpy wanted(&page, &FiguresPage::runsRequested);
    for (QPushButton* button : page.result().findChildren<QPushButton*>())
      if (button->text().contains("runs")) button->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted.front().front().toStringList().size(), 2);
    QVERIFY(window.body<RunsDock>("runs")->isVisible());
    QVERIFY(!page.isVisible());
    modes_of(window).leave();
    QVERIFY(dock_of(window, "controls")->isVisible());
  }

  // The arrangement of the docks is the same before and after, whichever way leads back.
  void everyWayBackLeavesTheDocksAsTheyWere() {
    ScriptedSession session;
    MainWindow window(session, scripted_.options());
    window.resize(1280, 800);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(dock_of(window, "controls")->isVisible());
    const auto shown = [&window] {
      QStringList ids;
      for (const auto& [id, dock] : docks_of(window).all())
        if (!dock->isHidden()) ids << id;
      return ids;
    };
    const QStringList before = shown();
    const int width = dock_of(window, "controls")->width();
    QVERIFY(before.size() > 3);
    const auto enter = [&window] {
      window.show_view("papers");
      QTRY_VERIFY(figures_of(window).isVisible());
    };
    enter();
    QVERIFY(shown().isEmpty());
    figures_of(window).back_button().click();
    QTRY_VERIFY(dock_of(window, "controls")->isVisible());
    QCOMPARE(shown(), before);
    QTRY_COMPARE(dock_of(window, "controls")->width(), width);
    enter();
    docks_of(window).action("tiers")->trigger();  // as its key does: the dock is seen, not hidden
    QCOMPARE(shown(), before);
    QVERIFY(modes_of(window).is_live());
    enter();
    QVERIFY(layouts_of(window).apply("Frontier only"));
    QVERIFY(modes_of(window).is_live());
    QVERIFY(layouts_of(window).go_back());
    QCOMPARE(shown(), before);
    enter();
    show_start_page(window, true);
    QVERIFY(shows_start_page(window));
    show_start_page(window, false);
    QCOMPARE(shown(), before);
    enter();
    window.close();  // what is kept is the arrangement of the docks
    MainWindow again(session, scripted_.options());
    again.resize(1280, 800);
    again.show();
    QTRY_VERIFY(dock_of(again, "controls")->isVisible());
    QVERIFY(modes_of(again).is_live());
  }
};

KV_TEST_MAIN(PapersModeTest)

}  // namespace papers_mode_test

#include "papers_mode_test.moc"
