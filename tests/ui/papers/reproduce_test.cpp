// links: kv_ui
// The page of figures over scripted ones: settings that are handed over, progress, what is kept and found again,
// exports, and the live run that waits.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QPointer>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/papers/figures_page.h"
#include "ui/text/words.h"

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
  std::unique_ptr<FiguresPage> page = std::make_unique<FiguresPage>(figures, folder.filePath("figures"), shown);
  explicit Bench(RunState state = RunState::running) {
    session.set_state(state);
    page->resize(900, 420);
    page->show();
    page->choose("evicpress/fig8");
  }
};

}  // namespace

class ReproduceTest : public QObject {
  Q_OBJECT

 private slots:
  void everyFigureIsListedUnderItsPaper() {
    Bench bench;
    FiguresModel& model = bench.page->model();
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QCOMPARE(model.rowCount(), static_cast<int>(papers().size()));
    int listed = 0;
    for (int p = 0; p < model.rowCount(); ++p) listed += model.rowCount(model.index(p, 0));
    QCOMPARE(listed, static_cast<int>(paper_figures().size()));
    for (const PaperFigure& figure : paper_figures()) {
      bench.page->choose(to_q(figure.name));
      QCOMPARE(bench.page->chosen(), to_q(figure.name));
      for (const std::string& words : {figure.does, figure.expected, figure.published})
        QVERIFY2(bench.page->about_text().contains(to_q(words)), figure.name.c_str());
      for (const FigureSetting& setting : figure.settings) {
        QVERIFY2(bench.page->form().line(to_q(setting.option)), setting.option.c_str());
        QCOMPARE(bench.page->form().line(to_q(setting.option))->text(), to_q(setting.standard));
      }
    }
  }

  void whatOfAPaperIsNotThereIsSaid() {
    Bench bench;
    FiguresModel& model = bench.page->model();
    for (int p = 0; p < model.rowCount(); ++p)
      if (model.index(p, 0).data().toString().contains("KVPR")) bench.page->tree().setCurrentIndex(model.index(p, 0));
    QVERIFY2(bench.page->about_text().contains("Figure 14"), qPrintable(bench.page->about_text()));
    QVERIFY(!bench.page->start_button().isEnabled());
    QVERIFY(bench.page->chosen().isEmpty());
  }

  void settingsAreHandedOverAndKeptByFigure() {
    Bench bench;
    bench.page->form().line("--seeds")->setText("2");
    bench.page->form().line("--limit")->setText(" 30 ");
    bench.page->form().line("--methods")->setText("keydiff, snapkv");
    bench.page->choose("evicpress/fig3");
    QVERIFY(!bench.page->form().line("--seeds"));
    bench.page->choose("evicpress/fig8");
    QCOMPARE(bench.page->form().line("--seeds")->text(), QString("2"));
    bench.page->start();
    QCOMPARE(bench.figures->started.size(), 1);
    const QStringList words = bench.figures->started.front();
    QCOMPARE(words.front(), QString("evicpress/fig8"));
    const auto value = [&words](const char* option) { return words.value(words.indexOf(option) + 1); };
    QCOMPARE(value("--seeds"), QString("2"));
    QCOMPARE(value("--limit"), QString("30"));
    QCOMPARE(value("--methods"), QString("keydiff, snapkv"));
    QCOMPARE(value("--workload"), QString("evicpress-regime"));        // the figure's own
    QVERIFY(!words.contains("--alpha") && !words.contains("--rate"));  // empty: left to the command
    bench.page->form().set_standards();
    QCOMPARE(bench.page->form().line("--seeds")->text(), QString("1"));
    QVERIFY(!bench.page->form().changed());
  }

  void progressIsShownWithWhatIsLeft() {
    Bench bench;
    bench.page->start();
    FigureJob& job = bench.page->job();
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
    QTRY_VERIFY(bench.page->progress_text().contains("2 of 8 cells"));
    const QModelIndex state = bench.page->model().index_of("evicpress/fig8", FiguresModel::state);
    QCOMPARE(state.data().toString(), QString("25 %"));
  }

