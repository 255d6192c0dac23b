// links: kv_experiments kv_tiers
// A cache whose front was computed while its back was loaded is the one that either alone gives, row for row, whatever
// fails on the way.
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <thread>

#include "core/kv/serial_chunk.h"
#include "core/load/split_queue.h"
#include "core/ports/fault_plan.h"
#include "tests/load/stored_contexts.h"
#include "tests/support/copying_store.h"
#include "tests/support/test_program.h"
#include "tiers/queued_tier.h"

namespace load_or_compute_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr TierModel fitted_link{0, 3e8, 0, 0};
constexpr PrefillModel prefill_rate{0, 6e-5, 0};  // of a machine at rest; nothing here hangs on it

const StoredContexts& contexts() {
  static const StoredContexts all(150, 256);
  return all;
}

struct Outcome {
  std::unique_ptr<KvCache> cache;
  Expected<ComputedOrLoaded> done = ComputedOrLoaded{};
};

Outcome run(const StoredContexts& of, StorageTier& tier, const StoredForm& form, std::optional<KeptMap> kept,
            ComputeOrLoadOptions options, std::size_t lent = std::size_t{64} << 20) {
  BufferPool buffers(lent);
  Outcome outcome;
  outcome.cache = std::make_unique<KvCache>(*of.runtime->pool);
  options.tier = fitted_link;
  options.prefill = prefill_rate;
  outcome.done =
      load_or_compute(*of.runtime->model, {&tier, form.header, std::move(kept)}, buffers, *outcome.cache, options);
  if (buffers.leased_bytes() != 0) qFatal("a buffer is still lent");
  return outcome;
}

double bytes_behind(const EntryHeader& header, int computed) {
  double bytes = 0;
  const auto pieces = context_pieces(header).value();
  for (std::size_t p = static_cast<std::size_t>(computed); p < pieces.size(); ++p) bytes += pieces[p].bytes;
  return bytes;
}

/// The entry with one byte of piece `piece` flipped.
std::shared_ptr<const std::vector<std::byte>> damaged(const StoredForm& form, int piece) {
  auto bytes = std::make_shared<std::vector<std::byte>>(*form.entry);
  const auto [begin, end] = chunk_range(*form.header, 3, piece, piece + 1);
  (*bytes)[(begin + end) / 2] ^= std::byte{16};
  return bytes;
}

}  // namespace

class LoadOrComputeTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to test with");
    QVERIFY2(contexts().tokens.size() > 1536, qPrintable(QString::number(contexts().tokens.size())));
  }

  void theCacheOfEitherAlone_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("removed_fraction");
    QTest::addColumn<bool>("on_disk");
    for (const bool on_disk : {false, true}) {
      const char* where = on_disk ? "disk" : "memory";
      QTest::addRow("uncompressed, %s", where) << "none" << 0.0 << on_disk;
      QTest::addRow("half, %s", where) << "snapkv" << 0.5 << on_disk;
      QTest::addRow("heads of different lengths, %s", where) << "adakv(snapkv)" << 0.8 << on_disk;
      QTest::addRow("streaming, %s", where) << "streaming_llm" << 0.7 << on_disk;
    }
  }
  void theCacheOfEitherAlone() {
    QFETCH(QString, method);
    QFETCH(double, removed_fraction);
    QFETCH(bool, on_disk);
    const StoredForm form = contexts().store(method.toStdString(), removed_fraction);
    QTemporaryDir folder;
    TierConfig config{.name = on_disk ? "ssd" : "dram"};
    if (on_disk) config.options["path"] = folder.path().toStdString();
    const auto tier = open_or_fail(config);
    write_or_fail(*tier, form);
    QVERIFY(write_kept_map(*tier, *form.cache, *form.header).has_value());
    const auto expected = contexts().answers(*form.cache);
    const int pieces = static_cast<int>(context_pieces(*form.header)->size());
    const auto tokens = static_cast<int>(contexts().tokens.size());
    QCOMPARE(pieces, (tokens + 255) / 256);

    std::vector<std::optional<int>> splits{std::nullopt};
    for (int k = 0; k <= pieces; ++k) splits.emplace_back(k);
    for (const auto& split : splits) {
      BufferPool buffers(std::size_t{1} << 20);
      auto kept = read_kept_map(*tier, buffers, *form.header);
      QVERIFY2(kept.has_value(), kept ? "" : kept.error().message.c_str());
      const Outcome outcome = run(contexts(), *tier, form, *kept, {.computed_pieces = split});
      QVERIFY2(outcome.done.has_value(), outcome.done ? "" : outcome.done.error().message.c_str());
      const ComputedOrLoaded& done = *outcome.done;
      QCOMPARE(difference(*outcome.cache, *form.cache), QString());
      if (!split || *split == pieces / 2)
        QCOMPARE(contexts().answers(*outcome.cache), expected);  // equal rows give equal answers
      if (split) QCOMPARE(done.computed_pieces, *split);
      QCOMPARE(done.computed_tokens + done.loaded_tokens, tokens);
      QCOMPARE(done.computed_tokens, std::min(tokens, 256 * done.computed_pieces));
      QCOMPARE(static_cast<double>(done.loaded_bytes), bytes_behind(*form.header, done.computed_pieces));
      QCOMPARE(done.dropped_bytes, std::uint64_t{0});
      QCOMPARE(done.damaged_pieces, 0);
      QVERIFY(done.loader.has_value());
      QVERIFY(done.predicted_seconds > 0 && done.seconds > 0);
    }
  }

  // Prefilled in chunks of 64 or 512: pieces are whole chunks of either.
  void otherChunksOfPrefill() {
    for (const int chunk : {64, 512}) {
      const StoredContexts other(110, chunk);
      const StoredForm form = other.store("none", 0);
      const auto tier = memory_tier();
      write_or_fail(*tier, form);
      const auto pieces = context_pieces(*form.header).value();
      QCOMPARE(pieces.front().tokens, std::max(256, chunk));
      for (int k = 0; k <= static_cast<int>(pieces.size()); ++k) {
        const Outcome outcome = run(other, *tier, form, {}, {.computed_pieces = k});
        QVERIFY(outcome.done.has_value());
        QCOMPARE(difference(*outcome.cache, *other.original), QString());
      }
    }
  }

  void aDamagedPieceIsComputed() {
    for (const bool compressed : {false, true}) {
      const StoredForm form = contexts().store(compressed ? "adakv(snapkv)" : "none", compressed ? 0.6 : 0.0);
      const int pieces = static_cast<int>(context_pieces(*form.header)->size());
      const auto tokens = static_cast<int>(contexts().tokens.size());
      for (const int bad : {0, 2, pieces - 1}) {
        const auto tier = memory_tier();
        write_or_fail(*tier, form, damaged(form, bad));
        const Outcome outcome = run(contexts(), *tier, form, KeptMap::of(*form.cache), {.computed_pieces = 0});
        QVERIFY2(outcome.done.has_value(), outcome.done ? "" : outcome.done.error().message.c_str());
        QCOMPARE(outcome.done->damaged_pieces, 1);
        QCOMPARE(difference(*outcome.cache, *form.cache), QString());
        QCOMPARE(outcome.done->computed_tokens + outcome.done->loaded_tokens, tokens);
        QVERIFY(outcome.done->dropped_bytes >=
                static_cast<std::uint64_t>(bytes_behind(*form.header, bad) - bytes_behind(*form.header, bad + 1)));
        // Uncompressed the piece alone; of a compressed context all before it, too, which it has to see.
        const int last = std::min(tokens, 256 * (bad + 1));
        QCOMPARE(outcome.done->computed_tokens, compressed ? last : last - 256 * bad);
        QCOMPARE(outcome.done->computed_pieces, compressed ? bad + 1 : 0);
      }
    }
  }

  void whatADiskGarblesIsNeverUsed() {
    int damaged = 0, unscathed = 0;
    for (const bool compressed : {false, true}) {
      const StoredForm form = contexts().store(compressed ? "snapkv" : "none", compressed ? 0.5 : 0.0);
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        QTemporaryDir folder;
        TierConfig config{.name = "ssd", .options = {{"path", folder.path().toStdString()}}};
        write_or_fail(*open_or_fail(config), form);
        InjectedFaults faults{.seed = seed};
        faults.plan.flip_on_read = 0.15;
        faults.plan.read_error = seed % 2 == 0 ? 0.05 : 0.0;
        config.faults = to_string(faults);
        const auto garbled = open_or_fail(config);
        const Outcome outcome = run(contexts(), *garbled, form, KeptMap::of(*form.cache), {.computed_pieces = 1});
        QVERIFY2(outcome.done.has_value(), outcome.done ? "" : outcome.done.error().message.c_str());
        QCOMPARE(difference(*outcome.cache, *form.cache), QString());
        QCOMPARE(outcome.done->computed_tokens + outcome.done->loaded_tokens,
                 static_cast<int>(contexts().tokens.size()));
        const bool whole = outcome.done->damaged_pieces == 0 && outcome.done->loader.has_value();
        ++(whole ? unscathed : damaged);
      }
    }
    QVERIFY2(damaged > 2, qPrintable(QString("%1 damaged, %2 not").arg(damaged).arg(unscathed)));
  }

  void withoutAMapAllIsLoadedAndDamageIsAnError() {
    const StoredForm form = contexts().store("snapkv", 0.5);
    const auto tier = memory_tier();
    write_or_fail(*tier, form);
    const Outcome loaded = run(contexts(), *tier, form, {}, {});
    QVERIFY(loaded.done.has_value());
    QCOMPARE(loaded.done->computed_pieces, 0);
    QCOMPARE(difference(*loaded.cache, *form.cache), QString());
    const auto bad = memory_tier();
    write_or_fail(*bad, form, damaged(form, 2));
    const Outcome failed = run(contexts(), *bad, form, {}, {});
    QVERIFY(!failed.done.has_value());
    QCOMPARE(failed.done.error().code, ErrorCode::corrupt);
    QCOMPARE(failed.cache->kept_rows(), std::size_t{0});
    // No map was written: reading one says so.
    BufferPool buffers(std::size_t{1} << 20);
    QVERIFY(!read_kept_map(*tier, buffers, *form.header).has_value());
  }

  void aTierThatHasNothingIsComputed() {
    for (const bool compressed : {false, true}) {
      const StoredForm form = contexts().store(compressed ? "snapkv" : "none", compressed ? 0.5 : 0.0);
      const auto tier = memory_tier();
      const Outcome outcome = run(contexts(), *tier, form, KeptMap::of(*form.cache), {});
      QVERIFY(outcome.done.has_value());
      QVERIFY(!outcome.done->loader.has_value());
      QCOMPARE(outcome.done->computed_tokens, static_cast<int>(contexts().tokens.size()));
      QCOMPARE(outcome.done->loaded_bytes, std::uint64_t{0});
      QCOMPARE(difference(*outcome.cache, *form.cache), QString());
    }
  }

  void aLenderThatIsTooSmallLimitsTheLoader() {
    const StoredForm form = contexts().store("none", 0);
    const auto tier = *QueuedTier::open(std::make_unique<CopyingStore>(), 0, 0, system_executor());
    write_or_fail(*tier, form);
    const std::size_t two_pieces = std::size_t{2} * 256 * form.header->shape.bytes_per_token() + 32 * 4096;
    const Outcome outcome = run(contexts(), *tier, form, {}, {.computed_pieces = 0}, two_pieces);
    QVERIFY(outcome.done.has_value());
    QVERIFY(!outcome.done->loader.has_value());
    QCOMPARE(outcome.done->loader.error().code, ErrorCode::no_space);
    QVERIFY(outcome.done->loaded_tokens > 0 && outcome.done->computed_tokens > 0);
    QCOMPARE(outcome.done->computed_tokens + outcome.done->loaded_tokens, static_cast<int>(contexts().tokens.size()));
    QCOMPARE(difference(*outcome.cache, *form.cache), QString());
  }

  void aCancelLeavesNothing() {
    const StoredForm form = contexts().store("snapkv", 0.5);
    const auto tier = memory_tier(20e6);
    write_or_fail(*tier, form);
    const std::size_t before = contexts().runtime->pool->live_blocks();
    for (const int looks : {0, 1, 7, 14}) {
      int asked = 0;
      Outcome outcome = run(contexts(), *tier, form, KeptMap::of(*form.cache),
                            {.computed_pieces = 4, .stop = [&] { return asked++ == looks; }});
      QVERIFY(!outcome.done.has_value());
      QCOMPARE(outcome.done.error().code, ErrorCode::cancelled);
      QCOMPARE(outcome.cache->kept_rows(), std::size_t{0});
      QCOMPARE(outcome.cache->sequence_length(), 0);
      QCOMPARE(contexts().runtime->pool->live_blocks(), before);
    }
    // The entry is as it was.
    const Outcome outcome = run(contexts(), *tier, form, KeptMap::of(*form.cache), {});
    QVERIFY(outcome.done.has_value());
    QCOMPARE(difference(*outcome.cache, *form.cache), QString());
  }

  void aPoolThatIsFullIsAnError() {
    const StoredForm form = contexts().store("none", 0);
    const auto tier = memory_tier();
    write_or_fail(*tier, form);
    BlockPool small(form.header->shape, 32, std::size_t{1} << 20);
    KvCache cache(small);
    BufferPool buffers(std::size_t{64} << 20);
    const auto done = load_or_compute(*contexts().runtime->model, {tier.get(), form.header, {}}, buffers, cache,
                                      {.tier = fitted_link, .prefill = prefill_rate});
    QVERIFY(!done.has_value());
    QCOMPARE(done.error().code, ErrorCode::no_space);
    QCOMPARE(small.live_blocks(), std::size_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }

  void refusals() {
    const auto tier = memory_tier();
    const StoredForm encoded = contexts().store("kivi4", 0);
    QVERIFY(encoded.header->is_encoded());
    const Outcome outcome = run(contexts(), *tier, encoded, {}, {});
    QVERIFY(!outcome.done.has_value());
    QCOMPARE(outcome.done.error().code, ErrorCode::usage);
    QVERIFY(outcome.done.error().message.find("; load all of it") != std::string::npos);
    StoredForm foreign = contexts().store("none", 0);
    EntryHeader other = *foreign.header;
    ++other.identity.numerics_version;
    foreign.header = std::make_shared<const EntryHeader>(other);
    QCOMPARE(run(contexts(), *tier, foreign, {}, {}).done.error().code, ErrorCode::rejected_input);
    other.identity.prefill_chunk_tokens = 0;
    foreign.header = std::make_shared<const EntryHeader>(other);
    QCOMPARE(run(contexts(), *tier, foreign, {}, {}).done.error().code, ErrorCode::rejected_input);
  }

  void mapsOfKeptTokens() {
    const StoredForm form = contexts().store("adakv(snapkv)", 0.8), other = contexts().store("snapkv", 0.8);
    const KeptMap map = KeptMap::of(*form.cache);
    QCOMPARE(map.rows(), form.header->kept_rows);
    const auto bytes = map.bytes(*form.header);
    QCOMPARE(bytes.size(), kept_map_bytes(*form.header));
    const auto read = KeptMap::parse(bytes, *form.header);
    QVERIFY(read.has_value());
    for (int layer = 0; layer < form.header->shape.layers; ++layer)
      for (const std::int32_t tokens : {0, 256, 700, 1 << 20}) {
        const KeptIndices kept = read->kept_below(layer, tokens);
        QCOMPARE(kept, map.kept_below(layer, tokens));
        for (int h = 0; h < form.header->shape.kv_heads; ++h) {
          QVERIFY(std::ranges::all_of(kept[static_cast<std::size_t>(h)],
                                      [&](std::int32_t position) { return position < tokens; }));
          if (tokens == 1 << 20)
            QCOMPARE(static_cast<int>(kept[static_cast<std::size_t>(h)].size()), form.cache->kept(layer, h));
        }
      }
    // Of another entry, or damaged anywhere.
    QVERIFY(!KeptMap::parse(bytes, *other.header).has_value());
    QVERIFY(!KeptMap::parse(std::span(bytes).first(4096), *form.header).has_value());
    Random random(8);
    for (int round = 0; round < 300; ++round) {
      auto damaged = bytes;
      damaged[random.below(damaged.size())] ^= std::byte{1} << random.below(8);
      const auto refused = KeptMap::parse(damaged, *form.header);
      QVERIFY(!refused.has_value());
      QCOMPARE(refused.error().code, ErrorCode::corrupt);
    }
    const auto tier = memory_tier();
    QVERIFY(!write_kept_map(*tier, *other.cache, *form.header).has_value());  // not the cache that was stored
  }

  void noPieceIsClaimedTwice() {
    const std::vector<ContextPiece> pieces(2000, {256, 1e3, 256});
    for (int round = 0; round < 20; ++round) {
      SplitQueue queue(compute_or_load_costs({0, 1e9, 0, 0}, {0, 4e-9, 0}, pieces), {}, system_executor().clock());
      std::vector<std::atomic<int>> taken(pieces.size());
      std::thread loader([&] {
        while (!queue.all_claimed()) {
          const std::uint64_t seen = queue.changes();
          if (const auto piece = queue.claim_back()) {
            ++taken[static_cast<std::size_t>(*piece)];
            queue.loaded();
          } else if (!queue.all_claimed()) {
            queue.wait(seen, 0.001);
          }
        }
        queue.end_loading();
      });
      while (!queue.over()) {
        const std::uint64_t seen = queue.changes();
        if (const auto piece = queue.claim_front()) {
          ++taken[static_cast<std::size_t>(*piece)];
          queue.computed();
        } else if (!queue.over()) {
          queue.wait(seen, 0.001);
        }
      }
      loader.join();
      for (const auto& times : taken) QCOMPARE(times.load(), 1);
    }
  }
};

KV_TEST_GUILESS_MAIN(LoadOrComputeTest)

}  // namespace load_or_compute_test

#include "load_or_compute_test.moc"
