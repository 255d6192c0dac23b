// links: kv_ui
// The Reproduce dock over scripted figures: settings that are handed over, progress, what is kept and found again,
// exports, the live run that waits, and the way to recorded runs.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QPointer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "tests/ui/scripted_figures.h"
#include "tests/ui/scripted_window.h"
#include "ui/docks/reproduce_dock.h"
#include "ui/docks/runs_dock.h"
#include "ui/models/words.h"

namespace reproduce_test {

using namespace kvantage;

namespace {

FigureResult rates_result() {
  FigureResult result = begin_figure("evicpress/fig8", Provenance::throttled);
  result.settings = {{"workload", "sensitivity-mix"}, {"seeds", 2}};
  result.tables = {{"By rate, queueing included",
                    {"policy", "rate 1/s", "TTFT s"},
                    {{"lru", 4.0, 0.25}, {"evicpress", 4.0, 0.0123456789}, {"evicpress", 8.0, nullptr}}},
                   {"Highest rate within the bounds", {"policy", "rate 1/s"}, {{"lru", nullptr}}}};
  result.findings = {"evicpress sustains 2 times the rate of the best other"};
  result.runs = {"20261122T100000Z-aaaa", "20261122T100100Z-bbbb"};
  return result;
}

QByteArray printed(const FigureResult& result) { return QByteArray::fromStdString(to_json(result).dump(2) + "\n"); }

struct Bench {
  ScriptedSession session;
  SessionSwitch shown{session};
  std::shared_ptr<ScriptedFigures> figures = std::make_shared<ScriptedFigures>();
  QTemporaryDir folder;
  std::unique_ptr<ReproduceDock> dock = std::make_unique<ReproduceDock>(figures, folder.filePath("figures"), shown);
  explicit Bench(RunState state = RunState::running) {
    session.set_state(state);
    dock->resize(900, 420);
    dock->show();
    dock->choose("evicpress/fig8");
  }
};

}  // namespace

class ReproduceTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void everyFigureIsListedUnderItsPaper() {
    Bench bench;
    FiguresModel& model = bench.dock->model();
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QCOMPARE(model.rowCount(), static_cast<int>(papers().size()));
    int listed = 0;
    for (int p = 0; p < model.rowCount(); ++p) listed += model.rowCount(model.index(p, 0));
    QCOMPARE(listed, static_cast<int>(paper_figures().size()));
    for (const PaperFigure& figure : paper_figures()) {
      bench.dock->choose(to_q(figure.name));
      QCOMPARE(bench.dock->chosen(), to_q(figure.name));
      for (const std::string& words : {figure.does, figure.expected, figure.published})
        QVERIFY2(bench.dock->about_text().contains(to_q(words)), figure.name.c_str());
      for (const FigureSetting& setting : figure.settings) {
        QVERIFY2(bench.dock->form().line(to_q(setting.option)), setting.option.c_str());
        QCOMPARE(bench.dock->form().line(to_q(setting.option))->text(), to_q(setting.standard));
      }
    }
  }

  void whatOfAPaperIsNotThereIsSaid() {
    Bench bench;
    FiguresModel& model = bench.dock->model();
    for (int p = 0; p < model.rowCount(); ++p)
      if (model.index(p, 0).data().toString().contains("KVPR")) bench.dock->tree().setCurrentIndex(model.index(p, 0));
    QVERIFY2(bench.dock->about_text().contains("Figure 14"), qPrintable(bench.dock->about_text()));
    QVERIFY(!bench.dock->start_button().isEnabled());
    QVERIFY(bench.dock->chosen().isEmpty());
  }

  void settingsAreHandedOverAndKeptByFigure() {
    Bench bench;
    bench.dock->form().line("--seeds")->setText("1");
    bench.dock->form().line("--limit")->setText(" 30 ");
    bench.dock->form().line("--methods")->setText("keydiff, snapkv");
    bench.dock->choose("evicpress/fig3");
    QVERIFY(!bench.dock->form().line("--seeds"));
    bench.dock->choose("evicpress/fig8");
    QCOMPARE(bench.dock->form().line("--seeds")->text(), QString("1"));
    bench.dock->start();
    QCOMPARE(bench.figures->started.size(), 1);
    const QStringList words = bench.figures->started.front();
    QCOMPARE(words.front(), QString("evicpress/fig8"));
    const auto value = [&words](const char* option) { return words.value(words.indexOf(option) + 1); };
    QCOMPARE(value("--seeds"), QString("1"));
    QCOMPARE(value("--limit"), QString("30"));
    QCOMPARE(value("--methods"), QString("keydiff, snapkv"));
    QCOMPARE(value("--rate"), QString("4,8,16,24"));  // the figure's own
    QVERIFY(!words.contains("--alpha"));              // empty: left to the command
    bench.dock->form().set_standards();
    QCOMPARE(bench.dock->form().line("--seeds")->text(), QString("3"));
    QVERIFY(!bench.dock->form().changed());
  }

