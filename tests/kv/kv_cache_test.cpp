// links: kv_runtime
// The cache against a plain model of itself: vectors of rows that are filtered with the standard library.
#include "core/kv/kv_cache.h"

#include <QtTest>
#include <algorithm>
#include <cstring>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace kv_cache_test {

using namespace kvantage;

namespace {

struct Row {
  std::vector<std::byte> key, value;
  std::int32_t position = 0;
  bool operator==(const Row&) const = default;
};
using ExpectedHead = std::vector<Row>;

std::vector<std::byte> random_bytes(Random& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

ExpectedHead contents(const KvCache& cache, int layer, int head) {
  const auto kept = static_cast<std::size_t>(cache.kept(layer, head));
  const std::size_t row = cache.shape().bytes_per_head_token() / 2;
  std::vector<std::byte> keys(kept * row), values(kept * row);
  std::vector<std::int32_t> positions(kept);
  cache.gather_head(layer, head, keys.data(), values.data(), positions.data());
  ExpectedHead rows(kept);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i * row);
    const auto end = static_cast<std::ptrdiff_t>((i + 1) * row);
    rows[i] = {{keys.begin() + at, keys.begin() + end}, {values.begin() + at, values.begin() + end}, positions[i]};
  }
  return rows;
}

/// Appends `tokens` rows to a layer of the cache and of the model of it.
Status append(KvCache& cache, int layer, int first, int tokens, Random& random, std::vector<ExpectedHead>* expected) {
  const auto heads = static_cast<std::size_t>(cache.shape().kv_heads);
  const std::size_t row = cache.shape().bytes_per_head_token() / 2;
  const auto count = static_cast<std::size_t>(tokens);
  const auto keys = random_bytes(random, count * heads * row);
  const auto values = random_bytes(random, count * heads * row);
  std::vector<std::int32_t> positions(count);
  for (std::size_t t = 0; t < count; ++t) positions[t] = first + static_cast<int>(t);
  KV_TRY(cache.append(layer, keys, values, positions));
  if (expected == nullptr) return {};
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t h = 0; h < heads; ++h) {
      const auto at = static_cast<std::ptrdiff_t>((t * heads + h) * row);
      const auto end = at + static_cast<std::ptrdiff_t>(row);
      (*expected)[static_cast<std::size_t>(layer) * heads + h].push_back(
          {{keys.begin() + at, keys.begin() + end}, {values.begin() + at, values.begin() + end}, positions[t]});
    }
  return {};
}

KeptIndices random_kept(const KvCache& cache, int layer, double kept_fraction, Random& random) {
  KeptIndices kept(static_cast<std::size_t>(cache.shape().kv_heads));
  for (int h = 0; h < cache.shape().kv_heads; ++h)
    for (int i = 0; i < cache.kept(layer, h); ++i)
      if (random.uniform() < kept_fraction) kept[static_cast<std::size_t>(h)].push_back(i);
  return kept;
}

void apply(std::vector<ExpectedHead>& expected, int layer, const KeptIndices& kept) {
  for (std::size_t h = 0; h < kept.size(); ++h) {
    auto& head = expected[static_cast<std::size_t>(layer) * kept.size() + h];
    ExpectedHead filtered;
    for (auto i : kept[h]) filtered.push_back(head[static_cast<std::size_t>(i)]);
    head = filtered;
  }
}

void compare(const KvCache& cache, const std::vector<ExpectedHead>& expected) {
  for (int l = 0; l < cache.shape().layers; ++l)
    for (int h = 0; h < cache.shape().kv_heads; ++h)
      QCOMPARE(contents(cache, l, h), expected[static_cast<std::size_t>(l * cache.shape().kv_heads + h)]);
}

}  // namespace

class KvCacheTest : public QObject {
  Q_OBJECT

 private slots:
  void blocksLieOn64BytesAndDoNotOverlap() {
    BlockPool pool({2, 2, 20, KvType::bf16}, 8, 1 << 20);
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
    for (std::size_t i = 0; i < pool.capacity_blocks(); ++i) {
      const BlockId block = pool.allocate().value();
      for (void* part : {static_cast<void*>(pool.keys(block)), static_cast<void*>(pool.values(block))}) {
        const auto at = reinterpret_cast<std::uintptr_t>(part);
        QCOMPARE(at % 64, std::uintptr_t{0});
        ranges.emplace_back(at, at + 8 * 20 * 2);
      }
      const auto positions = reinterpret_cast<std::uintptr_t>(pool.positions(block));
      QCOMPARE(positions % 64, std::uintptr_t{0});
      ranges.emplace_back(positions, positions + 8 * 4);
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i) QVERIFY(ranges[i - 1].second <= ranges[i].first);
  }

  void fullPoolIsAnErrorAndReleasedBlocksComeBack() {
    BlockPool pool({1, 1, 16, KvType::fp32}, 8, 3 * (2 * 8 * 16 * 4 + 64));
    QCOMPARE(pool.capacity_blocks(), std::size_t{3});
    std::vector<BlockId> blocks;
    for (int i = 0; i < 3; ++i) blocks.push_back(pool.allocate().value());
    QCOMPARE(pool.allocate().error().code, ErrorCode::no_space);
    pool.retain(blocks[1]);
    pool.release(blocks[1]);
    QCOMPARE(pool.live_blocks(), std::size_t{3});
    pool.release(blocks[1]);
    QCOMPARE(pool.live_blocks(), std::size_t{2});
    QCOMPARE(pool.allocate().value(), blocks[1]);
  }

