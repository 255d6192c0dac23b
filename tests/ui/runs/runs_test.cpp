// links: kv_ui profiles
// The table of saved runs and their comparison: what the window shows is what the database and core/report say.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "core/report/recorded_run.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/recorded_runs.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace runs_test {

using namespace kvantage;
using test::record;
using test::RecordedRuns;
using test::wait_for_figures;

namespace {

QLineEdit* filter_of(RunsDock& dock) {
  for (QLineEdit* edit : dock.findChildren<QLineEdit*>())
    if (edit->accessibleName() == "Filter runs") return edit;
  return nullptr;
}

QString cell(const RunsModel& model, const QString& run, int column) {
  return model.index(model.row_of(run), column).data().toString();
}

}  // namespace

class RunsTest : public QObject {
  Q_OBJECT

 private slots:
  void theTableHoldsWhatWasRecorded() {
    RecordedRuns f;
    f.three_runs();
    RunsModel model(f.library);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.refresh();
    wait_for_figures(model, 3);
    QCOMPARE(cell(model, "run-b", RunsModel::policy), QString("evicpress"));
    QCOMPARE(cell(model, "run-b", RunsModel::workload), QString("quickstart"));
    QCOMPARE(cell(model, "run-b", RunsModel::requests), QString("60"));
    QCOMPARE(cell(model, "run-b", RunsModel::budgets), QString("dram 4.0 MiB"));
    QCOMPARE(cell(model, "run-b", RunsModel::state), QString("finished"));
    QCOMPARE(cell(model, "run-c", RunsModel::state),
             QString("running in another window"));  // its recorder lives, and is not this window's
    model.set_present_run("run-c");
    QCOMPARE(cell(model, "run-c", RunsModel::state), QString("running"));
    for (const char* id : {"run-a", "run-b", "run-c"}) {
      const auto run = f.library->read(id, report_event_types());
      const PolicyRow row = report_of_runs({{run->summary, run->events}}).rows.front();
      const RunsModel::Row* shown = model.row(model.row_of(QString::fromLatin1(id)));
      QVERIFY(std::abs(shown->metrics->ttft_service_seconds().mean() - row.ttft_service_seconds.mean) < 1e-12);
      QVERIFY(std::abs(shown->metrics->quality().at("token_f1").mean() - row.quality.at("token_f1").mean) < 1e-12);
      QCOMPARE(cell(model, id, RunsModel::ttft), seconds_text(row.ttft_service_seconds.mean));
    }
    // Metrics of runs that have ended are kept; those of a run that continues are not.
    const auto listed = f.library->list(0);
    QVERIFY(listed->at(0).metrics.is_object() && listed->at(2).metrics.is_null());
    model.set_present_run(QString());
    model.remove({"run-c"});
    QTRY_VERIFY(model.worker().idle());
    QCOMPARE(model.rowCount(), 3);  // nobody takes a run from under its recorder
    f.stores.reset();
    model.refresh();
    QTRY_COMPARE(cell(model, "run-c", RunsModel::state), QString("aborted"));
  }

  void aRunThatContinuesGrowsInPlace() {
    RecordedRuns f;
    f.three_runs();
    RunsModel model(f.library);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.refresh();
    wait_for_figures(model, 3);
    Event event;
    event.sequence = 900;
    RequestRecord slow = sample_run(1, "evicpress", 3).records.front();
    slow.cancelled = false;
    slow.timing.ttft_service_seconds = 40;
    event.payload = events::RequestFinished{slow};
    f.stores->runs().append(event);
    QVERIFY(f.stores->runs().finish_run("run-c", "stopped"));
    record(*f.stores, "run-d", "lru", 5, 1, 0);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    model.refresh();
    wait_for_figures(model, 4);
    QTRY_COMPARE(cell(model, "run-c", RunsModel::requests), QString("41"));
    QTRY_COMPARE(model.row(model.row_of("run-c"))->metrics->answered(), std::uint64_t{41});
    QVERIFY(model.row(model.row_of("run-c"))->metrics->ttft_service_seconds().mean() > 0.9);
    QCOMPARE(cell(model, "run-c", RunsModel::state), QString("stopped"));
    QCOMPARE(resets.count(), 0);  // what is selected stays selected
  }

