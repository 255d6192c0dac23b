// links: kv_runtime
// Eviction without moving bytes, and what gives the blocks back. The figures of the paging overhead (a block is freed
// only when its last row is dead) and of the toy with both kinds of compaction are those of the published arithmetic of
// paged eviction.
#include "core/kv/compaction.h"

#include <QtTest>
#include <numeric>

#include "core/kv/pool_gauges.h"
#include "core/kv/serial.h"
#include "tests/kv/plain_cache.h"
#include "tests/support/test_program.h"

namespace compaction_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const SystemClock system_clock;

/// One head, one layer; all in one place.
struct OneHead {
  BlockPool pool;
  KvCache cache;
  PlainCache plain;
  Random random{42};

  OneHead(int block_tokens, int tokens, std::size_t blocks = 1100)
      : pool({1, 1, 8, KvType::bf16}, block_tokens,
             blocks * BlockPool({1, 1, 8, KvType::bf16}, block_tokens, 0).block_bytes()),
        cache(pool),
        plain(1) {
    if (!append(cache, 0, 0, tokens, random, &plain)) qFatal("append");
  }
  /// Evicts every token that `goes` names; blocks freed.
  template <class Goes>
  std::size_t evict(const Goes& goes) {
    const std::size_t live = pool.live_blocks();
    KeptIndices dropped(1);
    for (int i = 0; i < cache.kept(0, 0); ++i)
      if (goes(i)) dropped[0].push_back(i);
    if (!cache.evict(0, dropped)) qFatal("evict");
    filter(plain, cache.shape(), 0, dropped, false);
    return live - pool.live_blocks();
  }
  CompactionReport carry_out(const CompactionPlan& plan) {
    const std::size_t live = pool.live_blocks();
    const auto report = commit(cache, plan, system_clock).value();
    if (report.blocks_freed != live - pool.live_blocks() || report.blocks_freed != plan.blocks_freed ||
        report.slot_copies != plan.slot_copies)
      qFatal("the report is not what happened");
    return report;
  }
  std::vector<std::int32_t> rows_lie_in() const {
    const HeadView head = cache.head(0, 0);
    return {head.row_slots.begin(), head.row_slots.end()};
  }
  PoolGauges gauges() const { return pool_gauges(pool, std::array{&cache}); }
};

}  // namespace

class CompactionTest : public QObject {
  Q_OBJECT

 private slots:
  // 16,000 tokens in 1,000 blocks of 16.
  void scatteredEvictionFreesNoBlockAndRepackFreesNineHundred() {
    OneHead head(16, 16000);
    QCOMPARE(head.pool.live_blocks(), std::size_t{1000});
    QCOMPARE(head.evict([](int i) { return i % 10 != 0; }), std::size_t{0});
    QCOMPARE(head.cache.kept(0, 0), 1600);
    QCOMPARE(head.gauges().dead_slots, std::size_t{14400});
    QCOMPARE(head.gauges().fragmentation, 0.9);
    const auto plan = plan_repack(head.cache);
    QCOMPARE(plan.blocks_freed, std::size_t{900});
    QCOMPARE(head.pool.live_blocks(), std::size_t{1000});  // a plan changes nothing
    head.carry_out(plan);
    QCOMPARE(head.pool.live_blocks(), std::size_t{100});
    QCOMPARE(head.gauges().fragmentation, 0.0);
    QVERIFY(head.rows_lie_in().empty());
    QCOMPARE(contents(head.cache), head.plain);
  }

  void oneAlignedBlockEvictedIsOneBlockFreed() {
    OneHead head(16, 16000);
    QCOMPARE(head.evict([](int i) { return i >= 32 && i < 48; }), std::size_t{1});
    QVERIFY(head.rows_lie_in().empty());  // no hole is left
    QCOMPARE(contents(head.cache), head.plain);
  }

  void oneSurvivorABlockPinsThePool() {
    OneHead head(16, 16000);
    QCOMPARE(head.evict([](int i) { return i % 16 != 0; }), std::size_t{0});
    QCOMPARE(head.gauges().fragmentation, 0.9375);
  }

  // 6 blocks of 4 slots: history T0-T19, newest round T20-T23; T2, T9, T13 and T21 go.
  void repackMovesEighteenRowsOfTheToy() {
    OneHead toy(4, 24);
    QCOMPARE(toy.evict([](int i) { return i == 2 || i == 9 || i == 13 || i == 21; }), std::size_t{0});
    const auto report = toy.carry_out(plan_repack(toy.cache));
    QCOMPARE(report.slot_copies, std::size_t{18});
    QCOMPARE(report.blocks_freed, std::size_t{1});
    QVERIFY(toy.rows_lie_in().empty());
    QCOMPARE(contents(toy.cache), toy.plain);
  }

