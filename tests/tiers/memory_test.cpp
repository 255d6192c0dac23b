// links: kv_base kv_tiers
// Buffers for transfers and memory for entries: aligned, bounded, reused, given back.
#include <thread>

#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/dram_tier.h"
#include "tiers/page_arena.h"

namespace memory_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// A DramStore whose latest entry a test can reach.
class WatchedStore final : public EntryStore {
 public:
  TierDescription describe() const override { return store_.describe(); }
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override {
    auto entry = store_.put(info, bytes, cancelled);
    if (entry) latest = std::static_pointer_cast<DramEntry>(*entry);
    return entry;
  }
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override { return store_.read(entry, sink); }
  TransferStatus verify(const StoredEntry& entry) override {
    const std::lock_guard lock(spoiling);
    return store_.verify(entry);
  }

  std::weak_ptr<DramEntry> latest;
  std::mutex spoiling;

 private:
  DramStore store_{"dram"};
};

}  // namespace

class MemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void buffersAreAlignedAndLargeEnough() {
    BufferPool pool(256 << 20);
    for (std::size_t bytes : {1UL, 4096UL, 4097UL, 10000UL, 65536UL, 1000001UL, 10000000UL}) {
      const auto buffer = pool.lease(bytes);
      QVERIFY(buffer);
      const auto span = (*buffer)->bytes();
      QCOMPARE(reinterpret_cast<std::uintptr_t>(span.data()) % 4096, std::uintptr_t{0});
      QCOMPARE(span.size(), (bytes + 4095) / 4096 * 4096);
      QVERIFY(pool.leased_bytes() >= bytes);
      QVERIFY(static_cast<double>(pool.leased_bytes()) <= std::max(1.25 * static_cast<double>(bytes) + 4096, 4096.0));
    }
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
  }

  void theLimitHoldsAndIdleMemoryIsDisplaced() {
    BufferPool pool(1 << 20);
    std::vector<std::unique_ptr<LeasedBuffer>> lent;
    for (int i = 0; i < 16; ++i) {
      auto buffer = pool.lease(65536);
      QVERIFY(buffer);
      lent.push_back(std::move(*buffer));
    }
    QCOMPARE(pool.leased_bytes(), std::size_t{1 << 20});
    QCOMPARE(pool.lease(4096).error().code, ErrorCode::no_space);
    lent.pop_back();
    QVERIFY(pool.lease(4096));
    lent.clear();
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
    QVERIFY(pool.lease(1 << 20));  // sixteen small idle ones are displaced
    QVERIFY(pool.mapped_bytes() <= pool.limit_bytes());
    QCOMPARE(pool.lease((1 << 20) + 1).error().code, ErrorCode::rejected_input);
    QCOMPARE(pool.lease(0).error().code, ErrorCode::rejected_input);
  }

  void buffersAreReused() {
    BufferPool pool(1 << 20);
    const std::byte* first = (*pool.lease(100000))->bytes().data();
    QVERIFY((*pool.lease(100001))->bytes().data() == first);
    const std::size_t touched = pool.mapped_bytes();
    for (int i = 0; i < 100; ++i) QVERIFY(pool.lease(500000));
    QVERIFY(pool.mapped_bytes() == touched && touched <= pool.limit_bytes());
  }

  void buffersNeverOverlap() {
    BufferPool pool(8 << 20);
    Random random(3);
    std::vector<std::pair<std::unique_ptr<LeasedBuffer>, std::byte>> held;
    std::size_t refused = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto mark = static_cast<std::byte>(i);
      if (auto buffer = pool.lease(1 + random.below(1 << 20))) {
        std::fill((*buffer)->bytes().begin(), (*buffer)->bytes().end(), mark);
        held.emplace_back(std::move(*buffer), mark);
      } else {
        ++refused;
      }
      if (held.size() <= random.below(24)) continue;
      std::swap(held[random.below(held.size())], held.back());
      const auto bytes = held.back().first->bytes();
      QVERIFY(std::all_of(bytes.begin(), bytes.end(), [&](std::byte byte) { return byte == held.back().second; }));
      held.pop_back();
    }
    QVERIFY(refused > 0);
    held.clear();
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
    QVERIFY(pool.lease(8 << 20));  // the pieces found together again
  }

  void buffersOutliveTheirPool() {
    std::unique_ptr<LeasedBuffer> buffer;
    {
      BufferPool pool(1 << 20);
      buffer = std::move(*pool.lease(5000));
    }
    std::memset(buffer->bytes().data(), 1, buffer->bytes().size());
    buffer.reset();
  }

  void manyThreadsStayWithinTheLimit() {
    BufferPool pool(1 << 20);
    std::atomic<int> refused{0}, over{0};
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < 4; ++seed)
      threads.emplace_back([&, seed] {
        Random random(seed);
        std::vector<std::unique_ptr<LeasedBuffer>> held;
        for (int i = 0; i < 3000; ++i) {
          if (auto buffer = pool.lease(1 + random.below(200000)))
            held.push_back(std::move(*buffer));
          else
            ++refused;
          if (pool.leased_bytes() > pool.limit_bytes() || pool.mapped_bytes() > pool.limit_bytes()) ++over;
          if (held.size() > random.below(6)) held.erase(held.begin());
        }
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(over.load(), 0);
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
  }

  void pagesNeverOverlapAndAllComeBack() {
    PageArena arena(1 << 20);
    Random random(1);
    struct Piece {
      PageArena::Runs runs;
      std::byte mark;
    };
    std::vector<Piece> pieces;
    std::size_t allocated = 0, scattered = 0;
    for (int i = 0; i < 3000; ++i) {
      if (pieces.size() < 40 && random.below(5) < 3) {
        const std::size_t bytes = 1 + random.below(300000);
        auto runs = arena.allocate(bytes);
        QVERIFY(runs);
        scattered += runs->size() > 1;
        std::size_t total = 0;
        const auto mark = static_cast<std::byte>(i);
        for (const auto run : *runs) {
          total += run.size();
          std::memset(run.data(), i, run.size());
        }
        QCOMPARE(total, (bytes + 4095) / 4096 * 4096);
        allocated += total;
        pieces.push_back({std::move(*runs), mark});
      } else if (!pieces.empty()) {
        std::swap(pieces[random.below(pieces.size())], pieces.back());
        for (const auto run : pieces.back().runs) {
          // Still what was written: nobody else was given these pages.
          QVERIFY(std::all_of(run.begin(), run.end(), [&](std::byte byte) { return byte == pieces.back().mark; }));
          allocated -= run.size();
        }
        arena.release(pieces.back().runs);
        pieces.pop_back();
      }
      QCOMPARE(arena.allocated_bytes(), allocated);
    }
    QVERIFY(scattered > 0);
    for (const Piece& piece : pieces) arena.release(piece.runs);
    QCOMPARE(arena.allocated_bytes(), std::size_t{0});
    QVERIFY(arena.mapped_bytes() <= (1 << 20));  // one spare segment
  }

  void fragmentationLosesNoMemory() {
    // Every other page free: an entry of all the free pages still fits without new memory.
    PageArena arena(1 << 20);
    std::vector<PageArena::Runs> pages;
    for (int i = 0; i < 256; ++i) pages.push_back(*arena.allocate(4096));
    for (std::size_t i = 0; i < pages.size(); i += 2) arena.release(pages[i]);
    const auto large = arena.allocate(128 * 4096);
    QVERIFY(large);
    QCOMPARE(large->size(), std::size_t{128});
    QCOMPARE(arena.mapped_bytes(), std::size_t{1 << 20});
  }

  void entriesOfOneSizeTakeOneRunEach_data() {
    QTest::addColumn<quint64>("pages");
    for (const quint64 pages : {1, 3, 65, 127, 129, 255, 257, 1000}) QTest::addRow("%llu pages", pages) << pages;
  }
  void entriesOfOneSizeTakeOneRunEach() {
    QFETCH(quint64, pages);
    PageArena arena(1 << 20);  // 256 pages
    Random random(pages);
    std::vector<PageArena::Runs> all;
    std::size_t most = 0;
    for (int i = 0; i < 2000; ++i) {
      if (all.size() < 50 && random.below(3) > 0) {
        all.push_back(*arena.allocate(pages * 4096));
        QCOMPARE(all.back().size(), std::size_t{1});
      } else if (!all.empty()) {
        std::swap(all[random.below(all.size())], all.back());
        arena.release(all.back());
        all.pop_back();
      }
      most = std::max(most, all.size());
    }
    // Nothing but the rest of a segment and a spare one is free.
    QVERIFY(arena.mapped_bytes() <= most * pages * 4096 + 2 * (std::size_t{1} << 20));
    for (const PageArena::Runs& runs : all) arena.release(runs);
  }

  void avoidingSeveralRunsTakesLittleMemory() {
    constexpr std::size_t segment = std::size_t{1} << 20;
    PageArena arena(segment);
    Random random(4);
    std::vector<PageArena::Runs> all;
    std::size_t peak = 0, whole = 0, scattered = 0;
    for (int i = 0; i < 5000; ++i) {
      if (all.size() < 100 && random.below(5) < 3) {
        all.push_back(*arena.allocate(1 + random.below(segment)));
        ++(all.back().size() == 1 ? whole : scattered);
      } else if (!all.empty()) {
        std::swap(all[random.below(all.size())], all.back());
        arena.release(all.back());
        all.pop_back();
      }
      peak = std::max(peak, arena.allocated_bytes());
      // Free memory is at most an eighth before the arena grows, or less than the entry, and then a segment more.
      QVERIFY(arena.mapped_bytes() <= std::max(peak + segment, peak * 8 / 7) + segment);
    }
    QVERIFY(whole > 0 && scattered > 0);
    for (const PageArena::Runs& runs : all) arena.release(runs);
  }

  void theScrubFindsSpoiledMemory() {
    auto store = std::make_unique<WatchedStore>();
    WatchedStore& watched = *store;
    const auto tier = std::move(*QueuedTier::open(std::move(store), 0, 0.001, system_executor()));
    const auto bytes = random_bytes(1, 100000);
    QVERIFY(write_entry(*tier, "good", bytes));
    QVERIFY(write_entry(*tier, "bad", bytes));
    QTRY_VERIFY(tier->statistics().scrubbed > 10);
    QCOMPARE(tier->statistics().dropped, std::uint64_t{0});
    {
      const std::lock_guard lock(watched.spoiling);
      watched.latest.lock()->runs()[0][777] ^= std::byte{16};
    }
    QTRY_VERIFY(!tier->contains(key_of("bad")));
    QCOMPARE(tier->statistics().dropped, std::uint64_t{1});
    QCOMPARE(tier->used_bytes(), std::uint64_t{100000});
    QVERIFY(tier->statistics().scrubbed_bytes > 1000000);
    BufferPool pool(1 << 20);
    QVERIFY(read_entry(*tier, pool, "good", *bytes).ok());
  }

  void erasedMemoryIsFreedWhenTheLastReadIsDone() {
    auto store = std::make_unique<WatchedStore>();
    WatchedStore& watched = *store;
    const auto tier = std::move(*QueuedTier::open(std::move(store), 0, 0, system_executor()));
    QVERIFY(write_entry(*tier, "entry", random_bytes(1, 100000)));
    QVERIFY(!watched.latest.expired());
    QVERIFY(tier->erase(key_of("entry")));
    QTRY_VERIFY(watched.latest.expired());
  }
};

KV_TEST_GUILESS_MAIN(MemoryTest)

}  // namespace memory_test

#include "memory_test.moc"
