// links: kv_base kv_tiers
// Buckets as users name them, their keys, and the errors when something of that is wrong.
#include <sys/stat.h>

#include <fstream>

#include "core/ports/session.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/s3/s3_client.h"

namespace s3_url_test {

using namespace kvantage;
using namespace kvantage::testing;

class S3UrlTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  void write_keys(const char* text, mode_t mode = 0600) const {
    const std::string file = s3_keys_file().string();
    std::filesystem::create_directories(s3_keys_file().parent_path());
    std::ofstream(file) << text;
    QCOMPARE(::chmod(file.c_str(), mode), 0);
  }

 private slots:
  void init() {
    for (const char* name : {"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION",
                             "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"})
      qunsetenv(name);
    qputenv("XDG_CONFIG_HOME", folder_.path().toUtf8());
    std::filesystem::remove(s3_keys_file());
  }

  void urlsAreRead() {
    const auto bare = parse_s3_url("s3://archive", {});
    QVERIFY(bare);
    QCOMPARE(bare->prefix, std::string("kvantage"));
    QCOMPARE(bare->origin(), std::string("https://archive.s3.us-east-1.amazonaws.com"));
    QCOMPARE(bare->server_host(), std::string("archive.s3.us-east-1.amazonaws.com"));
    QVERIFY(bare->is_amazon() && bare->bucket_in_host());
    // A dot in the name does not fit the certificate.
    QCOMPARE(parse_s3_url("s3://my.archive/a/b/?region=eu-west-1", {})->origin(),
             std::string("https://s3.eu-west-1.amazonaws.com"));
    const auto own = parse_s3_url("s3://archive/team/kv?endpoint=https://minio.example:9000/&region=eu-1", {});
    QVERIFY2(own, own ? "" : own.error().message.c_str());
    QCOMPARE(own->prefix, std::string("team/kv"));
    QCOMPARE(own->origin(), std::string("https://minio.example:9000"));
    QCOMPARE(own->address(), std::string("s3://archive/team/kv at minio.example:9000"));
    QVERIFY(!own->bucket_in_host());
    QCOMPARE(parse_s3_url("s3://archive?endpoint=https%3A%2F%2Fh&addressing_style=virtual", {})->origin(),
             std::string("https://archive.h"));
    QCOMPARE(parse_s3_url("s3://archive?endpoint=http://[::1]:9000", {})->origin(), std::string("http://[::1]:9000"));
    // What the environment says fills in what is missing, and nothing else.
    const S3Defaults defaults{"http://localhost:5000", "eu-9"};
    QCOMPARE(parse_s3_url("s3://archive", defaults)->shown(),
             std::string("s3://archive/kvantage?endpoint=http://localhost:5000&region=eu-9"));
    QCOMPARE(parse_s3_url("s3://archive?endpoint=https://h&region=r", defaults)->shown(),
             std::string("s3://archive/kvantage?endpoint=https://h&region=r"));
    for (const char* text : {"s3://archive/a?endpoint=http://h:1&region=r&addressing_style=virtual",
                             "s3://my.archive?addressing_style=path", "s3://archive?endpoint=https://[::1]"}) {
      const auto url = parse_s3_url(text, {});
      QVERIFY2(url, text);
      QVERIFY2(*parse_s3_url(url->shown(), defaults) == *url, url->shown().c_str());
    }
  }

