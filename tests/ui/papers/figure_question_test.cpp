// links: kv_ui
// A window that ends while a figure of the papers is being made: it says which and how far it is, and asks; nothing is
// asked where nothing is lost, and nothing twice.
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/window/scripted_window.h"

namespace figure_question_test {

using namespace kvantage;

namespace {

struct Bench {
  ScriptedSession session;
  std::shared_ptr<ScriptedFigures> figures = std::make_shared<ScriptedFigures>();
  std::unique_ptr<MainWindow> window;
  explicit Bench(ScriptedWindow& scripted) {
    WindowOptions options = scripted.options();
    options.figures = figures;
    options.check_workload = [](const QString&) { return QString(); };
    window = std::make_unique<MainWindow>(session, options);
    window->show();
    session.set_state(RunState::ready);
  }
  FiguresPage& page() { return figures_of(*window); }
  void begin_figure() {
    QTRY_COMPARE(session.state(), RunState::running);
    page().choose("evicpress/fig8");
    page().start();
    figures->say("{\"cells_done\":3,\"cells\":8,\"run\":\"r1\"}");
  }
  QMessageBox* box(const char* name = "endFigureBox") {
    for (QMessageBox* one : window->findChildren<QMessageBox*>(name))
      if (one->isVisible()) return one;
    return nullptr;
  }
  void press(const QString& text, const char* name = "endFigureBox") {
    for (QAbstractButton* button : box(name)->buttons())
      if (button->text().remove('&') == text) return button->click();
    QFAIL(qPrintable(text));
  }
};

}  // namespace

class FigureQuestionTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void closingAsksWithTheFiguresNameAndHowFarItIs() {
    Bench bench(scripted_);
    bench.begin_figure();
    QVERIFY(!bench.window->close());
    QVERIFY(bench.window->isVisible());
    QVERIFY(bench.box());
    const QString text = bench.box()->text();
    for (const char* part : {"evicpress/fig8", "3 of 8 cells", "1 run recorded"})
      QVERIFY2(text.contains(part), qPrintable(text));
    QVERIFY(bench.box()->informativeText().contains("canceled without a result"));
    QVERIFY2(bench.box()->defaultButton()->text().contains("eep running"),
             qPrintable(bench.box()->defaultButton()->text()));

    bench.figures->say("{\"cells_done\":5,\"cells\":8}");
    QTRY_VERIFY(bench.box()->text().contains("5 of 8 cells"));

    bench.press("Keep running");
    QTRY_VERIFY(!bench.box());
    QVERIFY(bench.window->isVisible());
    QVERIFY(bench.page().job().running());

    QVERIFY(!bench.window->close());  // asked again: what was said counts once
    bench.press("Cancel figure");
    QTRY_VERIFY(!bench.window->isVisible());
    QVERIFY(!bench.box());
  }

  void nothingIsAskedWhereNothingIsLost() {
    Bench idle(scripted_);
    QVERIFY(idle.window->close());

    Bench cancelled(scripted_);
    cancelled.begin_figure();
    cancelled.page().job().cancel();
    QVERIFY(cancelled.window->close());
    QVERIFY(!cancelled.box());

    Bench made(scripted_);
    made.begin_figure();
    made.figures->end(130);
    QVERIFY(made.window->close());
  }

  void aFigureThatEndsMeanwhileIsInNobodysWay() {
    Bench bench(scripted_);
    bench.begin_figure();
    QVERIFY(!bench.window->close());
    bench.figures->end(130);
    QTRY_VERIFY(!bench.window->isVisible());
    QVERIFY(!bench.box());
  }

  void openingAnotherWorkloadAsksOnce() {
    Bench bench(scripted_);
    bench.begin_figure();
    QSignalSpy requested(bench.window.get(), &MainWindow::openRequested);
    connect(bench.window.get(), &MainWindow::openRequested, bench.window.get(),
            [&bench] { bench.window->close(); });  // as the program does
    constexpr const char* name = "openWorkloadBox";
    files_of(*bench.window).workloads()->offer("/tmp/notes.txt");
    QTRY_VERIFY(bench.box(name));
    const QString told = bench.box(name)->informativeText();
    for (const char* part : {"evicpress/fig8", "3 of 8 cells"}) QVERIFY2(told.contains(part), qPrintable(told));
    QCOMPARE(bench.box(name)->buttonRole(bench.box(name)->defaultButton()), QMessageBox::RejectRole);
    bench.press("Cancel", name);
    QCOMPARE(requested.size(), 0);
    QVERIFY(bench.page().job().running() && bench.window->isVisible());

    files_of(*bench.window).workloads()->offer("/tmp/notes.txt");
    QTRY_VERIFY(bench.box(name));
    bench.press("Open", name);
    QCOMPARE(requested.size(), 1);
    QVERIFY(!bench.box());
    QVERIFY(!bench.window->isVisible());
  }

  void openingSaysNothingOfFiguresWhereNoneIsMade() {
    Bench bench(scripted_);
    files_of(*bench.window).workloads()->offer("/tmp/notes.txt");
    constexpr const char* name = "openWorkloadBox";
    QTRY_VERIFY(bench.box(name));
    QVERIFY(!bench.box(name)->informativeText().contains("igure"));
    QCOMPARE(bench.box(name)->buttonRole(bench.box(name)->defaultButton()), QMessageBox::AcceptRole);
  }

  void aLessonOnAnotherWorkloadAsks() {
    Bench bench(scripted_);
    bench.begin_figure();
    QSignalSpy reopened(bench.window.get(), &MainWindow::reopenRequested);
    emit lessons_of(*bench.window).reopen("long-tail", {});
    QCOMPARE(reopened.size(), 0);
    QVERIFY(bench.box());
    QVERIFY(bench.box()->text().contains("evicpress/fig8"));
    bench.press("Cancel figure");
    QTRY_COMPARE(reopened.size(), 1);
    QCOMPARE(reopened.front().front().toString(), QString("long-tail"));
  }
};

KV_TEST_MAIN(FigureQuestionTest)

}  // namespace figure_question_test

#include "figure_question_test.moc"
