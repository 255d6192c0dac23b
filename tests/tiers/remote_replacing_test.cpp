// links: kv_base kv_tiers
// A version that another workbench put in the place of the one a reader knew: the reader misses, never gets wrong
// bytes, takes nothing from the one who wrote it, and reads the new version next.
#include <atomic>
#include <thread>

#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"

namespace remote_replacing_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::RedisServer;

namespace {

constexpr double never = 3600;  // between two looks at what others did

/// What a reader asks for once it knows the header: one extent per layer, with the sums of the version it knew.
std::vector<ReadExtent> layers_of(const Bytes& bytes) {
  std::vector<ReadExtent> layers;
  const std::uint64_t layer = (bytes.size() - 4096) / 4;
  for (std::uint64_t i = 0; i < 4; ++i) layers.push_back(extent_of(bytes, 4096 + i * layer, layer));
  return layers;
}

/// The header, then the layers, as a reader who knows nothing of the entry does; true when all of it is `bytes`.
bool rereads(StorageTier& tier, BufferLender& pool, const Bytes& bytes) {
  const ReadOutcome header = read_extents(tier, pool, "entry", {{0, 4096, {}}});
  if (!header.ok() || !std::equal(header.extents[0].begin(), header.extents[0].end(), bytes.begin())) return false;
  return read_extents(tier, pool, "entry", layers_of(bytes)).ok() &&
         read_entry(tier, pool, "entry", bytes).extents[0] == bytes;
}

}  // namespace

class RemoteReplacingTest : public QObject {
  Q_OBJECT

 private:
  BufferPool pool_{256 << 20};

  static void sizes() {
    QTest::addColumn<int>("newer_bytes");
    QTest::newRow("as long") << 2500000;
    QTest::newRow("longer") << 3700000;
    QTest::newRow("shorter") << 900000;
    QTest::newRow("a header and little more") << 5000;
  }

  static std::string said(const ReadOutcome& outcome) {
    for (const Status& status : outcome.statuses)
      if (!status) return status.error().message;
    return "no error";
  }

 private slots:
  void initTestCase() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  // The tier has seen the new version, the reader has the header of the old one.
  void sumsOfTheVersionBeforeSayNothingAgainstTheOneAfter_data() { sizes(); }
  void sumsOfTheVersionBeforeSayNothingAgainstTheOneAfter() {
    QFETCH(int, newer_bytes);
    RedisServer server;
    auto writer = open_remote(options_for(server));
    const auto reader = open_remote(options_for(server));
    const auto older = random_bytes(1, 2500000), newer = random_bytes(2, static_cast<std::size_t>(newer_bytes));
    QVERIFY(write_entry(*writer, "entry", older));
    QVERIFY(eventually([&] { return reader->contains(key_of("entry")); }));
    QVERIFY(read_extents(*reader, pool_, "entry", layers_of(*older)).ok());
    QVERIFY(write_entry(*writer, "entry", newer));
    QVERIFY(eventually([&] { return reader->statistics().appeared == 2; }));

    const ReadOutcome outcome = read_extents(*reader, pool_, "entry", layers_of(*older));
    QVERIFY(!outcome.ok());
    for (const Bytes& layer : outcome.extents) QVERIFY(layer.empty());
    QVERIFY2(misses(*reader, "replaced") == 1, said(outcome).c_str());
    QCOMPARE(reader->statistics().dropped, std::uint64_t{0});
    QVERIFY(reader->contains(key_of("entry")));
    QVERIFY(rereads(*reader, pool_, *newer));
    QVERIFY(rereads(*writer, pool_, *newer));
    // It is in the store, not only in what these two remember, and outlives its writer.
    writer.reset();
    const auto third = open_remote(options_for(server));
    QVERIFY(rereads(*third, pool_, *newer));
  }

  // Neither the reader nor its tier has seen the new version: what it knew is gone from the server.
  void aReadThatFindsItsVersionGoneFindsTheOneInItsPlace_data() { sizes(); }
  void aReadThatFindsItsVersionGoneFindsTheOneInItsPlace() {
    QFETCH(int, newer_bytes);
    RedisServer server;
    const auto writer = open_remote(options_for(server));
    const auto older = random_bytes(1, 2500000), newer = random_bytes(2, static_cast<std::size_t>(newer_bytes));
    QVERIFY(write_entry(*writer, "entry", older));
    RedisStoreOptions options = options_for(server);
    options.poll_seconds = never;
    const auto reader = open_remote(options);
    QVERIFY(rereads(*reader, pool_, *older));
    QVERIFY(write_entry(*writer, "entry", newer));
    const auto chunks = static_cast<qsizetype>((newer->size() + (1 << 20) - 1) >> 20);
    QVERIFY(eventually([&] { return chunk_keys(server).size() == chunks; }));

    const std::uint64_t generation = reader->generation();
    const ReadOutcome outcome = read_extents(*reader, pool_, "entry", layers_of(*older));
    QVERIFY(!outcome.ok());
    QVERIFY2(misses(*reader, "replaced") == 1, said(outcome).c_str());
    QCOMPARE(reader->statistics().dropped, std::uint64_t{0});
    // At once, without another look at the store: whoever asks again gets what the other wrote.
    QVERIFY(reader->generation() > generation);
    QCOMPARE(reader->entries().size(), std::size_t{1});
    QCOMPARE(reader->entries()[0].bytes, newer->size());
    QCOMPARE(reader->used_bytes(), newer->size());
    QVERIFY(rereads(*reader, pool_, *newer));
    QVERIFY(rereads(*writer, pool_, *newer));
  }

