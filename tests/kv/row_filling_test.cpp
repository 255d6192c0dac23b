// links: kv_runtime
// Rows written into reserved blocks, in parts and on threads, against rows that are decoded as a whole and appended.
#include "core/kv/row_filling.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <span>
#include <thread>

#include "core/kv/kv_cache.h"
#include "core/kv/row_copy.h"
#include "tests/compress/random_context.h"
#include "tests/kv/plain_cache.h"
#include "tests/support/random_entry.h"
#include "tests/support/test_program.h"

namespace row_filling_test {

using namespace kvantage;
using namespace kvantage::test;

/// Runs tasks from the last to the first, or on threads of their own; counts them.
struct Runner {
  bool threads = false;
  std::atomic<std::size_t> tasks{0};
  RunTasks run() {
    return [this](std::size_t count, const std::function<void(std::size_t)>& task) {
      tasks += count;
      if (!threads) {
        for (std::size_t i = count; i > 0; --i) task(i - 1);
        return;
      }
      std::vector<std::jthread> all;
      for (std::size_t i = 0; i < count; ++i) all.emplace_back([&task, i] { task(i); });
    };
  }
};

std::vector<std::byte> encoded(const Codec& codec, const CodecRows& rows, const std::vector<std::byte>& data) {
  std::vector<std::byte> out;
  if (!codec.encode(rows, data, out)) qFatal("encode");
  return out;
}

std::ptrdiff_t to_difference(std::size_t offset) { return static_cast<std::ptrdiff_t>(offset); }

std::vector<std::int32_t> ascending(Random& random, std::int32_t first, std::size_t count) {
  std::vector<std::int32_t> positions;
  for (std::size_t i = 0; i < count; ++i) {
    first += 1 + static_cast<std::int32_t>(random.below(3));
    positions.push_back(first);
  }
  return positions;
}

class RowFillingTest : public QObject {
  Q_OBJECT

 private slots:
  void codecs_data() {
    QTest::addColumn<QString>("codec");
    for (const char* codec : {"bf16", "kivi4", "kivi2(residual=16)", "kivi8(residual=0)", "fp8", "cachegen",
                              "token_chunks(length=16)", "kivi4+zstd", "zstd"})
      QTest::addRow("%s", codec) << codec;
  }

  /// Heads of any length, some empty, behind rows that are there already and behind a block that another cache shares.
  void rowsAreThoseOfAWholeDecode_data() { codecs_data(); }
  void rowsAreThoseOfAWholeDecode() {
    QFETCH(QString, codec);
    const auto parsed = *parse_codec(codec.toStdString());
    const std::shared_ptr<const Codec> held = parsed->is_identity() ? nullptr : parsed;
    Random random(3);
    for (int round = 0; round < 40; ++round) {
      const KvShape shape{2, 3, 32, random.below(2) == 0 ? KvType::bf16 : KvType::fp32};
      BlockPool pool(shape, 32, std::size_t{64} << 20);
      KvCache filled(pool), appended(pool);
      KvCache sharing(pool);
      RowFilling filling(shape, 1, held);
      std::vector<std::vector<std::byte>> stored;  // outlive fill()
      stored.reserve(6);
      for (int head = 0; head < shape.kv_heads; ++head) {
        for (KvCache* cache : {&filled, &appended}) {
          Random same(static_cast<std::uint64_t>(round * 10 + head));
          const auto first = ascending(same, -1, same.below(70));
          const auto rows = RandomContext::numbers(first.size() * 32, shape.type, same);
          QVERIFY(cache->append_head(1, head, rows, rows, first));
        }
      }
      if (random.below(2) == 0) sharing = filled.share();
      for (int head = 0; head < shape.kv_heads; ++head) {
        const auto positions = ascending(random, 300, random.below(4) == 0 ? 0 : random.below(400));
        const CodecRows keys_rows{shape, 1, ExtentKind::keys, static_cast<int>(positions.size())},
            values_rows{shape, 1, ExtentKind::values, static_cast<int>(positions.size())};
        const auto keys = RandomContext::numbers(positions.size() * 32, shape.type, random),
                   values = RandomContext::numbers(positions.size() * 32, shape.type, random);
        auto decoded_keys = keys, decoded_values = values;
        stored.push_back(held == nullptr ? keys : encoded(*held, keys_rows, keys));
        stored.push_back(held == nullptr ? values : encoded(*held, values_rows, values));
        if (held != nullptr) {
          QVERIFY(held->decode(keys_rows, stored[stored.size() - 2], decoded_keys));
          QVERIFY(held->decode(values_rows, stored.back(), decoded_values));
        }
        QVERIFY(appended.append_head(1, head, decoded_keys, decoded_values, positions));
        auto runs = filled.reserve_head(1, head, positions);
        QVERIFY(runs.has_value());
        std::size_t reserved = 0;
        for (const RowRun& run : *runs) {
          QCOMPARE(run.first, reserved);
          reserved += run.count;
        }
        QCOMPARE(reserved, positions.size());
        filling.add(std::move(*runs), stored[stored.size() - 2], stored.back());
      }
      const PlainCache before = contents(sharing);
      Runner runner{.threads = random.below(2) == 0};
      QVERIFY(filling.fill(random.below(3) == 0 ? RunTasks() : runner.run()));
      QVERIFY(contents(filled) == contents(appended));
      QVERIFY(contents(sharing) == before);
    }
  }

