// links: kv_base kv_tiers
// Passwords are bound to a host: a url from a file gets none that was meant for another server.
#include <sys/stat.h>

#include <QFile>

#include "tests/support/scripted_server.h"
#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"
#include "tiers/remote/redis_credentials.h"

namespace redis_credentials_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::ScriptedServer;
using kvantage::test::Words;

class RedisCredentialsTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> home_;

  void write_file(const QByteArray& text, mode_t mode = 0600) {
    QVERIFY(QDir(home_->path()).mkpath("kvantage"));
    QFile file(home_->filePath("kvantage/credentials"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    QCOMPARE(::chmod(file.fileName().toLocal8Bit().constData(), mode), 0);
  }
  static RedisUrl found(const std::string& url, UrlSource source) {
    const auto with = with_credentials(*parse_redis_url(url), source);
    return with ? *with : RedisUrl{};
  }
  static std::vector<std::string> passwords_sent(const ScriptedServer& server) {
    std::vector<std::string> sent;
    for (const Words& words : server.commands())
      if (words[0] == "AUTH") sent.push_back(words.back());
    return sent;
  }

 private slots:
  void init() {
    home_ = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CONFIG_HOME", home_->path().toLocal8Bit());
    for (const char* name :
         {"KVANTAGE_REDIS_PASSWORD", "KVANTAGE_REDIS_PASSWORD_CACHE_EXAMPLE", "KVANTAGE_REDIS_PASSWORD_127_0_0_1"})
      qunsetenv(name);
  }

  void theBareVariableIsForUrlsOfTheUserAlone() {
    qputenv("KVANTAGE_REDIS_PASSWORD", "bare");
    QCOMPARE(found("redis://cache.example", UrlSource::user).password, std::string("bare"));
    QCOMPARE(found("redis://cache.example", UrlSource::file).password, std::string());
    // On the wire: the server of a file is sent no password at all.
    for (const UrlSource source : {UrlSource::user, UrlSource::file}) {
      ScriptedServer server;
      const auto config = parse_tier_option("remote=1GiB,url=" + server.url());
      const auto tier = open_tier(*config, {.executor = system_executor(), .url_source = source});
      QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
      QCOMPARE(passwords_sent(server),
               source == UrlSource::user ? std::vector<std::string>{"bare"} : std::vector<std::string>{});
    }
  }

  void theVariableOfAHostIsForThatHostAlone() {
    qputenv("KVANTAGE_REDIS_PASSWORD_CACHE_EXAMPLE", "hosts");
    for (const UrlSource source : {UrlSource::user, UrlSource::file}) {
      QCOMPARE(found("redis://cache.example:7000", source).password, std::string("hosts"));
      QCOMPARE(found("redis://CACHE.Example", source).password, std::string("hosts"));
      QCOMPARE(found("redis://cache.example.evil.example", source).password, std::string());
      QCOMPARE(found("redis://evil.example", source).password, std::string());
    }
    QCOMPARE(password_variable("127.0.0.1"), std::string("KVANTAGE_REDIS_PASSWORD_127_0_0_1"));
    QCOMPARE(password_variable("::1"), std::string("KVANTAGE_REDIS_PASSWORD___1"));
    QCOMPARE(found("redis://:own@cache.example", UrlSource::user).password, std::string("own"));
  }

  void aLineOfTheFileIsForItsHostUserPortAndScheme() {
    write_file(
        "# servers\n\nredis://cache.example:7000 with port\nredis://me@cache.example  of me \nredis://[::1] six\n"
        "rediss://safe.example tls alone\r\nredis://cache.example\tlast");
    const auto password = [](const std::string& url) { return found(url, UrlSource::file).password; };
    QCOMPARE(password("redis://cache.example:7000"), std::string("with port"));
    QCOMPARE(password("redis://me@cache.example:7000"), std::string("of me"));
    QCOMPARE(password("redis://you@cache.example"), std::string());
    QCOMPARE(password("redis://cache.example:1"), std::string("of me"));
    QCOMPARE(found("redis://cache.example:1", UrlSource::file).user, std::string("me"));
    QCOMPARE(password("redis://[::1]:9"), std::string("six"));
    QCOMPARE(password("rediss://safe.example"), std::string("tls alone"));
    QCOMPARE(password("redis://safe.example"), std::string());  // never in clear
    QCOMPARE(password("rediss://[::1]:9"), std::string("six"));
    QCOMPARE(password("redis://evil.example"), std::string());
  }

  void aFileOfOthersIsRefused_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    const QByteArray right = "redis://cache.example secret\n";
    for (const int mode : {0640, 0604, 0620, 0602, 0644, 0610, 0777})
      QTest::newRow(QByteArray::number(mode, 8).constData()) << mode << right << "chmod 600";
    QTest::newRow("no password") << 0600 << QByteArray("redis://cache.example\n") << "credentials:1: no password";
    QTest::newRow("no url") << 0600 << QByteArray("#\ncache.example secret\n")
                            << "credentials:2: is not a server's url";
    QTest::newRow("a password in the url") << 0600 << QByteArray("redis://:secret@h x\n") << "already holds a password";
    QTest::newRow("too large") << 0600 << QByteArray(70000, '#') << "larger than 64 KiB";
  }
  void aFileOfOthersIsRefused() {
    QFETCH(int, mode);
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    write_file(text, static_cast<mode_t>(mode));
    const auto with = with_credentials(*parse_redis_url("redis://cache.example"), UrlSource::user);
    QVERIFY(!with);
    QCOMPARE(with.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(with.error().message);
    QVERIFY2(message.contains(reason) && message.contains("; ") && !message.contains('\n'), qPrintable(message));
    QVERIFY2(!message.contains("secret"), qPrintable(message));
  }

  void whatIsNoFileIsNotWaitedFor() {
    QVERIFY(QDir(home_->path()).mkpath("kvantage"));
    QCOMPARE(::mkfifo(home_->filePath("kvantage/credentials").toLocal8Bit().constData(), 0600), 0);
    const auto with = with_credentials(*parse_redis_url("redis://cache.example"), UrlSource::user);
    QVERIFY(!with);
    QVERIFY2(with.error().message.find("is not a file") != std::string::npos, with.error().message.c_str());
  }

  void withoutAFileNothingIsMissed() {
    QVERIFY(with_credentials(*parse_redis_url("redis://cache.example"), UrlSource::file));
    qputenv("XDG_CONFIG_HOME",
            "config");  // relative ones: somebody else's, where the program is started in their folder
    qputenv("HOME", "home");
    QVERIFY(credentials_file().empty());
    qputenv("HOME", home_->path().toLocal8Bit());
    QCOMPARE(QString::fromStdString(credentials_file().string()), home_->filePath(".config/kvantage/credentials"));
  }
};

KV_TEST_GUILESS_MAIN(RedisCredentialsTest)

}  // namespace redis_credentials_test

#include "redis_credentials_test.moc"
