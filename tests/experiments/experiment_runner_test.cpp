// links: kv_reports
// Cells in blocks: every block measures each cell once, in orders of their own; a cell beside other work is measured
// again, and what is kept of it is kept once.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/experiments/experiment_runner.h"
#include "tests/support/test_program.h"

namespace experiment_runner_test {

using namespace kvantage;

/// Moves on by what the load takes.
struct StepClock final : Clock {
  double now = 0;
  std::int64_t monotonic_ns() const override { return static_cast<std::int64_t>(now * 1e9); }
  std::int64_t utc_ns() const override { return 0; }
};

class ExperimentRunnerTest : public QObject {
  Q_OBJECT

  StepClock clock_;
  double load_seconds_ = 0.005;
  int loads_ = 0;

  Calibration machine() {
    return Calibration(clock_, [this] {
      ++loads_;
      clock_.now += load_seconds_;
    });
  }
  static ExperimentRunner::Keep nothing() {
    return [] { return Status(); };
  }

 private slots:
  void init() {
    load_seconds_ = 0.005;
    loads_ = 0;
  }

  void everyBlockMeasuresEachCellOnce() {
    Calibration rest = machine();
    std::vector<std::vector<std::size_t>> measured(5), kept(5);
    QVERIFY(ExperimentRunner(rest).run_blocks(5, 8, 3,
                                              [&](std::size_t cell, int block) -> Expected<ExperimentRunner::Keep> {
                                                measured[static_cast<std::size_t>(block)].push_back(cell);
                                                return [&kept, cell, block]() -> Status {
                                                  kept[static_cast<std::size_t>(block)].push_back(cell);
                                                  return {};
                                                };
                                              }));
    QCOMPARE(measured, kept);
    std::set<std::vector<std::size_t>> different;
    for (auto order : measured) {
      different.insert(order);
      std::ranges::sort(order);
      for (std::size_t c = 0; c < order.size(); ++c) QCOMPARE(order[c], c);
      QCOMPARE(order.size(), std::size_t{8});
    }
    QVERIFY(different.size() > 1);
    QCOMPARE(rest.n(), std::size_t{2 * 5 * 8});          // before and after each
    QCOMPARE(loads_, (1 + 5 * 8) * Calibration::tries);  // after one is before the next
  }

  // Where keeping takes its time, or the last time was slow, the machine may be another one by the next cell.
  void onlyAFreshTimeCountsTwice() {
    const auto loads_of_two = [this](double keeping_seconds, double slower_after_first) {
      loads_ = 0;
      load_seconds_ = 0.005;
      Calibration between = machine();
      ExperimentRunner cells(between, {.rounds = 1, .repeats = 0});
      int measured = 0;
      for (int cell = 0; cell < 2; ++cell)
        if (!cells.run_cell([&]() -> Expected<ExperimentRunner::Keep> {
              load_seconds_ = ++measured == 1 ? 0.005 * slower_after_first : 0.005;
              return [this, keeping_seconds] {
                clock_.now += keeping_seconds;
                return Status();
              };
            }))
          return -1;
      return between.n() == 4 ? loads_ : -1;
    };
    QCOMPARE(loads_of_two(0, 1), 3 * Calibration::tries);
    QCOMPARE(loads_of_two(0.02, 1.05), 3 * Calibration::tries);
    QCOMPARE(loads_of_two(0.2, 1), 4 * Calibration::tries);
    QCOMPARE(loads_of_two(0, 1.5), 4 * Calibration::tries);
  }

  void theSeedGivesTheOrder() {
    const auto order_of = [&](std::uint64_t seed) {
      Calibration rest = machine();
      std::vector<std::size_t> order;
      const Status ran = ExperimentRunner(rest).run_blocks(
          2, 10, seed, [&](std::size_t cell, int) -> Expected<ExperimentRunner::Keep> {
            order.push_back(cell);
            return nothing();
          });
      return ran ? order : std::vector<std::size_t>{};
    };
    QCOMPARE(order_of(7), order_of(7));
    QVERIFY(order_of(7) != order_of(8));
  }

  // A block of its own has the order of its seed itself: that of a sweep's cells.
  void aBlockHasTheOrderOfItsSeed() {
    Calibration rest = machine();
    std::vector<std::size_t> order;
    QVERIFY(
        ExperimentRunner(rest).run_block(10, 7, [&](std::size_t cell, int block) -> Expected<ExperimentRunner::Keep> {
          order.push_back(cell);
          if (block != 0) return fail(ErrorCode::internal, "another block");
          return nothing();
        }));
    QCOMPARE(order, drawn_order(10, 7));
  }

