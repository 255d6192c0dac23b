// links: core_request tiers
// Loads from host memory: one copy, from the tier's pages into the cache's blocks, and no transfer buffer, except for
// layers in several runs of pages. What happens to the entry meanwhile changes nothing.
#include <QtTest>

#include <algorithm>
#include <optional>
#include <span>

#include "core/load/piece_loader.h"
#include "core/request/load_task.h"
#include "core/request/range_reads.h"
#include "tests/support/copying_store.h"
#include "tests/support/random_entry.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"
#include "tiers/queued_tier.h"

namespace lent_load_test {

using namespace kvantage;
using namespace kvantage::test;

/// Counts the bytes that are copied out of a tier: those of buffers leased for them.
class CountingLender final : public BufferLender {
 public:
  Expected<std::unique_ptr<LeasedBuffer>> lease(std::size_t bytes) override {
    ++leases;
    leased += bytes;
    return pool_.lease(bytes);
  }
  std::size_t leased_bytes() const override { return pool_.leased_bytes(); }
  std::size_t leases = 0, leased = 0;

 private:
  BufferPool pool_{std::size_t{64} << 20};
};

struct Loading {
  explicit Loading(const RandomEntryOptions& options = {}, bool lends = true) : entry(options) {
    std::unique_ptr<EntryStore> store = std::make_unique<CopyingStore>();
    if (lends) store = std::make_unique<DramStore>("dram", arena);
    tier = *QueuedTier::open(std::move(store), 0, 0, executor);
    put(entry.bytes);
  }
  void put(const std::shared_ptr<const std::vector<std::byte>>& bytes) {
    CompletionQueue written(executor.clock());
    EntryInfo info = entry.info();
    info.bytes = bytes->size();
    tier->submit_write(info, bytes, written);
    const auto done = written.wait(60);
    if (done.size() != 1 || !done[0].status) qFatal("not written");
  }
  LoadTask task(bool header_known = true, bool with_queries = false) {
    return {*tier, entry.info(), header_known ? entry.header : nullptr, lender, with_queries};
  }

  RandomEntry entry;
  VirtualExecutor executor;
  std::shared_ptr<PageArena> arena = std::make_shared<PageArena>(std::size_t{1} << 20);
  std::unique_ptr<StorageTier> tier;
  CountingLender lender;
  KvCache cache{entry.pool};
};

const RandomEntryOptions with_window{.window = 8};

class LentLoadTest : public QObject {
  Q_OBJECT

 private slots:
  void nothingIsCopiedBeforeTheBlocks_data() {
    QTest::addColumn<QString>("codec");
    QTest::addColumn<double>("kept");
    QTest::newRow("rows as they are") << "" << 1.0;
    QTest::newRow("evicted, ragged heads") << "" << 0.4;
    QTest::newRow("kivi4") << "kivi4(residual=32)" << 1.0;
    QTest::newRow("fp8, evicted") << "fp8" << 0.6;
    QTest::newRow("cachegen") << "cachegen" << 1.0;
    QTest::newRow("token chunks") << "token_chunks(length=64)" << 1.0;
  }
  void nothingIsCopiedBeforeTheBlocks() {
    QFETCH(QString, codec);
    QFETCH(double, kept);
    const RandomEntryOptions options{.kept = kept, .window = 8, .codec = codec.toStdString()};
    Loading of(options), copying(options, false);
    for (const bool header_known : {true, false}) {
      KvCache lent(of.entry.pool), copied(copying.entry.pool);
      LoadTask task = of.task(header_known, true), other = copying.task(header_known, true);
      const auto loaded = load_whole(task, lent, true), plain = load_whole(other, copied, true);
      QVERIFY(loaded && plain);
      QVERIFY(contents(lent) == contents(copied));
      QVERIFY(loaded->queries.layers == of.entry.queries.layers);
      QCOMPARE(loaded->bytes, plain->bytes);
      QCOMPARE(task.device_seconds(), 0.0);
      QCOMPARE(task.arrivals().size(), other.arrivals().size());
    }
    QCOMPARE(of.lender.leases, std::size_t{0});
    QVERIFY(copying.lender.leased >= 2 * (of.entry.bytes->size() - of.entry.header->header_bytes));
    if (codec.isEmpty() && kept == 1) {
      LoadTask task = of.task();
      QVERIFY(load_whole(task, of.cache, false));
      QVERIFY(contents(of.cache) == contents(of.entry.cache));
    }
  }

