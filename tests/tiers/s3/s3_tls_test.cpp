// links: kv_base kv_tiers
// Buckets over TLS: entries go and come, and no request is sent to a server whose certificate is not the host's.
#include <map>

#include "tests/support/certificates.h"
#include "tests/support/scripted_http.h"
#include "tests/support/test_program.h"
#include "tests/tiers/s3_testing.h"

namespace s3_tls_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::Certificates;
using kvantage::test::S3Server;
using kvantage::test::ScriptedHttp;

class S3TlsTest : public QObject {
  Q_OBJECT
  Certificates certificates_;
  std::map<QString, std::unique_ptr<S3Server>> servers_;  // by certificate

  S3Server& server(const QString& certificate) {
    auto& made = servers_[certificate];
    if (made == nullptr) made = std::make_unique<S3Server>("archive", &certificates_, certificate);
    return *made;
  }
  /// `authority` empty: those of the system.
  S3StoreOptions options_at(const std::string& url, const QString& authority) const {
    S3StoreOptions options = bucket_options(url);
    if (!authority.isEmpty()) options.access.url.authorities = certificates_.file(authority);
    return options;
  }
  static auto opened(const S3StoreOptions& options) {
    return QueuedTier::open(std::make_unique<S3Store>("s3", options), 0, 0, system_executor());
  }

 private slots:
  void initTestCase() {
    if (!has_s3()) QSKIP("built without S3");
    if (const QString why = S3Server::missing(); !why.isEmpty()) QSKIP(qPrintable(why));
    if (Certificates::is_missing()) QSKIP("openssl is not installed: apt-get install openssl");
    QVERIFY(certificates_.make_authority("authority") && certificates_.make_authority("stranger"));
    QVERIFY(certificates_.sign("right", "authority", "DNS:localhost,IP:127.0.0.1"));
    QVERIFY(certificates_.sign("other", "authority", "DNS:other.example,IP:192.0.2.1"));
    QVERIFY(certificates_.sign("expired", "authority", "DNS:localhost,IP:127.0.0.1", -1));
  }

  void entriesGoAndComeUnderTls() {
    const auto options = options_at(server("right").url("tls"), "authority.pem");
    QVERIFY(options.access.url.tls);
    BufferPool pool(std::size_t{64} << 20);
    {
      const auto tier = open_bucket_tier(options);
      QVERIFY2(tier->reachable(), tier->describe().note.c_str());
      for (const std::size_t bytes : {std::size_t{1000}, std::size_t{100'001}, std::size_t{5'000'000}}) {
        const auto written = random_bytes(bytes, bytes);
        const Status stored = write_entry(*tier, std::to_string(bytes), written);
        QVERIFY2(stored, stored ? "" : stored.error().message.c_str());
        const auto read = read_entry(*tier, pool, std::to_string(bytes), *written);
        QVERIFY(read.ok() && read.extents.front() == *written);
      }
    }
    QCOMPARE(server("right").names("tls/v1/test/e/").size(), 3);
    const auto again = open_bucket_tier(options);
    QCOMPARE(again->statistics().recovered, std::uint64_t{3});
    // A name of the host that its certificate has, too.
    auto by_name = options;
    by_name.access.url.host = "localhost";
    QVERIFY(open_bucket_tier(by_name)->reachable());
  }

  void noOtherCertificateIsTrusted_data() {
    QTest::addColumn<QString>("certificate");
    QTest::addColumn<QString>("authority");
    const auto row = [](const char* name, const char* certificate, const char* authority) {
      QTest::newRow(name) << certificate << authority;
    };
    row("the system's authorities", "right", "");
    row("another authority", "right", "stranger.pem");
    row("another name", "other", "authority.pem");
    row("expired", "expired", "authority.pem");
    row("no file", "right", "nothing.pem");
    row("no certificate", "right", "right.key");
  }
  void noOtherCertificateIsTrusted() {
    QFETCH(QString, certificate);
    QFETCH(QString, authority);
    const auto tier = opened(options_at(server(certificate).url("none"), authority));
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    const std::string& message = tier.error().message;
    QVERIFY2(message.starts_with("tier s3: s3://archive/none at 127.0.0.1:"), message.c_str());
    QVERIFY2(message.find('\n') == std::string::npos, message.c_str());
    QVERIFY(server(certificate).names("none/").isEmpty());  // not even the sign of a workbench
  }

  // What it is sent is no request for it: no signature, no name of the bucket.
  void nothingIsSentInClear() {
    ScriptedHttp clear;
    auto options =
        options_at("s3://archive/kv?endpoint=https://127.0.0.1:" + std::to_string(clear.port()) + "&region=us-east-1",
                   "authority.pem");
    options.access.timeouts = {1, 1};
    const auto tier = opened(options);
    QVERIFY(!tier || !(*tier)->reachable());
    QVERIFY(clear.connections() > 0);
    QVERIFY(clear.requests().empty());
  }
};

KV_TEST_APPLESS_MAIN(S3TlsTest)

}  // namespace s3_tls_test

#include "s3_tls_test.moc"