  void progressIsShownWithWhatIsLeft() {
    Bench bench;
    bench.dock->start();
    FigureJob& job = bench.dock->job();
    QVERIFY(job.running());
    QVERIFY(job.fraction() < 0);
    bench.figures->say("{\"stage\":\"Profiling contexts\",\"done\":3,\"total\":18}");
    QCOMPARE(job.what(), QString("Profiling contexts: 3 of 18"));
    bench.figures->say("{\"cells_done\":0,\"cells\":8}");
    bench.figures->say("{\"cells_done\":0,\"cells\":8,\"cell\":\"lru, 4 requests/s, seed 1\",\"part\":0.5}");
    QCOMPARE(job.fraction(), 0.5 / 8);
    QVERIFY(!job.remaining_seconds());  // nothing to go by before a cell has ended
    test::settle(30);
    bench.figures->say("{\"cells_done\":2,\"cells\":8,\"run\":\"20261122T100000Z-aaaa\"}");
    QCOMPARE(job.fraction(), 0.25);
    const double left = job.remaining_seconds().value();
    QVERIFY2(left > 0 && left < 60, qPrintable(QString::number(left)));
    QVERIFY(job.progress_text().contains("2 of 8 cells"));
    QCOMPARE(job.runs(), QStringList("20261122T100000Z-aaaa"));
    QTRY_VERIFY(bench.dock->progress_text().contains("2 of 8 cells"));
    const QModelIndex state = bench.dock->model().index_of("evicpress/fig8", FiguresModel::state);
    QCOMPARE(state.data().toString(), QString("25 %"));
  }

  void theLiveRunWaitsAndContinues() {
    Bench bench;
    bench.dock->start();
    QCOMPARE(bench.session.state(), RunState::paused);
    QVERIFY(bench.dock->session_text().contains("paused"));
    bench.figures->end(0, printed(rates_result()));
    QCOMPARE(bench.session.state(), RunState::running);

    bench.dock->start();
    bench.shown.start();  // by hand, all the same
    bench.dock->look_at_session();
    QVERIFY2(bench.dock->session_text().contains("is running as well"), qPrintable(bench.dock->session_text()));
    bench.shown.pause();  // by hand: that is where it is to stay
    bench.figures->end(0, printed(rates_result()));
    QCOMPARE(bench.session.state(), RunState::paused);

    bench.dock->start();  // it did not run: it is not started
    bench.figures->end(130);
    QCOMPARE(bench.session.state(), RunState::paused);
  }

  void nothingStartsWhileTheSessionLoads() {
    Bench bench(RunState::loading);
    QSignalSpy said(bench.dock.get(), &ReproduceDock::said);
    bench.dock->start();
    QVERIFY(bench.figures->started.isEmpty());
    QCOMPARE(said.size(), 1);
    QVERIFY(said.front().at(1).toString().contains("loading"));
  }

