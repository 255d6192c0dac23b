// links: kv_ui
// The page of experiments over a scripted host: the form is filled by its widgets, cells arrive, the time left is
// shown, and results are a table, a chart and files.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "core/sweep/sweep_results.h"
#include "tests/support/test_program.h"
#include "tests/ui/experiments/scripted_experiments.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/experiments/experiments_page.h"
#include "ui/papers/charts/figure_scatter_chart.h"

namespace experiments_page_test {

using namespace kvantage;

namespace {

struct Bench {
  ScriptedSession session;
  SessionSwitch shown{session};
  std::shared_ptr<ScriptedExperiments> host = std::make_shared<ScriptedExperiments>();
  QTemporaryDir folder;
  std::unique_ptr<ExperimentsPage> page;
  Bench() {
    session.set_state(RunState::running);
    host->base.workload = "sensitivity-mix";
    page = std::make_unique<ExperimentsPage>(host, folder.filePath("experiments"), shown);
    page->resize(1100, 760);
    page->show();
    if (!QTest::qWaitFor([this] { return !page->model().loading(); }, 60000)) qFatal("not read");
  }
  /// Types it, as a hand does.
  void type(const char* id, const char* text) {
    QLineEdit* line = page->form().line(id);
    QVERIFY2(line != nullptr, id);
    line->selectAll();
    line->del();
    QTest::keyClicks(line, text);
    QCOMPARE(line->text(), QString(text));
  }
  void start(const char* name, const char* seeds) {
    type("policies", "evicpress, lru");
    type("alphas", "1, 10");
    type("seeds", seeds);
    QTest::keyClicks(&page->form().name(), name);
    QTest::mouseClick(&page->form().start_button(), Qt::LeftButton);
  }
};

}  // namespace

class ExperimentsPageTest : public QObject {
  Q_OBJECT
 private slots:
  void theFormCountsWhatIsTyped() {
    Bench bench;
    bench.type("policies", "evicpress, lru");
    bench.type("alphas", "1, 10");
    bench.type("seeds", "0-4");
    QCOMPARE(bench.page->form_model().cells(), 15u);
    QVERIFY2(bench.page->form().summary().startsWith("15 cell"), qPrintable(bench.page->form().summary()));
    // The session's fits are known.
    QVERIFY2(bench.page->form().summary().contains("at most about"), qPrintable(bench.page->form().summary()));
    QVERIFY(bench.page->form().start_button().isEnabled());
    bench.type("budgets", "much");
    QVERIFY(bench.page->form().error_text("budgets").contains(QString::fromUtf8("“much” is not a budget")));
    QVERIFY(!bench.page->form().start_button().isEnabled());
    bench.type("budgets", "50%");
    QVERIFY(bench.page->form().error_text("budgets").isEmpty());
    for (const TierConfig& tier : bench.session.settings().tiers)
      QVERIFY2(bench.page->form().line(QStringLiteral("budget:") + to_q(tier.name)), tier.name.c_str());
  }

  void cellsArriveAndTheTimeLeftIsShown() {
    Bench bench;
    bench.start("Budgets", "0");
    QCOMPARE(bench.host->started.size(), 1);
    QCOMPARE(bench.page->chosen(), bench.page->model().running());
    QCOMPARE(bench.page->tabs().currentWidget(), static_cast<QWidget*>(&bench.page->results()));
    QVERIFY(bench.page->pause_button().isEnabled() && bench.page->cancel_button().isEnabled());
    QVERIFY(!bench.page->resume_button().isEnabled() && !bench.page->remove_button().isEnabled());
    bench.host->serve(0.1, 0.8, 90);
    QTRY_COMPARE(bench.page->results().table().model()->rowCount(), 1);
    QTRY_VERIFY2(bench.page->progress_text().contains("about 3 min 00 s left"),
                 qPrintable(bench.page->progress_text()));
    bench.host->serve(0.05, 0.7, 90);
    bench.host->serve(0.3, 0.9, 90);
    QTRY_COMPARE(bench.page->results().table().model()->rowCount(), 3);
    bench.host->end();
    QCOMPARE(bench.page->model().find(bench.page->chosen())->state, ExperimentState::done);
    QTRY_VERIFY(!bench.page->progress_text().contains("left"));
    // What was measured makes the next estimate: 3 cells of 20 requests in 90 s each.
    QVERIFY2(bench.page->form().summary().contains("measured cell"), qPrintable(bench.page->form().summary()));
  }