  void holeFillingMovesThreeRowsOfTheToyAndScramblesThem() {
    OneHead toy(4, 24);
    toy.evict([](int i) { return i == 2 || i == 9 || i == 13 || i == 21; });
    const auto plan = plan_hole_fill(toy.cache, {}, 20);
    QCOMPARE(plan.heads.at(0).layout.copies, (std::vector<SlotCopy>{{20, 2}, {22, 9}, {23, 13}}));
    const auto report = toy.carry_out(plan);
    QCOMPARE(report.slot_copies, std::size_t{3});
    QCOMPARE(report.blocks_freed, std::size_t{1});
    QVERIFY(!std::ranges::is_sorted(toy.rows_lie_in()));
    QCOMPARE(contents(toy.cache), toy.plain);  // logical order is as it was
    QCOMPARE(toy.gauges().dead_slots, std::size_t{0});
  }

  void holeFillingTakesTheHighestRowsWhereHolesAreFew() {
    OneHead toy(4, 24);
    toy.evict([](int i) { return i == 2 || i == 9; });
    const auto report = toy.carry_out(plan_hole_fill(toy.cache, {}, 20));
    QCOMPARE(report.slot_copies, std::size_t{2});
    QCOMPARE(report.blocks_freed, std::size_t{0});
    QCOMPARE(contents(toy.cache), toy.plain);
    QCOMPARE(toy.cache.head(0, 0).used, 22);  // T20 and T21 stay where they were
    // What is appended continues right behind them.
    QVERIFY(append(toy.cache, 0, 24, 3, toy.random, &toy.plain).has_value());
    QCOMPARE(toy.pool.live_blocks(), std::size_t{7});
    QCOMPARE(contents(toy.cache), toy.plain);
  }

  void appendingNeverFillsHolesAndTheBlockBeingFilledStays() {
    OneHead head(4, 10);
    QCOMPARE(head.evict([](int i) { return i == 1 || i >= 8; }),
             std::size_t{0});  // all of the tail, but not of the head
    QCOMPARE(head.pool.live_blocks(), std::size_t{3});
    QVERIFY(append(head.cache, 0, 10, 2, head.random, &head.plain).has_value());
    QCOMPARE(head.pool.live_blocks(), std::size_t{3});
    QCOMPARE(head.rows_lie_in(), (std::vector<std::int32_t>{0, 2, 3, 4, 5, 6, 7, 10, 11}));
    QCOMPARE(contents(head.cache), head.plain);
    QCOMPARE(head.evict([](int i) { return i >= 7; }), std::size_t{1});  // full and dead: it goes
    QCOMPARE(head.evict([](int) { return true; }), std::size_t{2});
    QCOMPARE(head.pool.live_blocks(), std::size_t{0});
    QVERIFY(append(head.cache, 0, 20, 2, head.random, &head.plain).has_value());
    QCOMPARE(contents(head.cache), head.plain);
  }

  void sharedBlocksAreNeitherWrittenNorMovedFrom_data() {
    QTest::addColumn<bool>("fill");
    QTest::newRow("repack") << false;
    QTest::newRow("hole filling") << true;
  }
  void sharedBlocksAreNeitherWrittenNorMovedFrom() {
    QFETCH(bool, fill);
    OneHead head(4, 16);
    KvCache other = head.cache.share();
    const PlainCache other_plain = head.plain;
    QVERIFY(append(head.cache, 0, 16, 12, head.random, &head.plain).has_value());
    // Two holes in shared blocks, a whole shared block, four rows of our own.
    head.evict(
        [](int i) { return i == 1 || i == 2 || (i >= 8 && i < 12) || i == 17 || i == 21 || i == 22 || i == 26; });
    QCOMPARE(head.pool.live_blocks(), std::size_t{7});  // the whole block is gone from our table only
    QCOMPARE(head.cache.head(0, 0).blocks.size(), std::size_t{6});
    const auto plan = fill ? plan_hole_fill(head.cache, {}, 20) : plan_repack(head.cache);
    QCOMPARE(plan.blocks_freed, std::size_t{1});
    const HeadLayout& layout = plan.heads.at(0).layout;
    for (const SlotCopy& copy : layout.copies) {
      QVERIFY(head.pool.references(layout.blocks[static_cast<std::size_t>(copy.to / 4)]) == 1);
      QVERIFY(head.pool.references(head.cache.head(0, 0).blocks[static_cast<std::size_t>(copy.from / 4)]) == 1);
    }
    head.carry_out(plan);
    QCOMPARE(contents(head.cache), head.plain);
    QCOMPARE(contents(other), other_plain);
    QCOMPARE(head.gauges().shared, std::size_t{3});
    QCOMPARE(books_are_wrong(head.pool, {&head.cache, &other}), "");
  }

