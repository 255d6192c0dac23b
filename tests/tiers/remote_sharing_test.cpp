// links: kv_base kv_tiers
// Many workbenches on one remote store: each sees what the others did, none takes anything from under another, and what
// one that was killed left behind goes. Started with --peer URL the program is such another workbench.
#include <QCoreApplication>
#include <thread>

#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"

namespace remote_sharing_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::RedisServer;

namespace {

constexpr std::uint64_t shared_keys = 20;
std::shared_ptr<const Bytes> content_of(std::uint64_t key) { return random_bytes(key, 100000 + key * 150001); }

/// Reads and writes at random; counts what it read and what was wrong. Contents of a key never change.
struct Load {
  std::uint64_t right = 0, wrong = 0, missed = 0, refused = 0, failed_writes = 0;
  void run(StorageTier& tier, std::uint64_t seed, int rounds) {
    BufferPool pool(64 << 20);
    Random random(seed);
    for (int i = 0; i < rounds; ++i) {
      const std::uint64_t key = random.below(shared_keys);
      const std::string name = std::to_string(key);
      const auto content = content_of(key);
      const std::uint64_t action = random.below(10);
      if (action < 6) {
        const ReadOutcome outcome = read_entry(tier, pool, name, *content);
        if (outcome.ok())
          ++(outcome.extents[0] == *content ? right : wrong);
        else
          ++(outcome.code() == ErrorCode::not_found ? missed : outcome.code() == ErrorCode::corrupt ? wrong : refused);
      } else if (action < 9) {
        const Status status = write_entry(tier, name, content);
        if (!status) ++failed_writes;
      } else {
        (void)tier.erase(key_of(name));
      }
    }
  }
};

}  // namespace

class RemoteSharingTest : public QObject {
  Q_OBJECT

 private:
  BufferPool pool_{256 << 20};