  void pauseResumeAndCancel() {
    Bench bench;
    bench.start("Budgets", "0");
    const QString id = bench.page->chosen();
    bench.host->serve(0.1, 0.8);
    QTest::mouseClick(&bench.page->pause_button(), Qt::LeftButton);
    QCOMPARE(bench.host->pauses, 1);
    QVERIFY(!bench.page->pause_button().isEnabled());
    QVERIFY2(bench.page->progress_text().contains("pausing"), qPrintable(bench.page->progress_text()));
    bench.host->end();
    QCOMPARE(bench.page->model().find(id)->state, ExperimentState::paused);
    QVERIFY(bench.page->resume_button().isEnabled() && bench.page->remove_button().isEnabled());
    QTest::mouseClick(&bench.page->resume_button(), Qt::LeftButton);
    QCOMPARE(bench.host->started.size(), 2);
    QCOMPARE(bench.host->missing().size(), 2u);
    QTest::mouseClick(&bench.page->cancel_button(), Qt::LeftButton);
    QCOMPARE(bench.host->cancels, 1);
    QVERIFY(!bench.page->cancel_button().isEnabled());
    bench.host->end();
    QCOMPARE(bench.page->model().find(id)->state, ExperimentState::canceled);
    QCOMPARE(bench.page->model().find(id)->done(), 1u);
    QCOMPARE(bench.session.state(), RunState::running);
  }

  void resultsAreATableAChartAndFiles() {
    Bench bench;
    bench.start("Frontier", "0-4");  // five seeds: there are intervals
    QSignalSpy runs(bench.page.get(), &ExperimentsPage::runsRequested);
    int served = 0;
    while (!bench.host->missing().empty()) {
      const double better = bench.host->missing().front().policy == "lru" ? 0 : bench.host->missing().front().alpha;
      bench.host->serve(0.1 + 0.01 * better + 0.001 * (served % 5), 0.5 + 0.03 * better);
      ++served;
    }
    QCOMPARE(served, 15);
    bench.host->end();
    ExperimentResults& results = bench.page->results();
    QTRY_COMPARE(results.figure().runs.size(), 15u);
    QCOMPARE(results.table().model()->rowCount(), 3);
    const FigureTable& table = results.figure().tables.front();
    QVERIFY(table.plot && table.plot->kind == FigurePlot::Kind::scatter);
    QCOMPARE(results.figure().provenance, Provenance::throttled);
    auto& chart = dynamic_cast<FigureScatterChart&>(results.charts().shown());
    chart.flush();
    QCOMPARE(chart.clouds().size(), 2u);  // evicpress and lru
    QCOMPARE(chart.clouds().front().points.size(), 2u);
    const CloudPoint& point = chart.clouds().front().points.front();
    QVERIFY(point.x > 100 && point.x < 200);  // ms
    QVERIFY(point.x_interval && point.x_interval->low < point.x && point.x_interval->high > point.x);
    QVERIFY(point.label.find("1") != std::string::npos);
    // Sorted by a number as a number.
    const auto ttft = static_cast<int>(std::ranges::find(table.columns, table.plot->x) - table.columns.begin());
    results.table().sortByColumn(ttft, Qt::DescendingOrder);
    QCOMPARE(results.table().model()->index(0, 0).data().toString(), QString("evicpress"));
    results.table().sortByColumn(ttft, Qt::AscendingOrder);
    QCOMPARE(results.table().model()->index(0, 0).data().toString(), QString("lru"));

    const auto path = [&bench](const char* name) { return bench.folder.filePath(name); };
    QCOMPARE(results.save("csv", path("a.csv")), QString());
    const auto csv = read_text_file(from_q(path("a.csv")));
    QVERIFY(csv && csv->starts_with("policy,alpha,budget,"));
    QCOMPARE(results.save("json", path("a.json")), QString());
    QVERIFY(read_text_file(from_q(path("a.json")))->find("\"kvantage-sweep\"") != std::string::npos);
    for (const char* kind : {"svg", "pdf", "png"}) {
      const QString file = path((std::string("a.") + kind).c_str());
      QCOMPARE(results.save_picture(kind, PaperWidth::one_column, file), QString());
      QVERIFY2(QFileInfo(file).size() > 500, kind);
    }
    QCOMPARE(runs.size(), 0);
    const auto buttons = results.findChildren<QPushButton*>();
    for (QPushButton* button : buttons)
      if (button->text() == "Show runs") button->click();
    QCOMPARE(runs.size(), 1);
    QCOMPARE(runs.front().front().toStringList().size(), 15);
  }

