// links: kv_base kv_tiers
// A store on a real cluster of three masters and three replicas, and behind a real Sentinel: masters die and slots move
// while it is used. Started with --peer URL SECONDS SEED the program is a client of its own.
#include <QCoreApplication>
#include <thread>

#include "tests/support/redis_cluster.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"
#include "tests/tiers/remote_testing.h"
#include "tiers/remote/redis_allocation.h"

namespace redis_cluster_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::RedisCluster;
using kvantage::test::RedisServer;
using kvantage::test::SentinelWatch;

namespace {

constexpr std::uint64_t shared_keys = 48;
std::shared_ptr<const Bytes> content_of(std::uint64_t key) { return random_bytes(key, 40000 + key * 20011); }

RedisStoreOptions options_for(const std::string& url) {
  RedisStoreOptions options = options_at(url);
  options.poll_seconds = 0.02;
  options.longest_pause_seconds = 0.2;
  return options;
}

/// Reads and writes at random; contents of a key never change.
struct Load {
  std::uint64_t right = 0, wrong = 0, missed = 0, unavailable = 0, written = 0, failed_writes = 0;
  QStringList unexpected;  // errors of reads that are no misses

  void step(StorageTier& tier, BufferPool& pool, Random& random) {
    const std::uint64_t key = random.below(shared_keys);
    const std::string name = std::to_string(key);
    const auto content = content_of(key);
    const std::uint64_t action = random.below(10);
    if (action >= 9) return void(tier.erase(key_of(name)));
    if (action >= 6) return void(++(write_entry(tier, name, content) ? written : failed_writes));
    const ReadOutcome outcome = read_entry(tier, pool, name, *content);
    if (outcome.ok()) {
      ++(outcome.extents[0] == *content ? right : wrong);
    } else if (outcome.code() == ErrorCode::not_found) {
      ++missed;
    } else if (outcome.code() == ErrorCode::io) {
      ++unavailable;
    } else {
      for (const Status& status : outcome.statuses)
        if (!status) unexpected << QString::fromStdString(status.error().message);
    }
  }
};

/// A load of another thread, from here to end().
class Running {
 public:
  explicit Running(StorageTier& tier, std::uint64_t seed)
      : thread_([this, &tier, seed] {
          BufferPool pool(64 << 20);
          Random random(seed);
          while (!ended_) load_.step(tier, pool, random);
        }) {}
  ~Running() { (void)end(); }
  const Load& end() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
    return load_;
  }

 private:
  Load load_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

std::uint64_t all_misses(const StorageTier& tier) {
  std::uint64_t count = 0;
  for (const auto& [reason, misses] : tier.statistics().misses) count += misses;
  return count;
}

/// What clients leave that have ended orderly: nothing but entries.
void nothing_is_left(const RedisCluster& cluster, const std::string& url) {
  { const auto last = open_remote(options_for(url)); }  // sweeps
  for (const QString& key : cluster.keys("*:workbenches") + cluster.keys("*:unfinished"))
    QVERIFY2(false, qPrintable(key));
}

}  // namespace

class RedisClusterTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void entriesSpreadOverAllNodes() {
    RedisCluster cluster;
    for (const char* key : {"123456789", "{user1000}.x", "foo{}{bar}", "kvantage#7", "foo{{bar}}zap"})
      QCOMPARE(QString::number(slot_of(key)), cluster.server(0).cli({"CLUSTER", "KEYSLOT", key}));
    BufferPool pool(64 << 20);
    {
      const auto one = open_remote(options_for(cluster.url())), two = open_remote(options_for(cluster.url(3)));
      QVERIFY(one->reachable() && two->reachable());
      QCOMPARE(one->describe().kind, std::string("Redis Cluster"));
      for (std::uint64_t key = 0; key < shared_keys; ++key)
        QVERIFY(write_entry(*one, std::to_string(key), content_of(key)));
      for (int master = 0; master < RedisCluster::masters; ++master)
        QVERIFY2(cluster.server(master).keys("*:c:*").size() > 5, qPrintable(QString::number(master)));
      QVERIFY(eventually([&] { return two->entries().size() == shared_keys; }));
      for (std::uint64_t key = 0; key < shared_keys; ++key) {
        const ReadOutcome outcome = read_entry(*two, pool, std::to_string(key), *content_of(key));
        QVERIFY(outcome.ok() && outcome.extents[0] == *content_of(key));
      }
      QCOMPARE(all_misses(*two), std::uint64_t{0});
      for (std::uint64_t key = 0; key < shared_keys; ++key) {
        QVERIFY(one->erase(key_of(std::to_string(key))));
        QVERIFY(two->erase(key_of(std::to_string(key))));
      }
      QVERIFY(eventually([&] { return cluster.keys("*:c:*").isEmpty(); }));
    }
    nothing_is_left(cluster, cluster.url());
  }

  // A client of one server says which url a cluster has.
  void aNodeOfAClusterIsNoSingleServer() {
    RedisCluster cluster;
    const auto url = [&](const char* scheme) {
      return std::string(scheme) + "127.0.0.1:" + std::to_string(cluster.server(0).port());
    };
    int refused = 0;  // one node in three has the only slot
    for (const char* prefix : {"a", "b", "c", "d", "e", "f"}) {
      const auto tier = open_here(*parse_tier_option("remote=1GiB,url=" + url("redis://") + ",prefix=" + prefix));
      if (tier) continue;
      QVERIFY2(QString::fromStdString(tier.error().message).contains("redis-cluster://"), tier.error().message.c_str());
      ++refused;
    }
    QVERIFY(refused > 0);
    RedisServer alone;
    const auto tier =
        open_here(*parse_tier_option("remote=1GiB,url=redis-cluster://127.0.0.1:" + std::to_string(alone.port())));
    QVERIFY(!tier && tier.error().code == ErrorCode::rejected_input);
    QVERIFY2(QString::fromStdString(tier.error().message).contains("write redis://"), tier.error().message.c_str());
  }

  // Nodes call themselves 127.0.0.1: a url with another name for them is refused, with what to write.
  void hostsThatTheUrlDoesNotNameAreRefused() {
    RedisCluster cluster;
    const std::string port = std::to_string(cluster.server(0).port());
    const auto tier = open_here(*parse_tier_option("remote=1GiB,url=redis-cluster://localhost:" + port));
    QVERIFY(!tier && tier.error().code == ErrorCode::rejected_input);
    QVERIFY2(QString::fromStdString(tier.error().message).contains("?hosts=127.0.0.1"), tier.error().message.c_str());
    const auto named =
        open_here(*parse_tier_option("remote=1GiB,url=redis-cluster://localhost:" + port + "?hosts=127.0.0.1"));
    QVERIFY2(named && (*named)->reachable(), named ? "" : named.error().message.c_str());
  }

  void aPasswordOpensEveryNode() {
    RedisCluster cluster({}, "hush");
    const auto tier = open_remote(options_for(cluster.url(1, ":hush")));
    for (std::uint64_t key = 0; key < 16; ++key) QVERIFY(write_entry(*tier, std::to_string(key), content_of(key)));
    const auto wrong = open_here(*parse_tier_option("remote=1GiB,url=" + cluster.url(1, ":zzsecretzz")));
    QVERIFY(!wrong && wrong.error().message.find("zzsecretzz") == std::string::npos);
  }

  void aMasterDiesInMidRun() {
    RedisCluster cluster;
    {
      const auto tier = open_remote(options_for(cluster.url(2)));
      const auto other = open_remote(options_for(cluster.url(2)));
      for (std::uint64_t key = 0; key < shared_keys; ++key)
        QVERIFY(write_entry(*tier, std::to_string(key), content_of(key)));
      Running first(*tier, 1), second(*other, 2);
      QTest::qSleep(500);
      cluster.kill(0);  // the first node of the url
      QTest::qSleep(500);
      cluster.wait_until_healthy();
      QVERIFY(eventually(
          [&] { return tier->describe().note.starts_with("at ") && other->describe().note.starts_with("at "); }));
      QTest::qSleep(1000);
      for (Running* running : {&first, &second}) {
        const Load& load = running->end();
        QCOMPARE(load.wrong, std::uint64_t{0});
        QVERIFY2(load.unexpected.isEmpty(), qPrintable(load.unexpected.join('\n')));
        QVERIFY(load.right > 0 && load.unavailable > 0);
      }
      // Misses are counted, by their reason.
      QVERIFY(misses(*tier, "unavailable") > 0);
      BufferPool pool(64 << 20);
      for (std::uint64_t key = 0; key < shared_keys; ++key) {
        QVERIFY(write_entry(*tier, std::to_string(key), content_of(key)));
        const ReadOutcome outcome = read_entry(*tier, pool, std::to_string(key), *content_of(key));
        QVERIFY(outcome.ok() && outcome.extents[0] == *content_of(key));
      }
    }
    nothing_is_left(cluster, cluster.url(3));
  }

  void aSlotMovesInMidRun() {
    RedisCluster cluster;
    {
      const auto tier = open_remote(options_for(cluster.url()));
      for (std::uint64_t key = 0; key < shared_keys; ++key)
        QVERIFY(write_entry(*tier, std::to_string(key), content_of(key)));
      const std::string tag =
          bucket_tags(std::string(default_prefix), RedisKind::cluster)[bucket_of(key_of("0"), cluster_buckets)];
      const int slot = slot_of(tag), from = cluster.master_of(slot);
      const int to = (from + 1) % RedisCluster::masters;
      Running running(*tier, 3);
      BufferPool pool(64 << 20);
      cluster.move_slot(slot, from, to, 20, [&] {
        // All its keys are on the new node, and it is still the old one's: each read is sent on.
        const int before = cluster.errors("ASK");
        if (!read_entry(*tier, pool, "0", *content_of(0)).ok()) (void)write_entry(*tier, "0", content_of(0));
        (void)read_entry(*tier, pool, "0", *content_of(0));
        QVERIFY(cluster.errors("ASK") > before);
      });
      QTest::qSleep(500);
      const Load& load = running.end();
      QCOMPARE(load.wrong, std::uint64_t{0});
      QVERIFY2(load.unexpected.isEmpty(), qPrintable(load.unexpected.join('\n')));
      QCOMPARE(load.unavailable, std::uint64_t{0});
      QVERIFY(load.right > 0);
      QVERIFY(cluster.errors("ASK") > 0 && cluster.errors("MOVED") > 0);
      QVERIFY(write_entry(*tier, "0", content_of(0)));
      QVERIFY(read_entry(*tier, pool, "0", *content_of(0)).ok());
      QVERIFY(!cluster.server(to).keys("{" + QString::fromStdString(tag) + "}*:c:*").isEmpty());
      QVERIFY(tier->describe().note.starts_with("at "));
    }
    nothing_is_left(cluster, cluster.url());
  }

  // What the server says that entries take, beside what we count: docs/architecture/remote.md states the bound.
  void theServersMemoryIsOurCount() {
    RedisCluster cluster;
    RedisStoreOptions options = options_for(cluster.url());
    options.measures_memory = true;
    const auto tier = open_remote(options);
    std::uint64_t bytes = 0;
    for (std::uint64_t key = 0; key < 24; ++key) {
      const auto content = random_bytes(key, ((std::uint64_t{256} << 10) + key * 300'000) / 4096 * 4096);
      QVERIFY(write_entry(*tier, std::to_string(key), content));
      bytes += content->size();
    }
    QVERIFY(eventually([&] {
      const auto storage = tier->statistics().storage;
      return storage && storage->entry_bytes == bytes;
    }));
    const StorageUse use = *tier->statistics().storage;
    QVERIFY(use.occupied_bytes > bytes);
    QVERIFY2(static_cast<double>(use.occupied_bytes) < 1.03 * static_cast<double>(bytes),
             qPrintable(QString::number(static_cast<double>(use.occupied_bytes) / static_cast<double>(bytes))));
    // The same over every key of the servers. The number of a part is a digit longer from 10 on.
    std::int64_t said = 0, keys = 0;
    for (int master = 0; master < RedisCluster::masters; ++master)
      for (const QString& key : cluster.server(master).keys("*:c:*")) {
        said += cluster.server(master).cli({"MEMORY", "USAGE", key}).toLongLong();
        ++keys;
      }
    QVERIFY2(std::abs(said - static_cast<std::int64_t>(use.occupied_bytes)) <= 16 * keys,
             qPrintable(QString("%1 %2").arg(said).arg(use.occupied_bytes)));
    QVERIFY(tier->erase(key_of("0")));
    QVERIFY(eventually([&] { return tier->statistics().storage->entry_bytes < bytes; }));
  }

  // KVANTAGE_LONG=1: 50 clients for ten minutes instead of 6 for five seconds. With sessions among them:
  // tests/tiers/remote_soak.py --cluster.
  void manyClientsUseOneCluster() {
    const bool is_long = qEnvironmentVariableIntValue("KVANTAGE_LONG") > 0;
    const int clients = is_long ? 50 : 6, seconds = is_long ? 600 : 5;
    RedisCluster cluster;
    std::vector<std::unique_ptr<QProcess>> peers;
    for (int i = 0; i < clients; ++i) {
      peers.push_back(std::make_unique<QProcess>());
      peers.back()->start(QCoreApplication::applicationFilePath(), {"--peer", QString::fromStdString(cluster.url(2)),
                                                                    QString::number(seconds), QString::number(i)});
    }
    QTest::qSleep(seconds * 250);
    cluster.kill(1);
    cluster.wait_until_healthy();
    const int slot = slot_of(bucket_tags(std::string(default_prefix), RedisKind::cluster)[0]);
    const int from = cluster.master_of(slot);
    cluster.move_slot(slot, from, from == 0 ? 2 : 0, 5);
    int right = 0;
    for (auto& peer : peers) {
      QVERIFY(peer->waitForFinished(seconds * 1000 + 120000));
      const QString said = QString::fromUtf8(peer->readAllStandardOutput());
      QVERIFY2(peer->exitCode() == 0 && said.startsWith("right "), qPrintable(said + peer->readAllStandardError()));
      right += said.split(' ').value(1).toInt();
    }
    QVERIFY(right > clients);
    nothing_is_left(cluster, cluster.url(3));
  }

  void aSentinelNamesTheMaster() {
    SentinelWatch watch;
    const auto unknown = open_here(*parse_tier_option("remote=1GiB,url=" + watch.url("other")));
    QVERIFY(!unknown && unknown.error().code == ErrorCode::rejected_input);
    QVERIFY2(QString::fromStdString(unknown.error().message).contains("no server named 'other'"),
             unknown.error().message.c_str());
    BufferPool pool(64 << 20);
    const auto tier = open_remote(options_for(watch.url()));
    QVERIFY(tier->reachable());
    for (std::uint64_t key = 0; key < 10; ++key) QVERIFY(write_entry(*tier, std::to_string(key), content_of(key)));
    QCOMPARE(watch.server(0).keys("*:c:*").isEmpty(), false);
    QVERIFY(eventually([&] { return watch.server(1).keys("*:c:*").size() == watch.server(0).keys("*:c:*").size(); }));
    watch.kill_master();
    QVERIFY(!read_entry(*tier, pool, "1", *content_of(1)).ok());
    QVERIFY(misses(*tier, "unavailable") > 0);
    watch.wait_for_failover();
    QVERIFY(eventually([&] { return tier->reachable(); }));
    const ReadOutcome outcome = read_entry(*tier, pool, "1", *content_of(1));
    QVERIFY(outcome.ok() && outcome.extents[0] == *content_of(1));
    QVERIFY(write_entry(*tier, "11", content_of(11)));
    QVERIFY(!watch.server(1).keys("*:c:*").isEmpty());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  if (argc < 5 || std::string(argv[1]) != "--peer") {
    kvantage::test::lift_time_limit_of_long_runs();
    QCoreApplication application(argc, argv);
    RedisClusterTest test;
    return QTest::qExec(&test, argc, argv);
  }
  Load load;
  {
    const auto tier = open_remote(options_for(argv[2]));
    BufferPool pool(64 << 20);
    Random random(std::strtoull(argv[4], nullptr, 10));
    QElapsedTimer timer;
    for (timer.start(); timer.elapsed() < 1000 * std::atoll(argv[3]);) load.step(*tier, pool, random);
    // The failover may be late for the last erases: leases are given back when all parts are reachable.
    (void)eventually([&] { return tier->describe().note.starts_with("at "); });
  }
  std::printf("right %llu wrong %llu missed %llu unavailable %llu written %llu failed %llu\n",
              static_cast<unsigned long long>(load.right), static_cast<unsigned long long>(load.wrong),
              static_cast<unsigned long long>(load.missed), static_cast<unsigned long long>(load.unavailable),
              static_cast<unsigned long long>(load.written), static_cast<unsigned long long>(load.failed_writes));
  for (const QString& error : load.unexpected) std::fprintf(stderr, "%s\n", qPrintable(error));
  return load.wrong == 0 && load.unexpected.isEmpty() && load.right > 0 ? 0 : 1;
}

}  // namespace redis_cluster_test

#include "redis_cluster_test.moc"