  void largeLayersAreWrittenInParts_data() { codecs_data(); }
  void largeLayersAreWrittenInParts() {
    QFETCH(QString, codec);
    const RandomEntryOptions options{
        .shape = {1, 2, 64, KvType::bf16}, .tokens = 6000, .codec = codec == "bf16" ? "" : codec.toStdString()};
    const RandomEntry entry(options);
    BlockPool pool(options.shape, 32, std::size_t{32} << 20);
    KvCache alone(pool), parts(pool);
    const auto [begin, end] = entry.header->layer_range(0);
    const auto layer = std::span(*entry.bytes).subspan(begin, end - begin);
    QVERIFY(restore_layer(*entry.header, 0, layer, true, alone));
    Runner runner{.threads = true};
    QVERIFY(restore_layer(*entry.header, 0, layer, true, parts, false, runner.run()));
    QVERIFY(runner.tasks >= 2);
    QVERIFY(contents(parts) == contents(alone));
    if (codec == "bf16") QVERIFY(contents(parts) == contents(entry.cache));
  }

  /// With and without the caches, of any alignment and length; nothing beside the rows is written.
  void runsAreFilledPastTheCachesToo() {
    Random random(8);
    for (int round = 0; round < 200; ++round) {
      const std::size_t row = std::size_t{2} << random.below(8), rows = 1 + random.below(100), shift = random.below(40);
      std::vector<std::byte> keys(rows * row + shift), values(keys.size());
      for (std::vector<std::byte>* numbers : {&keys, &values})
        for (std::byte& byte : *numbers) byte = static_cast<std::byte>(random.below(256));
      const std::span<const std::byte> from_keys = std::span(keys).subspan(shift),
                                       from_values = std::span(values).subspan(shift);
      for (const bool past_caches : {false, true}) {
        std::vector<std::byte> memory(4 * (rows * (row + 40) + 80)), expected = memory;
        std::vector<RowRun> runs;
        std::size_t at = 0;
        for (std::size_t first = 0; first < rows;) {
          const std::size_t count = std::min(rows - first, 1 + random.below(9));
          const std::size_t to_keys = at + random.below(40), to_values = to_keys + count * row + random.below(40);
          runs.push_back({memory.data() + to_keys, memory.data() + to_values, first, count});
          std::ranges::copy(from_keys.subspan(first * row, count * row), expected.begin() + to_difference(to_keys));
          std::ranges::copy(from_values.subspan(first * row, count * row), expected.begin() + to_difference(to_values));
          at = to_values + count * row;
          first += count;
        }
        fill_runs(runs, from_keys.data(), nullptr, row, past_caches);
        fill_runs(runs, nullptr, from_values.data(), row, past_caches);
        QVERIFY(memory == expected);
      }
    }
  }

  /// Of 8 MiB of rows, which are stored past the caches.
  void layersLargerThanTheCachesAreWhole() {
    const KvShape shape{1, 2, 128, KvType::bf16};
    const RandomEntry entry({.shape = shape, .tokens = 8192});
    BlockPool pool(shape, 32, std::size_t{32} << 20);
    KvCache cache(pool);
    const auto [begin, end] = entry.header->layer_range(0);
    Runner runner{.threads = false};
    QVERIFY(restore_layer(*entry.header, 0, std::span(*entry.bytes).subspan(begin, end - begin), true, cache, false,
                          runner.run()));
    QVERIFY(contents(cache) == contents(entry.cache));
  }

  void smallLayersStayOnTheirThread() {
    const RandomEntry entry({.tokens = 100});
    BlockPool pool(entry.header->shape, 32, std::size_t{1} << 20);
    KvCache cache(pool);
    const auto [begin, end] = entry.header->layer_range(1);
    Runner runner;
    QVERIFY(restore_layer(*entry.header, 1, std::span(*entry.bytes).subspan(begin, end - begin), true, cache, false,
                          runner.run()));
    QCOMPARE(runner.tasks.load(), std::size_t{0});
  }

  /// Every byte of an encoded layer wrong in turn, unverified: an error leaves nothing, and no block behind.
  void whatCannotBeDecodedIsUndone() {
    const RandomEntry entry({.shape = {1, 2, 16, KvType::bf16}, .tokens = 130, .codec = "token_chunks(length=16)"});
    const auto [begin, end] = entry.header->layer_range(0);
    std::size_t failed = 0;
    for (std::size_t at = begin; at < end; at += 7) {
      const auto bytes = entry.damaged(at);
      BlockPool pool(entry.header->shape, 32, std::size_t{1} << 20);
      KvCache cache(pool);
      const Status status =
          restore_layer(*entry.header, 0, std::span(*bytes).subspan(begin, end - begin), false, cache);
      if (status) continue;  // padding
      ++failed;
      QVERIFY(status.error().code == ErrorCode::corrupt);
      QCOMPARE(cache.kept_rows(), std::size_t{0});
      QCOMPARE(pool.live_blocks(), std::size_t{0});
    }
    QVERIFY(failed > 100);
  }

  void aFullPoolReservesNothing() {
    const KvShape shape{1, 1, 16, KvType::bf16};
    BlockPool one(shape, 32, std::size_t{1} << 20), small(shape, 32, 2 * one.block_bytes());
    KvCache cache(small);
    std::vector<std::int32_t> positions(65);
    std::iota(positions.begin(), positions.end(), 0);
    QVERIFY(cache.reserve_head(0, 0, positions).error().code == ErrorCode::no_space);
    QCOMPARE(small.live_blocks(), std::size_t{0});
    QCOMPARE(cache.kept(0, 0), 0);
    positions = {3, 3};
    QVERIFY(cache.reserve_head(0, 0, positions).error().code == ErrorCode::internal);
    QVERIFY(cache.reserve_head(0, 0, {})->empty());
  }
};

KV_TEST_GUILESS_MAIN(RowFillingTest)

}  // namespace row_filling_test

#include "row_filling_test.moc"
