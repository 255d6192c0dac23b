// links: kv_ui
// A long list of runs: what one turn of the window's loop does of it is bounded, however many there are, and in the end
// it is whole and in order.
#include <QApplication>
#include <QDeadlineTimer>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "ui/runs/runs_dock.h"

namespace runs_filling_test {

using namespace kvantage;

namespace {

constexpr int runs = 2'600;

std::shared_ptr<MemoryLibrary> long_library() {
  auto library = std::make_shared<MemoryLibrary>();
  const std::array policies{"evicpress", "lru", "full_prefill"};
  for (int i = 0; i < runs; ++i) {
    const std::string id = "run-" + std::to_string(10'000 + i),
                      policy = policies[static_cast<std::size_t>(i) % policies.size()];
    const Json settings{{"settings", {{"policy", policy}, {"alpha", 0.001 * (i % 50)}}},
                        {"environment", {{"workload", "workload " + std::to_string(i % 7)}}}};
    library->runs[id].summary = {id,
                                 1'000'000'000LL * (i + 1),
                                 1'000'000'000LL * (i + 2),
                                 policy,
                                 "finished",
                                 static_cast<std::uint64_t>(i % 90),
                                 settings};
  }
  return library;
}

}  // namespace

class RunsFillingTest : public QObject {
  Q_OBJECT

 private slots:
  void aTurnReadsAPortion_data() {
    QTest::addColumn<int>("column");
    QTest::addColumn<bool>("descending");
    QTest::newRow("newest first") << int{RunsModel::started} << true;
    QTest::newRow("oldest first") << int{RunsModel::started} << false;
    QTest::newRow("by policy") << int{RunsModel::policy} << true;  // each portion goes everywhere
  }
  void aTurnReadsAPortion() {
    QFETCH(int, column);
    QFETCH(bool, descending);
    RunsDock dock(long_library());
    dock.table().sortByColumn(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    RunsModel& model = dock.model();
    RunsFilter& filter = dock.filter();
    QSignalSpy told(&model, &QAbstractItemModel::rowsInserted), shown(&filter, &QAbstractItemModel::rowsInserted),
        read(&model, &RunsModel::refreshed);
    dock.resize(1000, 400);
    dock.show();
    int turns = 0;
    QElapsedTimer timer;
    timer.start();
    while (read.isEmpty() && timer.elapsed() < 60'000) {
      const int rows = model.rowCount();
      const qsizetype tellings = told.count(), showings = shown.count();
      QCoreApplication::processEvents();
      const int more = model.rowCount() - rows;
      turns += more > 0;
      QVERIFY2(more <= static_cast<int>(RunsModel::rows_a_turn), qPrintable(QString::number(more)));
      QVERIFY2(told.count() - tellings <= 1 && shown.count() - showings <= 1,
               qPrintable(QString::number(shown.count() - showings)));
    }
    QCOMPARE(model.rowCount(), runs);
    QCOMPARE(turns, static_cast<int>((runs + RunsModel::rows_a_turn - 1) / RunsModel::rows_a_turn));
    QCOMPARE(filter.rowCount(), runs);
    for (int i = 1; i < runs; ++i) {
      const RunsModel::Row &before = *model.row(filter.mapToSource(filter.index(i - 1, 0)).row()),
                           &here = *model.row(filter.mapToSource(filter.index(i, 0)).row());
      QVERIFY2(!(descending ? RunsModel::less(before, here, column) : RunsModel::less(here, before, column)),
               qPrintable(QString::number(i)));
    }
    for (int i = 0; i < runs; i += 97)
      QCOMPARE(model.row_of(model.index(i, 0).data(RunsModel::run_id_role).toString()), i);
  }

  // Somebody asks for another order while the list still grows.
  void anOrderThatIsChosenMeanwhileHolds() {
    RunsDock dock(long_library());
    RunsModel& model = dock.model();
    QSignalSpy shown(&dock.filter(), &QAbstractItemModel::rowsInserted), read(&model, &RunsModel::refreshed);
    dock.show();
    const QDeadlineTimer limit(60'000);
    // Turn by turn: a wait would let more than the first portion in.
    while (model.rowCount() == 0 && !limit.hasExpired()) QCoreApplication::processEvents();
    QVERIFY(model.rowCount() > 0 && model.rowCount() < runs);
    dock.table().sortByColumn(RunsModel::policy, Qt::AscendingOrder);
    while (read.isEmpty()) {
      const qsizetype showings = shown.count();
      QCoreApplication::processEvents();
      QVERIFY(shown.count() - showings <= 1);
    }
    const auto policy = [&](int row) { return dock.filter().index(row, RunsModel::policy).data().toString(); };
    for (int i = 1; i < runs; ++i) QVERIFY(policy(i - 1) <= policy(i));
    // What comes after that is put in its place by itself.
    dock.set_present_run("run-10002");
    QVERIFY(dock.filter().dynamicSortFilter());
  }

  void whatChangesInALongListIsReadInPortionsToo() {
    const auto library = long_library();
    RunsModel model(library);
    QSignalSpy read(&model, &RunsModel::refreshed);
    model.refresh();
    QTRY_COMPARE(read.count(), 1);
    QTRY_VERIFY(model.worker().idle() && model.missing_figures() == 0);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.refresh();
    QTRY_COMPARE(read.count(), 2);
    QCOMPARE(changed.count(), 0);
    for (auto& [id, run] : library->runs) run.summary.outcome = "stopped";
    model.refresh();
    while (read.count() < 3) {
      const qsizetype before = changed.count();
      QCoreApplication::processEvents();
      QVERIFY(changed.count() - before <= static_cast<qsizetype>(RunsModel::rows_a_turn));
    }
    QCOMPARE(changed.count(), qsizetype{runs});
    QCOMPARE(model.index(runs - 1, RunsModel::state).data().toString(), QString("stopped"));
  }
};

KV_TEST_MAIN(RunsFillingTest)

}  // namespace runs_filling_test

#include "runs_filling_test.moc"
