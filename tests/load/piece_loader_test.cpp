// links: kv_runtime kv_tiers
// The loader of pieces alone: the test is its tier and the one who computes, in virtual time.
#include "core/load/piece_loader.h"

#include <QtTest>

#include "tests/support/random_entry.h"
#include "tests/support/scripted_tier.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"

namespace piece_loader_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr int all_pieces = 5;  // a chunk each, the last one shorter

struct Loading {
  /// computed: pieces that are not the loader's. lent: bytes for it to read into.
  explicit Loading(int computed = 0, std::size_t lent = std::size_t{4} << 20) : lender(lent), computed_(computed) {
    tier.stored[entry.header->key()] = entry.bytes;
  }
  PieceLoader& begin(bool leaves_gaps = true) {
    PieceSource source{&tier, &lender, entry.header.get(), {}, leaves_gaps};
    for (int piece = 0; piece < all_pieces; ++piece) source.pieces.push_back({piece, piece + 1});
    loader = std::make_unique<PieceLoader>(std::move(source), queue);
    executor.pass(0.001);
    return *loader;
  }
  /// The pieces that are left for the front, until there are none.
  std::vector<int> compute_rest() {
    std::vector<int> pieces;
    while (!queue.over()) {
      const std::uint64_t seen = queue.changes();
      if (const auto piece = queue.claim_front()) {
        pieces.push_back(*piece);
        queue.computed();
      } else {
        queue.wait(seen, 1);
      }
    }
    loader->join();
    return pieces;
  }
  std::uint64_t bytes_of(int piece, int layer) const {
    const auto [begin, end] = chunk_range(*entry.header, layer, piece, piece + 1);
    return end - begin;
  }
  std::uint64_t bytes_of(int piece) const {
    std::uint64_t bytes = 0;
    for (int layer = 0; layer < entry.layers(); ++layer) bytes += bytes_of(piece, layer);
    return bytes;
  }
  /// A byte of a piece's rows in the middle layer is wrong on the tier.
  void damage(int piece) {
    tier.stored[entry.header->key()] = entry.damaged(chunk_range(*entry.header, 1, piece, piece + 1).first + 100);
  }
  ScriptedTier::Read& read_of(int piece) {
    for (ScriptedTier::Read& read : tier.reads)
      if (read.extents[0].offset == chunk_range(*entry.header, 0, piece, piece + 1).first) return read;
    qFatal("piece %d was not asked for", piece);
  }
  /// The pieces that are there, by number; only rows as they were stored.
  std::vector<int> there() {
    std::vector<int> pieces;
    for (int piece = 0; piece < all_pieces; ++piece) {
      if (!loader->piece(piece)) continue;
      pieces.push_back(piece);
      if (loader->piece(piece)->bytes != bytes_of(piece)) qFatal("other bytes");
      for (int layer = 0; layer < entry.layers(); ++layer) {
        const auto [begin, end] = chunk_range(*entry.header, layer, piece, piece + 1);
        const auto stored = read_chunks(*entry.header, layer, piece, piece + 1,
                                        std::span(*entry.bytes).subspan(begin, end - begin), true);
        const ChunkRows& rows = loader->piece(piece)->layers[static_cast<std::size_t>(layer)].at(0);
        if (rows.positions != stored->at(0).positions || !std::ranges::equal(rows.keys, stored->at(0).keys) ||
            !std::ranges::equal(rows.values, stored->at(0).values))
          qFatal("other rows");
      }
    }
    return pieces;
  }

  RandomEntry entry{{.tokens = 256 * (all_pieces - 1) + 100, .kept = 0.6}};
  VirtualExecutor executor;
  ScriptedTier tier{executor};
  BufferPool lender;
  int computed_;
  // Seconds each: so long that the loader has no more than two reads in flight.
  SplitQueue queue{{.compute = std::vector<double>(all_pieces, 1.0),
                    .load = std::vector<double>(all_pieces, 1.0),
                    .unpack = std::vector<double>(all_pieces, 0.0)},
                   computed_,
                   executor.clock()};
  std::unique_ptr<PieceLoader> loader;
};

using Pieces = std::vector<int>;

class PieceLoaderTest : public QObject {
  Q_OBJECT

