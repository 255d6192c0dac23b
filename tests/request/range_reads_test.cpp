// links: core_request tiers
// Reads of ranges from scripted tiers: several batches at once, in any order, with failures that concern one batch.
#include "core/request/range_reads.h"

#include <QtTest>

#include "core/base/random.h"
#include "tests/support/scripted_tier.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"

namespace range_reads_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Ranges = std::vector<RangeReads::Range>;

struct Reading {
  Reading() {
    Random random(3);
    auto made = std::make_shared<std::vector<std::byte>>(100'000);
    for (std::byte& byte : *made) byte = static_cast<std::byte>(random.next());
    bytes = made;
    tier.stored[key] = bytes;
    tier.holds_reads = true;
    reads.emplace(lender, executor.clock());
  }
  RangeReads::Source source() { return {.tier = &tier, .key = key}; }
  std::span<const std::byte> part(std::uint64_t begin, std::uint64_t end) const {
    return std::span(*bytes).subspan(begin, end - begin);
  }

  VirtualExecutor executor;
  ScriptedTier tier{executor};
  BufferPool lender{std::size_t{1} << 20};
  Digest128 key{1, 2};
  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::optional<RangeReads> reads;
};

}  // namespace

class RangeReadsTest : public QObject {
  Q_OBJECT