  void theLiveRunWaitsAndContinues() {
    Bench bench;
    bench.page->start();
    QCOMPARE(bench.session.state(), RunState::paused);
    QVERIFY(bench.page->session_text().contains("paused"));
    bench.figures->end(0, printed(rates_result()));
    QCOMPARE(bench.session.state(), RunState::running);

    bench.page->start();
    bench.shown.start();  // by hand, all the same
    bench.page->look_at_session();
    QVERIFY2(bench.page->session_text().contains("is running as well"), qPrintable(bench.page->session_text()));
    bench.shown.pause();  // by hand: that is where it is to stay
    bench.figures->end(0, printed(rates_result()));
    QCOMPARE(bench.session.state(), RunState::paused);

    bench.page->start();  // it did not run: it is not started
    bench.figures->end(130);
    QCOMPARE(bench.session.state(), RunState::paused);
  }

  void nothingStartsWhileTheSessionLoads() {
    Bench bench(RunState::loading);
    QSignalSpy said(bench.page.get(), &FiguresPage::said);
    bench.page->start();
    QVERIFY(bench.figures->started.isEmpty());
    QCOMPARE(said.size(), 1);
    QVERIFY(said.front().at(1).toString().contains("loading"));
  }

  void aResultIsShownKeptAndFoundAgain() {
    Bench bench;
    QVERIFY(bench.page->result().empty_text().contains("not been reproduced"));
    QVERIFY(bench.page->tree().isColumnHidden(FiguresModel::state));  // names have its room
    bench.page->start();
    test::settle(5);  // a time of 0 is that of an imported result
    bench.figures->end(0, printed(rates_result()));
    QVERIFY(!bench.page->tree().isColumnHidden(FiguresModel::state));
    const QString state = bench.page->model().index_of("evicpress/fig8", FiguresModel::state).data().toString();
    const QRegularExpression begun_and_took(QStringLiteral("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d, \\d+ s$"));
    QVERIFY2(begun_and_took.match(state).hasMatch(), qPrintable(state));
    QVERIFY(!bench.page->job().running());
    QCOMPARE(bench.page->tabs().currentWidget(), static_cast<QWidget*>(&bench.page->result()));
    QVERIFY(bench.page->result().text().contains("evicpress sustains 2 times"));
    QVERIFY(bench.page->result().text().contains(to_q(find_paper_figure("evicpress/fig8")->published)));
    QCOMPARE(bench.page->result().tabs().count(), 2);
    QCOMPARE(bench.page->result().table_model().rowCount(), 3);
    QCOMPARE(bench.page->result().table_model().index(1, 2).data().toString(), QString("0.0123"));
    QAbstractItemModelTester tester(&bench.page->result().table_model(),
                                    QAbstractItemModelTester::FailureReportingMode::Fatal);
    bench.page->result().tabs().setCurrentIndex(1);
    QCOMPARE(bench.page->result().table_model().rowCount(), 1);

    // Another window, the same folder.
    FiguresPage later(nullptr, bench.folder.filePath("figures"), bench.shown);
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
    bench.page->start();
    bench.figures->end(0, printed(rates_result()));
    QVERIFY(
        write_text_file(bench.folder.filePath("figures/000-8-broken.json").toStdString(), "{\"kvantage_figure\": 1}"));
    FiguresPage later(nullptr, bench.folder.filePath("figures"), bench.shown);
    QSignalSpy said(&later, &FiguresPage::said);
    later.show();
    QCOMPARE(said.size(), 1);
    QVERIFY(said.front().at(1).toString().contains("000-8-broken.json"));
    later.choose("evicpress/fig8");
    QVERIFY(later.result().shown());
  }

