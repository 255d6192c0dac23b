// links: kv_experiments
// Cells that an interrupted figure has measured are found by all that they depend on, and are not measured again.
#include "core/experiments/studies/cell_store.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/experiments/figures/experiments.h"
#include "core/experiments/studies/kept_runs.h"
#include "core/experiments/studies/kept_throughput.h"
#include "tests/support/closed_host.h"
#include "tests/support/test_program.h"

namespace cell_store_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Keeps the cells of figures below a folder, and counts the cells that begin and end.
struct Bench {
  QTemporaryDir folder;
  ClosedHost host;
  int begun = 0, ended = 0;

  std::shared_ptr<FolderCells> cells(const char* program = "0.2") const {
    return std::make_shared<FolderCells>(folder.path().toStdString() + "/cells", Json{{"program", program}});
  }
  FigureArguments arguments(const std::string& figure) {
    FigureArguments made = arguments_for(host, figure);
    made.command = "kvantage-cli reproduce " + figure;
    made.lines = std::make_shared<FigureProgress>(host.clock(), [this](const std::string& line) {
      const auto json = parse_json(line, "line");
      if (!json) return;
      begun += json->contains("cell") ? 1 : 0;
      const int done = json->value("cells_done", 0);
      ended = std::max(ended, done);
    });
    return made;
  }
};

StudyCell cell_of(std::string policy, double alpha, double share = 0.1) {
  return {.policy = std::move(policy), .alpha = alpha, .budget_fraction = share};
}

}  // namespace

class CellStoreTest : public QObject {
  Q_OBJECT
 private slots:
  void aCellIsFoundByItsWholeKey() {
    const Bench bench;
    const auto cells = bench.cells();
    const Json key{{"figure", "kvpr/fig7"}, {"seed", 1}, {"alpha", 0.1 + 0.2}}, value{{"run", "a"}, {"n", 3}};
    QVERIFY(!cells->find(key) && cells->empty());
    QVERIFY(!std::filesystem::exists(bench.folder.path().toStdString() + "/cells"));
    QVERIFY(cells->keep(key, value) && !cells->empty());
    const auto found = bench.cells()->find(key);  // as another process finds it
    QVERIFY(found && *found == value);
    QVERIFY(!cells->find({{"figure", "kvpr/fig7"}, {"seed", 2}, {"alpha", 0.1 + 0.2}}));
    QVERIFY(!cells->find({{"figure", "kvpr/fig7"}, {"seed", 1}, {"alpha", 0.3}}));
    QVERIFY(!bench.cells("0.3")->find(key));  // of another program
    QVERIFY(cells->keep(key, {{"run", "b"}}));
    QCOMPARE(cells->find(key)->at("run").get<std::string>(), std::string("b"));
    cells->remove();
    QVERIFY(!cells->find(key) && cells->empty());
  }

  void whatIsDamagedIsNotFound() {
    const Bench bench;
    const auto cells = bench.cells();
    const Json key{{"seed", 1}};
    QVERIFY(cells->keep(key, {{"run", "a"}}));
    const std::filesystem::path folder = bench.folder.path().toStdString() + "/cells";
    const std::filesystem::path file = std::filesystem::directory_iterator(folder)->path();
    for (const char* text : {"", "{", "[]", "{}", "{\"key\": 1, \"value\": 2}"}) {
      std::ofstream(file) << text;
      QVERIFY2(!cells->find(key), text);
    }
    QVERIFY(cells->keep(key, {{"run", "a"}}));
    QVERIFY(cells->find(key));
    // Where no folder can be made, that is said.
    std::ofstream(bench.folder.path().toStdString() + "/file") << "x";
    FolderCells nowhere(bench.folder.path().toStdString() + "/file/cells", {});
    const Status refused = nowhere.keep(key, 1);
    QVERIFY(!refused && refused.error().code == ErrorCode::rejected_input);
  }

  void aRunIsKeptWithWhatWasAroundIt() {
    Bench bench;
    bench.host.set_cells(bench.cells());
    const FigureArguments arguments = bench.arguments("evicpress/runs");
    const KeptRuns first(arguments, 1), second(arguments, 2);
    const StudyCell cell = cell_of("lru", 0);
    const KeptRun run{.run_id = "20261128T1-a",
                      .calibration = {0.0031, 0.0032},
                      .regime = {{"load / prefill, ssd", 0.45, 0.5, 11.1, false},
                                 {"budget in % of KV, remote", std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::infinity(), 0, true}},
                      .tiers = {{.name = "dram", .throttled = false}, {.name = "ssd", .throttled = true}}};
    QVERIFY(!first.find(cell));
    QVERIFY(first.keep(cell, run));
    const auto found = KeptRuns(arguments, 1).find(cell);
    QVERIFY(found);
    QCOMPARE(found->run_id, run.run_id);
    QVERIFY(found->calibration == run.calibration && found->regime == run.regime && found->tiers == run.tiers);
    // Another sequence, budget, rate, condition or command is another run.
    QVERIFY(!second.find(cell) && !first.find(cell_of("lru", 0, 0.2)) && !first.find(cell_of("lfu", 0)));
    StudyCell other = cell;
    other.requests_per_second = 4;
    QVERIFY(!first.find(other));
    other = cell;
    other.condition = "re-profiled";
    QVERIFY(!first.find(other));
    other = cell;
    other.methods = {"keydiff"};
    QVERIFY(!first.find(other));
    other = cell;
    other.regime = regime_named("evicpress-regime");
    QVERIFY(!first.find(other));
    other = cell;
    other.midway = [](SessionSettings&) {};
    QVERIFY(!first.find(other));
    QVERIFY(!KeptRuns(arguments, 1, Json{{"model", "another"}}).find(cell));
    FigureArguments shorter = arguments;
    shorter.command += " --limit '4'";
    QVERIFY(!KeptRuns(shorter, 1).find(cell));
    bench.host.set_cells(nullptr);
    QVERIFY(first.keep(cell, run) && !first.find(cell));
  }