  void aSharedTailWithHolesIsCopiedBeforeItIsWritten() {
    OneHead head(8, 12);
    head.evict([](int i) { return i == 3 || i == 9; });
    KvCache other = head.cache.share();
    const PlainCache other_plain = head.plain;
    QVERIFY(append(head.cache, 0, 12, 1, head.random, &head.plain).has_value());
    QCOMPARE(head.pool.live_blocks(), std::size_t{3});
    QCOMPARE(contents(head.cache), head.plain);
    QCOMPARE(contents(other), other_plain);
    QCOMPARE(books_are_wrong(head.pool, {&head.cache, &other}), "");
  }

  void aPlanThatTheCacheOutranIsRefused() {
    OneHead head(4, 24);
    head.evict([](int i) { return i % 3 == 0; });
    const auto plan = plan_repack(head.cache);
    {
      KvCache other = head.cache.share();
      QCOMPARE(commit(head.cache, plan, system_clock).error().code, ErrorCode::internal);
      QCOMPARE(contents(head.cache), head.plain);
    }
    QVERIFY(append(head.cache, 0, 24, 1, head.random, &head.plain).has_value());
    QCOMPARE(commit(head.cache, plan, system_clock).error().code, ErrorCode::internal);
    QCOMPARE(contents(head.cache), head.plain);
    head.carry_out(plan_repack(head.cache));
    QCOMPARE(contents(head.cache), head.plain);
  }

  void keepingOfACacheWithHolesIsDense_data() {
    QTest::addColumn<bool>("scrambled");
    QTest::newRow("holes") << false;
    QTest::newRow("holes and scrambled order") << true;
  }
  void keepingOfACacheWithHolesIsDense() {
    QFETCH(bool, scrambled);
    OneHead head(8, 200);
    head.evict([](int i) { return i % 7 == 1; });
    if (scrambled) {
      head.carry_out(plan_hole_fill(head.cache, {}, 150));
      head.evict([](int i) { return i % 5 == 2; });
    }
    KeptIndices kept(1);
    for (int i = 0; i < head.cache.kept(0, 0); i += 2) kept[0].push_back(i);
    QVERIFY(head.cache.keep(0, kept).has_value());
    filter(head.plain, head.cache.shape(), 0, kept, true);
    QVERIFY(head.rows_lie_in().empty());
    QCOMPARE(head.pool.live_blocks(), (kept[0].size() + 7) / 8);
    QCOMPARE(contents(head.cache), head.plain);
  }

  void truncationGivesBackWhatWasAppendedToHoles() {
    OneHead head(4, 20);
    head.evict([](int i) { return i == 2 || i == 5 || i == 6 || i == 13; });
    head.carry_out(plan_hole_fill(head.cache, {}, 16));
    const PlainCache before = head.plain;
    const std::size_t live = head.pool.live_blocks();
    QVERIFY(append(head.cache, 0, 20, 30, head.random, &head.plain).has_value());
    head.evict([](int i) { return i % 4 == 3 && i > 20; });
    head.cache.truncate(20);
    QCOMPARE(head.pool.live_blocks(), live);
    QCOMPARE(contents(head.cache), before);
    head.cache.truncate(4);
    QCOMPARE(head.cache.kept(0, 0), 3);
    QVERIFY(books_are_wrong(head.pool, {&head.cache}) == std::string());
  }

  void theScopeNamesTheHeadsThatMove() {
    BlockPool pool({2, 3, 8, KvType::fp32}, 4, 1 << 20);
    KvCache cache(pool);
    Random random(3);
    for (int l = 0; l < 2; ++l) {
      QVERIFY(append(cache, l, 0, 40, random).has_value());
      QVERIFY(cache.evict(l, random_indices(cache, l, 0.5, random)).has_value());
    }
    const PlainCache before = contents(cache);
    QVERIFY(commit(cache, plan_repack(cache, {.layer = 1, .kv_head = 2}), system_clock).has_value());
    for (int l = 0; l < 2; ++l)
      for (int h = 0; h < 3; ++h) QCOMPARE(cache.head(l, h).row_slots.empty(), l == 1 && h == 2);
    QCOMPARE(plan_repack(cache, {.layer = 0}).heads.size(), std::size_t{3});
    QCOMPARE(plan_repack(cache).heads.size(), std::size_t{5});
    QVERIFY(commit(cache, plan_repack(cache), system_clock).has_value());
    QVERIFY(plan_repack(cache).empty());
    QCOMPARE(contents(cache), before);
  }

