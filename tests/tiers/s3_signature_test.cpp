// links: kv_base kv_tiers
// Signatures of requests to buckets: what libcurl signs is what the server verifies. The server's part is here, and is
// itself held against the examples that Amazon publishes ("Signature Calculations for the Authorization Header").
#include <QCryptographicHash>
#include <QMessageAuthenticationCode>
#include <algorithm>
#include <set>

#include "tests/support/scripted_http.h"
#include "tests/support/test_program.h"
#include "tests/tiers/s3_testing.h"

namespace s3_signature_test {

using namespace kvantage;
using namespace kvantage::testing;
using namespace kvantage::test;

QByteArray sha256(const QByteArray& bytes) {
  return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}
QByteArray keyed(const QByteArray& text, const QByteArray& key) {
  return QMessageAuthenticationCode::hash(text, key, QCryptographicHash::Sha256);
}

/// What a server expects, from what it received. `signed_names`: sorted, with semicolons.
QByteArray expected_signature(const HttpMessage& request, const QByteArray& secret, const QByteArray& region,
                              const QByteArray& signed_names) {
  const QByteArray target = QByteArray::fromStdString(request.target);
  const qsizetype mark = target.indexOf('?');
  QByteArrayList query = mark < 0 ? QByteArrayList() : target.mid(mark + 1).split('&');
  std::sort(query.begin(), query.end());
  QByteArray canonical = QByteArray::fromStdString(request.method) + "\n";
  canonical += (mark < 0 ? target : target.left(mark)) + "\n" + query.join('&') + "\n";
  for (const QByteArray& name : signed_names.split(';'))
    canonical += name + ":" + QByteArray::fromStdString(request.header(name.toStdString())) + "\n";
  canonical += "\n" + signed_names + "\n" + QByteArray::fromStdString(request.header("x-amz-content-sha256"));
  const QByteArray time = QByteArray::fromStdString(request.header("x-amz-date")), day = time.left(8);
  const QByteArray scope = day + "/" + region + "/s3/aws4_request";
  QByteArray key = "AWS4" + secret;
  for (const QByteArray& part : {day, region, QByteArray("s3"), QByteArray("aws4_request")}) key = keyed(part, key);
  return keyed("AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + sha256(canonical), key).toHex();
}

class S3SignatureTest : public QObject {
  Q_OBJECT

 private slots:
  void amazonsExamples_data() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("target");
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<QByteArray>("payload");
    QTest::addColumn<QByteArray>("names");
    QTest::addColumn<QByteArray>("signature");
    const QByteArray nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    QTest::newRow("GET of a range") << QByteArray("GET") << QByteArray("/test.txt") << QByteArray("range bytes=0-9")
                                    << nothing << QByteArray("host;range;x-amz-content-sha256;x-amz-date")
                                    << QByteArray("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    QTest::newRow("PUT") << QByteArray("PUT") << QByteArray("/test%24file.text")
                         << QByteArray("x-amz-storage-class REDUCED_REDUNDANCY")
                         << QByteArray("44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
                         << QByteArray("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class")
                         << QByteArray("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    QTest::newRow("list") << QByteArray("GET") << QByteArray("/?max-keys=2&prefix=J") << QByteArray("x y") << nothing
                          << QByteArray("host;x-amz-content-sha256;x-amz-date")
                          << QByteArray("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
  }
  void amazonsExamples() {
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, target);
    QFETCH(QByteArray, header);
    QFETCH(QByteArray, payload);
    QFETCH(QByteArray, names);
    QFETCH(QByteArray, signature);
    HttpMessage request{method.toStdString(), target.toStdString(), {}, {}};
    request.headers = {{"host", "examplebucket.s3.amazonaws.com"},
                       {"date", "Fri, 24 May 2013 00:00:00 GMT"},
                       {"x-amz-content-sha256", payload.toStdString()},
                       {"x-amz-date", "20130524T000000Z"},
                       {header.split(' ')[0].toStdString(), header.split(' ')[1].toStdString()}};
    QCOMPARE(expected_signature(request, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", names), signature);
  }

  void everyRequestIsSigned() {
    if (!has_s3()) QSKIP("built without S3");
    ScriptedHttp server([](const HttpMessage& request, ScriptedHttp::Peer& peer) {
      if (request.target.find("%2Fe%2F") == std::string::npos) return false;
      const bool first = request.target.find("continuation-token") == std::string::npos;
      const std::string key = "kv/v1/model~2F1/e/0000000000000000000000000000000" + std::string(first ? "1" : "2");
      return peer.send(http_answer(
          200, "<ListBucketResult><IsTruncated>" + std::string(first ? "true" : "false") +
                   "</IsTruncated><NextContinuationToken>1+/= &amp;?~</NextContinuationToken><Contents><Key>" + key +
                   "</Key><Size>1</Size><ETag>x</ETag></Contents></ListBucketResult>"));
    });
    auto options = bucket_options(server.url(), "model/1");
    options.access.keys.session_token = "token/with+signs=";
    options.poll_seconds = 3600;
    {
      const auto tier = open_bucket_tier(options);
      const auto written = random_bytes(1, 3'000'000);
      QVERIFY(write_entry(*tier, "e", written));
      BufferPool pool(std::size_t{8} << 20);
      (void)read_entry(*tier, pool, "e", *written);
      QVERIFY(write_entry(*tier, "e", written));
      QVERIFY(tier->erase(key_of("e")));
    }
    const auto requests = server.requests();
    std::set<std::string> methods;
    std::size_t ranges = 0, tokens = 0, conditions = 0;
    for (const HttpMessage& request : requests) {
      methods.insert(request.method);
      ranges += request.headers.contains("range") ? 1 : 0;
      conditions += request.headers.contains("if-match") ? 1 : 0;
      tokens += request.target.find("continuation-token=1%2B%2F%3D%20%26%3F~") != std::string::npos ? 1 : 0;
      const QByteArray what = QByteArray::fromStdString(request.method + " " + request.target);
      QCOMPARE(request.header("x-amz-security-token"), std::string("token/with+signs="));
      QCOMPARE(request.header("x-amz-content-sha256"), sha256(QByteArray::fromStdString(request.body)).toStdString());
      const QByteArray authorization = QByteArray::fromStdString(request.header("authorization"));
      const QByteArray begin = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/" +
                               QByteArray::fromStdString(request.header("x-amz-date")).left(8) +
                               "/eu-test-1/s3/aws4_request, SignedHeaders=";
      QVERIFY2(authorization.startsWith(begin), (what + ": " + authorization).constData());
      const QByteArray names = authorization.mid(begin.size()).split(',')[0];
      for (const char* name : {"host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"})
        QVERIFY2(names.split(';').contains(name), names.constData());
      QCOMPARE(authorization.mid(authorization.indexOf("Signature=") + 10),
               expected_signature(request, "secret/KEY+example", "eu-test-1", names));
      QVERIFY(!authorization.contains("secret/KEY"));
    }
    QVERIFY((methods == std::set<std::string>{"DELETE", "GET", "HEAD", "PUT"}));
    QVERIFY(ranges > 0 && conditions > 0 && tokens > 0);
  }
};

KV_TEST_APPLESS_MAIN(S3SignatureTest)

}  // namespace s3_signature_test

#include "s3_signature_test.moc"
