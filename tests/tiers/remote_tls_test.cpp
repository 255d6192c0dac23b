// links: kv_base kv_tiers
// rediss://: entries over TLS, and no connection to a server whose certificate is not the host's.
#include <sys/stat.h>

#include <atomic>

#include "tests/support/certificates.h"
#include "tests/support/scripted_server.h"
#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"
#include "tiers/kinds/remote_kind.h"

namespace remote_tls_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::Certificates;
using kvantage::test::RedisServer;
using kvantage::test::ScriptedServer;
using kvantage::test::Words;

class RemoteTlsTest : public QObject {
  Q_OBJECT

  Certificates certificates_;

  /// In clear on port(), for the test's own eyes, and under TLS on tls_port.
  struct TlsServer {
    explicit TlsServer(const Certificates& certificates, const QString& certificate)
        : tls_port(RedisServer::free_port()), server(certificates.redis_options(certificate, tls_port)) {}
    std::string option(const std::string& host, const std::string& more) const {
      return "remote=1GiB,url=rediss://" + host + ":" + std::to_string(tls_port) + more;
    }
    int tls_port;
    RedisServer server;
  };

 private slots:
  void initTestCase() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    if (Certificates::is_missing()) QSKIP("openssl is not installed: apt-get install openssl");
    QCOMPARE(::mkfifo(certificates_.file("pipe").c_str(), 0600), 0);
    QVERIFY(certificates_.make_authority("authority") && certificates_.make_authority("stranger"));
    QVERIFY(certificates_.sign("right", "authority", "DNS:localhost,IP:127.0.0.1"));
    QVERIFY(certificates_.sign("other", "authority", "DNS:other.example,IP:192.0.2.1"));
    QVERIFY(certificates_.sign("expired", "authority", "DNS:localhost,IP:127.0.0.1", -1));
  }

  void entriesGoAndComeUnderTls_data() {
    QTest::addColumn<QString>("host");
    QTest::addColumn<bool>("in_url");
    for (const char* host : {"localhost", "127.0.0.1"})
      for (const bool in_url : {false, true}) QTest::addRow("%s, %s", host, in_url ? "?ca=" : ",ca=") << host << in_url;
  }
  void entriesGoAndComeUnderTls() {
    QFETCH(QString, host);
    QFETCH(bool, in_url);
    const TlsServer tls(certificates_, "right");
    const std::string option =
        tls.option(host.toStdString(), (in_url ? "/0?ca=" : ",ca=") + certificates_.file("authority.pem"));
    const auto spec = parse_tier_option(option);
    QVERIFY2(spec, spec ? "" : spec.error().message.c_str());
    // What is recorded may be read elsewhere: the authority is not in it.
    const TierConfig recorded = recorded_form(*spec);
    RedisUrl anywhere = *server_url(*spec);
    anywhere.authorities.clear();
    QVERIFY(*server_url(recorded) == anywhere && !recorded.options.contains("ca"));
    const auto tier = open_here(*spec);
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY2((*tier)->reachable(), (*tier)->describe().note.c_str());
    QVERIFY((*tier)->describe().note.find("rediss://") != std::string::npos);
    BufferPool pool(256 << 20);
    for (const std::size_t bytes : {1000, 5000000, 20000000}) {
      const auto content = random_bytes(bytes, bytes);
      QVERIFY(write_entry(**tier, std::to_string(bytes), content));
      for (int again = 0; again < 3; ++again) QVERIFY(read_entry(**tier, pool, std::to_string(bytes), *content).ok());
    }
    const auto other = open_here(*spec);  // another workbench
    QCOMPARE((*other)->entries().size(), std::size_t{3});
  }

  void noOtherCertificateIsTrusted_data() {
    QTest::addColumn<QString>("certificate");
    QTest::addColumn<QString>("authority");
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* certificate, const char* authority, const char* host,
                        const char* reason) { QTest::newRow(name) << certificate << authority << host << reason; };
    row("the system's authorities", "right", "", "localhost", "is not trusted");
    row("another authority", "right", "stranger.pem", "localhost", "is not trusted");
    row("another name", "other", "authority.pem", "localhost", "hostname mismatch");
    row("another address", "other", "authority.pem", "127.0.0.1", "IP address mismatch");
    row("expired", "expired", "authority.pem", "localhost", "expired");
    row("no file", "right", "nothing.pem", "localhost", "is not a file");
    row("a pipe", "right", "pipe", "localhost", "is not a file");
    row("no certificate", "right", "right.key", "localhost", "no certificates could be read");
  }
  void noOtherCertificateIsTrusted() {
    QFETCH(QString, certificate);
    QFETCH(QString, authority);
    QFETCH(QString, host);
    QFETCH(QString, reason);
    const TlsServer tls(certificates_, certificate);
    tls.server.cli({"CONFIG", "RESETSTAT"});
    const auto spec = parse_tier_option(
        tls.option(host.toStdString(), authority.isEmpty() ? std::string() : ",ca=" + certificates_.file(authority)));
    QVERIFY(spec);
    const auto tier = open_here(*spec);
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(tier.error().message);
    QVERIFY2(message.contains(reason) && message.contains("; ") && !message.contains('\n'), qPrintable(message));
  }

  void noPasswordGoesToAServerThatIsNotTrusted() {
    ScriptedServer server;  // in clear: whatever it is sent is no TLS for it
    const auto spec = parse_tier_option("remote=1GiB,url=rediss://:secret@127.0.0.1:" + std::to_string(server.port()) +
                                        ",connect=1s");
    const auto tier = open_here(*spec);
    QVERIFY(!tier || !(*tier)->reachable());
    for (const Words& words : server.commands()) QVERIFY(words[0] != "AUTH");
  }

  void theWrongSchemeIsSaid() {
    const TlsServer tls(certificates_, "right");
    const auto clear =
        open_here(*parse_tier_option("remote=1GiB,url=rediss://127.0.0.1:" + std::to_string(tls.server.port()) +
                                     ",ca=" + certificates_.file("authority.pem")));
    // It may read the first bytes of TLS as a line that never ends: then it is out of reach, and the note says so.
    QVERIFY(clear ? !(*clear)->reachable() : clear.error().code == ErrorCode::rejected_input);
    const std::string said = clear ? (*clear)->describe().note : clear.error().message;
    QVERIFY2(said.find("the port speaks no TLS") != std::string::npos, said.c_str());
    const auto under_tls = open_here(
        *parse_tier_option("remote=1GiB,url=redis://127.0.0.1:" + std::to_string(tls.tls_port) + ",timeout=1s"));
    QVERIFY(!under_tls || !(*under_tls)->reachable());
  }

  void aHandshakeThatNeverEndsHasADeadlineAndCanBeGivenUp() {
    std::atomic<bool> asked{false};
    ScriptedServer server;  // waits for a command's first line, which never comes
    RedisStoreOptions options{.transport = {.executor = system_executor()}};
    options.url = *parse_redis_url("rediss://127.0.0.1:" + std::to_string(server.port()));
    options.timeouts = {3600, 3600};
    options.give_up = [&] { return asked.exchange(true); };
    const auto tier = QueuedTier::open(std::make_unique<RedisStore>("remote", options), 0, 0, system_executor());
    QVERIFY(!tier || !(*tier)->reachable());
  }

  void aServerThatIsKilledComesBackUnderTls() {
    TlsServer tls(certificates_, "right");
    RedisStoreOptions options{.transport = {.executor = system_executor()}};
    options.url = *parse_redis_url("rediss://localhost:" + std::to_string(tls.tls_port) +
                                   "?ca=" + certificates_.file("authority.pem"));
    options.poll_seconds = 0.01;
    options.longest_pause_seconds = 0.2;
    const auto tier = open_remote(options);
    QVERIFY(tier->reachable());
    BufferPool pool(256 << 20);
    const auto bytes = random_bytes(1, 3000000);
    for (int round = 0; round < 2; ++round) {
      QVERIFY(write_entry(*tier, "entry", bytes));
      QVERIFY(read_entry(*tier, pool, "entry", *bytes).ok());
      tls.server.kill();
      QVERIFY(!read_entry(*tier, pool, "entry", *bytes).ok());
      tls.server.start();
      QVERIFY(eventually([&] { return tier->reachable(); }));
    }
  }
};

KV_TEST_GUILESS_MAIN(RemoteTlsTest)

}  // namespace remote_tls_test

#include "remote_tls_test.moc"
