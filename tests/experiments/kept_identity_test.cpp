// links: kv_experiments kv_tiers
// A session that leaves out idle time is another one for the cells that an interrupted figure keeps.
#include <QtTest>

#include "core/experiments/studies/kept_runs.h"
#include "tests/support/drawn_sessions.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace kept_identity_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

Json identity_with(bool leave_out_idle) {
  VirtualSessionOptions options;
  options.model = folders().model;
  options.locks = folders().locks;
  options.workload = small_workload(2, 12, 7);
  options.settings.policy = "lru";
  options.settings.methods = {"knorm"};
  options.settings.removed_fractions = {0.5};
  options.settings.compute_or_load = "off";
  options.settings.reprofile = false;
  options.settings.tiers = {TierConfig{.name = "dram", .budget = std::uint64_t{64} << 20}};
  options.leave_out_idle = leave_out_idle;
  VirtualSession session(std::move(options));
  return KeptRuns::identity_of(session.engine());
}

}  // namespace

class KeptIdentityTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: its tokenizer is wanted");
  }

  // Cells of sessions that wait keep the identity that they had before there was a choice.
  void idleTimeMakesAnotherSessionOnlyWhereItIsLeftOut() {
    const Json waits = identity_with(false), leaves = identity_with(true);
    QVERIFY(waits == identity_with(false));
    QVERIFY(leaves == identity_with(true));
    QVERIFY(waits != leaves);
    QCOMPARE(waits.size(), std::size_t{4});
  }
};

KV_TEST_GUILESS_MAIN(KeptIdentityTest)

}  // namespace kept_identity_test

#include "kept_identity_test.moc"