  // A session fits its machine a little differently each time; the cells keep their numbers.
  void numbersOfTheCellsStayThoseOfTheFirstCommand() {
    Bench bench;
    bench.host.set_cells(bench.cells());
    const FigureArguments arguments = bench.arguments("evicpress/runs");
    std::vector<StudyCell> first{cell_of("lru", 0), cell_of("evicpress", 0.31), cell_of("evicpress", 1.02)},
        again{cell_of("lru", 0), cell_of("evicpress", 0.30), cell_of("evicpress", 0.99)};
    first[1].requests_per_second = 7.5;
    QVERIFY(KeptRuns(arguments, 1).settle_numbers(first));
    QCOMPARE(first[1].alpha, 0.31);
    QVERIFY(KeptRuns(arguments, 1).settle_numbers(again));
    for (std::size_t c = 0; c < 3; ++c) {
      QCOMPARE(again[c].alpha, first[c].alpha);
      QCOMPARE(again[c].requests_per_second, first[c].requests_per_second);
    }
    // Other policies are another list.
    std::vector<StudyCell> others{cell_of("lru", 0), cell_of("adaptcache", 0.30), cell_of("adaptcache", 0.99)};
    QVERIFY(KeptRuns(arguments, 1).settle_numbers(others));
    QCOMPARE(others[1].alpha, 0.30);
  }

  // Nor do bandwidths change, which are computed from fits.
  void throttlesStayThoseOfTheFirstCommand() {
    Bench bench;
    bench.host.set_cells(bench.cells());
    const FigureArguments arguments = bench.arguments("evicpress/runs");
    StudyCell cell = cell_of("lru", 0);
    cell.regime = regime_named("evicpress-regime");
    const auto tiers_at = [](double bandwidth) {
      std::vector<TierConfig> tiers(2);
      tiers[1].throttle.bytes_per_second = bandwidth;
      return tiers;
    };
    auto first = tiers_at(1.5e9), again = tiers_at(1.4e9), of_other_share = tiers_at(1.3e9);
    QVERIFY(KeptRuns(arguments, 1).settle_throttles(cell, first));
    QVERIFY(KeptRuns(arguments, 1).settle_throttles(cell, again));
    QVERIFY(first == tiers_at(1.5e9) && again == first);
    cell.budget_fraction = 0.2;
    QVERIFY(KeptRuns(arguments, 1).settle_throttles(cell, of_other_share));
    QCOMPARE(of_other_share[1].throttle.bytes_per_second, 1.3e9);
  }

  // A prefill does not ask for a budget; everything else does.
  void aPrefillIsServedOnceForAllBudgets() {
    std::vector<StudyCell> cells{cell_of("full_prefill", 0, 0.02), cell_of("lru", 0, 0.02),
                                 cell_of("full_prefill", 0, 0.05), cell_of("lru", 0, 0.05),
                                 cell_of("full_prefill", 0, 0.08), cell_of("full_prefill", 0, 0.11)};
    cells[4].requests_per_second = 3;
    cells[5].look = [](const Snapshot&) {};
    QCOMPARE(measured_as(cells), (std::vector<std::size_t>{0, 1, 0, 3, 4, 5}));
    cells[2].condition = "re-profiled";
    QCOMPARE(measured_as(cells), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
    QVERIFY(measured_as({}).empty());
  }

  // The second command measures what the first one left: here nothing, and then one block more.
  void throughputContinuesWhereItWasInterrupted() {
    Bench bench;
    bench.host.set_cells(bench.cells());
    const Experiment& figure = *find_experiment("compaction/long-decode");
    const auto make = [&](int blocks) {
      FigureArguments arguments = bench.arguments("compaction/long-decode");
      arguments.eviction_methods = "paged_eviction";
      arguments.budgets = "32";
      arguments.width = 256;
      arguments.context_tokens = 64;
      arguments.answer_tokens = 32;
      arguments.contexts = 1;
      arguments.blocks = blocks;
      bench.begun = bench.ended = 0;
      return figure.run(arguments);
    };
    const auto first = make(2);
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QCOMPARE(bench.ended, 4);  // the full cache and one method, in two blocks
    QCOMPARE(bench.begun, 4);
    const std::size_t timed = bench.host.calibration().n();
    const auto again = make(2);
    QVERIFY(again && bench.begun == 0 && bench.ended == 4);
    QVERIFY(again->front().tables.front().rows == first->front().tables.front().rows);
    QCOMPARE(bench.host.calibration().n(), 2 * timed);  // taken over
    const auto more = make(3);
    QVERIFY(more && bench.begun == 2 && bench.ended == 6);
    bench.host.set_cells(nullptr);
    QVERIFY(make(2) && bench.begun == 4);
  }
};

KV_TEST_GUILESS_MAIN(CellStoreTest)

}  // namespace cell_store_test

#include "cell_store_test.moc"
