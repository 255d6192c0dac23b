// links: kv_ui
// The table of an experiment is made beside the window's thread: what comes while it is made is in the next one, and
// one of an experiment that is no longer shown is dropped. What the rows' model is told of a new state.
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "ui/experiments/experiment_tables.h"
#include "ui/papers/model/figure_table_model.h"

namespace experiment_tables_test {

using namespace kvantage;

namespace {

Experiment experiment_of(std::size_t cells) {
  Experiment one;
  one.id = "1";
  one.name = "Many";
  one.plan.workload = "sensitivity-mix";
  for (std::size_t cell = 0; cell < cells; ++cell)
    one.plan.cells.push_back({.policy = "evicpress",
                              .alpha = 1 + static_cast<double>(cell),
                              .budget = {},
                              .requests_per_second = 0,
                              .seed = 0,
                              .uses_alpha = true});
  return one;
}

Json result_of(std::size_t cell) {
  return {{"requests", 20},
          {"run_id", "run-" + std::to_string(cell)},
          {"quality_metric", "token_f1"},
          {"ttft_service_seconds", 0.1},
          {"ttft_seconds", 0.1},
          {"quality", 0.5},
          {"hit_rate", 0.5}};
}

FigureTable rows_of(const std::vector<std::pair<std::string, int>>& rows) {
  FigureTable table;
  table.columns = {"Policy", "n"};
  for (const auto& [policy, n] : rows) table.rows.push_back({Json(policy), Json(n)});
  return table;
}

}  // namespace

class ExperimentTablesTest : public QObject {
  Q_OBJECT
 private slots:
  void whatComesMeanwhileIsInTheNextOne() {
    ExperimentTables tables;
    std::vector<std::size_t> done;
    connect(&tables, &ExperimentTables::made, this,
            [&done](const std::shared_ptr<const ExperimentTable>& made) { done.push_back(made->table.done); });
    const Experiment one = experiment_of(200);
    const CellIds ids(one.plan);
    tables.make();  // nothing is shown
    QVERIFY(!tables.busy());
    tables.show(one);
    tables.make();
    QVERIFY(tables.busy());
    for (std::size_t cell = 0; cell < 200; ++cell) {
      tables.add(ids.of(one.plan.cells[cell]), result_of(cell));
      tables.make();
    }
    QTRY_VERIFY(!tables.busy());
    QVERIFY(done.size() >= 2 && done.size() <= 3);  // not one for each of them
    QCOMPARE(done.front(), std::size_t{0});
    QCOMPARE(done.back(), std::size_t{200});
    tables.make();  // nothing is new
    QVERIFY(!tables.busy());
  }

  void ofAnotherExperimentNothingComes() {
    ExperimentTables tables;
    QSignalSpy made(&tables, &ExperimentTables::made);
    std::string name;
    connect(&tables, &ExperimentTables::made, this,
            [&name](const std::shared_ptr<const ExperimentTable>& table) { name = table->figure.title; });
    Experiment one = experiment_of(50), other = experiment_of(1);
    other.name = "Other";
    tables.show(one);
    tables.make();
    tables.show(other);
    tables.make();
    QTRY_VERIFY(!tables.busy());
    QCOMPARE(made.size(), 1);
    QCOMPARE(name, std::string("Other"));
    tables.show(one);
    tables.make();
    tables.clear();
    QTRY_VERIFY(!tables.busy());
    QCOMPARE(made.size(), 1);
  }

  void rowsAreUpdatedInPlace() {
    FigureTableModel model;
    model.show(rows_of({{"a", 1}, {"c", 1}}));
    QSignalSpy reset(&model, &FigureTableModel::modelReset), inserted(&model, &FigureTableModel::rowsInserted),
        changed(&model, &FigureTableModel::dataChanged), removed(&model, &FigureTableModel::rowsRemoved),
        moved(&model, &FigureTableModel::rowsMoved), header(&model, &FigureTableModel::headerDataChanged);
    const auto is = [&model](const std::vector<std::pair<std::string, int>>& rows) {
      return model.table().rows == rows_of(rows).rows;
    };
    const QPersistentModelIndex c = model.index(1, 0);
    model.update(rows_of({{"a", 1}, {"b", 1}, {"c", 2}}), 1);
    QVERIFY(is({{"a", 1}, {"b", 1}, {"c", 2}}));
    QCOMPARE(inserted.size(), 1);
    QCOMPARE(inserted.front().at(1).toInt(), 1);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.front().at(0).toModelIndex().row(), 2);
    QCOMPARE(c.row(), 2);
    model.update(rows_of({{"c", 2}, {"a", 1}, {"b", 1}}), 1);
    QVERIFY(is({{"c", 2}, {"a", 1}, {"b", 1}}));
    QCOMPARE(moved.size(), 1);
    QCOMPARE(c.row(), 0);
    model.update(rows_of({{"b", 3}}), 1);
    QVERIFY(is({{"b", 3}}));
    QVERIFY(!c.isValid());
    QCOMPARE(removed.size(), 1);
    QCOMPARE(reset.size() + header.size(), 0);
    FigureTable renamed = rows_of({{"b", 3}});
    renamed.columns.back() = "seeds";
    model.update(renamed, 1);
    QCOMPARE(header.size(), 1);
    QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QString("seeds"));
    QCOMPARE(changed.size(), 2);  // "b" once
    renamed.columns.push_back("more");
    renamed.rows.front().emplace_back(1);
    model.update(renamed, 1);
    QCOMPARE(reset.size(), 1);  // another table
  }
};

KV_TEST_MAIN(ExperimentTablesTest)

}  // namespace experiment_tables_test

#include "experiment_tables_test.moc"
