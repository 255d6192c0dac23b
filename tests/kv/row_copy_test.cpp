// links: kv_runtime
// Gathering over holes, keeping and moving past the caches against plain vectors, for every row length that has a
// kernel of its own, odd ones, and blocks of any size.
#include <QtTest>

#include "tests/kv/plain_cache.h"
#include "tests/support/test_program.h"

namespace row_copy_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Case {
  int head_dim;
  KvType type;
  int block_tokens;
  int tokens;
};

/// A cache of one layer and two heads with drawn bytes, and the same as plain vectors.
struct Filled {
  KvShape shape;
  BlockPool pool;
  KvCache cache{pool};
  PlainCache plain = PlainCache(2);

  Filled(const Case& c, Random& random)
      : shape{1, 2, c.head_dim, c.type},
        pool(shape, c.block_tokens,
             4 * shape.bytes_per_token() * static_cast<std::size_t>(c.tokens) + (std::size_t{8} << 20)) {
    if (!append(cache, 0, 0, c.tokens, random, &plain)) qFatal("append");
    cache.set_sequence_length(c.tokens);
  }
};

/// Each head's tokens with their own chance, some heads in long runs, some in single tokens.
KeptIndices drawn(const KvCache& cache, Random& random) {
  KeptIndices indices(2);
  for (int h = 0; h < 2; ++h) {
    const double chance = random.uniform(), stay = random.below(2) == 0 ? 0.0 : 0.9;
    bool taken = false;
    for (std::int32_t i = 0; i < cache.kept(0, h); ++i) {
      if (random.uniform() >= stay) taken = random.uniform() < chance;
      if (taken) indices[static_cast<std::size_t>(h)].push_back(i);
    }
  }
  return indices;
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const int head_dim : {16, 32, 40, 64, 80, 96, 128, 256})
    for (const auto type : {KvType::bf16, KvType::fp32})
      for (const int block_tokens : {4, 12, 16, 32})
        for (const int tokens : {1, 45, 333}) list.push_back({head_dim, type, block_tokens, tokens});
  // Longer than the caches: written past them.
  for (const int head_dim : {32, 64, 128, 256}) list.push_back({head_dim, KvType::bf16, 16, (6 << 20) / head_dim / 4});
  return list;
}

}  // namespace

class RowCopyTest : public QObject {
  Q_OBJECT

 private slots:
  void gatheredAndKeptRowsAreThoseOfPlainVectors() {
    Random random(12);
    for (const Case& c : cases()) {
      const auto name = QString("head dimension %1, %2 bytes, blocks of %3, %4 tokens")
                            .arg(c.head_dim)
                            .arg(bytes_of(c.type))
                            .arg(c.block_tokens)
                            .arg(c.tokens);
      Filled filled(c, random);
      for (int turn = 0; turn < 3; ++turn) {
        const KeptIndices named = drawn(filled.cache, random);
        const bool keep = turn == 2;  // holes twice, then the rest without any
        QVERIFY(keep ? filled.cache.keep(0, named).has_value() : filled.cache.evict(0, named).has_value());
        filter(filled.plain, filled.shape, 0, named, keep);
        QVERIFY2(contents(filled.cache) == filled.plain, qPrintable(name));
      }
    }
  }

  void onePartAlone() {
    Random random(13);
    Filled filled({64, KvType::bf16, 16, 200}, random);
    const KeptIndices dropped = drawn(filled.cache, random);
    QVERIFY(filled.cache.evict(0, dropped).has_value());
    filter(filled.plain, filled.shape, 0, dropped, false);
    for (int h = 0; h < 2; ++h) {
      const PlainHead& expected = filled.plain[static_cast<std::size_t>(h)];
      PlainHead rows{std::vector<std::byte>(expected.keys.size()), std::vector<std::byte>(expected.values.size()),
                     std::vector<std::int32_t>(expected.positions.size())};
      filled.cache.gather_head(0, h, rows.keys.data(), nullptr, nullptr);
      QVERIFY(rows.keys == expected.keys);
      filled.cache.gather_head(0, h, nullptr, rows.values.data(), nullptr);
      QVERIFY(rows.values == expected.values);
      filled.cache.gather_head(0, h, nullptr, nullptr, rows.positions.data());
      QVERIFY(rows.positions == expected.positions);
    }
  }
};

KV_TEST_GUILESS_MAIN(RowCopyTest)

}  // namespace row_copy_test

#include "row_copy_test.moc"