  void headsThatShareOneTableLoseWholePages() {
    BlockPool pool({1, 4, 8, KvType::bf16}, 16, 1 << 20);
    KvCache cache(pool);
    Random random(4);
    QVERIFY(append(cache, 0, 0, 100, random).has_value());
    QCOMPARE(cache.pages(0), 7);
    std::vector<std::int32_t> page(16);
    std::iota(page.begin(), page.end(), 32);
    QVERIFY(cache.evict(0, KeptIndices(4, page)).has_value());
    QCOMPARE(cache.pages(0), 6);
    QCOMPARE(pool.live_blocks(), std::size_t{24});
    QVERIFY(cache.evict(0, KeptIndices(4, {0, 50, 83})).has_value());
    QCOMPARE(cache.pages(0), 6);
    for (int h = 1; h < 4; ++h) {
      QVERIFY(std::ranges::equal(cache.head(0, h).row_slots, cache.head(0, 0).row_slots));
      QCOMPARE(cache.head(0, h).blocks.size(), cache.head(0, 0).blocks.size());
    }
    QVERIFY(!cache.evict(0, KeptIndices(4, {81})).has_value());
  }

  void badIndicesChangeNothing() {
    OneHead head(4, 10);
    for (const KeptIndices& bad : {KeptIndices{{3, 3}}, KeptIndices{{4, 2}}, KeptIndices{{-1}}, KeptIndices{{10}},
                                   KeptIndices{}, KeptIndices{{1}, {1}}})
      QCOMPARE(head.cache.evict(0, bad).error().code, ErrorCode::internal);
    QCOMPARE(contents(head.cache), head.plain);
  }

  void gaugesCountARowThatTwoShareOnce() {
    OneHead head(8, 16);
    KvCache other = head.cache.share();
    head.evict([](int i) { return i < 4; });
    const auto both = pool_gauges(head.pool, std::array<const KvCache*, 2>{&head.cache, &other});
    QCOMPARE(both.live, std::size_t{2});
    QCOMPARE(both.shared, std::size_t{2});
    QCOMPARE(both.live_slots, std::size_t{16});  // the other cache still holds them
    QCOMPARE(both.dead_slots, std::size_t{0});
    QCOMPARE(both.free, both.capacity - 2);
    other.clear();
    QCOMPARE(head.gauges().live_slots, std::size_t{12});
    QCOMPARE(head.gauges().dead_slots, std::size_t{4});
    QCOMPARE(head.gauges().fragmentation, 0.25);
    QCOMPARE(head.cache.dead_slots(), std::size_t{4});
  }

  /// Every length of row that is copied in its own way, with more bytes than are written through the caches.
  void largeCachesAreGatheredAndRepackedExactly_data() {
    QTest::addColumn<int>("head_dim");
    for (int head_dim : {12, 16, 32, 64, 128}) QTest::addRow("head_dim %d", head_dim) << head_dim;
  }
  void largeCachesAreGatheredAndRepackedExactly() {
    QFETCH(int, head_dim);
    const int tokens = (4 << 20) / (4 * head_dim);
    BlockPool pool({1, 1, head_dim, KvType::bf16}, 16, std::size_t{16} << 20);
    Random random(6);
    for (const double dropped_share : {0.5, 0.9}) {
      KvCache cache(pool);
      PlainCache plain(1);
      QVERIFY(append(cache, 0, 0, tokens, random, &plain).has_value());
      KvCache gathered = cache.share();
      const KeptIndices dropped = random_indices(cache, 0, dropped_share, random);
      filter(plain, cache.shape(), 0, dropped, false);
      KeptIndices kept(1);
      for (const std::int32_t position : plain[0].positions) kept[0].push_back(position);
      QVERIFY(gathered.keep(0, kept).has_value());  // out of shared blocks into new ones
      QCOMPARE(contents(gathered), plain);
      QVERIFY(cache.evict(0, dropped).has_value());
      QCOMPARE(contents(cache), plain);
      QVERIFY(commit(cache, plan_repack(cache), system_clock).has_value());  // in place
      QVERIFY(cache.head(0, 0).row_slots.empty());
      QCOMPARE(contents(cache), plain);
    }
  }

  void aCacheWithHolesIsStoredLikeADenseOne() {
    OneHead head(4, 600);
    head.evict([](int i) { return i % 3 == 1; });
    head.carry_out(plan_hole_fill(head.cache, {}, 300));
    EntryHeader header;
    header.token_ids.resize(600);
    const auto entry = serialize(head.cache, header, nullptr).value();
    KeptIndices all(1, std::vector<std::int32_t>(400));
    std::iota(all[0].begin(), all[0].end(), 0);
    QVERIFY(head.cache.keep(0, all).has_value());
    EntryHeader dense_header;
    dense_header.token_ids.resize(600);
    QVERIFY(serialize(head.cache, dense_header, nullptr).value() == entry);
  }
};

KV_TEST_GUILESS_MAIN(CompactionTest)

}  // namespace compaction_test

#include "compaction_test.moc"