 private slots:
  void piecesAreReadFromTheBackAndTakenApart() {
    Loading of;
    PieceLoader& loader = of.begin();
    QCOMPARE(of.compute_rest(), Pieces{});
    QCOMPARE(of.there(), (Pieces{0, 1, 2, 3, 4}));
    QCOMPARE(of.tier.reads.size(), std::size_t{all_pieces});
    for (int read = 0; read < all_pieces; ++read) {
      const auto& extents = of.tier.reads[static_cast<std::size_t>(read)].extents;
      const int piece = all_pieces - 1 - read;
      QCOMPARE(extents.size(), static_cast<std::size_t>(of.entry.layers()));
      for (int layer = 0; layer < of.entry.layers(); ++layer) {
        const ReadExtent& extent = extents[static_cast<std::size_t>(layer)];
        QCOMPARE(extent.offset, chunk_range(*of.entry.header, layer, piece, piece + 1).first);
        QCOMPARE(extent.bytes, of.bytes_of(piece, layer));
        QCOMPARE(extent.pieces.size(), std::size_t{2});  // keys and values, each with a checksum
        QCOMPARE(extent.pieces[1].checksum, chunk_extents(*of.entry.header, layer, piece, piece + 1)[1].checksum);
      }
    }
    QVERIFY(loader.status() && loader.damage() && loader.damaged_pieces() == 0 && loader.dropped_bytes() == 0);
    QCOMPARE(loader.device_seconds(), all_pieces * 3 * ScriptedTier::device_seconds);
    const auto arrivals = loader.take_arrivals();
    QCOMPARE(arrivals.size(), std::size_t{all_pieces * 3});
    QCOMPARE(arrivals.front().piece, all_pieces - 1);
    QCOMPARE(arrivals[4].layer, 1);
    QCOMPARE(arrivals[4].bytes, of.bytes_of(all_pieces - 2, 1));
    of.loader.reset();
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  void whatTheFrontTakesIsNotRead() {
    Loading of(3);
    (void)of.begin();
    QCOMPARE(of.compute_rest(), (Pieces{0, 1, 2}));
    QCOMPARE(of.there(), (Pieces{3, 4}));
    QCOMPARE(of.tier.reads.size(), std::size_t{2});
  }

  void twoReadsAreInFlightAndTheirTimesAreKnown() {
    Loading of;
    of.tier.holds_reads = true;
    PieceLoader& loader = of.begin();
    of.executor.pass(5);
    QCOMPARE(of.tier.reads.size(), std::size_t{2});
    const std::int64_t answered_ns = of.executor.clock().monotonic_ns();
    of.tier.answer_all(of.read_of(4));
    of.executor.pass(0.1);
    QCOMPARE(of.tier.reads.size(), std::size_t{3});
    while (!of.queue.over()) {
      for (ScriptedTier::Read& read : of.tier.reads)
        if (read.left > 0) of.tier.answer_all(read);
      of.executor.pass(0.1);
    }
    loader.join();
    QCOMPARE(of.there(), (Pieces{0, 1, 2, 3, 4}));
    const auto arrivals = loader.take_arrivals();
    QCOMPARE(arrivals.front().arrived_ns, answered_ns);
    QVERIFY(answered_ns - arrivals.front().submitted_ns >= 5'000'000'000);
  }

  void aDamagedPieceIsLeftAndThoseBelowItAreStillLoaded() {
    Loading of;
    of.damage(2);
    PieceLoader& loader = of.begin();
    QCOMPARE(of.compute_rest(), Pieces{});
    QCOMPARE(of.there(), (Pieces{0, 1, 3, 4}));
    QCOMPARE(loader.damaged_pieces(), 1);
    QCOMPARE(loader.damage().error().code, ErrorCode::corrupt);
    QVERIFY(loader.damage_reason().empty());  // the tier had nothing to say of it
    QVERIFY(loader.status().has_value());
    QCOMPARE(loader.dropped_bytes(), of.bytes_of(2));
  }

  void withoutGapsADamagedPieceAndAllBelowItAreGivenBack() {
    Loading of;
    of.damage(2);
    PieceLoader& loader = of.begin(false);
    QCOMPARE(of.compute_rest(), (Pieces{0, 1, 2}));
    QCOMPARE(of.there(), (Pieces{3, 4}));
    QCOMPARE(loader.damaged_pieces(), 1);
    QCOMPARE(loader.status().error().code, ErrorCode::corrupt);
    QVERIFY(loader.dropped_bytes() >= of.bytes_of(2));
  }

  void damageThatTheTierFindsIsDamage() {
    Loading of;
    of.tier.holds_reads = true;
    PieceLoader& loader = of.begin();
    of.tier.answer(of.read_of(4), 0);
    of.tier.fail_rest(of.read_of(4), ErrorCode::corrupt, "corrupt");
    of.tier.holds_reads = false;
    of.tier.answer_all(of.read_of(3));
    QCOMPARE(of.compute_rest(), Pieces{});
    QCOMPARE(of.there(), (Pieces{0, 1, 2, 3}));
    QCOMPARE(loader.damaged_pieces(), 1);
    QCOMPARE(loader.damage_reason(), std::string("corrupt"));
    QCOMPARE(loader.dropped_bytes(), of.bytes_of(4, 0));  // the layer that arrived all the same
  }

  // A tier that cannot be read will not read the next piece either.
  void afterAFailedReadNothingMoreIsLoaded() {
    Loading of;
    of.tier.holds_reads = true;
    PieceLoader& loader = of.begin();
    of.tier.fail_rest(of.read_of(3), ErrorCode::io, "io");
    of.executor.pass(0.1);
    QCOMPARE(of.tier.reads.size(), std::size_t{2});
    QVERIFY(of.tier.cancelled.empty());  // the one above is of use
    of.tier.answer_all(of.read_of(4));
    QCOMPARE(of.compute_rest(), (Pieces{0, 1, 2, 3}));
    QCOMPARE(of.there(), Pieces{4});
    QCOMPARE(loader.status().error().code, ErrorCode::io);
    QCOMPARE(loader.miss_reason(), std::string("io"));
    QVERIFY(loader.damage() && loader.damaged_pieces() == 0);
  }

  void whatIsInFlightBelowAFailedPieceIsCancelled() {
    Loading of;
    of.tier.holds_reads = true;
    PieceLoader& loader = of.begin();
    of.tier.answer(of.read_of(3), 0);
    of.tier.fail_rest(of.read_of(4), ErrorCode::io, "unavailable");
    QCOMPARE(of.compute_rest(), (Pieces{0, 1, 2, 3, 4}));
    QCOMPARE(of.tier.cancelled, std::vector{of.read_of(3).ticket});
    QCOMPARE(of.there(), Pieces{});
    QCOMPARE(loader.miss_reason(), std::string("unavailable"));  // not that of the cancelled one
    QCOMPARE(loader.dropped_bytes(), of.bytes_of(3, 0));
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  // It arrived before the failure of the one above was known.
  void aPieceBelowAFailedOneIsDropped() {
    Loading of;
    of.tier.holds_reads = true;
    PieceLoader& loader = of.begin();
    of.tier.answer_all(of.read_of(3));
    of.executor.pass(0.1);
    of.tier.fail_rest(of.read_of(4), ErrorCode::io, "io");
    QCOMPARE(of.compute_rest(), (Pieces{0, 1, 2, 3, 4}));
    QCOMPARE(of.there(), Pieces{});
    QCOMPARE(loader.dropped_bytes(), of.bytes_of(3));
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }

  void aReadThatEndsEarlyHasFailed() {
    Loading of;
    of.tier.holds_reads = true;
    PieceLoader& loader = of.begin();
    of.tier.answer(of.read_of(4), 0, true);
    QCOMPARE(of.compute_rest(), (Pieces{0, 1, 2, 3, 4}));
    QCOMPARE(loader.status().error().code, ErrorCode::io);
    QCOMPARE(of.there(), Pieces{});
  }

  void withoutBuffersTheRestIsGivenBack() {
    Loading sizes;
    std::size_t two_pieces = 0;
    for (const int piece : {3, 4})
      for (int layer = 0; layer < sizes.entry.layers(); ++layer)
        two_pieces += (sizes.bytes_of(piece, layer) + entry_alignment - 1) / entry_alignment * entry_alignment;
    Loading of(0, two_pieces);
    PieceLoader& loader = of.begin();
    QCOMPARE(of.compute_rest(), (Pieces{0, 1, 2}));
    QCOMPARE(of.there(), (Pieces{3, 4}));
    QCOMPARE(loader.status().error().code, ErrorCode::no_space);
    QCOMPARE(loader.miss_reason(), std::string("no_buffer"));
  }

  // The tier writes into the buffers until then.
  void endingCancelsAndWaitsForEveryBuffer() {
    Loading of;
    of.tier.holds_reads = of.tier.holds_cancelled = true;
    (void)of.begin();
    const auto later = of.executor.start("tier", ThreadPriority::transfers, [&] {
      of.executor.pass(3);
      for (ScriptedTier::Read& read : of.tier.reads) of.tier.fail_rest(read, ErrorCode::cancelled, "cancelled");
    });
    of.loader.reset();
    QCOMPARE(of.tier.cancelled.size(), std::size_t{2});
    QVERIFY(of.executor.clock().seconds() >= 3);
    QVERIFY(of.queue.loading_ended());
    QCOMPARE(of.lender.leased_bytes(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(PieceLoaderTest)

}  // namespace piece_loader_test

#include "piece_loader_test.moc"
