// links: app_wiring
// A policy that is compiled outside of the program serves a run of the real engine, in virtual time.
#include <QtTest>

#include "tests/support/newest_fit_policy.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace added_policy_served_test {

using namespace kvantage;
using namespace kvantage::test;

class AddedPolicyServedTest : public QObject {
  Q_OBJECT

 private slots:
  void aRunIsServedByIt() {
    QVERIFY(register_newest_fit());
    QTemporaryDir folder;
    const Workload workload = small_workload(4, 30, 5);
    // There is room for all; the policy keeps the two newest.
    auto harness = open_virtual(folder.path().toStdString(), workload, {"dram=200%"}, "newest_fit(keep=2)", true);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    const auto records = (*harness)->serve("newest_fit(keep=2)", 24);
    QVERIFY2(records, records ? "" : records.error().message.c_str());
    QCOMPARE(records->size(), std::size_t{24});
    const auto hits = std::ranges::count_if(*records, [](const RequestRecord& record) {
      return record.source == "dram" || record.source == write_back_source;
    });
    QVERIFY2(hits > 0 && hits < 20, qPrintable(QString::number(hits)));  // four first questions at most would miss
    const auto snapshot = (*harness)->engine().snapshot();
    const auto stored = std::ranges::count_if(snapshot->contexts,
                                              [](const ContextState& context) { return context.placement.tier >= 0; });
    QCOMPARE(stored, std::ptrdiff_t{2});
  }
};

KV_TEST_GUILESS_MAIN(AddedPolicyServedTest)

}  // namespace added_policy_served_test

#include "added_policy_served_test.moc"
