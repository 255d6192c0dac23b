// links: kv_runtime
// 20,000 random steps at each page size over caches that share one pool, each compared with plain vectors after every
// step: contents, positions, references, leaks. Built with KVANTAGE_SANITIZE=address,undefined it is also a memory
// check: a block that is freed twice trips the pool's own assertion there.
#include <QtTest>
#include <memory>

#include "core/kv/compaction.h"
#include "tests/kv/plain_cache.h"
#include "tests/support/test_program.h"

namespace paged_random_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int all_steps = 20000;
constexpr std::size_t max_caches = 6;

struct Pair {
  std::unique_ptr<KvCache> cache;
  PlainCache plain;
  int length = 0;  // original positions seen
};

struct Counts {
  int full_pool = 0, rows_moved = 0, blocks_freed = 0, shared_appends = 0, holes = 0, scrambled = 0;
};

}  // namespace

class PagedRandomTest : public QObject {
  Q_OBJECT

 private slots:
  void everyStepLeavesWhatPlainVectorsHold_data() {
    QTest::addColumn<int>("block_tokens");
    for (const int size : {4, 8, 16, 24, 32, 64, 128}) QTest::addRow("%d tokens a page", size) << size;
  }
  void everyStepLeavesWhatPlainVectorsHold() {
    QFETCH(int, block_tokens);
    const KvShape shape{2, 2, 6, KvType::bf16};
    // Small enough that it fills up now and then.
    const std::size_t block = BlockPool(shape, block_tokens, 0).block_bytes();
    BlockPool pool(shape, block_tokens, static_cast<std::size_t>(std::max(1600 / block_tokens, 24)) * block);
    Random random(derive_seed(7, static_cast<std::uint64_t>(block_tokens)));
    std::vector<Pair> pairs;
    Counts counts;
    for (int step = 0; step < all_steps; ++step) {
      const auto action = random.below(12);
      if (pairs.empty() || (action == 0 && pairs.size() < max_caches)) {
        pairs.push_back({std::make_unique<KvCache>(pool), PlainCache(4), 0});
      } else {
        act(action, pairs, random, counts);
      }
      if (QTest::currentTestFailed()) return;
      check_all(pool, pairs, step, counts);
      if (QTest::currentTestFailed()) return;
    }
    pairs.clear();
    QCOMPARE(pool.live_blocks(), std::size_t{0});
    // The walk went where it is meant to go.
    QVERIFY(counts.full_pool > 20);
    QVERIFY(counts.rows_moved > 2000);
    QVERIFY(counts.blocks_freed > 50);
    QVERIFY(counts.shared_appends > 50);
    QVERIFY(counts.holes > 1000);
    QVERIFY(counts.scrambled > 200);
  }

