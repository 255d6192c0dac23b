// links: kv_base kv_tiers
// rediss-cluster:// and rediss-sentinel://: every node and every Sentinel under TLS and with a password, while masters
// die; none of either without.
#include "tests/support/redis_cluster.h"
#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"

namespace cluster_tls_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::Certificates;
using kvantage::test::RedisCluster;
using kvantage::test::RedisServer;
using kvantage::test::SentinelWatch;

namespace {

constexpr const char* sentinel_variable = "KVANTAGE_REDIS_PASSWORD_127_0_0_1";

std::shared_ptr<const Bytes> content_of(std::uint64_t key) { return random_bytes(key, 40'000 + key * 20'011); }

}  // namespace

class ClusterTlsTest : public QObject {
  Q_OBJECT

  Certificates certificates_;
  QTemporaryDir home_;

  RedisStoreOptions options_for(const std::string& url, const std::string& authority = "authority.pem") const {
    RedisStoreOptions options =
        options_at(url + (authority.empty() ? "" : "?ca=" + certificates_.file(QString::fromStdString(authority))));
    options.poll_seconds = 0.02;
    options.longest_pause_seconds = 0.2;
    return options;
  }
  static auto opened(const RedisStoreOptions& options) {
    return QueuedTier::open(std::make_unique<RedisStore>("remote", options), 0, 0, system_executor());
  }
  /// Refused for good, in one line without the password.
  static void refuse(const RedisStoreOptions& options, const QString& reason) {
    const auto tier = opened(options);
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(tier.error().message);
    QVERIFY2(message.contains(reason) && !message.contains('\n') && !message.contains("hush"), qPrintable(message));
  }

 private slots:
  void initTestCase() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    if (Certificates::is_missing()) QSKIP("openssl is not installed: apt-get install openssl");
    QVERIFY(certificates_.make_authority("authority") && certificates_.make_authority("stranger"));
    QVERIFY(certificates_.sign("node", "authority", "DNS:localhost,IP:127.0.0.1"));
  }
  void init() {
    qputenv("XDG_CONFIG_HOME", home_.path().toLocal8Bit());
    for (const char* name : {"KVANTAGE_REDIS_PASSWORD", sentinel_variable}) qunsetenv(name);
  }

  void aClusterUnderTlsWithAPassword() {
    RedisCluster cluster({}, "hush", &certificates_);
    QVERIFY(cluster.url(2).starts_with("rediss-cluster://127.0.0.1:"));
    refuse(options_for(cluster.url(2, ":hush"), ""), "is not trusted");
    refuse(options_for(cluster.url(2, ":hush"), "stranger.pem"), "is not trusted");
    refuse(options_for(cluster.url(2, ":hushhush")), "password");
    refuse(options_for(cluster.url(2)), "password");
    // In clear to a port of TLS: nothing is stored.
    const auto clear = opened(options_for("redis-cluster://" + cluster.url(1).substr(17), ""));
    QVERIFY(!clear || !(*clear)->reachable());
    QVERIFY(cluster.keys().isEmpty());

    BufferPool pool(64 << 20);
    const auto tier = open_remote(options_for(cluster.url(2, ":hush")));
    QVERIFY2(tier->reachable(), tier->describe().note.c_str());
    constexpr std::uint64_t keys = 32;
    for (std::uint64_t key = 0; key < keys; ++key) QVERIFY(write_entry(*tier, std::to_string(key), content_of(key)));
    for (int master = 0; master < RedisCluster::masters; ++master)
      QVERIFY2(!cluster.server(master).keys("*:c:*").isEmpty(), std::to_string(master).c_str());
    for (std::uint64_t key = 0; key < keys; ++key) {
      const ReadOutcome read = read_entry(*tier, pool, std::to_string(key), *content_of(key));
      QVERIFY(read.ok() && read.extents[0] == *content_of(key));
    }
    const auto other = open_remote(options_for(cluster.url(3, ":hush")));
    QCOMPARE(other->entries().size(), std::size_t{keys});

    // The first node of the url dies: its replica is found, under TLS and with the password as well.
    cluster.kill(0);
    cluster.wait_until_healthy();
    QVERIFY(eventually([&] { return tier->describe().note.starts_with("at "); }));
    for (std::uint64_t key = 0; key < keys; ++key) {
      const ReadOutcome read = read_entry(*tier, pool, std::to_string(key), *content_of(key));
      if (read.ok()) QVERIFY(read.extents[0] == *content_of(key));
      QVERIFY2(eventually([&] { return bool(write_entry(*tier, std::to_string(key), content_of(key))); }),
               std::to_string(key).c_str());
    }
    for (std::uint64_t key = 0; key < keys; ++key) {
      const ReadOutcome read = read_entry(*tier, pool, std::to_string(key), *content_of(key));
      QVERIFY(read.ok() && read.extents[0] == *content_of(key));
    }
  }

  // Sentinels have a password of their own, bound to their host.
  void aSentinelUnderTlsWithPasswords() {
    SentinelWatch watch({&certificates_, "hush", "sentry"});
    QVERIFY(watch.url().starts_with("rediss-sentinel://127.0.0.1:"));
    refuse(options_for(watch.url("kv", ":hush")), "password");  // that of the Sentinel is not known
    qputenv(sentinel_variable, "sentry");
    refuse(options_for(watch.url("kv", ":hush"), "stranger.pem"), "is not trusted");
    refuse(options_for(watch.url("kv", ":hushhush")), "password");

    BufferPool pool(64 << 20);
    const auto tier = open_remote(options_for(watch.url("kv", ":hush")));
    QVERIFY2(tier->reachable(), tier->describe().note.c_str());
    for (std::uint64_t key = 0; key < 10; ++key) QVERIFY(write_entry(*tier, std::to_string(key), content_of(key)));
    QVERIFY(!watch.server(0).keys("*:c:*").isEmpty());
    QVERIFY(eventually([&] { return watch.server(1).keys("*:c:*").size() == watch.server(0).keys("*:c:*").size(); }));
    watch.kill_master();
    QVERIFY(!read_entry(*tier, pool, "1", *content_of(1)).ok());
    watch.wait_for_failover();
    QVERIFY(eventually([&] { return tier->reachable(); }));
    const ReadOutcome read = read_entry(*tier, pool, "1", *content_of(1));
    QVERIFY(read.ok() && read.extents[0] == *content_of(1));
    QVERIFY(write_entry(*tier, "11", content_of(11)));
  }
};

KV_TEST_GUILESS_MAIN(ClusterTlsTest)

}  // namespace cluster_tls_test

#include "cluster_tls_test.moc"
