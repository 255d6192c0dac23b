// links: core_request tiers
// Reads of one entry from a scripted tier: header first, then all layers; failures in any place.
#include "core/request/load_task.h"

#include <QtTest>

#include "tests/support/random_entry.h"
#include "tests/support/scripted_tier.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"

namespace load_task_test {

using namespace kvantage;
using namespace kvantage::test;

/// One entry on a tier that holds its reads, and a cache to restore into.
struct Loading {
  explicit Loading(const RandomEntryOptions& options = {}) : entry(options) {
    tier.stored[entry.header->key()] = entry.bytes;
    tier.holds_reads = true;
  }
  LoadTask task(bool header_known, bool with_queries = false) {
    return {tier, entry.info(), header_known ? entry.header : nullptr, lender, with_queries};
  }
  std::uint64_t layer_bytes(int layer) const {
    const auto [begin, end] = entry.header->layer_range(layer);
    return end - begin;
  }
  std::uint64_t all_layers_bytes() const {
    std::uint64_t bytes = 0;
    for (int layer = 0; layer < entry.layers(); ++layer) bytes += layer_bytes(layer);
    return bytes;
  }

  RandomEntry entry;
  VirtualExecutor executor;
  ScriptedTier tier{executor};
  BufferPool lender{std::size_t{4} << 20};
  KvCache cache{entry.pool};
};

const RandomEntryOptions with_window{.window = 8};
const RandomEntryOptions long_header{.tokens = 1200};  // of two pages

class LoadTaskTest : public QObject {
  Q_OBJECT

 private slots:
  void theHeaderIsReadFirstThenAllLayersWithOneSubmission() {
    Loading of(long_header);
    QVERIFY(of.entry.header->header_bytes > entry_alignment);
    LoadTask task = of.task(false);
    QVERIFY(task.pump(0) && !task.has_header() && !task.layer_arrived(0));
    QCOMPARE(of.tier.reads.size(), std::size_t{1});
    QCOMPARE(of.tier.reads[0].extents.size(), std::size_t{1});
    QCOMPARE(of.tier.reads[0].extents[0].offset, std::uint64_t{0});
    QCOMPARE(of.tier.reads[0].extents[0].bytes, of.entry.header->header_bytes);
    of.tier.answer_all(of.tier.reads[0]);
    QVERIFY(task.pump(0) && task.has_header() && !task.layer_arrived(0));
    QCOMPARE(task.header()->token_ids, of.entry.header->token_ids);

    QCOMPARE(of.tier.reads.size(), std::size_t{2});
    const auto& extents = of.tier.reads[1].extents;
    QCOMPARE(extents.size(), static_cast<std::size_t>(of.entry.layers()));
    for (int layer = 0; layer < of.entry.layers(); ++layer) {
      const ReadExtent& extent = extents[static_cast<std::size_t>(layer)];
      QCOMPARE(extent.offset, of.entry.header->layer_range(layer).first);
      QCOMPARE(extent.bytes, of.layer_bytes(layer));
      const auto parts = of.entry.header->layer_extents(layer);
      QCOMPARE(extent.pieces.size(), parts.size());
      for (std::size_t part = 0; part < parts.size(); ++part) {
        QCOMPARE(extent.pieces[part].offset, parts[part].offset);
        QCOMPARE(extent.pieces[part].checksum, parts[part].checksum);
      }
    }
  }

  void layersAreTakenAsTheyArriveAndTheirBuffersGivenBack() {
    Loading of({.kept = 0.4});
    LoadTask task = of.task(true);
    QVERIFY(task.pump(0));
    const std::vector<int> order{2, 0, 1};
    std::size_t leased = of.lender.leased_bytes();
    QVERIFY(leased > 0);
    for (const int layer : order) {
      of.executor.pass(0.25);
      of.tier.answer(of.tier.reads[0], static_cast<std::size_t>(layer));
      QVERIFY(!task.layer_arrived(layer));
      QVERIFY(task.pump(0) && task.layer_arrived(layer));
      QVERIFY(task.restore(layer, of.cache));
      QVERIFY(of.lender.leased_bytes() < leased);
      leased = of.lender.leased_bytes();
    }
    QCOMPARE(leased, std::size_t{0});
    QVERIFY(contents(of.cache) == contents(of.entry.cache));
    QCOMPARE(of.cache.sequence_length(), of.entry.cache.sequence_length());
    QCOMPARE(task.bytes(), of.all_layers_bytes());
    QCOMPARE(task.device_seconds(), 3 * ScriptedTier::device_seconds);
    QCOMPARE(task.verify_seconds(), 3 * ScriptedTier::verify_seconds);
    QCOMPARE(task.arrivals().size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i) {
      const LoadTask::Arrival& arrival = task.arrivals()[i];
      QCOMPARE(arrival.layer, order[i]);
      const auto late_ns = arrival.arrived_ns - arrival.submitted_ns - static_cast<std::int64_t>(250'000'000 * (i + 1));
      QVERIFY2(late_ns >= 0 && late_ns < 1'000'000, qPrintable(QString::number(late_ns)));  // what pumping takes
      QCOMPARE(arrival.bytes, of.layer_bytes(arrival.layer));
    }
  }

