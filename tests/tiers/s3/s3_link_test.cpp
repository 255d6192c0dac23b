// links: kv_tiers
// What a link says of a server that does not answer, and of one that refuses the keys: by the code of the error, so
// that no text decides it.
#include <QtTest>

#include "core/base/executor.h"
#include "tests/support/test_program.h"
#include "tiers/s3/s3_link.h"

namespace s3_link_test {

using namespace kvantage;

class S3LinkTest : public QObject {
  Q_OBJECT

 private slots:
  void onlyTheCodeSaysThatKeysAreRefused_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("message");
    QTest::addColumn<bool>("refused");
    const auto row = [](const char* name, ErrorCode code, const char* message, bool refused) {
      QTest::newRow(name) << static_cast<int>(code) << QString(message) << refused;
    };
    row("keys", ErrorCode::unauthorized, "refused: credentials: s3://a at h: 403", true);
    row("keys, in other words", ErrorCode::unauthorized, "s3://a at h: no", true);
    row("a text that begins alike", ErrorCode::io, "refused: credentials: s3://a at h: 403", false);
    row("another refusal", ErrorCode::rejected_input, "s3://a at h: 404", false);
    row("silence", ErrorCode::io, "s3://a at h: no answer in 5 s", false);
  }
  void onlyTheCodeSaysThatKeysAreRefused() {
    QFETCH(int, code);
    QFETCH(QString, message);
    QFETCH(bool, refused);
    const std::string reason = message.toStdString();
    S3Link link("bucket", system_executor().clock());
    link.set_up();
    const Error error = link.failed({static_cast<ErrorCode>(code), reason});
    QCOMPARE(error.code, ErrorCode::io);
    QCOMPARE(error.message, "tier bucket: " + reason);
    QVERIFY(!link.up());
    QCOMPARE(link.refused(), refused);
    const std::string expected = refused ? reason : "not reachable: " + reason + "; retrying";
    QCOMPARE(link.note("h"), expected);
    QCOMPARE(link.unavailable().message, "tier bucket: " + expected);
    link.set_up();
    QVERIFY(link.up() && !link.refused());
    QCOMPARE(link.note("h"), std::string("at h"));
  }

  void aCanceledRequestSaysNothingAboutTheServer() {
    S3Link link("bucket", system_executor().clock());
    QVERIFY(!link.up() && !link.refused());
    QCOMPARE(link.note("h"), std::string("not reachable: not tried yet; retrying"));
    link.set_up();
    QCOMPARE(link.failed({ErrorCode::cancelled, "canceled"}).code, ErrorCode::cancelled);
    QVERIFY(link.up());
    link.limit("writes are not conditional: 501");
    QCOMPARE(link.note("h"), std::string("at h; writes are not conditional: 501"));
  }
};

KV_TEST_APPLESS_MAIN(S3LinkTest)

}  // namespace s3_link_test

#include "s3_link_test.moc"
