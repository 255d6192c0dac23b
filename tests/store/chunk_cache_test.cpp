// links: core_store tiers
// Copies of chunks on faster tiers: who is admitted and who leaves, against a plain list, and hits that read them.
#include "core/store/chunk_cache.h"

#include <QtTest>

#include "core/request/request_task.h"
#include "tests/store/two_tier_store.h"
#include "tests/support/test_program.h"

namespace chunk_cache_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t page = 4096;

/// Two fast tiers of some pages, and the slowest, which the cache never uses.
struct Cached {
  explicit Cached(std::uint64_t first_pages = 4, std::uint64_t second_pages = 6) : parts(small_workload(1, 8, 3)) {
    std::vector<std::unique_ptr<StorageTier>> all;
    for (const std::uint64_t pages : {first_pages, second_pages, std::uint64_t{1000}})
      all.push_back(tier_in_memory("t" + std::to_string(all.size()), pages * page, executor));
    for (const auto& tier : all) tiers.push_back(static_cast<SwitchableTier*>(tier.get()));
    stack.emplace(std::move(all));
    cache.emplace(*stack, *parts.catalog, executor.clock());
  }
  ~Cached() {
    for (SwitchableTier* tier : tiers)
      while (tier->held_writes() > 0) tier->fail_held_write();
  }
  static ChunkId id(int chunk, std::uint64_t entry = 1) { return {{entry, 7}, 2, chunk, 3}; }
  static std::vector<std::byte> bytes_of(int chunk, std::uint64_t bytes = page) {
    return std::vector<std::byte>(bytes, static_cast<std::byte>(chunk + 1));
  }
  void use(int chunk, int important, std::uint64_t bytes = page, std::uint64_t entry = 1) {
    cache->used(id(chunk, entry), important, bytes, [&] {
      ++made;
      return bytes_of(chunk, bytes);
    });
  }
  /// Lets writes end.
  void settle() {
    executor.pass(1);
    (void)cache->poll();
  }
  /// Tier of a chunk's copy; nothing: there is none.
  std::optional<std::size_t> tier_of(int chunk, std::uint64_t entry = 1) {
    const auto source = cache->find(id(chunk, entry));
    if (!source) return std::nullopt;
    return static_cast<std::size_t>(std::ranges::find(tiers, source->tier) - tiers.begin());
  }

  VirtualExecutor executor;
  ModelParts parts;
  std::vector<SwitchableTier*> tiers;
  std::optional<TierStack> stack;
  std::optional<ChunkCache> cache;
  int made = 0;
};

}  // namespace

class ChunkCacheTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void theHighestScoresStay() {
    Cached of(2, 1);
    of.cache->note_access({1, 7});
    for (const int chunk : {0, 1, 2}) of.use(chunk, 10 + chunk);
    // The first two filled the fast tier; the third displaces the lowest there, which is dropped, not written back.
    QVERIFY(!of.tier_of(0) && of.tier_of(1) == 0U && of.tier_of(2) == 0U);
    of.use(3, 5);  // below both: the next tier has room
    QVERIFY(of.tier_of(3) == 1U);
    of.use(4, 4);  // below all
    QVERIFY(!of.tier_of(4));
    of.use(4, 5);  // a tie displaces nobody
    QVERIFY(!of.tier_of(4));
    QCOMPARE(of.cache->count(0), std::size_t{2});
    QCOMPARE(of.cache->bytes(0), 2 * page);
    of.settle();
    QCOMPARE(of.tiers[0]->used_bytes(), 2 * page);
    QCOMPARE(of.tiers[1]->used_bytes(), page);
    QCOMPARE(of.tiers[2]->used_bytes(), std::uint64_t{0});
  }

  // Score = important tokens times accesses, per byte.
  void accessesAndSizesCount() {
    Cached of(2, 0);
    of.tiers[1]->set_capacity(1);
    of.cache->note_access({1, 7});
    of.use(0, 10, page, 1);
    for (int access = 0; access < 3; ++access) of.cache->note_access({2, 7});
    of.use(1, 4, page, 2);   // 12
    of.use(2, 11, page, 1);  // displaces the 10
    QVERIFY(!of.tier_of(0, 1) && of.tier_of(1, 2) == 0U && of.tier_of(2, 1) == 0U);
    of.use(3, 20, 2 * page, 1);  // 10 a page
    QVERIFY(!of.tier_of(3, 1));
    of.use(4, 30, 2 * page, 1);  // 15 a page: in place of both
    QVERIFY(of.tier_of(4, 1) == 0U && !of.tier_of(1, 2) && !of.tier_of(2, 1));
  }

  void aCopyRisesToAFasterTier() {
    Cached of(1, 4);
    of.cache->note_access({1, 7});
    of.use(0, 10);
    of.use(1, 5);
    of.settle();
    QVERIFY(of.tier_of(0) == 0U && of.tier_of(1) == 1U);
    of.use(1, 11);
    of.settle();
    QVERIFY(of.tier_of(1) == 0U && !of.tier_of(0));
    QCOMPARE(of.tiers[1]->used_bytes(), std::uint64_t{0});
    of.made = 0;
    of.use(1, 12);  // it is where it should be
    QCOMPARE(of.made, 0);
  }

  // Everything against a list that is searched from end to end.
  void likeAPlainList() {
    constexpr std::uint64_t capacity = 8 * page;
    Cached of(8, 0);
    of.tiers[1]->set_capacity(1);
    struct Kept {
      double score;
      std::uint64_t bytes;
    };
    std::map<int, Kept> kept;
    Random random(17);
    of.cache->note_access({1, 7});
    for (int step = 0; step < 2000; ++step) {
      const int chunk = static_cast<int>(random.below(30));
      const std::uint64_t bytes = page * (1 + static_cast<std::uint64_t>(chunk) % 3);
      const int important = static_cast<int>(random.below(1'000'000)) + 1;  // hardly any ties
      const double score = important / static_cast<double>(bytes);
      of.use(chunk, important, bytes);
      if (const auto at = kept.find(chunk); at != kept.end()) {
        at->second.score = score;
      } else {
        std::uint64_t used = 0;
        for (const auto& [other, one] : kept) used += one.bytes;
        std::map<int, Kept> left = kept;
        while (used + bytes > capacity) {
          const auto lowest = std::ranges::min_element(
              left, [](const auto& a, const auto& b) { return a.second.score < b.second.score; });
          if (lowest == left.end() || lowest->second.score >= score) break;
          used -= lowest->second.bytes;
          left.erase(lowest);
        }
        if (used + bytes <= capacity) {
          kept = left;
          kept[chunk] = {score, bytes};
        }
      }
      if (step % 7 == 0) of.settle();
      std::uint64_t total = 0;
      for (int other = 0; other < 30; ++other) QCOMPARE(of.tier_of(other).has_value(), kept.contains(other));
      for (const auto& [other, one] : kept) total += one.bytes;
      QCOMPARE(of.cache->bytes(0), total);
      QVERIFY(of.tiers[0]->used_bytes() <= capacity);
    }
  }

  void aCopyOnItsWayIsReadFromMemory() {
    Cached of;
    of.tiers[0]->holds_writes = true;
    of.cache->note_access({1, 7});
    of.use(0, 10, 100);
    const auto source = of.cache->find(Cached::id(0));
    QVERIFY(source && source->in_memory != nullptr && source->is_copy);
    QCOMPARE(source->in_memory->size(), std::size_t{page});  // whole pages
    QVERIFY(std::ranges::equal(std::span(*source->in_memory).first(100), Cached::bytes_of(0, 100)));
    of.tiers[0]->finish_held_write();
    QVERIFY(of.cache->poll());
    QVERIFY(of.cache->find(Cached::id(0))->in_memory == nullptr);
    QVERIFY(!of.cache->poll());
  }

  void aFailedWriteIsForgotten() {
    Cached of;
    of.tiers[0]->refuses_writes = true;
    of.cache->note_access({1, 7});
    of.use(0, 10);
    of.settle();
    QVERIFY(!of.tier_of(0));
    QCOMPARE(of.cache->bytes(0), std::uint64_t{0});
    of.tiers[0]->refuses_writes = false;
    of.use(0, 10);
    of.settle();
    QVERIFY(of.tier_of(0) == 0U);
  }

  void aTierThatIsAwayIsLeftOut() {
    Cached of;
    of.cache->note_access({1, 7});
    of.use(0, 10);
    of.settle();
    of.tiers[0]->away = true;
    QVERIFY(!of.tier_of(0));
    of.use(1, 10);
    QVERIFY(of.tier_of(1) == 1U);
  }

  void lostAndClearedCopiesAreErased() {
    Cached of;
    of.cache->note_access({1, 7});
    for (const int chunk : {0, 1, 2}) of.use(chunk, 10);
    of.settle();
    of.cache->lost(Cached::id(1));
    QVERIFY(!of.tier_of(1));
    QCOMPARE(of.tiers[0]->used_bytes(), 2 * page);
    of.cache->clear();
    QVERIFY(!of.tier_of(0) && !of.tier_of(2));
    QCOMPARE(of.tiers[0]->used_bytes(), std::uint64_t{0});
    QCOMPARE(of.cache->count(0), std::size_t{0});
  }

  void aSmallerTierKeepsTheHighestScores() {
    Cached of;
    of.cache->note_access({1, 7});
    for (const int chunk : {0, 1, 2, 3}) of.use(chunk, 10 + chunk);
    of.settle();
    of.tiers[0]->set_capacity(2 * page);
    QVERIFY(of.cache->poll());
    QVERIFY(!of.tier_of(0) && !of.tier_of(1) && of.tier_of(2) == 0U && of.tier_of(3) == 0U);
    QCOMPARE(of.tiers[0]->used_bytes(), 2 * page);
  }

  // Below an unlimited tier nothing is whole: the tier above it has the entries, and copies are on the fastest alone.
  void copiesSpareTheTierOfWholeContexts() {
    Cached of(1, 6);
    of.tiers[2]->set_capacity(0);
    QCOMPARE(of.cache->tiers(), std::size_t{1});
    of.cache->note_access({1, 7});
    of.use(0, 10);
    of.use(1, 5);  // there would be room on the second tier
    QVERIFY(of.tier_of(0) == 0U && !of.tier_of(1));
    QCOMPARE(of.cache->bytes(1), std::uint64_t{0});
  }

  void copiesLeaveATierThatGetsWholeContexts() {
    Cached of(1, 6);
    QCOMPARE(of.cache->tiers(), std::size_t{2});
    of.cache->note_access({1, 7});
    of.use(0, 10);
    of.use(1, 5);
    of.settle();
    QVERIFY(of.tier_of(0) == 0U && of.tier_of(1) == 1U);
    of.tiers[2]->set_capacity(0);
    QVERIFY(of.cache->poll());
    QVERIFY(of.tier_of(0) == 0U && !of.tier_of(1));
    QCOMPARE(of.tiers[1]->used_bytes(), std::uint64_t{0});
  }

  // Copies of hits through the store: the second request reads them, and the answer is the same.
  void hitsReadCopies() {
    TwoTierStore store;
    const Configuration in_chunks{.tier = 1, .method = "token_chunks(length=16)"};
    store.place(0, in_chunks);
    const ContextDetails& details = store.parts.catalog->details(0);
    const ServingClock clock(store.executor.clock());
    const auto served = [&] {
      RequestInput input{.start = {},
                         .context_tokens = details.tokens,
                         .question_tokens = details.questions[0].tokens,
                         .max_answer_tokens = 8};
      input.reading.important_tokens = ImportantTokensRule{.kept = 0.3, .probes = 3};
      RequestTask task(*store.parts.runtime, store.parts.lender, clock, std::move(input), store.find(0), 0.0,
                       [](const std::string&) {});
      while (!task.done()) {
        if (task.needs() == RequestTask::Need::bytes) {
          must(task.poll(0.001));
        } else if (task.needs() == RequestTask::Need::compute) {
          must(task.compute());
        } else {
          BatchDecodeTask decode(*store.parts.runtime->model, {task.decode().next_decode()});
          must(decode.run());
          task.decode().take_token(decode.logits(0));
        }
      }
      return task.record();
    };
    const RequestRecord first = served();
    QCOMPARE(first.source, std::string("ssd"));
    QCOMPARE(first.important_reads->copy_bytes, std::uint64_t{0});
    store.executor.pass(1);
    store.store->poll();
    QVERIFY(store.occupied("dram") > 0);
    const std::uint64_t before = store.ssd->statistics().read_bytes;
    const RequestRecord second = served();
    QCOMPARE(second.answer, first.answer);
    QCOMPARE(second.bytes_loaded, first.bytes_loaded);
    QCOMPARE(second.important_reads->copy_bytes, second.bytes_loaded);
    QCOMPARE(store.ssd->statistics().read_bytes, before);

    // Damaged copies are read again from the entry.
    for (const EntryInfo& info : store.dram->entries())
      store.dram->write_by_others({info, std::make_shared<std::vector<std::byte>>(info.bytes)});
    const RequestRecord third = served();
    QCOMPARE(third.answer, first.answer);
    QCOMPARE(third.source, std::string("ssd"));
    QVERIFY(!third.miss_reason.size() && third.bytes_loaded > first.bytes_loaded);
    QVERIFY(store.ssd->statistics().read_bytes >= before + first.bytes_loaded);
    QVERIFY(store.state(0).placement.stored());

    store.store->chunk_copies().clear();
    QVERIFY(store.dram->entries().empty());
    QCOMPARE(store.parts.lender.leased_bytes(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(ChunkCacheTest)

}  // namespace chunk_cache_test

#include "chunk_cache_test.moc"
