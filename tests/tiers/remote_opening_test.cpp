// links: kv_base kv_tiers
// Remote stores as users name them, and the errors when the name, the password or the server is wrong.
#include "core/ports/session.h"
#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"
#include "tiers/kinds/remote_kind.h"

namespace remote_opening_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::RedisServer;

class RemoteOpeningTest : public QObject {
  Q_OBJECT

 private slots:
  void urlsAreRead() {
    const auto spec = parse_tier_option(
        "pool=4GiB,url=redis://me:a%2Cb%40c:d@cache.example:7000/3,prefix=team,connect=500ms,timeout=1s,latency=1ms");
    QVERIFY2(spec, spec ? "" : spec.error().message.c_str());
    QCOMPARE(kind_of(*spec).id, std::string("remote"));
    QVERIFY(spec->throttle.any());
    const auto url = server_url(*spec);
    QVERIFY(url);
    QCOMPARE(url->host, std::string("cache.example"));
    QCOMPARE(url->port, 7000);
    QCOMPARE(url->database, 3);
    QCOMPARE(url->user, std::string("me"));
    QCOMPARE(url->password, std::string("a,b@c:d"));
    QCOMPARE(spec->option("prefix"), std::string("team"));
    QCOMPARE(spec->option("connect"), std::string("0.5s"));
    QCOMPARE(spec->option("timeout"), std::string("1s"));
    QCOMPARE(parse_redis_url("redis://h")->port, 6379);
    QCOMPARE(parse_redis_url("redis://[::1]:1234/")->host, std::string("::1"));
    QCOMPARE(parse_redis_url("redis://:secret@h")->password, std::string("secret"));
  }

  void settingsHoldEverythingButThePassword() {
    for (const char* text :
         {"remote=64MiB,url=redis://h:1", "pool=unlimited,url=redis://m%40e:secret@[::1]:9/2,prefix=a:b",
          "remote=1,url=redis://:secret@h,connect=1.5s,timeout=250ms,bandwidth=1MB/s"}) {
      const auto config = parse_tier_option(text);
      QVERIFY2(config, config ? "" : config.error().message.c_str());
      const TierConfig recorded = recorded_form(*config);
      const Json json = to_json(recorded);
      QVERIFY(json.dump().find("secret") == std::string::npos);
      SessionSettings settings;
      settings.tiers = {recorded};
      const auto again = session_settings_from_json(to_json(settings), "t");
      QVERIFY2(again && again->tiers[0] == recorded, json.dump().c_str());
      auto url = *server_url(*config), kept = *server_url(again->tiers[0]);
      url.password.clear();
      QVERIFY(kept == url);
      for (const char* key : {"prefix", "connect", "timeout"})
        QCOMPARE(again->tiers[0].option(key), config->option(key));
    }
  }