 private:
  static void share_or_forget(std::vector<Pair>& pairs, const Pair& pair, Random& random) {
    if (pairs.size() < max_caches) {  // share
      Pair copy{std::make_unique<KvCache>(pair.cache->share()), pair.plain, pair.length};
      pairs.push_back(std::move(copy));
    } else {  // forget one
      pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(random.below(pairs.size())));
    }
  }

  /// Scattered rows, or a run, or all.
  static void evict(Pair& pair, int layer, Random& random) {
    KvCache& cache = *pair.cache;
    KeptIndices dropped = random_indices(cache, layer, random.uniform() * random.uniform(), random);
    if (random.below(3) == 0)
      for (std::size_t h = 0; h < 2; ++h) dropped[h] = run_of(cache.kept(layer, static_cast<int>(h)), random);
    QVERIFY(cache.evict(layer, dropped).has_value());
    filter(pair.plain, cache.shape(), layer, dropped, false);
  }

  /// By repacking, or by filling holes.
  static void compact(Pair& pair, int layer, bool repack, Random& random, Counts& counts) {
    KvCache& cache = *pair.cache;
    const BlockPool& pool = cache.pool();
    const SystemClock clock;
    CompactionScope scope;
    if (random.below(2)) scope.layer = layer;
    const auto start = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(pair.length) + 1));
    const auto plan = repack ? plan_repack(cache, scope) : plan_hole_fill(cache, scope, start);
    const std::size_t live = pool.live_blocks();
    const auto report = commit(cache, plan, clock);
    QVERIFY(report.has_value());
    QCOMPARE(report->blocks_freed, live - pool.live_blocks());
    QCOMPARE(report->blocks_freed, plan.blocks_freed);
    counts.rows_moved += static_cast<int>(report->slot_copies);
    counts.blocks_freed += static_cast<int>(report->blocks_freed);
  }

  static void truncate_or_clear(Pair& pair, Random& random) {
    pair.length = random.below(8) == 0
                      ? 0
                      : pair.length - static_cast<int>(random.below(static_cast<std::uint64_t>(pair.length) / 4 + 1));
    if (pair.length == 0 && random.below(2)) pair.cache->clear();
    truncate(pair);
  }

  static void keep(Pair& pair, int layer, Random& random, Counts& counts) {
    KvCache& cache = *pair.cache;
    const BlockPool& pool = cache.pool();
    const KeptIndices kept = random_indices(cache, layer, 0.3 + random.uniform(), random);
    const std::size_t live = pool.live_blocks();
    if (const auto status = cache.keep(layer, kept); status) {
      filter(pair.plain, cache.shape(), layer, kept, true);
    } else {
      QCOMPARE(status.error().code, ErrorCode::no_space);
      QCOMPARE(pool.live_blocks(), live);
      ++counts.full_pool;
    }
  }

  /// One step on a random cache.
  static void act(std::uint64_t action, std::vector<Pair>& pairs, Random& random, Counts& counts) {
    Pair& pair = pairs[random.below(pairs.size())];
    const int layer = static_cast<int>(random.below(2));
    switch (action) {
      case 0:
      case 1:
        return share_or_forget(pairs, pair, random);
      case 2:
      case 3:
      case 4:
        return append_all(pair, static_cast<int>(1 + random.below(40)), random, counts);
      case 5:
        return append_all(pair, 1, random, counts);
      case 6:
      case 7:
        return evict(pair, layer, random);
      case 8:
      case 9:
        return compact(pair, layer, action == 8, random, counts);
      case 10:
        return truncate_or_clear(pair, random);
      default:
        return keep(pair, layer, random, counts);
    }
  }

  static void check_all(const BlockPool& pool, const std::vector<Pair>& pairs, int step, Counts& counts) {
    std::vector<const KvCache*> caches;
    for (const Pair& pair : pairs) {
      caches.push_back(pair.cache.get());
      QCOMPARE(pair.cache->sequence_length(), pair.length);
      if (contents(*pair.cache) != pair.plain) QFAIL(qPrintable(QString("contents differ after step %1").arg(step)));
      for (int h = 0; h < 2; ++h) {
        const auto rows = pair.cache->head(0, h).row_slots;
        counts.holes += rows.empty() ? 0 : 1;
        counts.scrambled += std::ranges::is_sorted(rows) ? 0 : 1;
      }
    }
    const char* wrong = books_are_wrong(pool, caches);
    if (*wrong != 0) QFAIL(qPrintable(QString("%1 after step %2").arg(wrong).arg(step)));
  }

  static void truncate(Pair& pair) {
    pair.cache->truncate(pair.length);
    for (PlainHead& head : pair.plain) {
      const std::vector<std::int32_t> positions = head.positions;
      head.filter(row_bytes(pair.cache->shape()), [&](std::size_t i) { return positions[i] < pair.length; });
    }
  }

  static std::vector<std::int32_t> run_of(int kept, Random& random) {
    std::vector<std::int32_t> run;
    if (kept == 0) return run;
    const auto first = static_cast<int>(random.below(static_cast<std::uint64_t>(kept)));
    const int last = std::min(kept, first + 1 + static_cast<int>(random.below(60)));
    for (int i = random.below(10) == 0 ? 0 : first; i < last; ++i) run.push_back(i);
    return run;
  }

  /// To both layers; where the pool is full nothing of a layer may change, and what went in is undone.
  static void append_all(Pair& pair, int tokens, Random& random, Counts& counts) {
    const int first = pair.length + static_cast<int>(random.below(3));  // positions may leave gaps
    const HeadView tail = pair.cache->head(0, 0);
    if (tail.used % tail.pool->block_tokens() != 0 && tail.pool->references(tail.blocks.back()) > 1)
      ++counts.shared_appends;
    for (int layer = 0; layer < 2; ++layer) {
      const std::size_t live = pair.cache->pool().live_blocks();
      if (const auto status = append(*pair.cache, layer, first, tokens, random, &pair.plain); !status) {
        QCOMPARE(status.error().code, ErrorCode::no_space);
        QCOMPARE(pair.cache->pool().live_blocks(), live);
        ++counts.full_pool;
        if (layer == 0) return;
        pair.length = first;
        truncate(pair);
        return;
      }
    }
    pair.length = first + tokens;
  }
};

KV_TEST_GUILESS_MAIN(PagedRandomTest)

}  // namespace paged_random_test

#include "paged_random_test.moc"
