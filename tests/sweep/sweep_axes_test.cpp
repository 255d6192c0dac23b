// links: kv_reports
// The axes of a sweep: budgets of single tiers, sets of methods and decode-time eviction, how cells are made of them,
// and that results of a folder are found without writing to it.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_table.h"
#include "tests/support/test_program.h"

namespace sweep_axes_test {

using namespace kvantage;

class SweepAxesTest : public QObject {
  Q_OBJECT

 private slots:
  void budgetsOfSingleTiers() {
    const auto scale = parse_budget_scale("dram=10% + ssd=0.5");
    QVERIFY(scale.has_value());
    QCOMPARE(scale->tiers.size(), 2u);
    QVERIFY((scale->tiers[0] == TierScale{"dram", 0.1, true}));
    QVERIFY((scale->tiers[1] == TierScale{"ssd", 0.5, false}));
    QCOMPARE(scale->text(), std::string("dram=10.0%+ssd=0.5"));
    QVERIFY(*parse_budget_scale(scale->text()) == *scale);
    QVERIFY(parse_budget_scale("20%")->tiers.empty());
    for (const char* wrong :
         {"dram=", "=10%", "dram=10%+dram=20%", "dram=10%+20%", "dram=-1", "dram=a", "dram=ssd=1"}) {
      const auto refused = parse_budget_scale(wrong);
      QVERIFY2(!refused && refused.error().code == ErrorCode::usage, wrong);
    }
  }

  void setsOfMethods() {
    const auto sets = parse_method_sets("keydiff, snapkv | adakv(snapkv,safeguard=30) || keydiff");
    QCOMPARE(sets.size(), 3u);
    QCOMPARE(sets[0], (std::vector<std::string>{"keydiff", "snapkv"}));
    QCOMPARE(sets[1], std::vector<std::string>{"adakv(snapkv,safeguard=30)"});
    QCOMPARE(all_methods_of(sets), (std::vector<std::string>{"keydiff", "snapkv", "adakv(snapkv,safeguard=30)"}));
    QVERIFY(parse_method_sets(" ").empty());
  }

  void onlyPlannersHaveSetsOfMethods() {
    SweepGrid grid;
    grid.policies = {{"evicpress", true, true}, {"lru", false, false}};
    grid.alphas = {1, 2};
    grid.budgets = {{}};
    grid.rates = {0};
    grid.seeds = {0};
    grid.method_sets = {{"keydiff"}};
    const auto of_plan = cells_of(grid);
    QCOMPARE(of_plan->size(), 3u);  // one set is the plan's
    for (const SweepCell& cell : *of_plan) QVERIFY(cell.methods.empty());
    grid.method_sets = {{"keydiff"}, {"snapkv", "knorm"}};
    grid.decode_evictions = {"none", "knorm(budget=25%)"};
    const auto cells = cells_of(grid);
    QCOMPARE(cells->size(), 2u * (2u * 2u + 1u));
    std::set<std::string> ids;
    SweepPlan plan;
    for (const SweepCell& cell : *cells) {
      QCOMPARE(cell.methods.empty(), cell.policy == "lru");
      QVERIFY(!cell.decode_eviction.empty());
      ids.insert(cell_id(plan, cell));
      const auto read = sweep_cell_from_json(parse_json(dump_json(to_json(cell)), "cell").value(), "cell");
      QVERIFY(read.has_value());
      QCOMPARE(cell_id(plan, *read), cell_id(plan, cell));
    }
    QCOMPARE(ids.size(), cells->size());
  }

  void rowsAreToldApart() {
    SweepPlan plan;
    SweepCell cell{.policy = "evicpress", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = 0};
    plan.cells.push_back(cell);
    cell.methods = {"keydiff", "snapkv"};
    plan.cells.push_back(cell);
    cell.decode_eviction = "knorm(budget=25%)";
    plan.cells.push_back(cell);
    cell.seed = 1;
    plan.cells.push_back(cell);
    std::map<std::string, Json> results;
    for (const SweepCell& one : plan.cells) results[cell_id(plan, one)] = Json{{"requests", 5}, {"quality", 0.5}};
    const SweepTable table = make_sweep_table(plan, results);
    QCOMPARE(table.rows.size(), 3u);
    QCOMPARE(table.rows[2].n, 2u);
    QCOMPARE(policy_text(table.rows[0].cell), std::string("evicpress"));
    QCOMPARE(policy_text(table.rows[2].cell), std::string("evicpress [keydiff,snapkv], decode knorm(budget=25%)"));
    QCOMPARE(methods_text(table.rows[0].cell), std::string("-"));
    QVERIFY(to_csv(table).find("decode_eviction") != std::string::npos);
    plan.cells.resize(1);
    const SweepTable plain = make_sweep_table(plan, results);
    QVERIFY(to_csv(plain).find("methods") == std::string::npos);
  }

  void lookingWritesNothing() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("sweep").toStdString();
    SweepPlan plan;
    plan.cells = {
        {.policy = "lru", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = 0, .uses_alpha = false},
        {.policy = "lru", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = 1, .uses_alpha = false}};
    QCOMPARE(SweepResults::look(path, plan).size(), 0u);
    std::error_code ignored;
    QVERIFY(!std::filesystem::exists(path, ignored));
    auto results = SweepResults::open(path, plan, false);
    QVERIFY(results.has_value());
    QVERIFY(results->add(cell_id(plan, plan.cells[1]), Json{{"requests", 5}}).has_value());
    QVERIFY(write_text_file(path / "cells" / "other.json", "{}").has_value());
    const SweepResults found = SweepResults::look(path, plan);
    QCOMPARE(found.ids(), std::set<std::string>{cell_id(plan, plan.cells[1])});
    QCOMPARE(found.read()->size(), 1u);
  }
};

KV_TEST_APPLESS_MAIN(SweepAxesTest)

}  // namespace sweep_axes_test

#include "sweep_axes_test.moc"
