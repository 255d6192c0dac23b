// links: kv_reports
// The snapshot behind decisions follows what a journal says happened to each context.
#include "core/report/snapshot_follower.h"

#include <QtTest>

#include "tests/support/test_program.h"

namespace snapshot_follower_test {

using namespace kvantage;

const Digest128 key{.high = 1, .low = 2}, other_key{.high = 3, .low = 4}, unknown_key{.high = 5, .low = 6};

struct Followed {
  Followed() {
    for (const Digest128& context : {key, other_key}) {
      ContextState state;
      state.key = context;
      state.archived = true;
      snapshot.contexts.push_back(state);
      follow(
          events::PlacementCommitted{moved(context, {.tier = 1, .method = "knorm", .removed_fraction = 0.5}), "", 0});
    }
  }
  static PlacementAction moved(const Digest128& context, const Configuration& to) {
    PlacementAction action{.context = context, .from = {.tier = 0}, .to = to, .reason = {}};
    action.bytes_before = 70;
    action.bytes_after = to.stored() ? 30 : 0;
    return action;
  }
  template <class Payload>
  void follow(const Payload& payload) {
    SnapshotFollower{snapshot}(payload);
  }
  const ContextState& state() const { return snapshot.contexts[0]; }
  Snapshot snapshot;
};

class SnapshotFollowerTest : public QObject {
  Q_OBJECT

 private slots:
  void aContextIsWhereItWasPlaced() {
    Followed followed;
    QVERIFY((followed.state().placement == Configuration{1, "knorm", 0.5}));
    QCOMPARE(followed.state().stored_bytes, std::uint64_t{30});
    followed.follow(events::PlacementFailed{Followed::moved(key, {.tier = 1}), "", "io", {.tier = 0}});
    QVERIFY((followed.state().placement == Configuration{.tier = 0}));  // it was left there
    QCOMPARE(followed.state().stored_bytes, std::uint64_t{70});
    followed.follow(events::PlacementCommitted{Followed::moved(key, {}), "", 0});
    QVERIFY(!followed.state().placement.stored() && followed.state().stored_bytes == 0);
    followed.follow(events::PlacementCommitted{Followed::moved(unknown_key, {.tier = 0}), "", 0});
    QVERIFY(!followed.state().placement.stored());
    QVERIFY(followed.snapshot.contexts[1].placement.tier == 1);
  }

  void theBoundOfQualitiesIsThatOfTheSettings() {
    Followed followed;
    QVERIFY(followed.snapshot.candidates.quality_bound == QualityBound::mean);
    followed.follow(events::SettingChanged{"quality_bound", "mean", "lower"});
    QVERIFY(followed.snapshot.candidates.quality_bound == QualityBound::lower);
    followed.follow(events::SettingChanged{"quality_bound", "lower", 3});  // of no version of the program
    QVERIFY(followed.snapshot.candidates.quality_bound == QualityBound::lower);
    followed.follow(events::SettingChanged{"quality_bound", "lower", "mean"});
    QVERIFY(followed.snapshot.candidates.quality_bound == QualityBound::mean);
  }

  void anEntryThatCouldNotBeReadIsDropped() {
    Followed followed;
    followed.follow(events::ReadFailed{key, "ssd", "no_space: no buffer", false});
    QVERIFY(followed.state().placement.stored());
    followed.follow(events::ReadFailed{key, "ssd", "corrupt: checksum", true});
    QVERIFY(!followed.state().placement.stored() && followed.state().stored_bytes == 0);
    QVERIFY(followed.state().archived && followed.snapshot.contexts[1].placement.stored());
  }

  // The archive serves nobody: without its original a context stays where it is.
  void anOriginalThatCouldNotBeReadLeavesThePlacement() {
    Followed followed;
    followed.follow(events::ReadFailed{key, "archive", "no_space: no block", false});
    QVERIFY(followed.state().archived);
    followed.follow(events::ReadFailed{key, "archive", "corrupt: checksum", true});
    QVERIFY(!followed.state().archived && followed.snapshot.contexts[1].archived);
    QVERIFY((followed.state().placement == Configuration{1, "knorm", 0.5}));
    QCOMPARE(followed.state().stored_bytes, std::uint64_t{30});
    followed.follow(events::ContextComputed{.context = key, .context_id = "", .archived = true});
    QVERIFY(followed.state().archived);
    followed.follow(events::ContextComputed{.context = key, .context_id = "", .archived = false});
    QVERIFY(followed.state().archived);  // it was archived before
  }
};

KV_TEST_APPLESS_MAIN(SnapshotFollowerTest)

}  // namespace snapshot_follower_test

#include "snapshot_follower_test.moc"
