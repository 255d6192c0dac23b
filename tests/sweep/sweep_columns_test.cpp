// links: kv_reports
// The typed table of a sweep holds what its CSV holds, cell by cell.
#include <QtTest>

#include "core/sweep/sweep_table.h"
#include "tests/support/parquet_files.h"
#include "tests/support/test_program.h"

namespace sweep_columns_test {

using namespace kvantage;
using namespace kvantage::test;

class SweepColumnsTest : public QObject {
  Q_OBJECT

 private slots:
  void typedColumnsHoldWhatCsvHolds() {
    SweepPlan plan;
    plan.workload = "w";
    for (const char* policy : {"lru", "evicpress"})
      for (std::uint64_t seed = 0; seed < 6; ++seed)
        plan.cells.push_back({.policy = policy,
                              .alpha = 0.1,
                              .budget = {0.2, true},
                              .requests_per_second = 2.5,
                              .seed = seed,
                              .uses_alpha = policy == std::string("evicpress")});
    plan.cells.push_back({.policy = "gdsf", .alpha = 1, .budget = {}, .seed = 0, .uses_alpha = false});
    std::map<std::string, Json> results;
    for (const SweepCell& cell : plan.cells)
      results[cell_id(plan, cell)] = Json{{"requests", 5 + cell.seed},
                                          {"run_id", "run" + std::to_string(cell.seed)},
                                          {"quality_metric", "token_f1"},
                                          {"ttft_service_seconds", 0.1 + 0.013 * static_cast<double>(cell.seed)},
                                          {"quality", cell.policy == "lru" ? 0.5 : 0.75},
                                          {"loaded_bytes", 123456789.0}};
    const SweepTable table = make_sweep_table(plan, results);
    QCOMPARE(table.rows.size(), std::size_t{3});
    const ColumnTable columns = to_columns(table);
    const QStringList found =
        differences_to_csv(columns_json(columns), csv_rows(QByteArray::fromStdString(to_csv(table))));
    QVERIFY2(found.isEmpty(), qPrintable(found.mid(0, 10).join('\n')));
    QVERIFY(columns.find("alpha")->at(0) == TableCell() && columns.find("alpha")->at(1) == TableCell(0.1));
    QVERIFY(columns.find("on_frontier")->type() == ColumnType::flag);
    QCOMPARE(columns.find("ttft_service_seconds")->unit(), std::string("s"));
    QCOMPARE(columns.find("loaded_bytes")->unit(), std::string("B"));
    QVERIFY(columns.find("ttft_service_seconds_low")->at(2) == TableCell());  // of one seed there is no interval
    QCOMPARE(columns.facts.front(), (std::pair<std::string, std::string>{"quality_metric", "token_f1"}));
  }

  void everyCellHasItsRowOnceWithOrWithoutResult() {
    SweepPlan plan;
    plan.workload = "w";
    for (const std::uint64_t seed : {1, 2, 3, 1})  // somebody's plan may name a cell twice
      plan.cells.push_back({.policy = "lru", .budget = {0.2, true}, .seed = seed, .uses_alpha = false});
    const std::map<std::string, Json> results{
        {cell_id(plan, plan.cells[0]), Json{{"requests", 6},
                                            {"run_id", "run1"},
                                            {"host", "node7"},
                                            {"worker", "node7-42"},
                                            {"cell_seconds", 1.5},
                                            {"began_utc_ns", 1'700'000'000'000'000'000},
                                            {"ttft_service_seconds", 0.25},
                                            {"lp_gap", nullptr},
                                            {"loaded_bytes", "many"}}},  // of another machine: a wrong type
        {cell_id(plan, plan.cells[1]), Json{{"failed", "no space"}, {"worker", "node8-1"}, {"attempts", 3}}}};
    const ColumnTable table = cell_columns(plan, results);
    QCOMPARE(table.name, std::string("cells"));
    QCOMPARE(table.rows(), std::size_t{3});
    const auto row_of = [&](const char* name) {
      std::vector<TableCell> cells;
      for (std::size_t row = 0; row < table.rows(); ++row) cells.push_back(table.find(name)->at(row));
      return cells;
    };
    using Cells = std::vector<TableCell>;
    const auto text = [](const char* value) { return TableCell(std::string_view(value)); };
    const TableCell none;
    QVERIFY((row_of("state") == Cells{text("done"), text("failed"), text("missing")}));
    QVERIFY((row_of("seed") == Cells{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}));
    QVERIFY((row_of("run_id") == Cells{text("run1"), none, none}));
    QVERIFY((row_of("worker") == Cells{text("node7-42"), text("node8-1"), none}));
    QVERIFY((row_of("failed") == Cells{none, text("no space"), none}));
    QVERIFY((row_of("requests") == Cells{std::int64_t{6}, none, none}));
    QVERIFY((row_of("ttft_service_seconds") == Cells{0.25, none, none}));
    QVERIFY((row_of("loaded_bytes") == Cells{none, none, none}));
    QVERIFY((row_of("began_utc_ns") == Cells{std::int64_t{1'700'000'000'000'000'000}, none, none}));
    QCOMPARE(table.find("cell_seconds")->unit(), std::string("s"));
    QCOMPARE(table.find("loaded_bytes")->unit(), std::string("B"));
    QCOMPARE(table.find("began_utc_ns")->unit(), std::string("ns"));
    QVERIFY(table.find("methods") == nullptr && table.find("decode_eviction") == nullptr);
  }

  void aSweepWithoutResultsIsATableWithoutRows() {
    const ColumnTable columns = to_columns(make_sweep_table(SweepPlan{}, {}));
    QVERIFY(columns.rows() == 0 && columns.find("policy") != nullptr && columns.find("run_ids") != nullptr);
  }
};

KV_TEST_APPLESS_MAIN(SweepColumnsTest)

}  // namespace sweep_columns_test

#include "sweep_columns_test.moc"