  void randomWorkLeavesWhatAPlainModelHolds_data() {
    QTest::addColumn<int>("block_tokens");
    QTest::addColumn<bool>("wide");
    for (int block_tokens : {4, 8, 32, 64})
      for (bool wide : {false, true})
        QTest::addRow("%d tokens a block, %s", block_tokens, wide ? "fp32" : "bf16") << block_tokens << wide;
  }
  void randomWorkLeavesWhatAPlainModelHolds() {
    QFETCH(int, block_tokens);
    QFETCH(bool, wide);
    const KvShape shape{2, 3, 12, wide ? KvType::fp32 : KvType::bf16};
    BlockPool pool(shape, block_tokens, 4 << 20);
    Random random(static_cast<std::uint64_t>(block_tokens));
    for (int round = 0; round < 20; ++round) {
      KvCache cache(pool);
      std::vector<ExpectedHead> expected(6);
      std::vector<KvCache> shares;
      std::vector<std::vector<ExpectedHead>> shared_states;
      int length = 0;
      for (int step = 0; step < 12; ++step) {
        const auto action = random.below(5);
        if (action <= 1) {
          const int tokens = 1 + static_cast<int>(random.below(100));
          for (int l = 0; l < 2; ++l) QVERIFY(append(cache, l, length, tokens, random, &expected).has_value());
          length += tokens;
        } else if (action == 2) {
          const int layer = static_cast<int>(random.below(2));
          const auto kept = random_kept(cache, layer, random.uniform(), random);
          QVERIFY(cache.keep(layer, kept).has_value());
          apply(expected, layer, kept);
        } else if (action == 3) {
          shares.push_back(cache.share());
          shared_states.push_back(expected);
        } else if (length > 0) {
          length -= static_cast<int>(random.below(static_cast<std::uint64_t>(length) / 4 + 1));
          cache.truncate(length);
          for (auto& head : expected) std::erase_if(head, [&](const Row& row) { return row.position >= length; });
        }
        QCOMPARE(cache.sequence_length(), length);
        compare(cache, expected);
      }
      for (std::size_t i = 0; i < shares.size(); ++i) compare(shares[i], shared_states[i]);
    }
    QCOMPARE(pool.live_blocks(), std::size_t{0});
  }

  void removingTokensFreesRealBlocks() {
    BlockPool pool({1, 2, 16, KvType::bf16}, 32, 1 << 20);
    KvCache cache(pool);
    Random random(1);
    QVERIFY(append(cache, 0, 0, 256, random, nullptr).has_value());
    QCOMPARE(pool.live_blocks(), std::size_t{16});
    KeptIndices kept(2);
    for (int i = 0; i < 256; i += 4) kept[0].push_back(i);  // 64 of 256
    for (int i = 0; i < 256; i += 2) kept[1].push_back(i);  // 128 of 256: heads may differ
    QVERIFY(cache.keep(0, kept).has_value());
    QCOMPARE(pool.live_blocks(), std::size_t{2 + 4});
    QCOMPARE(cache.held_bytes(), 6 * pool.block_bytes());
    QCOMPARE(cache.payload_bytes(), (64 + 128) * cache.shape().bytes_per_head_token());
    QCOMPARE(cache.kept_mean(), 96);
    QCOMPARE(cache.kept_mean(5), 99);  // of 197 rows, rounded up
    QCOMPARE(cache.sequence_length(), 256);
  }

  void keepingEverythingNeedsNoBlockEvenWhenShared() {
    BlockPool pool({1, 1, 16, KvType::bf16}, 8, 4 * (2 * 8 * 32 + 64));
    KvCache cache(pool);
    Random random(1);
    QVERIFY(append(cache, 0, 0, 32, random, nullptr).has_value());
    KvCache copy = cache.share();
    KeptIndices all(1);
    for (int i = 0; i < 32; ++i) all[0].push_back(i);
    QVERIFY(copy.keep(0, all).has_value());
    QCOMPARE(pool.live_blocks(), std::size_t{4});
    // Really removing from a shared cache needs new blocks, and the full pool says so without harm.
    QCOMPARE(copy.keep(0, {{1, 2, 3}}).error().code, ErrorCode::no_space);
    QCOMPARE(contents(copy, 0, 0), contents(cache, 0, 0));
  }

  void fullPoolLeavesTheCacheUnchanged() {
    BlockPool pool({1, 2, 16, KvType::bf16}, 8, 5 * (2 * 8 * 32 + 64));
    KvCache cache(pool);
    Random random(2);
    std::vector<ExpectedHead> expected(2);
    QVERIFY(append(cache, 0, 0, 10, random, &expected).has_value());
    QCOMPARE(append(cache, 0, 10, 8, random, nullptr).error().code, ErrorCode::no_space);
    compare(cache, expected);
    QCOMPARE(cache.sequence_length(), 10);
    QCOMPARE(pool.live_blocks(), std::size_t{4});
  }

  void positionsMustAscend() {
    BlockPool pool({1, 1, 16, KvType::bf16}, 8, 1 << 16);
    KvCache cache(pool);
    Random random(3);
    QVERIFY(append(cache, 0, 5, 3, random, nullptr).has_value());
    QVERIFY(!append(cache, 0, 7, 1, random, nullptr).has_value());
    QVERIFY(append(cache, 0, 8, 1, random, nullptr).has_value());
    QVERIFY(!cache.keep(0, {{1, 1}}).has_value());
    QVERIFY(!cache.keep(0, {{0, 4}}).has_value());
    QVERIFY(!cache.keep(0, {}).has_value());
  }
};

KV_TEST_GUILESS_MAIN(KvCacheTest)

}  // namespace kv_cache_test

#include "kv_cache_test.moc"