  void tagsAndNotesAreKept() {
    RecordedRuns f;
    f.three_runs();
    {
      RunsModel model(f.library);
      model.refresh();
      wait_for_figures(model, 3);
      const int row = model.row_of("run-a");
      QVERIFY(model.flags(model.index(row, RunsModel::tags)) & Qt::ItemIsEditable);
      QVERIFY(!(model.flags(model.index(row, RunsModel::policy)) & Qt::ItemIsEditable));
      QVERIFY(model.setData(model.index(row, RunsModel::tags), " slides,slow disk , slides,", Qt::EditRole));
      QVERIFY(model.setData(model.index(row, RunsModel::notes), "die zweite Messung", Qt::EditRole));
      QCOMPARE(cell(model, "run-a", RunsModel::tags), QString("slides, slow disk"));
      QVERIFY(!model.setData(model.index(row, RunsModel::policy), "x", Qt::EditRole));
      QTRY_VERIFY(model.worker().idle());
    }
    RunsModel again(f.library);
    again.refresh();
    wait_for_figures(again, 3);
    QCOMPARE(cell(again, "run-a", RunsModel::tags), QString("slides, slow disk"));
    QCOMPARE(cell(again, "run-a", RunsModel::notes), QString("die zweite Messung"));
  }

  void runsAreFoundByWordsWorkloadAndPolicy() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.resize(1000, 300);
    dock.show();
    wait_for_figures(dock.model(), 3);
    QAbstractItemModelTester tester(&dock.filter(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    dock.model().setData(dock.model().index(dock.model().row_of("run-a"), RunsModel::notes), "Mittwoch", Qt::EditRole);
    dock.filter().set_text("mittw LRU");
    QCOMPARE(dock.filter().rowCount(), 1);
    dock.filter().set_text("mittw evicpress");
    QCOMPARE(dock.filter().rowCount(), 0);
    dock.filter().set_text("");
    dock.filter().set_policy("evicpress");
    QCOMPARE(dock.filter().rowCount(), 2);
    dock.filter().set_workload("own text");
    QCOMPARE(dock.filter().rowCount(), 1);
    const QStringList workloads{"own text", "quickstart"};
    QCOMPARE(dock.model().workloads(), workloads);
    dock.filter().set_policy("");
    dock.filter().set_workload("");
    dock.table().sortByColumn(RunsModel::ttft, Qt::AscendingOrder);
    QCOMPARE(dock.filter().index(0, 0).data(RunsModel::run_id_role).toString(), QString("run-b"));
  }

  // As a click on a point of the Frontier does: also before it is listed, behind a filter and behind another page.
  void aRunAskedForIsBroughtIntoView() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.resize(1000, 300);
    dock.show();
    dock.show_run("run-b");
    const QStringList b{"run-b"}, a{"run-a"};
    QTRY_COMPARE(dock.chosen(), b);
    filter_of(dock)->setText("lru");
    dock.choose({"run-a"});
    dock.show_metrics_of_chosen();
    QVERIFY(dock.showing_metrics());
    dock.show_run("run-b");
    QCOMPARE(dock.chosen(), b);
    QVERIFY(!dock.showing_metrics() && dock.filter().rowCount() == 3);
    dock.show_run("run-d");  // begins in this moment
    record(*f.stores, "run-d", "lru", 3, 1, 0);
    dock.model().refresh();
    const QStringList d{"run-d"};
    QTRY_COMPARE(dock.chosen(), d);
  }

