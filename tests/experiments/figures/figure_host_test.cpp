// links: kv_experiments
// What a figure says about time is shown where the machine was at rest, and withheld where it was not; what it says
// about anything else always is.
#include "core/experiments/figures/figure_host.h"

#include <QtTest>

#include "core/experiments/figures/figure_progress.h"
#include "tests/support/test_program.h"

namespace figure_host_test {

using namespace kvantage;

/// Each look at it is `step` seconds after the one before: how long the fixed load seems to take.
class SteppedClock final : public Clock {
 public:
  double step = 0.005;
  std::int64_t monotonic_ns() const override {
    now_ += step;
    return static_cast<std::int64_t>(now_ * 1e9);
  }
  std::int64_t utc_ns() const override { return 0; }

 private:
  mutable double now_ = 0;
};

class Host final : public FigureHost {
 public:
  SteppedClock time;
  std::string written;
  const Clock& clock() const override { return time; }
  bool interrupted() const override { return false; }
  std::filesystem::path default_model() const override { return {}; }
  Expected<std::unique_ptr<FigureSession>> open_session(const FigureArguments&, std::uint64_t,
                                                        const std::vector<std::string>&) override {
    return fail(ErrorCode::internal, "there are no sessions");
  }
  Expected<std::unique_ptr<StorageTier>> open_memory_tier(double) override {
    return fail(ErrorCode::internal, "there are no tiers");
  }
  std::unique_ptr<BufferLender> make_buffers(std::size_t) override { return nullptr; }

  /// Cells of a figure, of which each second one runs on a machine that is so much slower.
  void run_cells(int cells, double slower) {
    FigureProgress progress(time, {}, [this] { calibration().time(); });
    for (int cell = 0; cell < cells; ++cell) {
      time.step = cell % 2 == 0 ? 0.005 : 0.005 * slower;
      progress.begin_cell("cell");
      progress.end_cell();
    }
  }

 protected:
  void write(const std::string& text) override { written += text; }
};

class FigureHostTest : public QObject {
  Q_OBJECT

  static FigureResult result() {
    FigureResult made;
    made.figure = "evicpress/fig7";
    made.findings = {"the answers are the same"};
    made.time_findings = {"it is 2 times as fast", "and never slower"};
    return made;
  }

 private slots:
  void findingsAboutTimeComeFirst() {
    Host host;
    host.run_cells(6, 1.1);
    const FigureResult shown = host.noted(result());
    QCOMPARE(shown.findings,
             (std::vector<std::string>{"it is 2 times as fast", "and never slower", "the answers are the same"}));
    QVERIFY(shown.time_findings.empty());
    QCOMPARE(shown.settings.at("calibration, n").get<int>(), 12);
    QCOMPARE(shown.settings.at("calibration moved %").get<double>(), 10.0);
  }

  void onADisturbedMachineTheyAreWithheld() {
    Host host;
    host.run_cells(6, 1.5);
    const FigureResult shown = host.noted(result());
    QCOMPARE(shown.findings.size(), std::size_t{2});
    QCOMPARE(shown.findings[0],
             std::string("nothing is said about time: the machine was disturbed, the calibration moved by 50 % (at "
                         "most 25 % is accepted); run it again while nothing else runs"));
    QCOMPARE(shown.findings[1], std::string("the answers are the same"));
    // As the command prints it, in both forms.
    host.show(result(), false);
    host.show(result(), true);
    QVERIFY(host.written.find("2 times as fast") == std::string::npos);
    QCOMPARE(QString::fromStdString(host.written).count("nothing is said about time"), 2);
  }

  void aFigureWithoutTimesIsShownWhole() {
    Host host;
    host.run_cells(6, 3);
    FigureResult without = result();
    without.time_findings.clear();
    QCOMPARE(host.noted(without).findings, std::vector<std::string>{"the answers are the same"});
  }
};

KV_TEST_GUILESS_MAIN(FigureHostTest)

}  // namespace figure_host_test

#include "figure_host_test.moc"