  void exportsHoldTheNumbersInFull() {
    Bench bench;
    bench.page->start();
    bench.figures->end(0, printed(rates_result()));
    const QString csv = bench.folder.filePath("a.csv"), json = bench.folder.filePath("a.json");
    QCOMPARE(bench.page->result().save("csv", csv), QString());
    QCOMPARE(bench.page->result().save("json", json), QString());
    const std::string text = read_text_file(csv.toStdString()).value();
    QVERIFY2(text.find("\"By rate, queueing included\"\r\npolicy,rate 1/s,TTFT "
                       "s\r\nlru,4.0,0.25\r\nevicpress,4.0,0.0123456789\r\nevicpress,8.0,\r\n") != std::string::npos,
             text.c_str());
    const auto back = figure_result_from_json(read_json_file(json.toStdString()).value(), "a.json");
    QVERIFY(back && to_json(*back) == to_json(rates_result()));
    bench.page->result().copy();
    QCOMPARE(QApplication::clipboard()->text(), to_q(to_text(rates_result())));
    QVERIFY(bench.page->result().save("csv", "/nowhere/at/all.csv").contains("/nowhere"));
    bench.page->results().remove(bench.page->result().shown()->file);
    QVERIFY(!bench.page->result().shown());
  }

  void cancellingSaysWhatIsKept() {
    Bench bench;
    QSignalSpy said(bench.page.get(), &FiguresPage::said);
    bench.page->start();
    bench.figures->say("{\"cells_done\":3,\"cells\":8,\"run\":\"r1\"}");
    bench.page->cancel_button().click();
    QCOMPARE(bench.figures->cancels, 1);
    QVERIFY(bench.page->job().cancelling());
    QVERIFY(!bench.page->cancel_button().isEnabled());
    bench.figures->end(130);
    QCOMPARE(said.size(), 1);
    QVERIFY2(said.front().at(1).toString().contains("canceled after 3 of 8 cells; 1 run recorded"),
             qPrintable(said.front().at(1).toString()));
    QVERIFY(!bench.page->result().shown());
    QCOMPARE(bench.session.state(), RunState::running);
  }

  void aFailureGivesTheCommandsOwnWords() {
    Bench bench;
    QSignalSpy said(bench.page.get(), &FiguresPage::said);
    bench.page->start();
    bench.figures->say("error: --rate: 'much' is not a number above 0; give a list such as 0.1,0.2");
    bench.figures->end(2);
    QCOMPARE(said.size(), 1);
    QCOMPARE(said.front().at(0).toString(), QString("warning"));
    QVERIFY(said.front().at(1).toString().contains("'much' is not a number"));
    bench.page->start();
    bench.figures->end(0, "nonsense");
    QCOMPARE(said.size(), 2);
    QVERIFY(!bench.page->result().shown());
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
    bench.page->start();
    bench.figures->end(0, printed(result));
    FigureResultView& view = bench.page->result();
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
    bench.page->resize(2200, 420);
    QTRY_VERIFY(chart.isVisible() && view.table().isVisible() && !view.table_button().isVisible());
    QVERIFY(chart.width() > 200 && view.table().width() > 200);
    bench.page->resize(700, 900);
    QTRY_VERIFY(chart.isVisible() && view.table().isVisible() &&
                view.table().mapTo(&view, QPoint()).y() > chart.mapTo(&view, QPoint()).y());

    view.tabs().setCurrentIndex(1);  // which has no drawing
    QTRY_VERIFY(!chart.isVisible() && view.table().isVisible() && !view.table_button().isVisible());
    QVERIFY(chart.lines().empty());  // nothing to export with the others
    view.tabs().setCurrentIndex(2);
    QTRY_VERIFY(view.time_line_chart().isVisible() && !chart.isVisible());
    QCOMPARE(view.time_line_chart().spans().size(), std::size_t{1});
    bench.page->set_theme(theme_of(ThemeKind::dark));
    QCOMPARE(chart.theme().base, theme_of(ThemeKind::dark).base);

    // Another window, the same folder: it is drawn again.
    FiguresPage later(nullptr, bench.folder.filePath("figures"), bench.shown);
    later.show();
    later.choose("evicpress/fig8");
    QVERIFY(later.result().shown() && to_json(later.result().shown()->result) == to_json(result));
    QCOMPARE(later.result().series_chart().lines().size(), std::size_t{2});
    later.results().remove(later.result().shown()->file);
    QVERIFY(later.result().series_chart().lines().empty());
  }