  std::unique_ptr<QProcess> peer(const RedisServer& server, const QStringList& words) {
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::SeparateChannels);
    process->start(QCoreApplication::applicationFilePath(),
                   QStringList{"--peer", QString::fromStdString(server.url())} + words);
    return process;
  }

 private slots:
  void initTestCase() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void whatOneStoresTheOtherReads() {
    RedisServer server;
    const auto one = open_remote(options_for(server)), other = open_remote(options_for(server));
    const auto bytes = random_bytes(1, 2500000);
    QVERIFY(write_entry(*one, "entry", bytes));
    QVERIFY(eventually([&] { return other->contains(key_of("entry")); }));
    QCOMPARE(other->used_bytes(), bytes->size());
    QCOMPARE(other->entries()[0].label, std::string("entry"));
    QVERIFY(read_entry(*other, pool_, "entry", *bytes).extents[0] == *bytes);
    QVERIFY(other->generation() > 0);
    QCOMPARE(other->statistics().appeared, std::uint64_t{1});
    // Replaced: by the time the other knows, it reads the new one.
    const auto newer = random_bytes(2, 1300000);
    QVERIFY(write_entry(*one, "entry", newer));
    QVERIFY(eventually([&] { return other->used_bytes() == newer->size(); }));
    QVERIFY(read_entry(*other, pool_, "entry", *newer).extents[0] == *newer);
    QVERIFY(eventually([&] { return chunk_keys(server).size() == 2; }));
    // Erased by the only one who holds it: gone for both.
    QVERIFY(one->erase(key_of("entry")));
    QVERIFY(eventually([&] { return !other->contains(key_of("entry")); }));
    QVERIFY(eventually([&] { return chunk_keys(server).isEmpty(); }));
  }

  void equalBytesAreStoredOnceAndStayForWhoHoldsThem() {
    RedisServer server;
    auto one = open_remote(options_for(server));
    const auto other = open_remote(options_for(server));
    const auto bytes = random_bytes(1, 2500000);
    QVERIFY(write_entry(*one, "entry", bytes));
    const QStringList chunks = chunk_keys(server);
    QVERIFY(write_entry(*other, "entry", bytes));
    QVERIFY(write_entry(*other, "entry", bytes));
    QCOMPARE(chunk_keys(server), chunks);
    // The one releases it, or ends: the other still has it.
    QVERIFY(one->erase(key_of("entry")));
    QVERIFY(!one->contains(key_of("entry")));
    QTest::qSleep(100);
    QVERIFY(!one->contains(key_of("entry")));  // nor does it come back to who erased it
    QVERIFY(read_entry(*other, pool_, "entry", *bytes).ok());
    one.reset();
    QVERIFY(read_entry(*other, pool_, "entry", *bytes).ok());
    QVERIFY(other->erase(key_of("entry")));
    QVERIFY(eventually([&] { return chunk_keys(server).isEmpty(); }));
  }

  void whatWasOnlyLookedAtIsNotTakenFromWhoStoredIt() {
    RedisServer server;
    auto owner = open_remote(options_for(server));
    const auto guest = open_remote(options_for(server));
    const auto bytes = random_bytes(1, 1500000);
    QVERIFY(write_entry(*owner, "entry", bytes));
    QVERIFY(eventually([&] { return guest->contains(key_of("entry")); }));
    QVERIFY(guest->erase(key_of("entry")));
    QTest::qSleep(100);
    QVERIFY(!guest->contains(key_of("entry")));
    QVERIFY(read_entry(*owner, pool_, "entry", *bytes).ok());
    // An owner that is gone owns nothing.
    owner.reset();
    const auto heir = open_remote(options_for(server));
    QVERIFY(heir->contains(key_of("entry")));
    QVERIFY(heir->erase(key_of("entry")));
    QVERIFY(eventually([&] { return chunk_keys(server).isEmpty(); }));
  }

  void twoTiersAtOnceSeeOnlyRightBytes() {
    RedisServer server;
    const auto one = open_remote(options_for(server)), other = open_remote(options_for(server));
    Load first, second;
    std::thread thread([&] { first.run(*one, 1, 300); });
    second.run(*other, 2, 300);
    thread.join();
    QCOMPARE(first.wrong + second.wrong, std::uint64_t{0});
    QCOMPARE(first.refused + second.refused, std::uint64_t{0});
    QCOMPARE(first.failed_writes + second.failed_writes, std::uint64_t{0});
    QVERIFY(first.right > 0 && second.right > 0);
  }

  void twoProcessesAtOnceSeeOnlyRightBytes() {
    RedisServer server;
    const auto process = peer(server, {"load", "300"});
    const auto tier = open_remote(options_for(server));
    Load load;
    load.run(*tier, 3, 300);
    QVERIFY(process->waitForFinished(120000));
    const QString said = QString::fromUtf8(process->readAllStandardOutput());
    QVERIFY2(process->exitCode() == 0 && said.startsWith("right "), qPrintable(said));
    QCOMPARE(load.wrong + load.refused, std::uint64_t{0});
    // What is in the index when all is quiet can be read, all of it, and nothing else takes room.
    QVERIFY(eventually([&] { return server.cli({"HLEN", server.keys("*:unfinished").value(0, "none")}) == "0"; }));
    std::uint64_t chunks = 0;
    const auto fresh = open_remote(options_for(server));
    for (const EntryInfo& info : fresh->entries()) {
      chunks += (info.bytes + (1 << 20) - 1) >> 20;
      QVERIFY(read_entry(*fresh, pool_, info.label, *content_of(std::stoull(info.label))).ok());
    }
    QVERIFY(eventually([&] { return static_cast<std::uint64_t>(chunk_keys(server).size()) == chunks; }));
  }

  void whatAKilledWriterLeftIsSweptWhenItsLeaseIsOver() {
    RedisServer server;
    const auto process = peer(server, {"write", "0.5"});
    QVERIFY(eventually([&] { return chunk_keys(server).size() > 100; }));
    process->kill();
    process->waitForFinished();
    const bool left = server.cli({"HLEN", server.keys("*:unfinished").value(0, "none")}) != "0";
    // While the lease runs nobody touches it; afterwards the first one does, at its opening or later.
    RedisStoreOptions options = options_for(server);
    options.lease_seconds = 0.5;
    const auto tier = open_remote(options);
    QVERIFY(eventually([&] { return server.keys("*:unfinished").isEmpty(); }));
    QVERIFY(left || tier->statistics().swept_files == 0);
    std::uint64_t chunks = 0;
    for (const EntryInfo& info : tier->entries()) {
      chunks += (info.bytes + (1 << 20) - 1) >> 20;
      const auto bytes = random_bytes(std::stoull(info.label), info.bytes);
      QVERIFY(read_entry(*tier, pool_, info.label, *bytes).extents[0] == *bytes);
    }
    QVERIFY(eventually([&] { return static_cast<std::uint64_t>(chunk_keys(server).size()) == chunks; }));
  }

  void writesInFlightOfALiveWorkbenchAreNotSwept() {
    RedisServer server;
    RedisStoreOptions options = options_for(server);
    options.lease_seconds = 1.5;  // prolonged several times while it writes
    const auto process = peer(server, {"write", "1.5"});
    QVERIFY(eventually([&] { return chunk_keys(server).size() > 50; }));
    for (int i = 0; i < 16; ++i) {
      const auto tier = open_remote(options);
      QCOMPARE(tier->statistics().swept_files, std::uint64_t{0});
      QTest::qSleep(200);
    }
    process->write("end\n");
    process->closeWriteChannel();
    QVERIFY(process->waitForFinished(60000));
    QVERIFY2(process->exitCode() == 0, process->readAllStandardError().constData());
  }

  void chunksThatNothingNamesAreFound() {
    RedisServer server;
    const auto bytes = random_bytes(1, 3000000);
    { QVERIFY(write_entry(*open_remote(options_for(server)), "kept", bytes)); }
    { QVERIFY(write_entry(*open_remote(options_for(server)), "lost", bytes)); }
    server.cli({"HDEL", server.keys("*:index").value(0), QString::fromStdString(key_of("lost").hex())});
    server.cli({"SET", "somebody:else:c:" + QString::fromStdString(key_of("lost").hex()) + ":1:0", "x"});
    const auto tier = open_remote(options_for(server));
    QVERIFY(eventually([&] { return server.keys("{*:c:*").size() == 3; }));
    QVERIFY(read_entry(*tier, pool_, "kept", *bytes).ok());
    QCOMPARE(server.keys("somebody*").size(), 1);  // not ours
  }
};