  // 200 cells: a row comes with its first seed and changes with each further one, alone; the table is never made again.
  void rowsComeOneByOne() {
    Bench bench;
    constexpr std::size_t alphas = 50, seeds = 4;
    SweepPlan plan = bench.host->base;
    plan.workload = "sensitivity-mix";
    for (std::size_t a = 0; a < alphas; ++a)
      for (std::uint64_t seed = 0; seed < seeds; ++seed)
        plan.cells.push_back({.policy = "evicpress",
                              .alpha = 1 + static_cast<double>(a),
                              .budget = {},
                              .requests_per_second = 0,
                              .seed = seed,
                              .uses_alpha = true});
    bench.page->choose(*bench.page->model().enqueue("Many", plan));
    FigureTableModel& rows = bench.page->results().table_model();
    QTRY_COMPARE(rows.columnCount(), 13);  // with α
    QSignalSpy reset(&rows, &FigureTableModel::modelReset), inserted(&rows, &FigureTableModel::rowsInserted),
        changed(&rows, &FigureTableModel::dataChanged), removed(&rows, &FigureTableModel::rowsRemoved),
        moved(&rows, &FigureTableModel::rowsMoved);
    // Slower and better with alpha, so that none takes another off the frontier.
    const auto serve = [&bench](std::size_t cell) {
      const auto a = static_cast<double>(cell / seeds);
      bench.host->serve(0.1 + 0.001 * a, 0.5 + 0.005 * a);
    };
    // One by one at first.
    for (std::size_t cell = 0; cell < 2 * seeds; ++cell) {
      const qsizetype before = inserted.size() + changed.size();
      serve(cell);
      QTRY_COMPARE(inserted.size() + changed.size(), before + 1);
    }
    QCOMPARE(inserted.size(), 2);
    // Then as fast as they come.
    for (std::size_t cell = 2 * seeds; cell < alphas * seeds; ++cell) {
      serve(cell);
      if (cell % 20 == 0) QTest::qWait(30);
    }
    bench.host->end();
    QTRY_COMPARE(bench.page->results().figure().runs.size(), alphas * seeds);
    QCOMPARE(rows.rowCount(), static_cast<int>(alphas));
    QCOMPARE(reset.size(), 0);
    QCOMPARE(removed.size(), 0);
    QCOMPARE(moved.size(), 0);
    QCOMPARE(inserted.size(), static_cast<qsizetype>(alphas));
    for (const QList<QVariant>& one : inserted) QCOMPARE(one.at(1).toInt(), one.at(2).toInt());
    for (const QList<QVariant>& one : changed) QCOMPARE(one.at(0).toModelIndex().row(), one.at(1).toModelIndex().row());
    QVERIFY(changed.size() <= static_cast<qsizetype>(alphas * (seeds - 1)));
    for (int row = 0; row < rows.rowCount(); ++row)
      QCOMPARE(rows.index(row, 1).data().toDouble(), 1.0 + row);  // in the order of the plan
  }

  // Another experiment's rows never show under the name of the chosen one.
  void anotherExperimentBeginsEmpty() {
    Bench bench;
    bench.start("First", "0");
    bench.host->serve(0.1, 0.8);
    QTRY_COMPARE(bench.page->results().table().model()->rowCount(), 1);
    const QString first = bench.page->chosen();
    bench.page->tabs().setCurrentWidget(&bench.page->form());
    bench.start("Second", "1");  // queued
    QVERIFY(bench.page->chosen() != first);
    QCOMPARE(bench.page->results().table().model()->rowCount(), 0);
    bench.host->serve(0.1, 0.8);  // of the first
    QTest::qWait(200);
    QCOMPARE(bench.page->results().table().model()->rowCount(), 0);
    bench.page->choose(first);
    QTRY_COMPARE(bench.page->results().table().model()->rowCount(), 2);
  }

  void thePlanOfTheFormIsAFile() {
    Bench bench;
    bench.type("policies", "evicpress, lru");
    const QString file = bench.folder.filePath("plan.json");
    QCOMPARE(bench.page->save_plan(file), QString());
    const auto json = read_json_file(from_q(file));
    QVERIFY(json.has_value());
    const auto plan = sweep_plan_from_json(*json, "plan.json");
    QVERIFY(plan.has_value());
    QCOMPARE(plan->cells.size(), bench.page->form_model().cells());
    QCOMPARE(plan->workload, std::string("sensitivity-mix"));
  }

  void settingsOfAnExperimentAreUsedAgain() {
    Bench bench;
    bench.start("Budgets", "3-4");
    const QString id = bench.page->chosen();
    bench.type("seeds", "9");
    bench.page->reuse(id);
    QCOMPARE(bench.page->form().line("seeds")->text(), QString("3, 4"));
    QCOMPARE(bench.page->form_model().cells(), 6u);
    QCOMPARE(bench.page->form().name().text(), QString("Budgets, again"));
  }

  void withoutAHostNothingStarts() {
    ScriptedSession session;
    session.set_state(RunState::running);
    SessionSwitch shown(session);
    ExperimentsPage page({}, {}, shown);
    page.resize(1100, 760);
    page.show();
    QVERIFY(!page.form().start_button().isEnabled());
    QVERIFY2(page.form().start_button().toolTip().contains("kvantage-cli sweep"),
             qPrintable(page.form().start_button().toolTip()));
  }
};

KV_TEST_MAIN(ExperimentsPageTest)

}  // namespace experiments_page_test

#include "experiments_page_test.moc"