  void twoLoadsReadTheSamePages() {
    Loading of;
    LoadTask first = of.task(), second = of.task();
    QVERIFY(first.pump(0) && second.pump(0));
    for (int layer = 0; layer < of.entry.layers(); ++layer) {
      QVERIFY(first.layer_arrived(layer) && second.layer_arrived(layer));
      QVERIFY(first.stored(layer).data() == second.stored(layer).data());
      QVERIFY(std::ranges::equal(
          first.stored(layer),
          std::span(*of.entry.bytes).subspan(of.entry.header->layer_range(layer).first, first.stored(layer).size())));
    }
    const auto copied = copy_whole(first);
    QVERIFY(copied && *copied->bytes == *of.entry.bytes);
  }

  /// Every other page is free: each layer is in many runs, and takes a buffer.
  void layersInSeveralRunsAreCopied() {
    Loading of;
    QVERIFY(of.tier->erase(of.entry.header->key()));
    of.executor.pass(1);
    std::vector<PageArena::Runs> pages;
    while (pages.size() < 400 || of.arena->allocated_bytes() < of.arena->mapped_bytes())
      pages.push_back(*of.arena->allocate(4096));
    for (std::size_t i = 0; i < pages.size(); i += 2) of.arena->release(pages[i]);
    const std::size_t mapped = of.arena->mapped_bytes();
    of.put(of.entry.bytes);
    QCOMPARE(of.arena->mapped_bytes(), mapped);
    LoadTask task = of.task();
    QVERIFY(load_whole(task, of.cache, false));
    QVERIFY(contents(of.cache) == contents(of.entry.cache));
    QCOMPARE(of.lender.leases, static_cast<std::size_t>(of.entry.layers()));
    std::size_t bytes = 0;
    for (int layer = 0; layer < of.entry.layers(); ++layer) {
      const auto [begin, end] = of.entry.header->layer_range(layer);
      bytes += end - begin;
    }
    QCOMPARE(of.lender.leased, bytes);
    for (std::size_t i = 1; i < pages.size(); i += 2) of.arena->release(pages[i]);
  }

  void itsEntryMayGoMeanwhile_data() {
    QTest::addColumn<int>("what");
    QTest::newRow("erased") << 0;
    QTest::newRow("replaced by other rows") << 1;
    QTest::newRow("the tier is closed") << 2;
  }
  void itsEntryMayGoMeanwhile() {
    QFETCH(int, what);
    Loading of;
    const std::size_t pages = of.arena->allocated_bytes();
    {
      std::optional<LoadTask> task;
      task.emplace(*of.tier, of.entry.info(), of.entry.header, of.lender, false);
      QVERIFY(task->pump(0) && task->layer_arrived(2));
      QVERIFY(task->restore(0, of.cache));
      if (what == 0) QVERIFY(of.tier->erase(of.entry.header->key()));
      if (what == 1) of.put(RandomEntry({.seed = 99}).bytes);
      if (what == 2) of.tier.reset();
      of.executor.pass(1);
      if (what != 2) QCOMPARE(of.arena->allocated_bytes(), what == 1 ? pages + pages : pages);
      QVERIFY(task->restore(1, of.cache) && task->restore(2, of.cache));
      QVERIFY(contents(of.cache) == contents(of.entry.cache));
    }
    of.executor.pass(1);
    QCOMPARE(of.arena->allocated_bytes(), what == 1 ? pages : std::size_t{0});
  }

