// links: kv_base kv_tiers
// Every moment of a store's life at which power can fail: writes, replacements, removals, a compaction, a clean end and
// the next opening, cut before each operation on the disk, with several draws of what the disk had not written yet.
// Some are cut again while the store opens. Whatever is left, the store opens; each entry is whole and of a version
// that was written; each acknowledged one is there. KVANTAGE_LONG=1 draws 50 times as many.
#include <set>

#include "tests/support/cutting_device.h"
#include "tests/support/damage.h"
#include "tests/support/memory_device.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"
#include "tests/support/virtual_executor.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/ssd/ssd_tier.h"

namespace crash_states_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::CuttingDevice;
using kvantage::test::MemoryDevice;
using kvantage::test::VirtualExecutor;

/// A disk, what a store on it has acknowledged, and what else may be found.
class World {
 public:
  World(std::filesystem::path folder, std::uint64_t seed)
      : folder_(std::move(folder)),
        disk_(std::make_shared<FaultyDevice>(time_.clock(), std::make_shared<MemoryDevice>(), seed)) {}

  /// Power fails before change `after` + 1 from now.
  void cut_after(std::uint64_t after) {
    cutting_ = std::make_shared<CuttingDevice>(disk_, after, [this] {
      disk_->cut_power();
      dark_ = true;
    });
  }
  bool dark() const { return dark_; }
  std::uint64_t changes() const { return cutting_->changes(); }
  bool restore_power() {
    dark_ = false;
    return disk_->restore_power().has_value();
  }

  /// Null: did not open.
  std::unique_ptr<StorageTier> open() {
    auto store = SsdStore::open("ssd", folder_, cutting_, {.segment_bytes = 256 << 10});
    if (!store) return nullptr;
    auto tier = QueuedTier::open(std::move(*store), 0, 0, time_);
    return tier ? std::move(*tier) : nullptr;
  }
  /// Several writes in flight, which may share a commit.
  void write(StorageTier& tier, const std::vector<std::string>& names, std::size_t bytes) {
    CompletionQueue queue(time_.clock());
    std::map<Ticket, std::string> waiting;
    for (const std::string& name : names) {
      ++versions_;
      auto content = random_bytes(versions_, bytes + 5000 * versions_ % 20000);
      written_[name].push_back(content);
      waiting[tier.submit_write(info_of(name, *content), content, queue)] = name;
    }
    while (!waiting.empty()) {
      const auto done = queue.wait(1000);
      if (done.empty()) qFatal("a write never ended");
      for (const Completion& completion : done) {
        const std::string name = waiting.extract(completion.ticket).mapped();
        if (completion.status) acknowledged_[name] = written_[name].back();
      }
    }
  }
  void erase(StorageTier& tier, const std::string& name) {
    (void)tier.erase(key_of(name));  // its removal from the disk is not acknowledged: the entry may come back
    acknowledged_.erase(name);
  }
  void pass(double seconds) { time_.pass(seconds); }

  /// What is wrong with what a store found; empty: nothing.
  std::string wrong(StorageTier& tier) {
    for (const auto& [name, bytes] : acknowledged_)
      if (!tier.contains(key_of(name))) return name + " was acknowledged and is gone";
    for (const EntryInfo& info : tier.entries()) {
      const ReadOutcome outcome = read_extents(tier, pool_, info.label, {{0, info.bytes, {}}});
      if (!outcome.ok()) return info.label + " cannot be read";
      const auto& versions = written_[info.label];
      const auto found = std::ranges::find_if(versions, [&](const auto& one) { return *one == outcome.extents[0]; });
      if (found == versions.end()) return info.label + " has bytes that nobody wrote";
      const auto known = acknowledged_.find(info.label);
      if (known != acknowledged_.end() && found < std::ranges::find(versions, known->second))
        return info.label + " is older than what was acknowledged";
    }
    return {};
  }

 private:
  VirtualExecutor time_;
  BufferPool pool_{8 << 20};
  std::filesystem::path folder_;
  std::shared_ptr<FaultyDevice> disk_;
  std::shared_ptr<CuttingDevice> cutting_;
  bool dark_ = false;
  std::uint64_t versions_ = 0;
  std::map<std::string, std::vector<std::shared_ptr<const Bytes>>> written_;  // by name, in order
  std::map<std::string, std::shared_ptr<const Bytes>> acknowledged_;          // the last version
};

class CrashStatesTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;  // for the lock alone: the rest is in memory

  /// Two lives of a store; ends where power fails.
  static void live(World& world) {
    if (const auto tier = world.open()) {
      world.write(*tier, {"a", "b", "c"}, 30000);
      world.write(*tier, {"d"}, 90000);
      world.write(*tier, {"b"}, 50000);
      world.erase(*tier, "c");
      world.write(*tier, {"e", "f", "a"}, 60000);
      world.erase(*tier, "d");
      world.write(*tier, {"g", "h"}, 40000);
      world.erase(*tier, "e");
      world.write(*tier, {"a", "b"}, 70000);
      world.pass(1);
    }
    if (world.dark()) return;
    if (const auto tier = world.open()) {
      world.write(*tier, {"c", "d", "g"}, 80000);
      world.erase(*tier, "h");
      world.write(*tier, {"i"}, 300000);  // longer than a segment
      world.erase(*tier, "i");
      world.write(*tier, {"a"}, 20000);
      world.pass(1);
    }
  }

 private slots:
  void whateverIsLeftTheStoreOpensWithAllThatWasAcknowledged() {
    const std::filesystem::path folder = folder_.path().toStdString();
    std::uint64_t changes = 0;
    {
      World whole(folder, 1);
      whole.cut_after(~0ULL - 1);
      live(whole);
      QVERIFY(!whole.dark());
      changes = whole.changes();
      const auto tier = whole.open();
      QVERIFY(tier);
      QCOMPARE(whole.wrong(*tier), std::string());
    }
    QVERIFY2(changes > 100, std::to_string(changes).c_str());
    const std::uint64_t draws = test::is_long_run() ? 200 : 4;
    std::uint64_t states = 0, cut_twice = 0;
    for (std::uint64_t after = 0; after < changes; ++after) {
      for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const std::uint64_t seed = after * draws + draw + 1;
        World world(folder, seed);
        world.cut_after(after);
        live(world);
        QVERIFY2(world.dark(), std::to_string(after).c_str());
        QVERIFY(world.restore_power());
        if (draw % 2 == 1) {  // and again while it opens
          world.cut_after(Random(seed).below(12));
          (void)world.open();
          if (world.dark()) {
            ++cut_twice;
            QVERIFY(world.restore_power());
          }
        }
        world.cut_after(~0ULL - 1);
        const std::string where = "cut before change " + std::to_string(after) + ", draw " + std::to_string(draw);
        const auto tier = world.open();
        QVERIFY2(tier, where.c_str());
        const std::string wrong = world.wrong(*tier);
        QVERIFY2(wrong.empty(), (where + ": " + wrong).c_str());
        // It keeps working.
        world.write(*tier, {"after"}, 10000);
        QVERIFY2(world.wrong(*tier).empty() && tier->contains(key_of("after")), where.c_str());
        ++states;
      }
    }
    qInfo("%llu changes, %llu states of the disk, %llu of them cut again while opening",
          static_cast<unsigned long long>(changes), static_cast<unsigned long long>(states),
          static_cast<unsigned long long>(cut_twice));
    QVERIFY(cut_twice > 0);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  test::lift_time_limit_of_long_runs();
  return test::run_test<CrashStatesTest, QCoreApplication>(argc, argv);
}

}  // namespace crash_states_test

#include "crash_states_test.moc"