KV_TEST_PROGRAM(argc, argv) {
  if (argc < 5 || std::string(argv[1]) != "--peer") {
    QCoreApplication application(argc, argv);
    RemoteSharingTest test;
    return QTest::qExec(&test, argc, argv);
  }
  RedisStoreOptions options{.transport = {.executor = system_executor()}};
  options.url = *parse_redis_url(argv[2]);
  options.scope = "test";
  options.chunk_bytes = std::uint64_t{1} << 20;
  options.poll_seconds = 0.01;
  if (std::string(argv[3]) == "load") {
    const auto tier = open_remote(options);
    Load load;
    load.run(*tier, argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 99, std::atoi(argv[4]));
    std::printf("right %llu wrong %llu missed %llu refused %llu failed %llu\n",
                static_cast<unsigned long long>(load.right), static_cast<unsigned long long>(load.wrong),
                static_cast<unsigned long long>(load.missed), static_cast<unsigned long long>(load.refused),
                static_cast<unsigned long long>(load.failed_writes));
    return load.wrong + load.refused + load.failed_writes == 0 && load.right > 0 ? 0 : 1;
  }
  // Writes without end, until its input is closed.
  options.lease_seconds = std::atof(argv[4]);
  const auto tier = open_remote(options);
  std::atomic<bool> ended{false};
  std::thread input([&] {
    while (std::getchar() != EOF) {
    }
    ended = true;
  });
  bool failed = false;
  for (std::uint64_t i = 0; !ended; ++i) {
    const auto name = std::to_string(i % 12);
    if (const Status status = write_entry(*tier, name, random_bytes(i % 12, 20000000)); !status) {
      std::fprintf(stderr, "%s\n", status.error().message.c_str());
      failed = true;
    }
    (void)tier->erase(key_of(std::to_string((i + 3) % 12)));
  }
  input.join();
  return failed ? 1 : 0;
}

}  // namespace remote_sharing_test

#include "remote_sharing_test.moc"