  void aPumpWaitsForTheFirstCompletionAtMostSoLong() {
    Loading of;
    LoadTask task = of.task(true);
    QVERIFY(task.pump(0.5));
    QCOMPARE(of.executor.clock().seconds(), 0.5);
    const auto later = of.executor.start("tier", ThreadPriority::transfers, [&] {
      of.executor.pass(0.125);
      of.tier.answer(of.tier.reads[0], 1);
    });
    QVERIFY(task.pump(10) && task.layer_arrived(1));
    QCOMPARE(of.executor.clock().seconds(), 0.625);
  }

  void layersAreRestoredInTurn() {
    Loading of(with_window);
    LoadTask task = of.task(false, true);
    QVERIFY(!task.restore_in_turn(0, of.cache).value());
    of.tier.answer_all(of.tier.reads[0]);
    QVERIFY(!task.restore_in_turn(0, of.cache).value());
    ScriptedTier::Read& read = of.tier.reads[1];
    for (const std::size_t late : {4, 1, 0, 5, 2}) of.tier.answer(read, late);  // one of the queries is still missing
    for (int layer = 0; layer < 3; ++layer) {
      QCOMPARE(of.cache.kept(layer, 0), 0);
      QVERIFY(!task.restore_in_turn(0, of.cache).value());  // one layer per turn
      QVERIFY(of.cache.kept(layer, 0) > 0);
    }
    QVERIFY(!task.restore_in_turn(0, of.cache).value());
    of.tier.answer(read, 3);
    QVERIFY(task.restore_in_turn(0, of.cache).value());
    QVERIFY(contents(of.cache) == contents(of.entry.cache));
  }

  void windowQueriesAreReadOnlyWhereAskedFor() {
    Loading of(with_window);
    LoadTask without = of.task(true);
    QVERIFY(without.pump(0));
    QCOMPARE(of.tier.reads[0].extents.size(), std::size_t{3});
    LoadTask task = of.task(true, true);
    QVERIFY(task.pump(0));
    QCOMPARE(of.tier.reads[1].extents.size(), std::size_t{6});
    for (std::size_t index = 0; index < 6; ++index) {
      QVERIFY(!task.queries_arrived());
      of.tier.answer(of.tier.reads[1], index);
      QVERIFY(task.pump(0));
    }
    QVERIFY(task.queries_arrived() && !without.queries_arrived());
    const auto queries = task.take_queries();
    QVERIFY(queries && queries->layers == of.entry.queries.layers);
    QCOMPARE(queries->heads, of.entry.queries.heads);
    QCOMPARE(queries->window, 8);
    QCOMPARE(task.arrivals()[4].layer, -1);
  }

  void anEntryWithoutQueriesHasNoneToWaitFor() {
    Loading of;
    of.tier.holds_reads = false;
    const auto loaded = load_whole(of.tier, of.entry.info(), of.lender, true, of.cache);
    QVERIFY(loaded && loaded->queries.empty());
    QVERIFY(contents(of.cache) == contents(of.entry.cache));
    QCOMPARE(loaded->bytes, of.entry.header->header_bytes + of.all_layers_bytes());
    QVERIFY(loaded->header->key() == of.entry.header->key());
  }

