// links: kv_runtime kv_tiers
// What two parts of a session do together, where the test of each has a stand-in for the other: tiers and their fits,
// the record of a run.
#include <QtTest>

#include "tests/support/session_parts.h"
#include "tests/support/test_program.h"

namespace parts_in_session_test {

using namespace kvantage;
using namespace kvantage::test;

struct Together : WholeParts {
  void begin_run() {
    parts.recorder.open("run", Json::object());
    parts.recorder.begin();
  }
  void poll_tiers() { parts.tiers.poll(settings.tiers); }
  /// Of the snapshots that the record has.
  std::vector<std::string> reasons() const {
    std::vector<std::string> found;
    for (const auto& taken : world.sink.all<events::SnapshotTaken>()) found.push_back(taken.reason);
    return found;
  }
  std::size_t fits() const { return world.sink.count<events::TierFitted>(); }
};

using Reasons = std::vector<std::string>;

class PartsInSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aTierThatIsBackIsTimedOnce() {
    Together session;
    for (const bool away : {true, false, true, false}) {
      session.world.dram->away = away;
      for (int i = 0; i < 3; ++i) session.poll_tiers();
      QCOMPARE(session.world.store->tiers().fit(0).samples() > 0, session.fits() > 0);
    }
    QCOMPARE(session.fits(), std::size_t{1});
  }

  void theArchiveIsNotTimed() {
    Together session;
    for (const bool away : {true, false}) {
      session.world.archive->away = away;
      session.poll_tiers();
    }
    QCOMPARE(session.fits(), std::size_t{0});
  }

  void whatOthersStoredIsRecorded() {
    Together session;
    EngineParts& world = session.world;
    store_context(world, 0, {.tier = 0});
    const auto theirs = world.dram->last_write;
    must(world.store->commit(
        {.context = session.state(0).key, .kind = ActionKind::evict, .from = {}, .to = {}, .reason = {}}));
    session.begin_run();
    session.poll_tiers();
    QVERIFY((session.reasons() == Reasons{"start"}));
    world.dram->write_by_others(theirs);
    for (int i = 0; i < 2; ++i) session.poll_tiers();
    QVERIFY((session.reasons() == Reasons{"start", "shared tier"}));
    QCOMPARE(session.state(0).stored_bytes, theirs.info.bytes);
  }

  void originalsOfOthersAreRecorded() {
    Together session;
    EngineParts& world = session.world;
    compute_original(world, 0, true);
    world.store->finish_writes();
    const auto theirs = world.archive->last_write;
    must(world.archive->erase(theirs.info.key));
    world.catalog->state(0).archived = false;
    session.begin_run();
    world.archive->write_by_others(theirs);
    session.poll_tiers();
    QVERIFY((session.reasons() == Reasons{"start", "shared tier"}));
    QVERIFY(session.state(0).archived && !session.state(1).archived);
  }
};

KV_TEST_GUILESS_MAIN(PartsInSessionTest)

}  // namespace parts_in_session_test

#include "parts_in_session_test.moc"
