// links: kv_tiers core_load
// Memory that a tier lends instead of copying: the entry's own pages, unchanged as long as somebody holds them,
// whatever becomes of the entry and of the tier.
#include <algorithm>
#include <atomic>
#include <thread>

#include "core/load/arrived_bytes.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/dram_tier.h"
#include "tiers/throttled_tier.h"

namespace lent_memory_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr std::size_t page = 4096, least = 50000;

/// A tier in host memory, with the arena that its entries are in.
struct Lending {
  std::shared_ptr<PageArena> arena = std::make_shared<PageArena>(std::size_t{1} << 20);
  std::unique_ptr<StorageTier> tier =
      *QueuedTier::open(std::make_unique<DramStore>("dram", arena), 0, 0, system_executor());
};

/// Submits a read without buffers and waits for all of it.
std::vector<Completion> borrow(StorageTier& tier, const std::string& name, const std::vector<ReadExtent>& extents) {
  CompletionQueue queue(tier.clock());
  std::vector<Completion> all;
  tier.submit_read(key_of(name), extents, std::vector<std::unique_ptr<LeasedBuffer>>(extents.size()), queue);
  while (all.empty() || !all.back().last)
    for (Completion& completion : queue.wait(60)) all.push_back(std::move(completion));
  return all;
}

bool holds(std::span<const std::byte> lent, const Bytes& entry, const ReadExtent& extent) {
  return std::ranges::equal(lent, std::span(entry).subspan(extent.offset, extent.bytes));
}

}  // namespace

class LentMemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void itIsTheEntrysOwnPages() {
    Lending of;
    const auto bytes = random_bytes(1, 300000);
    QVERIFY(write_entry(*of.tier, "entry", bytes));
    const std::vector<ReadExtent> extents{{0, 300000, {}}, {5, 100, {}}, {299999, 1, {}}};
    QCOMPARE(of.tier->lends(key_of("entry"), extents), (std::vector<bool>{true, true, true}));
    const auto once = borrow(*of.tier, "entry", extents), again = borrow(*of.tier, "entry", extents);
    QCOMPARE(once.size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i) {
      QVERIFY(once[i].status.has_value() && once[i].buffer == nullptr && once[i].index == i);
      QCOMPARE(once[i].last, i == 2);
      QCOMPARE(once[i].device_seconds, 0.0);
      QVERIFY(holds(once[i].lent.bytes, *bytes, extents[i]));
      QVERIFY(once[i].lent.bytes.data() == once[0].lent.bytes.data() + extents[i].offset);
      QVERIFY(again[i].lent.bytes.data() == once[i].lent.bytes.data());  // nobody has copied anything
    }
    const TierStatistics statistics = of.tier->statistics();
    QCOMPARE(statistics.reads, std::uint64_t{2});
    QCOMPARE(statistics.read_bytes, std::uint64_t{2 * 300101});
  }

  void buffersAreStillFilled() {
    Lending of;
    BufferPool pool(std::size_t{1} << 20);
    const auto bytes = random_bytes(2, 50000);
    QVERIFY(write_entry(*of.tier, "entry", bytes));
    const std::vector<ReadExtent> extents{{0, 20000, {}}, {20000, 30000, {}}};
    auto buffers = lease_all(pool, extents);
    buffers[0].reset();
    CompletionQueue queue(of.tier->clock());
    of.tier->submit_read(key_of("entry"), extents, std::move(buffers), queue);
    auto done = queue.wait(60);
    QCOMPARE(done.size(), std::size_t{2});
    QVERIFY(holds(done[0].lent.bytes, *bytes, extents[0]) && done[0].buffer == nullptr);
    QVERIFY(done[1].lent.owner == nullptr && holds(done[1].buffer->bytes().first(30000), *bytes, extents[1]));
    ArrivedBytes lent(done[0]), copied(done[1]);
    QVERIFY(lent.is_lent() && copied && !copied.is_lent());
    QVERIFY(holds(copied.bytes().first(30000), *bytes, extents[1]));
    copied.reset();
    lent.reset();
    QVERIFY(!lent && !copied && pool.leased_bytes() == 0);
  }

  void itSurvivesEraseReplacementAndTheTier_data() {
    QTest::addColumn<int>("what");
    QTest::newRow("erase") << 0;
    QTest::newRow("replacement") << 1;
    QTest::newRow("the tier is closed") << 2;
  }
  void itSurvivesEraseReplacementAndTheTier() {
    QFETCH(int, what);
    Lending of;
    const auto bytes = random_bytes(3, 100 * page);
    QVERIFY(write_entry(*of.tier, "entry", bytes));
    auto held = borrow(*of.tier, "entry", {{page, 10 * page, {}}});
    if (what == 0) QVERIFY(of.tier->erase(key_of("entry")));
    if (what == 1) QVERIFY(write_entry(*of.tier, "entry", random_bytes(4, 50 * page)));
    if (what == 2) of.tier.reset();
    if (of.tier != nullptr) {
      QCOMPARE(of.tier->used_bytes(), std::uint64_t{what == 0 ? 0 : 50 * page});
      for (int other = 0; other < 20; ++other)  // nobody is given its pages
        QVERIFY(write_entry(*of.tier, std::to_string(other), random_bytes(10, 100 * page)));
    }
    const std::size_t others = of.tier != nullptr ? of.tier->used_bytes() : 0;
    QVERIFY(eventually([&] { return of.arena->allocated_bytes() == others + 100 * page; }));
    QVERIFY(holds(held[0].lent.bytes, *bytes, {page, 10 * page, {}}));
    held.clear();
    QVERIFY(eventually([&] { return of.arena->allocated_bytes() == others; }));
  }

  void anExtentInSeveralRunsIsCopied() {
    // Every other page is free: an entry of eight pages has eight runs.
    auto arena = std::make_shared<PageArena>(64 * page, 64 * page);
    const auto tier = *QueuedTier::open(std::make_unique<DramStore>("dram", arena), 0, 0, system_executor());
    std::vector<PageArena::Runs> pages;
    for (int i = 0; i < 64; ++i) pages.push_back(*arena->allocate(page));
    for (std::size_t i = 0; i < pages.size(); i += 2) arena->release(pages[i]);
    const auto bytes = random_bytes(5, 8 * page);
    QVERIFY(write_entry(*tier, "entry", bytes));
    const std::vector<ReadExtent> extents{
        {0, page, {}}, {page - 1, 2, {}}, {100, 8 * page - 100, {}}, {2 * page, 9, {}}};
    QCOMPARE(tier->lends(key_of("entry"), extents), (std::vector<bool>{true, false, false, true}));
    BufferPool pool(std::size_t{1} << 20);
    const auto buffers = buffers_for(*tier, key_of("entry"), extents, pool);
    QVERIFY(buffers && (*buffers)[0] == nullptr && (*buffers)[1] != nullptr && (*buffers)[3] == nullptr);
    // Without a buffer too, as for an entry that was replaced since lends() was asked.
    const auto read = borrow(*tier, "entry", extents);
    for (std::size_t i = 0; i < extents.size(); ++i) QVERIFY(holds(read[i].lent.bytes, *bytes, extents[i]));
    for (std::size_t i = 1; i < pages.size(); i += 2) arena->release(pages[i]);
  }

  void nothingIsLentOfWhatIsNotThere() {
    Lending of;
    QVERIFY(of.tier->lends(key_of("nobody"), std::vector<ReadExtent>{{0, 1, {}}}).empty());
    QVERIFY(write_entry(*of.tier, "entry", random_bytes(6, 10000)));
    const std::uint64_t huge = ~std::uint64_t{0};
    const std::vector<ReadExtent> wrong{{huge, 1, {}}, {20000, 1, {}}, {0, huge, {}}, {1, huge, {}}, {0, 0, {}}};
    QCOMPARE(of.tier->lends(key_of("entry"), wrong), std::vector<bool>(wrong.size(), false));
    for (const ReadExtent& extent : wrong)
      QVERIFY(borrow(*of.tier, "entry", {extent})[0].status.error().code == ErrorCode::rejected_input);
    QCOMPARE(borrow(*of.tier, "nobody", {{0, 1, {}}})[0].miss_reason, std::string("absent"));
  }

  void aTierThatNeverLendsRefusesReadsWithoutBuffers() {
    QTemporaryDir folder;
    const auto tier = open_or_fail(in_folder(folder.path().toStdString()));
    QVERIFY(write_entry(*tier, "entry", random_bytes(7, 10000)));
    QVERIFY(tier->lends(key_of("entry"), std::vector<ReadExtent>{{0, 4096, {}}}) != std::vector<bool>{true});
    const auto refused = borrow(*tier, "entry", {{0, 4096, {}}});
    QVERIFY(!refused[0].status && refused[0].status.error().code == ErrorCode::rejected_input);
  }

  void aThrottleDelaysWhatIsLentAndACancelReturnsIt() {
    Lending of;
    auto arena = of.arena;
    ThrottledTier tier(std::move(of.tier), {.bandwidth_bytes_per_second = 100e6, .latency_seconds = 0.001});
    const auto bytes = random_bytes(8, std::size_t{1} << 20);
    QVERIFY(write_entry(tier, "entry", bytes));
    const std::vector<ReadExtent> extents{{0, bytes->size(), {}}};
    QCOMPARE(tier.lends(key_of("entry"), extents), std::vector<bool>{true});
    auto done = borrow(tier, "entry", extents);
    QVERIFY(holds(done[0].lent.bytes, *bytes, extents[0]));
    QVERIFY(done[0].device_seconds >= 0.999 * (0.001 + static_cast<double>(bytes->size()) / 100e6));
    done.clear();

    QVERIFY(tier.set_limits({.bandwidth_bytes_per_second = 1, .latency_seconds = 0}));
    CompletionQueue queue(tier.clock());
    const Ticket ticket =
        tier.submit_read(key_of("entry"), extents, std::vector<std::unique_ptr<LeasedBuffer>>(1), queue);
    tier.cancel(ticket);
    done = queue.wait(60);
    QCOMPARE(done.size(), std::size_t{1});
    QVERIFY(!done[0].status && done[0].status.error().code == ErrorCode::cancelled);
    QVERIFY(done[0].lent.owner == nullptr && done[0].lent.bytes.empty());
    QVERIFY(tier.erase(key_of("entry")));
    QVERIFY(eventually([&] { return arena->allocated_bytes() == 0; }));
  }

  /// Random writes, erases and loans of several threads against what each loan held when it was made.
  void loansNeverChange() {
    Lending of;
    std::atomic<int> wrong{0}, loans{0};
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < 3; ++seed)
      threads.emplace_back([&, seed] {
        Random random(seed);
        struct Loan {
          LentBytes lent;
          Bytes copy;
        };
        std::vector<Loan> held;
        for (int step = 0; step < 400; ++step) {
          const std::string name = std::to_string(random.below(6));
          const std::uint64_t kind = random.below(4);
          if (kind == 0) (void)write_entry(*of.tier, name, random_bytes(random.next(), least + random.below(150000)));
          if (kind == 1) (void)of.tier->erase(key_of(name));
          if (kind >= 2) {
            auto read = borrow(*of.tier, name, {{0, least, {}}});
            if (!read[0].status) continue;
            held.push_back({read[0].lent, {read[0].lent.bytes.begin(), read[0].lent.bytes.end()}});
            ++loans;
          }
          for (const Loan& loan : held)
            if (!std::ranges::equal(loan.lent.bytes, loan.copy)) ++wrong;
          if (held.size() > random.below(10)) held.erase(held.begin());
        }
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
    QVERIFY(loans.load() > 50);
    const std::vector<EntryInfo> left = of.tier->entries();
    std::size_t pages = 0;
    for (const EntryInfo& info : left) pages += (info.bytes + page - 1) / page * page;
    QVERIFY(eventually([&] { return of.arena->allocated_bytes() == pages; }));
  }
};

KV_TEST_GUILESS_MAIN(LentMemoryTest)

}  // namespace lent_memory_test

#include "lent_memory_test.moc"