  // What is chosen stays chosen while words are typed, as long as it is shown.
  void aChoiceOutlivesTheFilter() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.resize(1000, 300);
    dock.show();
    wait_for_figures(dock.model(), 3);
    dock.choose({"run-a", "run-b"});
    dock.filter().set_text("QUICKstart");
    QCOMPARE(dock.chosen().size(), qsizetype{2});
    dock.filter().set_text("evicpress");
    const QStringList b{"run-b"};
    QCOMPARE(dock.chosen(), b);
    dock.filter().set_text("");
    QCOMPARE(dock.chosen(), b);
    QCOMPARE(dock.filter().rowCount(), 3);
  }

  void everyFigureOfARunIsListed() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.resize(1000, 300);
    dock.show();
    wait_for_figures(dock.model(), 3);
    QAbstractItemModelTester tester(&dock.metrics(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    dock.choose({"run-a"});
    dock.show_metrics_of_chosen();
    QTRY_VERIFY(dock.metrics().rowCount() > 30);
    const auto run = f.library->read("run-a", report_event_types());
    const RunReport report = report_of_runs({{run->summary, run->events}});
    QCOMPARE(dock.metrics().rowCount(), static_cast<int>(metric_list(report.rows[0]).size()));
    QCOMPARE(dock.metrics().claim(), to_q(report.claim));
    dock.metrics_page().filter().setText("ttft_service");
    QCOMPARE(dock.metrics_page().table().model()->rowCount(), 1);
    QVERIFY(dock.metrics().index(4, RunMetricsModel::metric).data(Qt::ToolTipRole).toString().contains("first token"));
    dock.metrics_page().filter().setText("no such figure");
    QVERIFY(dock.metrics_page().findChild<EmptyNote*>()->text().contains("matches the filter"));
    for (QPushButton* button : dock.metrics_page().findChildren<QPushButton*>()) button->click();
    QVERIFY(!dock.showing_metrics() && dock.metrics().rowCount() == 0);
  }

  // The comparison shown is the one of core/report for the same runs, for every choice of the baseline.
  void comparedFiguresAreThoseOfTheReport() {
    RecordedRuns f;
    f.three_runs();
    RunComparisonModel model(f.library);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy compared(&model, &RunComparisonModel::compared);
    model.compare({"run-a", "run-b", "run-c"});
    QTRY_COMPARE(compared.count(), 1);
    std::vector<RecordedRun> runs;
    for (const char* id : {"run-a", "run-b", "run-c"}) {
      auto run = f.library->read(id, report_event_types());
      runs.push_back({run->summary, run->events});
    }
    const RunComparison expected = compare_runs(runs);
    QCOMPARE(to_json(model.comparison()).dump(), to_json(expected).dump());
    QCOMPARE(model.columnCount(), 4);
    const auto row_of = [&](const QString& name) {
      for (int r = 0; r < model.rowCount(); ++r)
        if (model.index(r, 0).data().toString() == name) return r;
      return -1;
    };
    const int ttft = row_of("TTFT, service");
    const ComparedMetric& metric = expected.metrics.front();
    QCOMPARE(to_q(metric.name), QString("TTFT, service"));
    for (int side = 0; side < 3; ++side) {
      const QString text = model.index(ttft, side + 1).data().toString();
      const auto& value = *metric.values[static_cast<std::size_t>(side)];
      QVERIFY2(text.contains(to_q(value_text(metric, value))) && text.contains(QStringLiteral("n = %1").arg(value.n)),
               qPrintable(text));
      QVERIFY(text.contains(to_q(judgment_text(expected, metric, static_cast<std::size_t>(side)))));
    }
    QVERIFY(model.index(ttft, 2).data().toString().contains("better by 50 %: "));
    QVERIFY(row_of("policy") > 0 && row_of("environment/model") < 0);  // only what differs
    model.set_baseline(1);
    QTRY_COMPARE(compared.count(), 2);
    QCOMPARE(to_json(model.comparison()).dump(), to_json(compare_runs(runs, 1)).dump());
    QVERIFY(model.index(row_of("TTFT, service"), 1).data().toString().contains("worse by"));
    QSignalSpy failed(&model, &RunComparisonModel::failed);
    model.compare({"run-a"});
    QCOMPARE(failed.count(), 1);
    model.compare({"run-a", "run-gone"});
    QTRY_COMPARE(failed.count(), 2);
    QVERIFY2(failed.back().front().toString().contains("run-gone"), qPrintable(failed.back().front().toString()));
  }

  void theChartShowsTheComparedMeans() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.resize(1000, 320);
    dock.show();
    wait_for_figures(dock.model(), 3);
    dock.choose({"run-a", "run-b"});
    dock.compare_chosen();
    QVERIFY(dock.comparing());
    QTRY_COMPARE(dock.comparison().sides(), 2);
    // A sign after a value is explained where it stands.
    const RunComparison& compared = dock.comparison().comparison();
    for (const Provenance kind :
         {Provenance::throttled, Provenance::simulated, Provenance::predicted, Provenance::imported}) {
      const bool used = std::ranges::any_of(compared.metrics, [&](const ComparedMetric& metric) {
        return std::ranges::any_of(metric.values,
                                   [&](const auto& value) { return value && value->provenance == kind; });
      });
      QCOMPARE(dock.compare_page().marks().text().contains(mark_of(kind)), used);
    }
    QCOMPARE(dock.compare_page().marks().text(), QString("^ throttled"));
    CompareChart& chart = dock.compare_page().chart();
    chart.flush();
    const auto points = chart.points();
    QCOMPARE(points.size(), std::size_t{2});
    QCOMPARE(points[0].ttft_ms, dock.comparison().comparison().metrics.front().values[0]->value);
    QVERIFY(points[1].quality > points[0].quality && points[1].ttft_ms < points[0].ttft_ms);
    QCOMPARE(chart.table().rows.size(), 2);
    dock.compare_page().baseline().setCurrentIndex(1);
    emit dock.compare_page().baseline().activated(1);
    QTRY_COMPARE(dock.comparison().comparison().baseline, std::size_t{1});
    for (QPushButton* button : dock.compare_page().findChildren<QPushButton*>())
      if (button->text() == "Copy") button->click();
    QVERIFY(QApplication::clipboard()->text().contains("TTFT, service\t"));
  }

  void deletingAsksAndThenDeletes() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.show();
    wait_for_figures(dock.model(), 3);
    dock.set_present_run("run-c");
    dock.choose({"run-a", "run-c"});
    QSignalSpy said(&dock, &RunsDock::said);
    const auto ask = [&](const QString& answer) {
      std::unique_ptr<QMenu> menu(dock.make_menu());
      for (QAction* action : menu->actions())
        if (action->text().contains("elete")) action->trigger();
      auto* box = dock.findChild<QMessageBox*>("deleteRunsBox");
      QVERIFY(box && box->informativeText().contains("cannot be undone"));
      for (QAbstractButton* button : box->buttons())
        if (button->text().remove('&') == answer) button->click();
      QTRY_VERIFY(!dock.findChild<QMessageBox*>("deleteRunsBox"));
    };
    ask("Cancel");
    test::settle(50);
    QCOMPARE(f.library->list(0)->size(), std::size_t{3});
    ask("Delete");
    QTRY_COMPARE(dock.model().rowCount(), 2);  // the one that is being recorded stays
    QVERIFY(dock.model().row_of("run-c") >= 0 && said.count() == 1);
    QVERIFY(!f.library->read("run-a"));
  }

  void withoutRunsItSaysWhatToDo() {
    RunsDock none(nullptr);
    none.show();
    QVERIFY(none.table().findChild<EmptyNote*>()->text().contains("--db"));
    RecordedRuns f;
    RunsDock empty(f.library);
    empty.show();
    QTRY_VERIFY(empty.table().findChild<EmptyNote*>()->text().contains("press Start"));
    record(*f.stores, "run-a", "lru", 3, 1, 0);
    empty.model().refresh();
    QTRY_VERIFY(!empty.table().findChild<EmptyNote*>()->isVisible());
    empty.filter().set_text("nothing like it");
    QTRY_VERIFY(empty.table().findChild<EmptyNote*>()->text().contains("filter"));
  }
};

KV_TEST_MAIN(RunsTest)

}  // namespace runs_test

#include "runs_test.moc"
