// links: app_wiring
// A profile measured on another processor: its contexts have other keys, because keys hold the instruction set. In
// virtual time.
#include <QtTest>

#include "core/policy/types.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace foreign_profile_test {

using namespace kvantage;
using namespace kvantage::test;

class ForeignProfileTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty())
      QSKIP("no model: neither resources/model nor ../shared/data/models/trial-qa is there");
  }

  void aProfileOfAnotherProcessorServes() {
    const Workload workload = small_workload(2, 12, 3);
    QTemporaryDir here, there;
    std::vector<ProfileCell> cells;
    ProfileScope scope;
    {
      auto harness = open_virtual(here.path().toStdString(), workload, {"dram=8MiB"}, "evicpress");
      QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
      (*harness)->engine().profile_all();
      QCOMPARE((*harness)->wait(), RunState::ready);
      scope = (*harness)->engine().profile_scope();
      cells = *(*harness)->session.stores->profiles().load_profiles(scope);
    }
    QVERIFY(cells.size() >= 2 * 5);  // none, and two methods at two fractions, for two contexts
    // Those of context c0 come twice: only the set of one processor may be taken.
    const std::size_t own = cells.size();
    for (std::size_t i = 0; i < own; ++i) {
      cells[i].context = {.high = ~cells[i].context.high, .low = cells[i].context.low};
      if (cells[i].context_id != "c0") continue;
      ProfileCell third = cells[i];
      third.context = {.high = cells[i].context.high, .low = ~cells[i].context.low};
      cells.push_back(third);
    }
    {
      auto stores = open_stores(std::filesystem::path(there.path().toStdString()) / "store" / "kvantage.db",
                                StoreAccess::read_write, machine_clock());
      QVERIFY(stores.has_value());
      QVERIFY((*stores)->profiles().save_profile(scope, cells));
    }
    auto harness = open_virtual(there.path().toStdString(), workload, {"dram=8MiB"}, "evicpress");
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    const auto snapshot = (*harness)->engine().snapshot();
    QCOMPARE(snapshot->contexts.size(), std::size_t{2});
    for (const ContextState& context : snapshot->contexts) {
      QVERIFY2(context.profile != nullptr, context.id.c_str());
      QCOMPARE(context.profile->points.size(), own / 2);
    }
    QCOMPARE((*harness)->sink.all<events::ContextProfiled>().size(), std::size_t{2});
  }
};

KV_TEST_GUILESS_MAIN(ForeignProfileTest)

}  // namespace foreign_profile_test

#include "foreign_profile_test.moc"