 private slots:
  void batchesEndInAnyOrder() {
    Reading of;
    const int first = of.reads->begin(of.source(), {{0, 100}, {5000, 9000}}, 3);
    const int second = of.reads->begin(of.source(), {{77'000, 99'999}}, 4);
    QVERIFY(first != second && !of.reads->ended(first) && !of.reads->ended(second));
    QCOMPARE(of.tier.reads.size(), std::size_t{2});  // one submission each
    of.tier.answer_all(of.tier.reads[1]);
    of.reads->pump(0);
    QVERIFY(!of.reads->ended(first) && of.reads->ended(second) && !of.reads->failure(second));
    QVERIFY(std::ranges::equal(of.reads->bytes(second, 0), of.part(77'000, 99'999)));
    of.tier.answer(of.tier.reads[0], 1);
    of.reads->pump(0);
    QVERIFY(!of.reads->ended(first));
    of.tier.answer(of.tier.reads[0], 0);
    of.reads->pump(0);
    QVERIFY(of.reads->ended(first));
    QVERIFY(std::ranges::equal(of.reads->bytes(first, 0), of.part(0, 100)));
    QVERIFY(std::ranges::equal(of.reads->bytes(first, 1), of.part(5000, 9000)));
    QCOMPARE(of.reads->bytes_read(), std::uint64_t{100 + 4000 + 22'999});
    QCOMPARE(of.reads->device_seconds(), 3 * ScriptedTier::device_seconds);
    QCOMPARE(of.reads->arrivals().size(), std::size_t{3});
    QCOMPARE(of.reads->arrivals()[0].layer, 4);
    QCOMPARE(of.reads->arrivals()[1].bytes, std::uint64_t{4000});
    of.reads->release(first);
    of.reads->release(second);
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  // A tier combines what is next to each other only in this order.
  void theTierIsAskedInOrderOfOffsets() {
    Reading of;
    const int batch = of.reads->begin(of.source(), {{5000, 6000}, {0, 10}, {90'000, 90'001}, {100, 300}}, 0);
    std::vector<std::uint64_t> offsets;
    for (const ReadExtent& extent : of.tier.reads[0].extents) offsets.push_back(extent.offset);
    QVERIFY((offsets == std::vector<std::uint64_t>{0, 100, 5000, 90'000}));
    of.tier.answer_all(of.tier.reads[0]);
    of.reads->pump(0);
    QVERIFY(std::ranges::equal(of.reads->bytes(batch, 0), of.part(5000, 6000)));
    QVERIFY(std::ranges::equal(of.reads->bytes(batch, 1), of.part(0, 10)));
    QVERIFY(std::ranges::equal(of.reads->bytes(batch, 2), of.part(90'000, 90'001)));
    QVERIFY(std::ranges::equal(of.reads->bytes(batch, 3), of.part(100, 300)));
  }

  void aFailureConcernsItsBatch() {
    Reading of;
    const int good = of.reads->begin(of.source(), {{0, 100}}, 0);
    const int bad = of.reads->begin(of.source(), {{0, 100}, {100, 200}, {200, 300}}, 1);
    of.tier.answer(of.tier.reads[1], 0);
    of.tier.fail_extent(of.tier.reads[1], 1, ErrorCode::io, "device");
    of.reads->pump(0);
    QVERIFY(!of.reads->ended(bad));  // its last range is still on the way
    of.tier.fail_extent(of.tier.reads[1], 2, ErrorCode::cancelled, "cancelled");
    of.tier.answer_all(of.tier.reads[0]);
    of.reads->pump(0);
    QVERIFY(of.reads->ended(bad) && of.reads->failure(bad).has_value());
    QCOMPARE(of.reads->failure(bad)->error.code, ErrorCode::io);
    QCOMPARE(of.reads->failure(bad)->miss_reason, std::string("device"));
    QVERIFY(of.reads->ended(good) && !of.reads->failure(good));
    QCOMPARE(of.reads->bytes_read(), std::uint64_t{200});
  }

  void aReadThatEndsEarlyIsAFailure() {
    Reading of;
    const int batch = of.reads->begin(of.source(), {{0, 100}, {100, 200}}, 0);
    of.tier.answer(of.tier.reads[0], 0, true);
    of.reads->pump(0);
    QVERIFY(of.reads->ended(batch));
    QCOMPARE(of.reads->failure(batch)->error.code, ErrorCode::io);
  }

  void withoutBuffersNothingIsAsked() {
    Reading of;
    const int batch = of.reads->begin(of.source(), {{0, 900'000}, {0, 900'000}}, 0);
    QVERIFY(of.tier.reads.empty() && of.reads->ended(batch));
    QCOMPARE(of.reads->failure(batch)->miss_reason, std::string(no_buffer_reason));
    QVERIFY(of.reads->failure(batch)->lacked_room());
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  void memoryIsThereAtOnce() {
    Reading of;
    RangeReads::Source source = of.source();
    source.in_memory = of.bytes;
    const int batch = of.reads->begin(source, {{10, 20}, {4000, 4001}}, 0);
    QVERIFY(of.tier.reads.empty() && of.reads->ended(batch) && !of.reads->failure(batch));
    QVERIFY(std::ranges::equal(of.reads->bytes(batch, 0), of.part(10, 20)));
    QVERIFY(std::ranges::equal(of.reads->bytes(batch, 1), of.part(4000, 4001)));
    QCOMPARE(of.reads->bytes_read(), std::uint64_t{11});
  }

  void theDestructorWaitsAndTellsOfLosses_data() {
    QTest::addColumn<QString>("reason");
    QTest::addColumn<bool>("copy");
    QTest::addColumn<bool>("told");
    QTest::newRow("cancelled") << "cancelled" << false << false;
    QTest::newRow("damaged") << "checksum" << false << true;
    QTest::newRow("away") << "unavailable" << false << false;
    QTest::newRow("a damaged copy") << "checksum" << true << false;
  }
  void theDestructorWaitsAndTellsOfLosses() {
    QFETCH(const QString, reason);
    QFETCH(const bool, copy);
    QFETCH(const bool, told);
    Reading of;
    int losses = 0;
    of.reads->on_loss([&](const ReadFailure&) { ++losses; });
    RangeReads::Source source = of.source();
    source.is_copy = copy;
    (void)of.reads->begin(source, {{0, 100}, {200, 300}}, 0);
    if (reason != "cancelled") of.tier.fail_rest(of.tier.reads[0], ErrorCode::corrupt, reason.toStdString());
    of.reads.reset();
    QCOMPARE(losses, told ? 1 : 0);
    QCOMPARE(of.tier.cancelled.size(), std::size_t{1});
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(RangeReadsTest)

}  // namespace range_reads_test

#include "range_reads_test.moc"