  void theFirstErrorEndsIt() {
    Calibration rest = machine();
    int measured = 0, kept = 0;
    const Status ran =
        ExperimentRunner(rest).run_blocks(3, 4, 1, [&](std::size_t, int block) -> Expected<ExperimentRunner::Keep> {
          ++measured;
          if (block == 1) return fail(ErrorCode::cancelled, "interrupted");
          return [&kept] {
            ++kept;
            return Status();
          };
        });
    QVERIFY(!ran && ran.error().code == ErrorCode::cancelled);
    QCOMPARE(measured, 5);
    QCOMPARE(kept, 4);
  }

  void anErrorOfKeepingEndsItAsWell() {
    Calibration rest = machine();
    int measured = 0;
    const Status ran =
        ExperimentRunner(rest).run_block(4, 1, [&](std::size_t, int) -> Expected<ExperimentRunner::Keep> {
          ++measured;
          return [] { return Status(fail(ErrorCode::io, "the disk is full")); };
        });
    QVERIFY(!ran && ran.error().code == ErrorCode::io);
    QCOMPARE(measured, 1);
  }

  // Something else used the machine after the first measurement and before the second.
  void aDisturbedCellIsMeasuredAgainAndKeptOnce() {
    Calibration disturbed = machine();
    int measured = 0;
    std::vector<int> kept;
    const auto measure = [&]() -> Expected<ExperimentRunner::Keep> {
      load_seconds_ = ++measured == 1 ? 0.010 : 0.005;
      return [&kept, number = measured] {
        kept.push_back(number);
        return Status();
      };
    };
    QVERIFY(ExperimentRunner(disturbed).run_cell(measure));
    QCOMPARE(measured, 3);
    QCOMPARE(kept, std::vector<int>{3});
    QVERIFY(!disturbed.disturbed());
    Json settings;
    disturbed.add_to(settings);
    QCOMPARE(settings.at("cells measured again").get<int>(), 2);

    measured = 0;
    kept.clear();
    loads_ = 0;
    Calibration never_again = machine();
    QVERIFY(ExperimentRunner(never_again, {.rounds = 1, .repeats = 0}).run_cell(measure));
    QCOMPARE(measured, 1);
    QCOMPARE(kept, std::vector<int>{1});
    QVERIFY(never_again.disturbed());
    QCOMPARE(loads_, 2 * Calibration::tries);
    const auto around = never_again.around_cell();
    QCOMPARE(around.size(), std::size_t{2});
    QVERIFY(std::abs(around[0] - 0.005) < 1e-6 && std::abs(around[1] - 0.010) < 1e-6);
  }

  // A machine that is never at rest: what was measured last is kept, and the disturbance stands.
  void aCellIsNotMeasuredForEver() {
    Calibration busy = machine();
    int measured = 0, kept = 0;
    QVERIFY(ExperimentRunner(busy).run_cell([&]() -> Expected<ExperimentRunner::Keep> {
      ++measured;
      load_seconds_ *= 2;
      return [&kept] {
        ++kept;
        return Status();
      };
    }));
    QCOMPARE(measured, 1 + Calibration::repeats);
    QCOMPARE(kept, 1);
    QVERIFY(busy.disturbed());
  }

  // What is kept already is not measured; the machine is timed only around the others, and stands where it did.
  void keptCellsAreLeftOut() {
    Calibration rest = machine();
    std::vector<std::pair<std::size_t, int>> measured, asked;
    const Status ran = ExperimentRunner(rest).run_blocks(
        3, 4, 5,
        [&](std::size_t cell, int block) -> Expected<ExperimentRunner::Keep> {
          measured.emplace_back(cell, block);
          return nothing();
        },
        [&](std::size_t cell, int block) {
          asked.emplace_back(cell, block);
          return block == 0 || (block == 1 && cell == 2);
        });
    QVERIFY(ran);
    QCOMPARE(asked.size(), std::size_t{12});
    QCOMPARE(measured.size(), std::size_t{7});
    QVERIFY(
        std::ranges::none_of(measured, [](const auto& one) { return one.second == 0 || one == std::pair(2UL, 1); }));
    QCOMPARE(rest.n(), std::size_t{14});
    // The order of what is left is that of a run without kept cells.
    Calibration other = machine();
    std::vector<std::pair<std::size_t, int>> whole;
    QVERIFY(ExperimentRunner(other).run_blocks(3, 4, 5,
                                               [&](std::size_t cell, int block) -> Expected<ExperimentRunner::Keep> {
                                                 whole.emplace_back(cell, block);
                                                 return nothing();
                                               }));
    QVERIFY(asked == whole);
  }
};

KV_TEST_GUILESS_MAIN(ExperimentRunnerTest)

}  // namespace experiment_runner_test

#include "experiment_runner_test.moc"
