// links: kv_base kv_tiers
// The remote tier when its server is killed, frozen, emptied or spoiled: misses, never wrong bytes, and it recovers.
#include <atomic>
#include <thread>

#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"

namespace remote_faults_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::RedisServer;

class RemoteFaultsTest : public QObject {
  Q_OBJECT

 private:
  BufferPool pool_{256 << 20};

 private slots:
  void initTestCase() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void aServerThatIsNotThereIsNoErrorAndIsFoundLater() {
    RedisServer server;
    server.kill();
    const auto tier = open_remote(options_for(server));
    QVERIFY(!tier->reachable());
    const QString note = QString::fromStdString(tier->describe().note);
    QVERIFY2(note.contains("not reachable: redis://127.0.0.1:") && note.contains("retrying"), qPrintable(note));
    const auto bytes = random_bytes(1, 100000);
    QCOMPARE(write_entry(*tier, "entry", bytes).error().code, ErrorCode::io);
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::not_found);
    const std::uint64_t generation = tier->generation();  // before it can be found
    server.start();
    QVERIFY(eventually([&] { return tier->reachable(); }));
    QVERIFY(eventually([&] { return tier->generation() > generation; }));
    QVERIFY(write_entry(*tier, "entry", bytes));
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
    QVERIFY(!QString::fromStdString(tier->describe().note).contains("not reachable"));
  }

  void aServerWithItsDataOnDiskHasAllEntriesAgain() {
    RedisServer server({"--appendonly", "yes", "--appendfsync", "always"});
    const auto tier = open_remote(options_for(server));
    const auto bytes = random_bytes(1, 3000000);
    QVERIFY(write_entry(*tier, "entry", bytes));
    for (int round = 0; round < 3; ++round) {
      server.kill();
      // Before and after anyone noticed: misses of their own kind, the entry is not blamed.
      for (int i = 0; i < 20; ++i) {
        const ReadOutcome outcome = read_entry(*tier, pool_, "entry", *bytes);
        QVERIFY(!outcome.ok());
        QCOMPARE(outcome.code(), ErrorCode::io);
      }
      QCOMPARE(misses(*tier, "unavailable"), static_cast<std::uint64_t>(20 * (round + 1)));
      QVERIFY(tier->contains(key_of("entry")));
      server.start();
      QVERIFY(eventually([&] { return tier->reachable(); }));
      const ReadOutcome outcome = read_entry(*tier, pool_, "entry", *bytes);
      QVERIFY2(outcome.ok(), outcome.ok() ? "" : outcome.statuses[0].error().message.c_str());
      QVERIFY(outcome.extents[0] == *bytes);
    }
    QCOMPARE(tier->statistics().dropped, std::uint64_t{0});
  }

  void aServerThatForgotEverythingIsAnEmptyStore() {
    RedisServer server;
    const auto tier = open_remote(options_for(server));
    const auto bytes = random_bytes(1, 300000);
    for (int i = 0; i < 5; ++i) QVERIFY(write_entry(*tier, std::to_string(i), bytes));
    server.kill();
    server.start();
    QVERIFY(eventually([&] { return tier->reachable() && tier->entries().empty(); }));
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QVERIFY(write_entry(*tier, "0", bytes));
    QVERIFY(read_entry(*tier, pool_, "0", *bytes).ok());
    // The same by FLUSHALL, without any break of the connection.
    server.cli({"FLUSHALL"});
    QVERIFY(eventually([&] { return tier->entries().empty(); }));
    QVERIFY(write_entry(*tier, "0", bytes));
    QVERIFY(read_entry(*tier, pool_, "0", *bytes).ok());
  }

  void killedInTheMiddleOfEverythingNoByteIsWrong() {
    RedisServer server({"--appendonly", "yes", "--appendfsync", "no"});
    const auto tier = open_remote(options_for(server));
    constexpr int keys = 12;
    std::vector<std::shared_ptr<const Bytes>> contents;
    for (int key = 0; key < keys; ++key)
      contents.push_back(
          random_bytes(static_cast<std::uint64_t>(key), 200000 + static_cast<std::size_t>(key) * 500001));
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0}, right{0}, missed{0}, written{0}, refused{0};
    std::vector<std::thread> threads;
    for (int seed = 0; seed < 3; ++seed)
      threads.emplace_back([&, seed] {
        Random random(static_cast<std::uint64_t>(seed) + 10);
        while (!stop) {
          const auto key = static_cast<std::size_t>(random.below(keys));
          const std::string name = std::to_string(key);
          if (random.below(3) == 0) {
            ++(write_entry(*tier, name, contents[key]) ? written : refused);
          } else if (random.below(10) == 0) {
            (void)tier->erase(key_of(name));
          } else {
            const ReadOutcome outcome = read_entry(*tier, pool_, name, *contents[key]);
            if (!outcome.ok())
              ++(outcome.code() == ErrorCode::corrupt ? wrong : missed);
            else
              ++(outcome.extents[0] == *contents[key] ? right : wrong);
          }
        }
      });
    for (int round = 0; round < 6; ++round) {
      const int before = right;
      if (!eventually([&] { return right >= before + 20; })) qFatal("no read succeeded after a restart");
      server.kill();
      const int missed_before = missed;
      (void)eventually([&] { return missed > missed_before; });
      server.start();
    }
    const int before = right;
    const bool came_back = eventually([&] { return right >= before + 20; });
    stop = true;
    for (std::thread& thread : threads) thread.join();
    QVERIFY(came_back);
    QCOMPARE(wrong.load(), 0);
    QVERIFY(right > 0 && missed > 0 && written > 0 && refused > 0);
    QVERIFY(misses(*tier, "unavailable") > 0);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void aFrozenServerIsAMissAfterTheTimeOut() {
    RedisServer server;
    RedisStoreOptions options = options_for(server);
    options.timeouts = {0.3, 0.3};
    const auto tier = open_remote(options);
    const auto bytes = random_bytes(1, 5 << 20);
    QVERIFY(write_entry(*tier, "entry", bytes));
    server.freeze();
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::io);
    QVERIFY(timer.elapsed() >= 250);
    // Known by now: no one waits any more.
    for (int i = 0; i < 100; ++i) QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::io);
    QCOMPARE(write_entry(*tier, "other", bytes).error().code, ErrorCode::io);
    QVERIFY(misses(*tier, "unavailable") >= 101);
    server.thaw();
    QVERIFY(eventually([&] { return tier->reachable(); }));
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
  }

  void aReadOfAFrozenServerCanBeCancelled() {
    RedisServer server;
    RedisStoreOptions options = options_for(server);
    options.timeouts = {120, 120};
    options.poll_seconds = 1000;
    const auto tier = open_remote(options);
    const auto bytes = random_bytes(1, 5 << 20);
    QVERIFY(write_entry(*tier, "entry", bytes));
    server.freeze();
    CompletionQueue queue(system_executor().clock());
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
    const Ticket ticket = tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
    QTest::qSleep(50);
    tier->cancel(ticket);
    const auto done = queue.wait(60);
    QCOMPARE(done.size(), std::size_t{1});
    QCOMPARE(done[0].status.error().code, ErrorCode::cancelled);
    QVERIFY(tier->contains(key_of("entry")));
    server.thaw();
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
  }

  void aDamagedChunkIsAMissAndTheEntryGoes_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("reason");
    QTest::newRow("a byte flipped") << "SETRANGE"
                                    << "checksum";
    QTest::newRow("deleted") << "DEL"
                             << "missing";
    QTest::newRow("shorter") << "SET"
                             << "truncated";
    QTest::newRow("longer") << "APPEND"
                            << "truncated";
    QTest::newRow("something else") << "LIST"
                                    << "checksum";
  }
  void aDamagedChunkIsAMissAndTheEntryGoes() {
    QFETCH(QString, fault);
    QFETCH(QString, reason);
    RedisServer server;
    const auto tier = open_remote(options_for(server));
    const auto bytes = random_bytes(1, (5 << 20) + 100);
    const QByteArray kind = reason.toLatin1();
    for (int chunk = 0; chunk < 6; ++chunk) {
      QVERIFY(write_entry(*tier, "entry", bytes));
      const QStringList keys = chunk_keys(server);
      QCOMPARE(keys.size(), 6);
      const QString key = keys[chunk];
      if (fault == "SETRANGE") {
        const auto at = (std::size_t{1} << 20) * static_cast<std::size_t>(chunk) + 50;
        server.cli({"SETRANGE", key, "50", (*bytes)[at] == std::byte{'!'} ? "~" : "!"});
      } else if (fault == "LIST") {
        server.cli({"DEL", key});
        server.cli({"RPUSH", key, "x"});
      } else {
        server.cli(fault == "DEL" ? QStringList{fault, key} : QStringList{fault, key, "short"});
      }
      // Whole, and in parts that start within chunks.
      const ReadOutcome outcome =
          chunk % 2 == 0 ? read_entry(*tier, pool_, "entry", *bytes)
                         : read_extents(*tier, pool_, "entry",
                                        {extent_of(*bytes, 0, 4096), extent_of(*bytes, 4096, bytes->size() - 4096)});
      QVERIFY(!outcome.ok());
      const bool partly = chunk % 2 == 1 && fault == "APPEND";
      if (!partly) QCOMPARE(misses(*tier, kind.constData()), static_cast<std::uint64_t>(chunk + 1));
      QVERIFY(!tier->contains(key_of("entry")));
      // For everybody, and nothing of it stays.
      QVERIFY(eventually([&] { return chunk_keys(server).isEmpty(); }));
    }
  }

  void aDamagedHeaderIsNotServed() {
    RedisServer server;
    const auto bytes = random_bytes(1, 1000000);
    QVERIFY(write_entry(*open_remote(options_for(server)), "entry", bytes));
    const QString headers = server.keys("*:headers").value(0);
    server.cli({"HSET", headers, QString::fromStdString(key_of("entry").hex()), "KVSTORE1 nonsense"});
    const auto tier = open_remote(options_for(server));
    QVERIFY(!tier->contains(key_of("entry")));
    QVERIFY(eventually([&] { return chunk_keys(server).isEmpty(); }));
  }

  void aFullServerRefusesAndKeepsNothingOfIt() {
    RedisServer server({"--maxmemory", "30mb", "--maxmemory-policy", "noeviction"});
    const auto tier = open_remote(options_for(server));
    const auto bytes = random_bytes(1, 6 << 20);
    int stored = 0;
    Status status;
    for (; status && stored < 20; ++stored) status = write_entry(*tier, std::to_string(stored), bytes);
    QVERIFY(!status);
    QCOMPARE(status.error().code, ErrorCode::no_space);
    --stored;
    QVERIFY(stored > 0);
    // What is there is read, and room that is given back is used again.
    QVERIFY(read_entry(*tier, pool_, "0", *bytes).ok());
    QVERIFY(tier->erase(key_of("0")));
    QVERIFY(eventually([&] { return chunk_keys(server).size() == 6 * (stored - 1); }));
    QVERIFY(write_entry(*tier, "again", bytes));
    QVERIFY(read_entry(*tier, pool_, "again", *bytes).ok());
  }

  void aServerThatEvictsLosesEntriesNotBytes() {
    RedisServer server({"--maxmemory", "30mb", "--maxmemory-policy", "allkeys-random"});
    const auto tier = open_remote(options_for(server));
    int right = 0, missed = 0;
    for (std::uint64_t i = 0; i < 20; ++i) (void)write_entry(*tier, std::to_string(i), random_bytes(i, 4 << 20));
    for (std::uint64_t i = 0; i < 20; ++i) {
      const auto bytes = random_bytes(i, 4 << 20);
      const ReadOutcome outcome = read_entry(*tier, pool_, std::to_string(i), *bytes);
      if (outcome.ok()) QVERIFY(outcome.extents[0] == *bytes);
      ++(outcome.ok() ? right : missed);
    }
    QVERIFY2(missed > 0, qPrintable(QString("%1 right").arg(right)));
  }

  void aLargeEntryIsReadBack() {
    RedisServer server;
    const auto tier = open_remote(options_for(server));
    const auto bytes = random_bytes(1, (std::size_t{64} << 20) + 12345);
    QVERIFY(write_entry(*tier, "entry", bytes));
    QCOMPARE(chunk_keys(server).size(), 65);
    const ReadOutcome outcome = read_entry(*tier, pool_, "entry", *bytes);
    QVERIFY(outcome.ok());
    QVERIFY(outcome.extents[0] == *bytes);
  }
};

KV_TEST_GUILESS_MAIN(RemoteFaultsTest)

}  // namespace remote_faults_test

#include "remote_faults_test.moc"
