// links: kv_base kv_tiers
// Two workbenches write one entry at the same time, and nothing else happens on the server. Soon both know the version
// that is there, whichever it is, and whether their own writes were stored or not. In virtual time.
#include <QtTest>

#include "tests/support/memory_redis.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tests/tiers/remote_testing.h"

namespace remote_visibility_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::MemoryRedis;
using kvantage::test::VirtualExecutor;

namespace {

std::unique_ptr<StorageTier> workbench(MemoryRedis& server, VirtualExecutor& time) {
  RedisStoreOptions options{.transport = server.transport()};
  options.url = *parse_redis_url("redis://memory:6379");
  options.scope = "test";
  options.chunk_bytes = 4 << 10;
  auto opened = QueuedTier::open(std::make_unique<RedisStore>("remote", options), 0, 0, time);
  if (!opened) qFatal("%s", opened.error().message.c_str());
  return std::move(*opened);
}

/// Of the one entry; 0: it knows none.
std::uint64_t bytes_known_by(const StorageTier& tier) {
  const auto entries = tier.entries();
  return entries.empty() ? 0 : entries[0].bytes;
}

/// A store in which another process's newer version becomes known while a write is ending.
class OvertakenStore final : public EntryStore {
 public:
  static constexpr std::uint64_t newer_bytes = 200;

  TierDescription describe() const override { return {"overtaken", "memory", false, {}}; }
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte>,
                                             const std::atomic<bool>&) override {
    EntryInfo newer = info;
    newer.bytes = newer_bytes;
    changes_->appeared(std::make_shared<Version>(newer, 2));
    return std::make_shared<Version>(info, 1);
  }
  TransferStatus read(const StoredEntry&, ReadSink&) override { return {}; }
  TransferStatus verify(const StoredEntry&) override { return {}; }
  void watch(StoreChanges& changes) override { changes_ = &changes; }

 private:
  class Version final : public StoredEntry {
   public:
    Version(const EntryInfo& info, std::uint64_t sequence) : StoredEntry(info), sequence_(sequence) {}
    std::uint64_t sequence() const override { return sequence_; }

   private:
    std::uint64_t sequence_;
  };
  StoreChanges* changes_ = nullptr;
};

}  // namespace

class RemoteVisibilityTest : public QObject {
  Q_OBJECT

 private slots:
  void afterWritesAtOnceBothKnowWhatIsThere() {
    int refused = 0, replaced = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      Random random(seed);
      VirtualExecutor time;
      MemoryRedis server{time};
      server.latency_seconds = 5e-3;
      server.bytes_per_second = 1e7;
      CompletionQueue queue{time.clock()};
      const auto one = workbench(server, time), two = workbench(server, time);
      time.pass(0.3 + 0.1 * random.uniform());
      const auto first = random_bytes(seed, 1000 + 2 * random.below(7000));
      const auto second = random_bytes(seed, 1001 + 2 * random.below(7000));
      one->submit_write(info_of("entry", *first, 64), first, queue);
      time.pass(0.01 * random.uniform());
      two->submit_write(info_of("entry", *second, 64), second, queue);
      int stored = 0;
      for (int ended = 0; ended < 2;)
        for (const Completion& completion : queue.wait(10)) ++ended, stored += completion.status ? 1 : 0;
      QVERIFY(stored >= 1);
      (stored == 1 ? refused : replaced) += 1;
      time.pass(2);
      const std::uint64_t there = bytes_known_by(*workbench(server, time));
      QVERIFY(there == first->size() || there == second->size());
      for (const auto& [tier, name] : {std::pair{one.get(), "first"}, std::pair{two.get(), "second"}}) {
        const std::string text = "seed " + std::to_string(seed) + ": the " + name + " workbench knows an entry of " +
                                 std::to_string(bytes_known_by(*tier)) + " bytes, where one of " +
                                 std::to_string(there) + " is";
        QVERIFY2(bytes_known_by(*tier) == there, text.c_str());
      }
    }
    qInfo("%d times both writes were stored, %d times one", replaced, refused);
    QVERIFY(refused > 50 && replaced > 50);
  }

  void aWriteThatEndsHidesNoNewerVersion() {
    VirtualExecutor time;
    CompletionQueue queue{time.clock()};
    auto tier = QueuedTier::open(std::make_unique<OvertakenStore>(), 0, 0, time);
    QVERIFY(tier);
    const auto bytes = random_bytes(1, 100);
    (*tier)->submit_write(info_of("entry", *bytes, 64), bytes, queue);
    const auto done = queue.wait(10);
    QVERIFY(done.size() == 1 && done[0].status);
    QCOMPARE((*tier)->entries().size(), std::size_t{1});
    QCOMPARE(bytes_known_by(**tier), OvertakenStore::newer_bytes);
    QCOMPARE((*tier)->used_bytes(), OvertakenStore::newer_bytes);
  }
};

KV_TEST_GUILESS_MAIN(RemoteVisibilityTest)

}  // namespace remote_visibility_test

#include "remote_visibility_test.moc"