  void damagedWindowQueriesAreAnError() {
    Loading of(with_window);
    of.tier.holds_reads = false;
    of.tier.stored[of.entry.header->key()] = of.entry.damaged(of.entry.header->window_queries_extents(1)[0].offset + 3);
    const auto loaded = load_whole(of.tier, of.entry.info(), of.lender, true, of.cache);
    QVERIFY(!loaded && loaded.error().error.code == ErrorCode::corrupt && loaded.error().entry_is_lost());
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  void aHeaderThatIsNotTheEntrysIsCorrupt_data() {
    QTest::addColumn<int>("damage");
    QTest::newRow("a byte is wrong") << 0;
    QTest::newRow("only its first page is read") << 1;
    QTest::newRow("of another entry") << 2;
  }
  void aHeaderThatIsNotTheEntrysIsCorrupt() {
    QFETCH(int, damage);
    Loading of(long_header);
    EntryInfo info = of.entry.info();
    if (damage == 0) of.tier.stored[info.key] = of.entry.damaged(40);
    if (damage == 1) info.header_bytes = entry_alignment;
    if (damage == 2) of.tier.stored[info.key] = RandomEntry({.tokens = 1200, .seed = 6}).bytes;
    of.tier.holds_reads = false;
    LoadTask task(of.tier, info, nullptr, of.lender, false);
    const Status status = task.pump(0);
    QVERIFY(!status && status.error().code == ErrorCode::corrupt);
    QVERIFY(task.failure(status.error()).entry_is_lost());
    QVERIFY(!task.has_header());
    QCOMPARE(of.tier.reads.size(), std::size_t{1});  // no layer by what cannot be trusted
  }

  void theFirstFailureIsTheOneReported() {
    Loading of;
    LoadTask task = of.task(true);
    QVERIFY(task.pump(0));
    of.tier.answer(of.tier.reads[0], 0);
    of.tier.fail_extent(of.tier.reads[0], 1, ErrorCode::io, "unavailable");
    of.tier.fail_extent(of.tier.reads[0], 2, ErrorCode::corrupt, "corrupt");
    const Status status = task.pump(0);
    QVERIFY(!status && status.error().code == ErrorCode::io);
    QCOMPARE(task.failure(status.error()).miss_reason, std::string("unavailable"));
    QVERIFY(task.layer_arrived(0) && !task.layer_arrived(1) && !task.layer_arrived(2));
    QCOMPARE(task.bytes(), of.layer_bytes(0));
    QCOMPARE(task.device_seconds(), 3 * ScriptedTier::device_seconds);  // failed reads take time, too
  }

  void whatAFailureSaysOfTheEntry_data() {
    QTest::addColumn<QString>("reason");
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("found_again");
    QTest::addColumn<bool>("no_room");
    const auto row = [](const char* name, const char* reason, ErrorCode code, bool found_again, bool no_room) {
      QTest::newRow(name) << reason << static_cast<int>(code) << found_again << no_room;
    };
    row("the tier is away", "unavailable", ErrorCode::io, true, false);
    row("another version", "replaced", ErrorCode::not_found, true, false);
    row("nothing to read into", "no_buffer", ErrorCode::rejected_input, false, true);
    row("nothing to restore into", "", ErrorCode::no_space, false, true);
    row("damaged", "corrupt", ErrorCode::corrupt, false, false);
    row("absent", "absent", ErrorCode::not_found, false, false);
    row("makes no sense", "", ErrorCode::corrupt, false, false);
  }
  void whatAFailureSaysOfTheEntry() {
    QFETCH(QString, reason);
    QFETCH(int, code);
    QFETCH(bool, found_again);
    QFETCH(bool, no_room);
    const ReadFailure failure{{static_cast<ErrorCode>(code), "failed"}, reason.toStdString()};
    QCOMPARE(failure.may_be_found_again(), found_again);
    QCOMPARE(failure.lacked_room(), no_room);
    QCOMPARE(failure.entry_is_lost(), !found_again && !no_room);
  }

  void anEntryThatIsAbsentIsAMiss() {
    Loading of;
    of.tier.stored.clear();
    const auto loaded = load_whole(of.tier, of.entry.info(), of.lender, false, of.cache);
    QVERIFY(!loaded && loaded.error().entry_is_lost());
    QCOMPARE(loaded.error().miss_reason, std::string("absent"));
    QCOMPARE(of.cache.kept_rows(), std::size_t{0});
  }

  // No tier should; but whoever waits for the rest would wait for ever.
  void aReadThatEndsEarlyIsAnError() {
    Loading of;
    LoadTask task = of.task(true);
    QVERIFY(task.pump(0));
    of.tier.answer(of.tier.reads[0], 0, true);
    const Status status = task.pump(0);
    QVERIFY(!status && status.error().code == ErrorCode::io);
    QVERIFY(task.failure(status.error()).miss_reason.empty());
  }

  void withoutBuffersNothingIsRead() {
    Loading of;
    BufferPool small(static_cast<std::size_t>(of.layer_bytes(0)) + entry_alignment);  // of the second layer no more
    LoadTask task(of.tier, of.entry.info(), of.entry.header, small, false);
    const Status status = task.pump(0);
    QVERIFY(!status && task.failure(status.error()).lacked_room());
    QCOMPARE(task.failure(status.error()).miss_reason, std::string(no_buffer_reason));
    QVERIFY(of.tier.reads.empty());
    QCOMPARE(small.leased_bytes(), std::size_t{0});
  }

  // The tier writes into the buffers until then.
  void endingWaitsUntilEveryBufferIsBack() {
    Loading of;
    of.tier.holds_cancelled = true;
    auto task = std::make_unique<LoadTask>(of.tier, of.entry.info(), of.entry.header, of.lender, false);
    QVERIFY(task->pump(0));
    of.tier.answer(of.tier.reads[0], 0);
    QVERIFY(task->pump(0));
    const auto later = of.executor.start("tier", ThreadPriority::transfers, [&] {
      of.executor.pass(0.75);
      of.tier.fail_rest(of.tier.reads[0], ErrorCode::cancelled, "cancelled");
    });
    task.reset();
    QCOMPARE(of.tier.cancelled, std::vector{of.tier.reads[0].ticket});
    QCOMPARE(of.tier.reads[0].left, std::size_t{0});
    const double ended = of.executor.clock().seconds();
    QVERIFY2(ended >= 0.75 && ended < 0.751, qPrintable(QString::number(ended)));
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  // The tier has dropped the entry; whoever cancels does not look at the read any more.
  void anEntryThatIsLostWhileItsReadIsCancelledIsReported_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<bool>("lost");
    QTest::newRow("device") << int(ErrorCode::io) << "device" << true;
    QTest::newRow("checksum") << int(ErrorCode::corrupt) << "checksum" << true;
    QTest::newRow("unavailable") << int(ErrorCode::io) << unavailable_reason << false;
    QTest::newRow("replaced") << int(ErrorCode::not_found) << replaced_reason << false;
    QTest::newRow("cancelled") << int(ErrorCode::cancelled) << "cancelled" << false;
  }
  void anEntryThatIsLostWhileItsReadIsCancelledIsReported() {
    QFETCH(int, code);
    QFETCH(QString, reason);
    QFETCH(bool, lost);
    Loading of;
    of.tier.holds_cancelled = true;
    std::vector<std::string> reported;
    auto task = std::make_unique<LoadTask>(of.tier, of.entry.info(), of.entry.header, of.lender, false);
    task->on_loss([&](const ReadFailure& failure) { reported.push_back(failure.miss_reason); });
    QVERIFY(task->pump(0));
    of.tier.fail_rest(of.tier.reads[0], ErrorCode(code), reason.toStdString());  // not taken before the task ends
    task.reset();
    QCOMPARE(reported, lost ? std::vector{reason.toStdString()} : std::vector<std::string>());
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  void whatIsReadCompletelyIsNotCancelled() {
    Loading of;
    of.tier.holds_reads = false;
    QVERIFY(load_whole(of.tier, of.entry.info(), of.lender, false, of.cache));
    QVERIFY(of.tier.cancelled.empty());
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  void anEntryInMemoryIsThereAtOnce() {
    Loading of(with_window);
    LoadTask task(of.entry.bytes, of.entry.header, true);
    QVERIFY(task.pump(0) && task.has_header());
    QVERIFY(task.layer_arrived(0) && task.layer_arrived(2) && !task.layer_arrived(3));
    QVERIFY(task.queries_arrived());
    const auto loaded = load_whole(task, of.cache, true);
    QVERIFY(loaded && loaded->queries.layers == of.entry.queries.layers);
    QVERIFY(contents(of.cache) == contents(of.entry.cache));
    QCOMPARE(loaded->bytes, of.all_layers_bytes());
    QVERIFY(task.arrivals().empty() && of.tier.reads.empty());
  }

  void quantizedRowsStaySoFromWhereItIsAskedFor() {
    Loading of({.codec = "kivi4"});
    LoadTask decoded(of.entry.bytes, of.entry.header, false), encoded(of.entry.bytes, of.entry.header, false);
    encoded.leave_encoded();
    KvCache other(of.entry.pool);
    for (int layer = 0; layer < of.entry.layers(); ++layer)
      QVERIFY(decoded.restore(layer, of.cache) && encoded.restore(layer, other));
    QVERIFY(of.cache.encoded() == nullptr && of.cache.kept_rows() == of.entry.cache.kept_rows());
    QVERIFY(other.encoded() != nullptr && other.kept_rows() == 0);
    QCOMPARE(other.encoded()->total_rows(), of.entry.cache.kept_rows());
  }
};

KV_TEST_GUILESS_MAIN(LoadTaskTest)

}  // namespace load_task_test

#include "load_task_test.moc"