  void badUrlsAreUsageErrorsWithoutThePassword_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* option, const char* reason) { QTest::newRow(option) << option << reason; };
    row("remote=1GiB,url=", "it is empty; write url=redis://");
    row("remote=1GiB,url=host:6379", "does not begin with redis://");
    row("remote=1GiB,url=redis:/:secret@h", "does not begin with redis://");
    row("remote=1GiB,url=:secret@h", "does not begin with redis://");
    row("remote=1GiB,url=http://h", "'http://' is not the address of a Redis server");
    row("remote=1GiB,url=valkey://h", "write this address with redis://");
    row("remote=1GiB,url=rediss://:secret@", "no host");
    row("remote=1GiB,url=rediss://u:secret@h?key=x", "the only one is ?ca=FILE");
    row("remote=1GiB,url=rediss://u:secret@h?ca=", "names no file");
    row("remote=1GiB,url=redis://u:secret@h?ca=x", "belongs to TLS");
    row("remote=1GiB,url=redis://u:secret@h,ca=x", "add url=rediss://");
    row("remote=1GiB,url=rediss://u:secret@h,ca=", "ca is empty");
    row("ssd=1GiB,ca=x", "add url=rediss://");
    row("remote=1GiB,url=redis://", "no host");
    row("remote=1GiB,url=redis://:secret@", "no host");
    row("remote=1GiB,url=redis://u:secret@h:port", "'port' is not a port");
    row("remote=1GiB,url=redis://h:0", "'0' is not a port");
    row("remote=1GiB,url=redis://h:65536", "from 1 to 65535");
    row("remote=1GiB,url=redis://h:", "'' is not a port");
    row("remote=1GiB,url=redis://h/one", "'one' is not a database");
    row("remote=1GiB,url=redis://h/-1", "'-1' is not a database");
    row("remote=1GiB,url=redis://::1", "in brackets");
    row("remote=1GiB,url=redis://[::1", "not closed");
    row("remote=1GiB,url=redis://[::1]6379", "follows the address");
    row("remote=1GiB,url=redis://u:secret%@h", "written");
    row("remote=1GiB,url=redis://u:secret%zz@h", "hexadecimal");
    row("remote=1GiB,url=redis://u:sec,secret@h:1", "%2C");
    row("remote=1GiB,url=redis://h,prefix=", "prefix is up to 64");
    row("remote=1GiB,url=redis://h,prefix={x}", "prefix is up to 64");
    row("remote=1GiB,url=redis://h,timeout=0", "zero leaves no time");
    row("remote=1GiB,url=redis://h,connect=-1s", "negative");
    row("remote=1GiB,url=redis://h,timeout=soon", "write it like 2s");
    row("remote=1GiB,url=redis://u:secret@h,path=x", "not both");
    row("remote=1GiB,url=redis://u:secret@h,speed=x", "'speed'");
    row("ssd=1GiB,prefix=x", "add url=");
    row("ssd=1GiB,seal_key_file=x", "add url=");
    row("remote=1GiB,url=redis://u:secret@h,seal_key_file=", "seal_key_file is empty");
    row("ssd=1GiB,timeout=1s", "add url=");
  }
  void badUrlsAreUsageErrorsWithoutThePassword() {
    QFETCH(QString, option);
    QFETCH(QString, reason);
    const auto spec = parse_tier_option(option.toStdString());
    QVERIFY(!spec);
    QCOMPARE(spec.error().code, ErrorCode::usage);
    const QString message = QString::fromStdString(spec.error().message);
    QVERIFY2(message.contains(reason == "written" ? "%25" : reason) && message.contains(';'), qPrintable(message));
    QVERIFY2(!message.contains("secret") && !message.contains('\n'), qPrintable(message));
  }

  void messagesLeaveOutWhatFollowsTheQuestionMark_data() {
    QTest::addColumn<QString>("option");
    for (const char* option : {"remote=1GiB,url=rediss://h?ca=hush,timeout=soon", "remote=1GiB,url=redis://h?ca=hush",
                               "remote=1GiB,url=rediss://h?ca=x&hush=y", "remote=1GiB,url=rediss://h?hush",
                               "remote=1GiB,url=rediss://u:p@h:1/2?ca=hush,speed=3",
                               "a=1MiB,url=rediss://h?ca=hush,b=1MiB,url=redis://h?hush"})
      QTest::newRow(option) << option;
  }
  void messagesLeaveOutWhatFollowsTheQuestionMark() {
    QFETCH(QString, option);
    const auto tiers = parse_tiers(option.toStdString());
    QVERIFY(!tiers);
    const QString message = QString::fromStdString(tiers.error().message);
    QVERIFY2(message.contains("?...") && !message.contains("hush"), qPrintable(message));
  }
  void aUrlIsShownWithoutItsAuthority() {
    QCOMPARE(parse_redis_url("rediss://me@h:1/2?ca=%2Fetc%2Fhush.pem")->shown(), std::string("rediss://me@h:1/2"));
  }

  void passwordsOpenAndWrongOnesAreOneLine_data() {
    QTest::addColumn<QString>("account");
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("reason");
    QTest::newRow("right") << ":open%20sesame"
                           << ""
                           << ""
                           << "";
    QTest::newRow("right, from the environment") << ""
                                                 << "open sesame"
                                                 << "/3"
                                                 << "";
    QTest::newRow("user and right") << "default:open%20sesame"
                                    << ""
                                    << ""
                                    << "";
    QTest::newRow("user, password from the environment") << "default"
                                                         << "open sesame"
                                                         << ""
                                                         << "";
    QTest::newRow("the url comes before the environment") << ":open%20sesame"
                                                          << "wrong-secret"
                                                          << ""
                                                          << "";
    QTest::newRow("wrong") << ":wrong-secret"
                           << ""
                           << ""
                           << "refuses the password";
    QTest::newRow("wrong user") << "nobody:open%20sesame"
                                << ""
                                << ""
                                << "refuses the password";
    QTest::newRow("none") << ""
                          << ""
                          << ""
                          << "wants a password";
    QTest::newRow("no such database") << ":open%20sesame"
                                      << ""
                                      << "/99"
                                      << "database 99 is not there";
  }
  void passwordsOpenAndWrongOnesAreOneLine() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    QFETCH(QString, account);
    QFETCH(QString, variable);
    QFETCH(QString, path);
    QFETCH(QString, reason);
    if (server_ == nullptr) server_ = std::make_unique<RedisServer>(QStringList{}, "open sesame");
    variable.isEmpty() ? qunsetenv(redis_password_variable) : qputenv(redis_password_variable, variable.toUtf8());
    const auto spec = parse_tier_option("remote=1GiB,url=" + server_->url(account.toStdString()) + path.toStdString());
    QVERIFY(spec);
    const auto tier = open_here(*spec);
    qunsetenv(redis_password_variable);
    QCOMPARE(tier.has_value(), reason.isEmpty());
    if (tier) {
      const auto bytes = random_bytes(1, 10000);
      BufferPool pool(1 << 20);
      QVERIFY(write_entry(**tier, "entry", bytes));
      QVERIFY(read_entry(**tier, pool, "entry", *bytes).ok());
      QCOMPARE((*tier)->describe().kind, std::string("Redis"));
      QVERIFY((*tier)->describe().note.find("sesame") == std::string::npos);
    } else {
      const QString message = QString::fromStdString(tier.error().message);
      QCOMPARE(tier.error().code, ErrorCode::rejected_input);
      QVERIFY2(message.contains(reason) && message.contains("; ") && !message.contains('\n'), qPrintable(message));
      QVERIFY2(!message.contains("secret") && !message.contains("sesame"), qPrintable(message));
    }
  }

  void aPasswordWhereNoneIsWantedIsSaid() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RedisServer server;
    const auto tier = open_here(*parse_tier_option("remote=1GiB,url=" + server.url(":secret")));
    QVERIFY(!tier && tier.error().code == ErrorCode::rejected_input);
    QVERIFY(QString::fromStdString(tier.error().message).contains("the server has none; leave it out"));
  }

  void aUserWhoMayNotWriteIsTold() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RedisServer server;
    server.cli({"ACL", "SETUSER", "guest", "on", ">pass", "~*", "+ping", "+select", "+get"});
    const auto tier = open_here(*parse_tier_option("remote=1GiB,url=" + server.url("guest:pass")));
    QVERIFY(!tier && tier.error().code == ErrorCode::rejected_input);
    QVERIFY2(QString::fromStdString(tier.error().message).contains("EVAL"), tier.error().message.c_str());
  }

  void aClusterNodeServesTheSlotsItHas() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RedisServer server({"--cluster-enabled", "yes"});
    const std::string option = "remote=1GiB,url=" + server.url();
    const auto spec = parse_tier_option(option);
    // No slot has an owner: down, not wrong.
    QVERIFY(!(*open_here(*spec))->reachable());
    server.cli({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
    QVERIFY(eventually([&] { return server.cli({"CLUSTER", "INFO"}).contains("cluster_state:ok"); }));
    const auto tier = open_here(*spec);
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY((*tier)->reachable());
    BufferPool pool(16 << 20);
    const auto bytes = random_bytes(1, 3000000);
    QVERIFY(write_entry(**tier, "entry", bytes));  // several keys in one script: one slot
    QVERIFY(read_entry(**tier, pool, "entry", *bytes).ok());
    QVERIFY((*tier)->erase(key_of("entry")));
    const auto other = open_here(*parse_tier_option(option + "/1"));
    QVERIFY(!other && other.error().code == ErrorCode::rejected_input);
  }

  void aClusterNodeWithoutTheSlotIsNoSingleServer() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RedisServer low({"--cluster-enabled", "yes"}), high({"--cluster-enabled", "yes"});
    low.cli({"CLUSTER", "ADDSLOTSRANGE", "0", "8191"});
    high.cli({"CLUSTER", "ADDSLOTSRANGE", "8192", "16383"});
    low.cli({"CLUSTER", "MEET", "127.0.0.1", QString::number(high.port())});
    for (RedisServer* server : {&low, &high})
      QVERIFY(eventually([&] { return server->cli({"CLUSTER", "INFO"}).contains("cluster_state:ok"); }));
    int opened = 0;
    for (RedisServer* server : {&low, &high}) {
      const auto tier = open_here(*parse_tier_option("remote=1GiB,url=" + server->url()));
      if (tier) {
        ++opened;
        continue;
      }
      QCOMPARE(tier.error().code, ErrorCode::rejected_input);
      const QString message = QString::fromStdString(tier.error().message);
      QVERIFY2(message.contains("a node of a cluster") && message.contains("write redis-cluster://"),
               qPrintable(message));
    }
    QCOMPARE(opened, 1);
  }

  void scopesNeverMeet() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    RedisServer server;
    const auto bytes = random_bytes(1, 1000);
    const auto one = open_remote(options_for(server, "model-a"));
    QVERIFY(write_entry(*one, "entry", bytes));
    QVERIFY(open_remote(options_for(server, "model-b"))->entries().empty());
    RedisStoreOptions other = options_for(server, "model-a");
    other.prefix = "elsewhere";
    QVERIFY(open_remote(other)->entries().empty());
    QCOMPARE(open_remote(options_for(server, "model-a"))->entries().size(), std::size_t{1});
  }

 private:
  std::unique_ptr<RedisServer> server_;
};

KV_TEST_GUILESS_MAIN(RemoteOpeningTest)

}  // namespace remote_opening_test

#include "remote_opening_test.moc"
