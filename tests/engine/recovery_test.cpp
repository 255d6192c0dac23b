// links: app_wiring
// What a start, a stop and a damaged entry leave behind. In virtual time.
#include <QtTest>

#include <fstream>
#include <map>
#include <set>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace recovery_test {

using namespace kvantage;
using namespace kvantage::test;

class RecoveryTest : public QObject {
  Q_OBJECT
  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }
  static int damage_files(const std::filesystem::path& folder) {
    int damaged = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file() || entry.path().string().find("/ssd/") == std::string::npos ||
          entry.file_size() < 100000)
        continue;
      if (entry.path().filename().string().starts_with("index.")) continue;  // what is damaged is the data
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      // In every page: where an entry is depends on what was written there before, to time the tier.
      for (std::uintmax_t page = 0; page + 4096 <= entry.file_size(); page += 4096) {
        file.seekp(static_cast<std::streamoff>(page + 2048));
        file << std::string(16, '\x5a');
      }
      ++damaged;
    }
    return damaged;
  }

  static std::vector<std::filesystem::path> store_folders(const std::filesystem::path& store) {
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(store))
      if (entry.is_directory()) folders.push_back(entry.path());
    return folders;
  }
  static void change_one_weight(const std::filesystem::path& file) {
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(-64, std::ios::end);
    const auto at = stream.tellg();
    const auto before = static_cast<char>(stream.get());
    stream.seekp(at);
    stream.put(static_cast<char>(before ^ 1));  // a last bit, in the middle of nowhere
  }
  // Two tokens of the vocabulary change places.
  static void change_one_token(const std::filesystem::path& file) {
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    auto json = read_json_file(file);
    if (!json) qFatal("%s", json.error().message.c_str());
    Json& vocabulary = (*json)["model"]["vocab"];
    std::vector<std::string> words;
    for (const auto& [word, id] : vocabulary.items())
      if (word.size() > 3) words.push_back(word);
    std::swap(vocabulary[words.at(words.size() / 2)], vocabulary[words.at(words.size() / 3)]);
    std::ofstream(file) << json->dump();
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  // The first plan after a start must not throw away what nobody has asked for since.
  void evicpressKeepsWhatItStoredBeforeARestart() {
    QTemporaryDir folder;
    const Workload workload = small_workload(3, 40, 15);
    {
      auto harness = open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB"}, "evicpress");
      QVERIFY2(harness.has_value(), message(harness));
      QVERIFY((*harness)->serve("evicpress", 12).has_value());
    }
    // Frozen: what is computed again has arrived before the next request.
    auto again =
        open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB"}, "evicpress", false, {.frozen = true});
    QVERIFY2(again.has_value(), message(again));
    std::size_t stored = 0;
    for (const ContextState& context : (*again)->engine().snapshot()->contexts)
      stored += context.placement.stored() ? 1 : 0;
    QVERIFY(stored > 0);
    const auto records = (*again)->serve("evicpress", 12);
    QVERIFY2(records.has_value(), message(records));
    std::size_t hits = 0;
    for (const RequestRecord& record : *records) hits += record.source == "ssd" ? 1 : 0;
    QVERIFY2(hits + (3 - stored) >= records->size(), qPrintable(QString("%1 hits, %2 stored").arg(hits).arg(stored)));
  }

  // A start costs no hit: what a warm store gives before it, it gives after it.
  void aRestartedStoreIsAsWarmAsBefore_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("tier");  // too small for all contexts in the forms the policy may choose
    QTest::newRow("lru") << "lru"
                         << "ssd=1400KiB";
    QTest::newRow("fixed") << "fixed(knorm,0.3)"
                           << "ssd=1MiB";
    QTest::newRow("evicpress") << "evicpress"
                               << "ssd=560KiB";
  }
  void aRestartedStoreIsAsWarmAsBefore() {
    QFETCH(QString, policy);
    QFETCH(QString, tier);
    QTemporaryDir folder;
    const Workload workload = small_workload(4, 30, 19);
    const std::vector<std::string> tiers{tier.toStdString()};
    std::vector<std::string> warm_sources;
    std::map<std::string, Configuration> placed;
    {
      auto harness =
          open_virtual(folder.path().toStdString(), workload, tiers, policy.toStdString(), false, {.frozen = true});
      QVERIFY2(harness.has_value(), message(harness));
      QVERIFY((*harness)->serve(policy.toStdString(), 20).has_value());
      const auto warm = (*harness)->serve(policy.toStdString(), 20);
      QVERIFY2(warm.has_value(), message(warm));
      for (const RequestRecord& record : *warm) warm_sources.push_back(record.source);
      for (const ContextState& context : (*harness)->engine().snapshot()->contexts)
        placed[context.id] = context.placement;
    }
    const auto hits = [](const std::vector<std::string>& sources) { return std::ranges::count(sources, "ssd"); };
    // Frozen costs: decisions depend on what was stored and asked for alone, and not on how long something took.
    const auto warm_hits = hits(warm_sources);
    QVERIFY2(warm_hits > 0 && warm_hits < 20, qPrintable(QString("%1 hits: no pressure").arg(warm_hits)));
    auto again =
        open_virtual(folder.path().toStdString(), workload, tiers, policy.toStdString(), false, {.frozen = true});
    QVERIFY2(again.has_value(), message(again));
    for (const ContextState& context : (*again)->engine().snapshot()->contexts)
      QVERIFY2(context.placement == placed[context.id], context.id.c_str());
    const auto records = (*again)->serve(policy.toStdString(), 20);
    QVERIFY2(records.has_value(), message(records));
    std::vector<std::string> sources;
    for (const RequestRecord& record : *records) sources.push_back(record.source);
    QVERIFY2(hits(sources) >= warm_hits, qPrintable(QString("%1 after, %2 before").arg(hits(sources)).arg(warm_hits)));
    qInfo("%d of 20 requests were hits before, %d after", static_cast<int>(warm_hits), static_cast<int>(hits(sources)));
  }

  // Another model and another tokenizer, however little they differ, get nothing of the first one's store: not through
  // the folder it is in, and not where its files are put into theirs.
  void entriesOfAnotherModelOrTokenizerAreNeverServed_data() {
    QTest::addColumn<bool>("weights");
    QTest::newRow("another weight") << true;
    QTest::newRow("another token") << false;
  }
  void entriesOfAnotherModelOrTokenizerAreNeverServed() {
    QFETCH(bool, weights);
    QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    const Workload workload = small_workload(3, 20, 21);
    const std::vector<std::string> tiers{"ssd=64MiB"};
    {
      auto first = open_virtual(root, workload, tiers, "lru", false, {}, ModelKind::real);
      QVERIFY2(first.has_value(), message(first));
      QVERIFY((*first)->serve("lru", 12).has_value());
    }
    const std::vector<std::filesystem::path> before = store_folders(root / "store");
    QCOMPARE(before.size(), std::size_t{1});

    const std::filesystem::path other = root / "model";
    std::filesystem::copy(model_directory(), other, std::filesystem::copy_options::recursive);
    std::filesystem::permissions(other, std::filesystem::perms::owner_all);
    if (weights)
      change_one_weight(other / "model.safetensors");
    else
      change_one_token(other / "tokenizer.json");

    const HarnessOptions with{.model = other};
    std::vector<RequestRecord> alone;
    {
      auto second = open_virtual(root, workload, tiers, "lru", false, with, ModelKind::real);
      QVERIFY2(second.has_value(), message(second));
      for (const ContextState& context : (*second)->engine().snapshot()->contexts) QVERIFY(!context.placement.stored());
      const auto records = (*second)->serve("lru", 12);
      QVERIFY2(records.has_value(), message(records));
      std::set<std::string> seen;
      for (const RequestRecord& record : *records)
        if (seen.insert(record.context_id).second) QCOMPARE(record.source, std::string("prefill"));
      alone = *records;
    }
    // The first one's tier in the place of the second one's.
    const std::vector<std::filesystem::path> both = store_folders(root / "store");
    QCOMPARE(both.size(), std::size_t{2});
    const std::filesystem::path theirs = both[0] == before[0] ? both[1] : both[0];
    std::filesystem::remove_all(theirs / "ssd");
    std::filesystem::remove_all(theirs / "archive");
    std::filesystem::copy(before[0], theirs, std::filesystem::copy_options::recursive);
    auto third = open_virtual(root, workload, tiers, "lru", false, with, ModelKind::real);
    QVERIFY2(third.has_value(), message(third));
    for (const ContextState& context : (*third)->engine().snapshot()->contexts)
      QVERIFY(!context.placement.stored() && !context.archived);
    const auto records = (*third)->serve("lru", 12);
    QVERIFY2(records.has_value(), message(records));
    QCOMPARE(records->size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      // What is still on its way to the disk is served from memory: how far that is, is the disk's affair.
      const auto kept_in = [](const RequestRecord& record) {
        return record.source == "write-back" ? std::string("ssd") : record.source;
      };
      QCOMPARE(kept_in((*records)[i]), kept_in(alone[i]));
      QCOMPARE((*records)[i].answer, alone[i].answer);
    }
  }

  // The entry that failed belongs to another context than the one asked about: that other one is dropped.
  void aDamagedPrefixIsDroppedAndNotReadAgain() {
    QTemporaryDir folder;
    Workload workload = growing_session(60, 11);
    // An order that asks the shorter one, then the longer one.
    const auto in_order = [&] {
      const auto requests = workload.requests(2, SessionOptions{}.seed);
      return requests[0].context == 0 && requests[1].context == 1;
    };
    while (!in_order()) ++workload.seed;
    auto harness = open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB"}, "lru", true);
    QVERIFY2(harness.has_value(), message(harness));
    Engine& engine = (*harness)->engine();
    const auto& sink = (*harness)->sink;
    engine.step();
    QVERIFY(pass_until(**harness, [&] { return sink.records().size() == 1; }));
    QVERIFY(pass_until(**harness, [&] { return !sink.all<events::PlacementCommitted>().empty(); }));
    QCOMPARE(sink.records()[0].context_id, std::string("c0"));
    QCOMPARE(damage_files(folder.path().toStdString() + "/store"), 1);
    engine.step();
    QVERIFY(pass_until(**harness, [&] { return sink.records().size() == 2; }));
    const RequestRecord asked = sink.records()[1];
    QCOMPARE(asked.context_id, std::string("longer"));
    QCOMPARE(asked.miss_reason, std::string("corrupt"));
    const auto failed = sink.all<events::ReadFailed>();
    QCOMPARE(failed.size(), std::size_t{1});
    const auto shorter = [&engine] {  // contexts come in the order of their keys
      const auto snapshot = engine.snapshot();
      return *std::ranges::find(snapshot->contexts, std::string("c0"), &ContextState::id);
    };
    QVERIFY(failed[0].context == shorter().key);
    QVERIFY(pass_until(**harness, [&] { return !shorter().placement.stored(); }));
  }

  // A write that would take minutes does not hold the end up.
  void closingDuringASlowWriteIsPrompt() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(3, 60, 23), {"ssd=64MiB"}, "lru");
    QVERIFY2(harness.has_value(), message(harness));
    Engine& engine = (*harness)->engine();
    constexpr double bytes_per_second = 20e3;
    SessionSettings settings = engine.settings();
    settings.tiers[0].throttle.bytes_per_second = bytes_per_second;
    QVERIFY(engine.apply(settings).has_value());
    engine.start();
    QVERIFY(pass_until(**harness, [&] { return !(*harness)->sink.records().empty(); }));
    pass(**harness, 0.2);  // its cache is being written
    const double write_seconds = static_cast<double>(engine.snapshot()->contexts[0].full_bytes) / bytes_per_second;
    QVERIFY(write_seconds > 15);
    const auto executor = (*harness)->executor;
    const double begin = executor->clock().seconds();
    harness->reset();
    const double took = executor->clock().seconds() - begin;
    QVERIFY2(took < 1, qPrintable(QString::number(took)));
  }
};

KV_TEST_GUILESS_MAIN(RecoveryTest)

}  // namespace recovery_test

#include "recovery_test.moc"