  // What another erased has no version in its place: that is no replacement.
  void aVersionThatWasErasedIsMissing() {
    RedisServer server;
    const auto writer = open_remote(options_for(server));
    const auto bytes = random_bytes(1, 2500000);
    QVERIFY(write_entry(*writer, "entry", bytes));
    RedisStoreOptions options = options_for(server);
    options.poll_seconds = never;
    const auto reader = open_remote(options);
    QVERIFY(writer->erase(key_of("entry")));
    QVERIFY(eventually([&] { return chunk_keys(server).isEmpty(); }));
    QVERIFY(!read_entry(*reader, pool_, "entry", *bytes).ok());
    QCOMPARE(misses(*reader, "missing"), std::uint64_t{1});
    QCOMPARE(misses(*reader, "replaced"), std::uint64_t{0});
    QVERIFY(!reader->contains(key_of("entry")));
  }

  // A new version that is spoiled is condemned as any other, whatever sums the reader came with.
  void aDamagedVersionIsCondemnedThoughTheReaderKnewAnother() {
    RedisServer server;
    const auto writer = open_remote(options_for(server)), reader = open_remote(options_for(server));
    const auto older = random_bytes(1, 2500000), newer = random_bytes(2, 2500000);
    QVERIFY(write_entry(*writer, "entry", older));
    QVERIFY(eventually([&] { return reader->contains(key_of("entry")); }));
    QVERIFY(write_entry(*writer, "entry", newer));
    QVERIFY(eventually([&] { return reader->statistics().appeared == 2; }));
    QVERIFY(eventually([&] { return chunk_keys(server).size() == 3; }));
    server.cli({"SETRANGE", chunk_keys(server).constLast(), "100", "spoilt"});
    QVERIFY(!read_extents(*reader, pool_, "entry", layers_of(*older)).ok());
    QCOMPARE(misses(*reader, "checksum"), std::uint64_t{1});
    QCOMPARE(misses(*reader, "replaced"), std::uint64_t{0});
    QVERIFY(eventually([&] { return !writer->contains(key_of("entry")); }));
    QVERIFY(eventually([&] { return chunk_keys(server).isEmpty(); }));
  }

  // An erase means the version its tier knows: neither before nor after it learned of another's does that one go.
  void anEraseLeavesTheVersionThatAnotherPutThere_data() {
    QTest::addColumn<bool>("learned");
    QTest::newRow("not seen yet") << false;
    QTest::newRow("seen") << true;
  }
  void anEraseLeavesTheVersionThatAnotherPutThere() {
    QFETCH(bool, learned);
    RedisServer server;
    const auto writer = open_remote(options_for(server));
    RedisStoreOptions options = options_for(server);
    if (!learned) options.poll_seconds = never;
    auto eraser = open_remote(options);
    const auto older = random_bytes(1, 1500000), newer = random_bytes(2, 1300000);
    QVERIFY(write_entry(*eraser, "entry", older));
    QVERIFY(write_entry(*writer, "entry", newer));
    if (learned) QVERIFY(eventually([&] { return eraser->used_bytes() == newer->size(); }));
    QVERIFY(eraser->erase(key_of("entry")));
    QVERIFY(!eraser->contains(key_of("entry")));
    eraser.reset();  // by now it has done what it had to do
    QVERIFY(rereads(*writer, pool_, *newer));
    const auto third = open_remote(options_for(server));
    QVERIFY(rereads(*third, pool_, *newer));
    QVERIFY(eventually([&] { return chunk_keys(server).size() == 2; }));
  }

  // Two that keep replacing what the other reads: each read is the version its sums belong to, or a miss, and the last
  // version written stands.
  void readersOfAnEntryThatIsReplacedAllTheTimeGetItsVersionsOrMisses() {
    RedisServer server;
    const auto writer = open_remote(options_for(server)), reader = open_remote(options_for(server));
    std::vector<std::shared_ptr<const Bytes>> versions;
    for (std::uint64_t i = 0; i < 6; ++i) versions.push_back(random_bytes(i + 1, 1200000 + 90000 * i));
    QVERIFY(write_entry(*writer, "entry", versions[0]));
    QVERIFY(eventually([&] { return reader->contains(key_of("entry")); }));
    std::atomic<bool> ended{false};
    std::atomic<int> written{0}, refused{0};
    std::thread thread([&] {
      for (std::size_t i = 1; i <= 60; ++i) {
        if (!write_entry(*writer, "entry", versions[i % versions.size()])) ++refused;
        ++written;
      }
      ended = true;
    });
    std::uint64_t right = 0, wrong = 0, missed = 0;
    for (std::size_t i = 0; !ended; ++i) {
      const Bytes& known = *versions[i % versions.size()];
      const ReadOutcome outcome = read_entry(*reader, pool_, "entry", known);
      if (outcome.ok())
        ++(outcome.extents[0] == known ? right : wrong);
      else
        ++missed;
    }
    thread.join();
    QCOMPARE(refused.load(), 0);
    QCOMPARE(wrong, std::uint64_t{0});
    QVERIFY(missed > 0);
    QCOMPARE(reader->statistics().dropped, std::uint64_t{0});
    const Bytes& last = *versions[60 % versions.size()];
    QVERIFY(eventually([&] { return reader->used_bytes() == last.size(); }));
    QVERIFY(rereads(*reader, pool_, last));
    QVERIFY(rereads(*writer, pool_, last));
    qInfo("%d versions written; %llu reads right, %llu missed (%llu replaced)", written.load(),
          static_cast<unsigned long long>(right), static_cast<unsigned long long>(missed),
          static_cast<unsigned long long>(misses(*reader, "replaced")));
  }
};

KV_TEST_GUILESS_MAIN(RemoteReplacingTest)

}  // namespace remote_replacing_test

#include "remote_replacing_test.moc"
