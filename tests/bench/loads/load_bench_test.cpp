// links: core_request kv_tiers
// From a tier in host memory into the blocks that the model reads, beside one memcpy of the same bytes: rows as they
// are and ragged rows with one copy, encoded rows beside the same decode into memory of its own. On one thread and on
// all. `--bounds` asserts what docs/performance-tiers.md promises.
#include <QtTest>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "core/kv/serial_encoded.h"
#include "core/model/compute_cores.h"
#include "core/model/transformer.h"
#include "core/request/load_task.h"
#include "tests/compress/random_context.h"
#include "tests/kv/plain_cache.h"
#include "tests/support/test_program.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/mapped_memory.h"
#include "tiers/queued_tier.h"

namespace load_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using SteadyClock = std::chrono::steady_clock;

bool bounds = false;
constexpr KvShape shape{8, 2, 64, KvType::bf16};               // 4 KiB a token
constexpr std::size_t entries_bytes = std::size_t{512} << 20;  // far more than the processor's caches

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

/// Bytes a second of `operation`, which moves `bytes`, repeated for so long.
double rate(double seconds, std::uint64_t bytes, const std::function<void()>& operation) {
  const auto start = SteadyClock::now();
  std::uint64_t moved = 0;
  double passed = 0;
  do {
    operation();
    moved += bytes;
    passed = std::chrono::duration<double>(SteadyClock::now() - start).count();
  } while (passed < seconds);
  return static_cast<double>(moved) / passed;
}

/// An entry of so many tokens; its rows are as they are held, encoded, or those of ragged heads.
struct StoredContext {
  StoredContext(int tokens, const std::string& codec, double kept)
      : pool(shape, 32, static_cast<std::size_t>(tokens) * 3 * shape.bytes_per_token() + (std::size_t{16} << 20)) {
    Random random(7);
    KvCache cache(pool);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
    std::iota(positions.begin(), positions.end(), 0);
    const std::size_t numbers = positions.size() * static_cast<std::size_t>(shape.kv_heads * shape.head_dim);
    const auto rows = RandomContext::numbers(numbers, shape.type, random);
    for (int layer = 0; layer < shape.layers; ++layer) {
      if (!cache.append(layer, rows, rows, positions)) qFatal("append");
      if (kept < 1 && !cache.keep(layer, random_indices(cache, layer, kept, random))) qFatal("keep");
    }
    cache.set_sequence_length(tokens);
    EntryHeader made;
    made.identity = {{1, 2}, {3, 4}, shape.type, 256, 7};
    made.compression = {.method = kept < 1 ? "knorm" : "none", .codec = codec, .removed_fraction = 1 - kept};
    made.token_ids.assign(positions.begin(), positions.end());
    auto entry = serialize(cache, made, nullptr);
    if (!entry) qFatal("%s", entry.error().message.c_str());
    bytes = std::make_shared<const std::vector<std::byte>>(std::move(*entry));
    header = std::make_shared<const EntryHeader>(std::move(made));
  }

  BlockPool pool;
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> bytes;
};

/// Copies of it under different keys in a tier, read in turn: none is in a cache when its turn comes.
struct StoredCopies {
  explicit StoredCopies(const StoredContext& context)
      : count(std::max<std::size_t>(2, entries_bytes / context.bytes->size())) {
    CompletionQueue written(tier->clock());
    for (std::size_t copy = 0; copy < count; ++copy) {
      tier->submit_write(info(context, copy), context.bytes, written);
      for (const Completion& done : written.wait(60))
        if (!done.status) qFatal("%s", done.status.error().message.c_str());
    }
  }
  static EntryInfo info(const StoredContext& context, std::size_t copy) {
    return {{1, copy}, context.bytes->size(), context.header->header_bytes, "copy"};
  }
  std::size_t turn() { return next = (next + 1) % count; }

  std::unique_ptr<StorageTier> tier = *QueuedTier::open(std::make_unique<DramStore>("dram"), 0, 0, system_executor());
  std::size_t count, next = 0;
};

/// As many copies outside of a tier.
struct PlainCopies {
  PlainCopies(const StoredContext& context, std::size_t count)
      : bytes(context.bytes->size()), memory(MappedMemory::map(count * bytes, true)) {
    if (!memory) qFatal("%s", memory.error().message.c_str());
    for (std::size_t copy = 0; copy < count; ++copy)
      std::memcpy(memory->data() + copy * bytes, context.bytes->data(), bytes);
  }
  std::span<const std::byte> at(std::size_t copy) const { return memory->bytes().subspan(copy * bytes, bytes); }

  std::size_t bytes;
  Expected<MappedMemory> memory;
};