  // A paper shows what it reports, each number with the verdict of the newest result.
  void claimsOfAPaperHaveTheirVerdicts() {
    Bench bench;
    const std::vector<PaperClaim> claims{{.id = "evicpress/rate-ttft",
                                          .where = "abstract",
                                          .says = "sustains 2.0 to 3.6 times the rate",
                                          .span = {2.0, 3.6},
                                          .unit = "ratio",
                                          .figure = "evicpress/fig8"},
                                         {.id = "evicpress/other",
                                          .where = "section 7",
                                          .says = "needs little memory",
                                          .unit = "share",
                                          .figure = "evicpress/fig3"},
                                         {.id = "evicpress/hardware",
                                          .where = "section 7",
                                          .says = "an A100",
                                          .unit = "GB",
                                          .out_of_scope = "describes hardware"},
                                         {.id = "kvpr/latency",
                                          .where = "abstract",
                                          .says = "35.8 % lower",
                                          .span = {{}, 35.8},
                                          .unit = "percent",
                                          .figure = "kvpr/fig7"}};
    FiguresPage page(bench.figures, bench.folder.filePath("claims"), bench.shown, claims);
    page.resize(1200, 600);
    page.show();
    page.tree().setCurrentIndex(page.model().index(0, 0));
    QAbstractItemModelTester tester(&page.claims(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    QTRY_VERIFY(page.claims_view().isVisible());
    QCOMPARE(page.claims().rowCount(), 3);  // of this paper
    const auto cell = [&page](int row, int column) { return page.claims().index(row, column).data().toString(); };
    QCOMPARE(cell(0, ClaimsModel::verdict), QString("not reproduced yet"));
    QCOMPARE(cell(2, ClaimsModel::verdict), QString("out of scope: describes hardware"));
    FigureResult result = rates_result();
    result.measured = {{"evicpress/rate-ttft", {2.5, 2.5, Interval{2.4, 2.6}, Interval{2.4, 2.6}}}};
    settle_claims(result, claims, false);
    page.choose("evicpress/fig8");
    QVERIFY(!page.claims_view().isVisible());
    page.start();
    bench.figures->end(0, printed(result));
    page.tree().setCurrentIndex(page.model().index(0, 0));
    QCOMPARE(cell(0, ClaimsModel::paper), QString("2 - 3.6 ratio"));
    QCOMPARE(cell(0, ClaimsModel::here), QString("2.5"));
    QCOMPARE(cell(0, ClaimsModel::interval), QString("2.4 - 2.6"));
    QCOMPARE(cell(0, ClaimsModel::verdict), QString("agrees"));
    QCOMPARE(cell(1, ClaimsModel::verdict), QString("not reproduced yet"));
    emit page.claims_view().activated(page.claims().index(0, 0));  // leads to its figure
    QCOMPARE(page.chosen(), QString("evicpress/fig8"));
  }

  // Where there is room, the result has its place beside the description and the settings.
  void aWidePageShowsResultAndSettingsTogether() {
    Bench bench;
    bench.page->start();
    bench.figures->end(0, printed(rates_result()));
    bench.page->resize(2400, 1200);
    QTRY_VERIFY(bench.page->result().isVisible() && bench.page->tabs().isVisible());
    QVERIFY(bench.page->tabs().indexOf(&bench.page->result()) < 0);
    bench.page->tabs().setCurrentIndex(1);
    QTRY_VERIFY(bench.page->form().isVisible() && bench.page->result().isVisible());
    QVERIFY(bench.page->result().width() > bench.page->tabs().width());
    bench.page->resize(1000, 600);
    QTRY_VERIFY(bench.page->tabs().indexOf(&bench.page->result()) >= 0);
    bench.page->tabs().setCurrentWidget(&bench.page->result());
    QTRY_VERIFY(bench.page->result().isVisible() && !bench.page->form().isVisible());
  }
};

KV_TEST_MAIN(ReproduceTest)

}  // namespace reproduce_test

#include "reproduce_test.moc"
