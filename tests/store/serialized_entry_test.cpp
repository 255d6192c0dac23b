// links: core_store tiers
// How entries are made of caches, without store and tiers.
#include "core/store/serialized_entry.h"

#include <QtTest>

#include "core/load/kept_map.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace serialized_entry_test {

using namespace kvantage;
using namespace kvantage::test;

struct Making {
  Original original(std::size_t context, bool with_queries = true) {
    Prefilled made = prefilled(parts, context);
    return {std::move(made.cache),
            observation_of(*parts.runtime, with_queries ? std::move(made.queries) : WindowQueries{})};
  }
  /// What a reader gets of the entry's bytes.
  KvCache read(const SerializedEntry& entry) {
    KvCache cache(*parts.runtime->pool);
    LoadTask task(entry.bytes, entry.header, false);
    if (const auto loaded = load_whole(task, cache, false); !loaded) qFatal("%s", loaded.error().error.message.c_str());
    return cache;
  }
  const std::vector<std::int32_t>& tokens(std::size_t context) { return parts.catalog->details(context).tokens; }
  std::size_t all_rows(std::size_t context) {
    const KvShape shape = parts.runtime->model->kv_shape();
    return tokens(context).size() * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads);
  }
  ModelParts parts{small_workload(2, 8, 3), with_pool(16 << 20)};
  EntryMaker maker{*parts.runtime, *parts.catalog};
};

class SerializedEntryTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aLabelIsReadAsItWasWritten() {
    const EntryLabel label{{.high = 0x12, .low = 0xfedcba9876543210}, "adakv(snapkv(window=32))", 0.3};
    const auto read = EntryLabel::parse(label.text());
    QVERIFY(read.has_value());
    QVERIFY(read->context == label.context && read->method == label.method);
    QCOMPARE(read->removed_fraction, 0.3);
  }

  void whatNoSessionWroteHasNoLabel() {
    const std::string hex(32, '1');
    for (const std::string& text :
         {std::string(), std::string("by something else"), std::string("{"), std::string("[]"), std::string("7"),
          R"({"method":"none","removed_fraction":0.0})" + std::string(),
          R"({"context":")" + hex + R"(","removed_fraction":0.0})", R"({"context":")" + hex + R"(","method":"none"})",
          R"({"context":")" + hex + R"(","method":3,"removed_fraction":0.0})",
          R"({"context":")" + hex + R"(","method":"none","removed_fraction":"much"})",
          R"({"context":")" + hex.substr(1) + R"(","method":"none","removed_fraction":0.0})"})
      QVERIFY2(!EntryLabel::parse(text), text.c_str());
    QVERIFY(EntryLabel::parse(R"({"context":")" + hex + R"(","method":"none","removed_fraction":0.0})"));
  }

  void anEntryDescribesItself() {
    Making making;
    const Original original = making.original(0);
    const SerializedEntry entry = making.maker.serialize(0, original.cache, nullptr, {.tier = 0}).value();
    const ContextState& state = making.parts.catalog->state(0);
    QCOMPARE(entry.info.bytes, std::uint64_t{entry.bytes->size()});
    QCOMPARE(entry.info.bytes, state.full_bytes);
    QVERIFY(entry.info.key == entry_key({state.key}, "none", 0));
    QVERIFY(EntryLabel::parse(entry.info.label)->context == state.key);
    const EntryHeader read = parse_entry_header(*entry.bytes).value();
    QCOMPARE(entry.info.header_bytes, read.header_bytes);
    QVERIFY(read.key() == entry.info.key && entry.header->key() == entry.info.key);
    QVERIFY(read.token_ids == making.tokens(0) && entry.header->token_ids == making.tokens(0));
    QVERIFY(!read.has_window_queries());
    QVERIFY(entry.kept_map == nullptr);  // it keeps all
    QVERIFY(test::digest_of(making.read(entry)) == test::digest_of(original.cache));
    const SerializedEntry other = making.maker.serialize(1, making.original(1).cache, nullptr, {.tier = 0}).value();
    QVERIFY(other.info.key != entry.info.key);
  }

  void queriesAreKeptBesideAnOriginal() {
    Making making;
    const Original original = making.original(0);
    const WindowQueries none;
    const auto plain = making.maker.serialize(0, original.cache, &none, {.tier = 0}).value();
    QVERIFY(!plain.header->has_window_queries());
    const auto entry = making.maker.serialize(0, original.cache, &original.observed.queries, {.tier = 0}).value();
    QVERIFY(entry.info.bytes > plain.info.bytes && entry.info.key == plain.info.key);
    KvCache cache(*making.parts.runtime->pool);
    LoadTask task(entry.bytes, entry.header, true);
    const auto loaded = load_whole(task, cache, true);
    QVERIFY(loaded.has_value());
    QVERIFY(loaded->queries.window > 0 && loaded->queries.window == original.observed.queries.window);
    QVERIFY(loaded->queries.layers == original.observed.queries.layers);
  }

  void aCacheOfAnotherContextIsRefused() {
    Making making;
    KvCache cache = making.original(0).cache;
    cache.truncate(cache.sequence_length() - 1);
    cache.set_sequence_length(cache.sequence_length() - 1);
    const auto entry = making.maker.serialize(0, cache, nullptr, {.tier = 0});
    QVERIFY(!entry && entry.error().code == ErrorCode::internal);
  }

  void aCompressedEntryKeepsFewerRowsAndLeavesTheOriginal() {
    Making making;
    Original original = making.original(0);
    const Digest128 before = test::digest_of(original.cache);
    const Configuration half{.tier = 0, .method = "knorm", .removed_fraction = 0.5};
    const SerializedEntry entry = making.maker.compress(0, original, half, {}).value();
    QVERIFY(test::digest_of(original.cache) == before);
    QVERIFY(entry.info.key == entry_key({making.parts.catalog->state(0).key}, "knorm", 0.5));
    const auto label = EntryLabel::parse(entry.info.label);
    QVERIFY(label && label->method == "knorm" && label->removed_fraction == 0.5);
    QVERIFY(entry.info.bytes < making.parts.catalog->state(0).full_bytes);
    const KvCache read = making.read(entry);
    QCOMPARE(read.kept_rows(), std::size_t{entry.header->kept_rows});
    QVERIFY(read.kept_rows() > making.all_rows(0) * 2 / 5 && read.kept_rows() < making.all_rows(0) * 3 / 5);
    QCOMPARE(read.sequence_length(), original.cache.sequence_length());
    // The map beside it names the tokens that the reader finds.
    QVERIFY(entry.kept_map != nullptr);
    QVERIFY(KeptMap::parse(*entry.kept_map, *entry.header).has_value());
    QVERIFY(*entry.kept_map == KeptMap::of(read).bytes(*entry.header));
    const SerializedEntry again = making.maker.compress(0, original, half, {}).value();
    QVERIFY(*again.bytes == *entry.bytes);
  }

  void withoutAMethodItIsTheOriginal() {
    Making making;
    Original original = making.original(0);
    const auto compressed = making.maker.compress(0, original, {.tier = 0}, {}).value();
    const auto serialized = making.maker.serialize(0, original.cache, nullptr, {.tier = 0}).value();
    QVERIFY(*compressed.bytes == *serialized.bytes);
    QVERIFY(compressed.info.label == serialized.info.label);
  }

  void aCodecsEntryIsEncodedAndHasNoMap() {
    Making making;
    Original original = making.original(0);
    const auto entry = making.maker.compress(0, original, {.tier = 0, .method = "fp8"}, {}).value();
    QVERIFY(entry.header->compression.codec == "fp8" && parse_entry_header(*entry.bytes)->is_encoded());
    QVERIFY(entry.info.bytes < making.parts.catalog->state(0).full_bytes * 2 / 3);
    QVERIFY(entry.kept_map == nullptr);
  }

  // By one more run of the model, and once: what is observed stays with the original.
  void whatAMethodNeedsIsObservedOnce() {
    Making making;
    Original original = making.original(0, false);
    const Configuration to{.tier = 0, .method = "snapkv", .removed_fraction = 0.5};
    bool stops = true;
    int asked = 0;
    const auto stop = [&] { return ++asked, stops; };
    const auto stopped = making.maker.compress(0, original, to, stop);
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QVERIFY(asked > 0 && original.observed.queries.empty());
    stops = false;
    const auto entry = making.maker.compress(0, original, to, stop);
    QVERIFY(entry.has_value());
    QVERIFY(!original.observed.queries.empty());
    stops = true;
    const int before = asked;
    const auto again = making.maker.compress(0, original, to, stop);
    QVERIFY(again.has_value() && *again->bytes == *entry->bytes);
    QCOMPARE(asked, before);
    // The queries of the prefill itself lead to the same entry.
    Original complete = making.original(0);
    QVERIFY(*making.maker.compress(0, complete, to, stop)->bytes == *entry->bytes);
  }

  void whatCannotBeMadeIsAnError() {
    Making making;
    Original original = making.original(0);
    const auto unknown = making.maker.compress(0, original, {.tier = 0, .method = "nosuch"}, {});
    QVERIFY(!unknown && unknown.error().code == ErrorCode::usage);
    const auto all = making.maker.compress(0, original, {.tier = 0, .method = "knorm", .removed_fraction = 1}, {});
    QVERIFY(!all && all.error().code == ErrorCode::usage);
    const Digest128 before = test::digest_of(original.cache);
    {
      const HeldBlocks held(*making.parts.runtime->pool);
      const auto full = making.maker.compress(0, original, {.tier = 0, .method = "knorm", .removed_fraction = 0.5}, {});
      QVERIFY(!full && full.error().code == ErrorCode::no_space);
    }
    QVERIFY(test::digest_of(original.cache) == before);
  }
};

KV_TEST_GUILESS_MAIN(SerializedEntryTest)

}  // namespace serialized_entry_test

#include "serialized_entry_test.moc"