  void aLoadThatIsGivenUpReturnsWhatWasLent() {
    Loading of;
    {
      LoadTask task = of.task();
      QVERIFY(task.pump(0) && task.restore(0, of.cache));
    }
    QVERIFY(of.tier->erase(of.entry.header->key()));
    of.executor.pass(1);
    QCOMPARE(of.arena->allocated_bytes(), std::size_t{0});
  }

  void bytesThatCannotBeDecodedLeaveNothing() {
    Loading of({.codec = "token_chunks(length=64)"});
    const auto [begin, end] = of.entry.header->layer_range(1);
    of.put(of.entry.damaged((begin + end) / 2));  // as memory that went bad
    LoadTask task = of.task();
    QVERIFY(task.pump(0) && task.restore(0, of.cache));
    const Status status = task.restore(1, of.cache);
    QVERIFY(!status && status.error().code == ErrorCode::corrupt);
    QVERIFY(task.failure(status.error()).entry_is_lost());
    for (int head = 0; head < of.entry.header->shape.kv_heads; ++head) QCOMPARE(of.cache.kept(1, head), 0);
  }

  void rangesAreLent() {
    Loading of;
    RangeReads reads(of.lender, of.executor.clock());
    const int batch = reads.begin({.tier = of.tier.get(), .key = of.entry.header->key()},
                                  {{9000, 9100}, {100, 5000}, {12000, 20000}}, 1);
    reads.pump(1);
    QVERIFY(reads.ended(batch) && !reads.failure(batch));
    QVERIFY(of.tier->erase(of.entry.header->key()));
    of.executor.pass(1);
    const auto bytes = std::span(*of.entry.bytes);
    QVERIFY(std::ranges::equal(reads.bytes(batch, 0), bytes.subspan(9000, 100)));
    QVERIFY(std::ranges::equal(reads.bytes(batch, 1), bytes.subspan(100, 4900)));
    QVERIFY(std::ranges::equal(reads.bytes(batch, 2), bytes.subspan(12000, 8000)));
    QCOMPARE(of.lender.leases, std::size_t{0});
    QCOMPARE(reads.bytes_read(), std::uint64_t{100 + 4900 + 8000});
    reads.release(batch);
    QCOMPARE(of.arena->allocated_bytes(), std::size_t{0});
  }

  /// Pieces are verified where they are, and a damaged one is left out.
  void piecesAreLentAndVerified() {
    for (const bool damaged : {false, true}) {
      Loading of({.tokens = 256 * 3, .kept = 0.6});
      if (damaged) of.put(of.entry.damaged(chunk_range(*of.entry.header, 1, 1, 2).first + 100));
      SplitQueue queue({.compute = {1.0, 1.0, 1.0}, .load = {1.0, 1.0, 1.0}, .unpack = {0.0, 0.0, 0.0}}, 0,
                       of.executor.clock());
      PieceLoader loader({of.tier.get(), &of.lender, of.entry.header.get(), {{0, 1}, {1, 2}, {2, 3}}, true}, queue);
      while (!queue.over()) {
        const std::uint64_t seen = queue.changes();
        if (!queue.over()) queue.wait(seen, 1);
      }
      loader.join();
      QCOMPARE(loader.damaged_pieces(), damaged ? 1 : 0);
      QCOMPARE(of.lender.leases, std::size_t{0});
      for (int piece = 0; piece < 3; ++piece) {
        QCOMPARE(loader.piece(piece).has_value(), !damaged || piece != 1);
        if (!loader.piece(piece)) continue;
        const auto [begin, end] = chunk_range(*of.entry.header, 0, piece, piece + 1);
        const auto stored = read_chunks(*of.entry.header, 0, piece, piece + 1,
                                        std::span(*of.entry.bytes).subspan(begin, end - begin), true);
        QVERIFY(std::ranges::equal(loader.piece(piece)->layers[0][0].keys, stored->at(0).keys));
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(LentLoadTest)

}  // namespace lent_load_test

#include "lent_load_test.moc"