  void wrongUrlsAreUsageErrors_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* option, const char* reason) { QTest::newRow(option) << option << reason; };
    row("s3=1GiB,url=s3://", "no bucket");
    row("s3=1GiB,url=s3://AB", "not the name of a bucket");
    row("s3=1GiB,url=s3://-ab", "not the name of a bucket");
    row("s3=1GiB,url=s3://a..b", "not the name of a bucket");
    row("s3=1GiB,url=s3://archive/a//b", "not a prefix of keys");
    row("s3=1GiB,url=s3://archive/../b", "not a prefix of keys");
    row("s3=1GiB,url=s3://archive/a b", "not a prefix of keys");
    row("s3=1GiB,url=s3://archive?hush=1", "endpoint=, region= and addressing_style=");
    row("s3=1GiB,url=s3://archive?region=a&region=b", "given twice");
    row("s3=1GiB,url=s3://archive?region=", "not a region");
    row("s3=1GiB,url=s3://archive?region=a:b", "not a region");
    row("s3=1GiB,url=s3://archive?endpoint=", "does not begin with https://");
    row("s3=1GiB,url=s3://archive?endpoint=ftp://h", "does not begin with https://");
    row("s3=1GiB,url=s3://archive?endpoint=https://h:0", "is not a port");
    row("s3=1GiB,url=s3://archive?endpoint=https://h/path", "is not a host name");
    row("s3=1GiB,url=s3://archive?endpoint=https://", "is not a host name");
    row("s3=1GiB,url=s3://archive?endpoint=https://[::1", "not closed");
    row("s3=1GiB,url=s3://archive?addressing_style=x", "neither path nor virtual");
    row("s3=1GiB,url=s3://KEY:secret@archive", "holds no keys");
    row("s3=1GiB,url=s3://archive?endpoint=https://KEY:secret@h", "holds no keys");
    row("s3=1GiB,url=s3://archive,ca=", "ca is empty");
    row("s3=1GiB,url=s3://archive?endpoint=http://h,ca=x", "ca belongs to TLS");
    row("s3=1GiB,url=s3://archive,seal_key_file=", "seal_key_file is empty");
    row("s3=1GiB,url=s3://archive,prefix=x",
        "s3 is a bucket of an object store and has no prefix; write url=s3://BUCKET/PREFIX");
    row("a=1GiB,kind=s3,url=s3://archive,prefix=x", "has no prefix; write url=s3://BUCKET/PREFIX");
    row("s3=1GiB,url=s3://archive,timeout=0", "zero leaves no time");
    row("s3=1GiB,kind=s3", "add url=s3://BUCKET");
    row("s3=1GiB,kind=s3,url=redis://h", "does not begin with s3://");
  }
  void wrongUrlsAreUsageErrors() {
    QFETCH(QString, option);
    QFETCH(QString, reason);
    const auto config = parse_tier_option(option.toStdString());
    QVERIFY(!config);
    QCOMPARE(config.error().code, ErrorCode::usage);
    const QString message = QString::fromStdString(config.error().message);
    QVERIFY2(message.contains(reason) && message.contains(';'), qPrintable(message));
    QVERIFY2(!message.contains("secret") && !message.contains("hush") && !message.contains('\n'), qPrintable(message));
  }

  void aUrlImpliesItsKind() {
    if (!has_s3()) QSKIP("built without S3");
    const auto bucket = parse_tier_option("remote=1GiB,url=s3://archive,connect=1s,timeout=2s");
    QVERIFY2(bucket, bucket ? "" : bucket.error().message.c_str());
    QCOMPARE(kind_of(*bucket).id, std::string("s3"));
    QVERIFY(kind_of(*bucket).needs_consent() && kind_of(*bucket).is_shared);
    QCOMPARE(kind_of(*parse_tier_option("s3=1GiB,url=redis://h")).id, std::string("remote"));
    QCOMPARE(kind_of(*parse_tier_option("s3=1GiB")).id, std::string("ssd"));
  }

  void whatIsRecordedNamesTheServer() {
    if (!has_s3()) QSKIP("built without S3");
    qputenv("AWS_ENDPOINT_URL", "http://localhost:5000");
    const auto config = parse_tier_option("pool=1GiB,url=s3://archive/kv");
    QVERIFY(config);
    const TierConfig recorded = recorded_form(*config);
    QCOMPARE(recorded.option("url"), std::string("s3://archive/kv?endpoint=http://localhost:5000&region=us-east-1"));
    SessionSettings settings;
    settings.tiers = {recorded};
    const auto again = session_settings_from_json(to_json(settings), "t");
    QVERIFY(again && again->tiers[0] == recorded && kind_of(again->tiers[0]).id == "s3");
    // The endpoint's variable for S3 comes before that for all services.
    qputenv("AWS_ENDPOINT_URL_S3", "http://localhost:6000");
    QCOMPARE(recorded_form(*config).option("url"),
             std::string("s3://archive/kv?endpoint=http://localhost:6000&region=us-east-1"));
  }

  void keysOfTheEnvironmentAreForTheUsersOwnUrls() {
    const auto url = *parse_s3_url("s3://archive?endpoint=https://h", {});
    const auto none = s3_keys_for(url, UrlSource::user);
    QVERIFY(!none && none.error().code == ErrorCode::rejected_input);
    QVERIFY2(none.error().message.find("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY") != std::string::npos,
             none.error().message.c_str());
    qputenv("AWS_ACCESS_KEY_ID", "id");
    qputenv("AWS_SECRET_ACCESS_KEY", "hush");
    qputenv("AWS_SESSION_TOKEN", "token");
    const auto users = s3_keys_for(url, UrlSource::user);
    QVERIFY(users && users->access_key_id == "id" && users->secret_access_key == "hush");
    QCOMPARE(users->session_token, std::string("token"));
    const auto files = s3_keys_for(url, UrlSource::file);
    QVERIFY(!files && files.error().message.find("hush") == std::string::npos);
    // A line break would begin a header.
    qputenv("AWS_SESSION_TOKEN", "token\r\nX: y");
    QVERIFY(!s3_keys_for(url, UrlSource::user));
  }

  void keysOfTheFileAreForTheirBucketAndServer() {
    write_keys(
        "# comment\n\ns3://archive?endpoint=https://one:9000 id1 hush1\r\n"
        "s3://archive  id2\thush2 token2\ns3://other?endpoint=https://one:9000 id3 hush3\n");
    const auto id_of = [](const char* text, UrlSource source) {
      const auto keys = s3_keys_for(*parse_s3_url(text, {}), source);
      return keys ? keys->access_key_id : std::string("none");
    };
    QCOMPARE(id_of("s3://archive/x?endpoint=https://ONE.:9000", UrlSource::file), std::string("id1"));
    QCOMPARE(id_of("s3://archive/x?endpoint=https://ONE:9000", UrlSource::file), std::string("id1"));
    QCOMPARE(id_of("s3://archive?endpoint=http://one:9000", UrlSource::file), std::string("none"));
    QCOMPARE(id_of("s3://archive?endpoint=https://one:9001", UrlSource::file), std::string("none"));
    QCOMPARE(id_of("s3://archive?endpoint=https://evil:9000", UrlSource::file), std::string("none"));
    QCOMPARE(id_of("s3://other?endpoint=https://one:9000", UrlSource::file), std::string("id3"));
    QCOMPARE(id_of("s3://archive?region=eu-west-1", UrlSource::file), std::string("id2"));
    QCOMPARE(id_of("s3://archive?endpoint=https://s3.evil.example", UrlSource::file), std::string("none"));
    QCOMPARE(s3_keys_for(*parse_s3_url("s3://archive", {}), UrlSource::user)->session_token, std::string("token2"));
  }

  void aFileOfKeysIsPrivateAndWellFormed() {
    const auto url = *parse_s3_url("s3://archive", {});
    for (const char* text : {"s3://archive id", "redis://h id hush", "s3://archive id hush token more"}) {
      write_keys(text);
      const auto keys = s3_keys_for(url, UrlSource::user);
      QVERIFY(!keys && keys.error().code == ErrorCode::rejected_input);
      QVERIFY2(keys.error().message.find("s3_keys:1: ") != std::string::npos, keys.error().message.c_str());
      QVERIFY(keys.error().message.find("hush") == std::string::npos);
    }
    write_keys("s3://archive id hush", 0644);
    const auto open = s3_keys_for(url, UrlSource::user);
    QVERIFY(!open && open.error().message.find("chmod 600") != std::string::npos);
  }
};

KV_TEST_APPLESS_MAIN(S3UrlTest)

}  // namespace s3_url_test

#include "s3_url_test.moc"