  void aResultIsShownKeptAndFoundAgain() {
    Bench bench;
    QVERIFY(bench.dock->result().empty_text().contains("not been reproduced"));
    QVERIFY(bench.dock->tree().isColumnHidden(FiguresModel::state));  // names have its room
    bench.dock->start();
    bench.figures->end(0, printed(rates_result()));
    QVERIFY(!bench.dock->tree().isColumnHidden(FiguresModel::state));
    QVERIFY(!bench.dock->job().running());
    QCOMPARE(bench.dock->tabs().currentWidget(), static_cast<QWidget*>(&bench.dock->result()));
    QVERIFY(bench.dock->result().text().contains("evicpress sustains 2 times"));
    QVERIFY(bench.dock->result().text().contains(to_q(find_paper_figure("evicpress/fig8")->published)));
    QCOMPARE(bench.dock->result().tabs().count(), 2);
    QCOMPARE(bench.dock->result().table_model().rowCount(), 3);
    QCOMPARE(bench.dock->result().table_model().index(1, 2).data().toString(), QString("0.0123"));
    QAbstractItemModelTester tester(&bench.dock->result().table_model(),
                                    QAbstractItemModelTester::FailureReportingMode::Fatal);
    bench.dock->result().tabs().setCurrentIndex(1);
    QCOMPARE(bench.dock->result().table_model().rowCount(), 1);

    // Another window, the same folder.
    ReproduceDock later(nullptr, bench.folder.filePath("figures"), bench.shown);
    later.show();
    later.choose("evicpress/fig8");
    const KeptFigure* kept = later.result().shown();
    QVERIFY(kept);
    QVERIFY(to_json(kept->result) == to_json(rates_result()));
    later.resize(900, 260);
    later.tabs().setCurrentWidget(&later.result());
    QTRY_VERIFY(later.result().tabs().isVisible() &&
                later.result().tabs().height() >= later.result().tabs().fontMetrics().height());
    QVERIFY(!later.start_button().isEnabled());  // nothing makes figures here, which is said
    QVERIFY(later.start_button().toolTip().contains("kvantage-cli"));
  }

  void aBrokenFileIsSaidAndTheRestIsThere() {
    Bench bench;
    bench.dock->start();
    bench.figures->end(0, printed(rates_result()));
    QVERIFY(
        write_text_file(bench.folder.filePath("figures/000-8-broken.json").toStdString(), "{\"kvantage_figure\": 1}"));
    ReproduceDock later(nullptr, bench.folder.filePath("figures"), bench.shown);
    QSignalSpy said(&later, &ReproduceDock::said);
    later.show();
    QCOMPARE(said.size(), 1);
    QVERIFY(said.front().at(1).toString().contains("000-8-broken.json"));
    later.choose("evicpress/fig8");
    QVERIFY(later.result().shown());
  }

  void exportsHoldTheNumbersInFull() {
    Bench bench;
    bench.dock->start();
    bench.figures->end(0, printed(rates_result()));
    const QString csv = bench.folder.filePath("a.csv"), json = bench.folder.filePath("a.json");
    QCOMPARE(bench.dock->result().save("csv", csv), QString());
    QCOMPARE(bench.dock->result().save("json", json), QString());
    const std::string text = read_text_file(csv.toStdString()).value();
    QVERIFY2(text.find("\"By rate, queueing included\"\r\npolicy,rate 1/s,TTFT "
                       "s\r\nlru,4.0,0.25\r\nevicpress,4.0,0.0123456789\r\nevicpress,8.0,\r\n") != std::string::npos,
             text.c_str());
    const auto back = figure_result_from_json(read_json_file(json.toStdString()).value(), "a.json");
    QVERIFY(back && to_json(*back) == to_json(rates_result()));
    bench.dock->result().copy();
    QCOMPARE(QApplication::clipboard()->text(), to_q(to_text(rates_result())));
    QVERIFY(bench.dock->result().save("csv", "/nowhere/at/all.csv").contains("/nowhere"));
    bench.dock->results().remove(bench.dock->result().shown()->file);
    QVERIFY(!bench.dock->result().shown());
  }

  void cancellingSaysWhatIsKept() {
    Bench bench;
    QSignalSpy said(bench.dock.get(), &ReproduceDock::said);
    bench.dock->start();
    bench.figures->say("{\"cells_done\":3,\"cells\":8,\"run\":\"r1\"}");
    bench.dock->cancel_button().click();
    QCOMPARE(bench.figures->cancels, 1);
    QVERIFY(bench.dock->job().cancelling());
    QVERIFY(!bench.dock->cancel_button().isEnabled());
    bench.figures->end(130);
    QCOMPARE(said.size(), 1);
    QVERIFY2(said.front().at(1).toString().contains("canceled after 3 of 8 cells; 1 run recorded"),
             qPrintable(said.front().at(1).toString()));
    QVERIFY(!bench.dock->result().shown());
    QCOMPARE(bench.session.state(), RunState::running);
  }