/// memcpy by the compute threads, a part each.
void copy_on_threads(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto parts = static_cast<std::size_t>(compute_threads());
  on_compute_threads(parts, [&](std::size_t part) {
    const std::size_t begin = bytes / parts * part, end = part + 1 == parts ? bytes : bytes / parts * (part + 1);
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

}  // namespace

class LoadBenchTest : public QObject {
  Q_OBJECT

 private:
  static void load(StoredContext& context, StoredCopies& copies, BufferLender& lender) {
    KvCache cache(context.pool);
    LoadTask task(*copies.tier, StoredCopies::info(context, copies.turn()), context.header, lender, false);
    for (int layer = 0; layer < shape.layers;) {
      if (!task.pump(1)) qFatal("pump");
      while (layer < shape.layers && task.layer_arrived(layer))
        if (!task.restore(layer++, cache)) qFatal("restore");
    }
  }

 private slots:
  void intoBlocksBesideMemcpy_data() {
    QTest::addColumn<int>("mebibytes");
    QTest::addColumn<double>("kept");
    for (const int size : {1, 4, 16, 64}) QTest::addRow("%d MiB", size) << size << 1.0;
    QTest::newRow("16 MiB, half of the rows evicted") << 16 << 0.5;
  }
  void intoBlocksBesideMemcpy() {
    QFETCH(int, mebibytes);
    QFETCH(double, kept);
    StoredContext context(mebibytes * 256, "", kept);
    StoredCopies copies(context);
    BufferPool lender(std::size_t{256} << 20);
    const std::size_t bytes = context.bytes->size() - context.header->header_bytes;
    const PlainCopies source(context, copies.count);
    const auto target = MappedMemory::map(bytes, true);
    const int all = compute_threads();
    for (const int threads : all > 1 ? std::vector<int>{1, all} : std::vector<int>{1}) {
      set_compute_threads(threads);
      std::vector<double> ours, theirs, ratios;
      for (int round = 0; round < 9; ++round) {
        const auto their_turn = [&] {
          theirs.push_back(rate(0.1, bytes, [&] {
            copy_on_threads(target->data(), source.at(copies.turn()).data() + context.header->header_bytes, bytes);
          }));
        };
        if (round % 2 == 0) their_turn();
        ours.push_back(rate(0.1, bytes, [&] { load(context, copies, lender); }));
        if (round % 2 == 1) their_turn();
        ratios.push_back(ours.back() / theirs.back());
      }
      set_compute_threads(all);
      qInfo("%s, %d threads: %.1f GB/s into blocks, %.2f x memcpy's %.1f GB/s", QTest::currentDataTag(), threads,
            median(ours) / 1e9, median(ratios), median(theirs) / 1e9);
      QVERIFY(lender.mapped_bytes() == 0);  // no transfer buffer was ever needed
      QVERIFY(median(ratios) > (bounds && kept == 1 ? 0.95 : 0.2));
    }
  }

  void encodedRowsBesideTheirDecode_data() {
    QTest::addColumn<QString>("codec");
    for (const char* codec : {"kivi4", "kivi2", "fp8", "cachegen"}) QTest::newRow(codec) << codec;
  }
  /// The bare operation: every head decoded, from copies in turn as well, into memory that is there already.
  void encodedRowsBesideTheirDecode() {
    QFETCH(QString, codec);
    StoredContext context(4096, codec.toStdString(), 1);
    StoredCopies copies(context);
    const PlainCopies source(context, copies.count);
    BufferPool lender(std::size_t{256} << 20);
    const auto decoder = *parse_codec(codec.toStdString());
    const std::uint64_t bytes = std::uint64_t{4096} * shape.bytes_per_token();
    const auto target = MappedMemory::map(bytes, true);
    const auto bare = [&] {
      const auto entry = source.at(copies.turn());
      auto rows = target->bytes();
      const auto decode = [&](int layer, ExtentKind kind, std::span<const std::byte> stored) {
        const CodecRows of{shape, layer, kind, 4096};
        if (!decoder->decode(of, stored, rows.first(of.bytes()))) qFatal("decode");
        rows = rows.subspan(of.bytes());
      };
      for (int layer = 0; layer < shape.layers; ++layer) {
        const auto extents = context.header->layer_extents(layer);
        const auto part = [&](const Extent& extent) { return entry.subspan(extent.offset, extent.bytes); };
        const auto stored = serial::split_encoded_layer(*context.header, layer, part(extents[0]), part(extents[1]));
        for (std::size_t head = 0; head < stored->keys.size(); ++head) {
          decode(layer, ExtentKind::keys, stored->keys[head]);
          decode(layer, ExtentKind::values, stored->values[head]);
        }
      }
    };
    const int all = compute_threads();
    set_compute_threads(1);
    std::vector<double> ours, theirs, ratios;
    for (int round = 0; round < 7; ++round) {
      theirs.push_back(rate(0.2, bytes, bare));
      ours.push_back(rate(0.2, bytes, [&] { load(context, copies, lender); }));
      ratios.push_back(ours.back() / theirs.back());
    }
    set_compute_threads(all);
    const double together = rate(0.5, bytes, [&] { load(context, copies, lender); });
    qInfo("%s: %.2f GB/s of rows into blocks, %.2f x the decode alone (%.2f GB/s); on %d threads %.2f GB/s",
          qPrintable(codec), median(ours) / 1e9, median(ratios), median(theirs) / 1e9, all, together / 1e9);
    QVERIFY(lender.mapped_bytes() == 0);
    QVERIFY(median(ratios) > 0.2);
  }
};

KV_TEST_PROGRAM(count, arguments) {
  if (count >= 2 && std::strcmp(arguments[1], "--bounds") == 0) {
    bounds = true;
    arguments[1] = arguments[0];
    --count;
    ++arguments;
  }
  QCoreApplication app(count, arguments);
  LoadBenchTest test;
  return QTest::qExec(&test, count, arguments);
}

}  // namespace load_bench_test

#include "load_bench_test.moc"
