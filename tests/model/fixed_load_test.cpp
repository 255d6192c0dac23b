// links: kv_experiments
// The calibration leaves no workers behind: beside them, those of the model sleep between products.
#include <QtTest>

#include <filesystem>
#include <ranges>

#include "core/model/fixed_load.h"
#include "core/model/transformer.h"
#include "tests/support/test_program.h"

namespace fixed_load_test {

using namespace kvantage;

class FixedLoadTest : public QObject {
  Q_OBJECT

 private slots:
  void leavesNoThreadBehind() {
    const auto threads = [] { return std::ranges::distance(std::filesystem::directory_iterator("/proc/self/task")); };
    set_compute_threads(2);
    const auto before = threads();
    run_fixed_load();
    QCOMPARE(threads(), before);
  }
};

KV_TEST_APPLESS_MAIN(FixedLoadTest)

}  // namespace fixed_load_test

#include "fixed_load_test.moc"