  void aFailureGivesTheCommandsOwnWords() {
    Bench bench;
    QSignalSpy said(bench.dock.get(), &ReproduceDock::said);
    bench.dock->start();
    bench.figures->say("error: --rate: 'much' is not a number above 0; give a list such as 0.1,0.2");
    bench.figures->end(2);
    QCOMPARE(said.size(), 1);
    QCOMPARE(said.front().at(0).toString(), QString("warning"));
    QVERIFY(said.front().at(1).toString().contains("'much' is not a number"));
    bench.dock->start();
    bench.figures->end(0, "nonsense");
    QCOMPARE(said.size(), 2);
    QVERIFY(!bench.dock->result().shown());
  }

  void aDrawnTableIsAChartBesideOrInsteadOfItsNumbers() {
    Bench bench;
    FigureResult result = rates_result();
    result.tables[0].plot = FigurePlot{.x = "rate 1/s", .y = {"TTFT s"}, .by = {"policy"}};
    result.tables.push_back(
        {"Timeline",
         {"lane", "from ms", "to ms"},
         {{"link", 0, 2.5}},
         FigurePlot{.kind = FigurePlot::Kind::spans, .x = "ms", .y = {"lane", "from ms", "to ms"}}});
    bench.dock->start();
    bench.figures->end(0, printed(result));
    FigureResultView& view = bench.dock->result();
    SeriesChart& chart = view.series_chart();
    QTRY_VERIFY(chart.isVisible() && !view.table().isVisible());  // no room for both
    QVERIFY(view.table_button().isVisible());
    chart.flush();
    QCOMPARE(chart.lines().size(), std::size_t{2});
    QCOMPARE(chart.series(1).points(), (QList<QPointF>{{4, 0.0123456789}}));
    view.table_button().click();
    QTRY_VERIFY(!chart.isVisible() && view.table().isVisible());
    QCOMPARE(view.table_model().rowCount(), 3);
    view.table_button().click();
    bench.dock->resize(2200, 420);
    QTRY_VERIFY(chart.isVisible() && view.table().isVisible() && !view.table_button().isVisible());
    QVERIFY(chart.width() > 200 && view.table().width() > 200);
    bench.dock->resize(700, 900);
    QTRY_VERIFY(chart.isVisible() && view.table().isVisible() &&
                view.table().mapTo(&view, QPoint()).y() > chart.mapTo(&view, QPoint()).y());

    view.tabs().setCurrentIndex(1);  // which has no drawing
    QTRY_VERIFY(!chart.isVisible() && view.table().isVisible() && !view.table_button().isVisible());
    QVERIFY(chart.lines().empty());  // nothing to export with the others
    view.tabs().setCurrentIndex(2);
    QTRY_VERIFY(view.time_line_chart().isVisible() && !chart.isVisible());
    QCOMPARE(view.time_line_chart().spans().size(), std::size_t{1});
    bench.dock->set_theme(theme_of(ThemeKind::dark));
    QCOMPARE(chart.theme().base, theme_of(ThemeKind::dark).base);

    // Another window, the same folder: it is drawn again.
    ReproduceDock later(nullptr, bench.folder.filePath("figures"), bench.shown);
    later.show();
    later.choose("evicpress/fig8");
    QVERIFY(later.result().shown() && to_json(later.result().shown()->result) == to_json(result));
    QCOMPARE(later.result().series_chart().lines().size(), std::size_t{2});
    later.results().remove(later.result().shown()->file);
    QVERIFY(later.result().series_chart().lines().empty());
  }

  // In a real window: the dock is one of its own, and a result leads to its runs.
  void aResultLeadsToItsRuns() {
    ScriptedSession session;
    auto figures = std::make_shared<ScriptedFigures>();
    WindowOptions options = scripted_.options();
    options.figures = figures;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_COMPARE(session.state(), RunState::running);
    window.docks().bring_up("reproduce");
    auto* dock = window.body<ReproduceDock>("reproduce");
    dock->choose("evicpress/fig8");
    dock->start();
    QTRY_COMPARE(session.state(), RunState::paused);
    figures->end(0, printed(rates_result()));
    QSignalSpy wanted(dock, &ReproduceDock::runsRequested);
    for (QPushButton* button : dock->result().findChildren<QPushButton*>())
      if (button->text().contains("runs")) button->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted.front().front().toStringList().size(), 2);
    QVERIFY(window.dock("runs")->isVisible());
  }
};

KV_TEST_MAIN(ReproduceTest)

}  // namespace reproduce_test

#include "reproduce_test.moc"
