// links: kv_base kv_tiers
// Writes to a bucket replace what this workbench knows and nothing else; what a server does not know or does not allow
// is said. Against moto's server, and against one that answers as a test says.
#include <QCryptographicHash>
#include <mutex>

#include "tests/support/scripted_http.h"
#include "tests/support/test_program.h"
#include "tests/tiers/s3_testing.h"

namespace s3_writes_test {

using namespace kvantage;
using namespace kvantage::testing;
using namespace kvantage::test;
using Peer = ScriptedHttp::Peer;

namespace {

bool is_of_an_entry(const HttpMessage& request) { return request.target.find("/test/e/") != std::string::npos; }
bool is_conditional(const HttpMessage& request) {
  return !request.header("if-match").empty() || !request.header("if-none-match").empty();
}
std::string md5_of(const std::string& body) {
  return QCryptographicHash::hash(QByteArray::fromStdString(body), QCryptographicHash::Md5).toHex().toStdString();
}
std::string etag_line(const std::string& etag) { return "ETag: \"" + etag + "\"\r\n"; }

S3StoreOptions options_at(const ScriptedHttp& server) {
  S3StoreOptions options = bucket_options(server.url());
  options.access.timeouts = {0.5, 0.5};
  return options;
}

}  // namespace

class S3WritesTest : public QObject {
  Q_OBJECT
  std::unique_ptr<S3Server> server_;
  BufferPool pool_{std::size_t{64} << 20};

  /// Of a workbench that looks at the bucket when it opens, and then at what it reads and writes only.
  std::unique_ptr<StorageTier> open_alone(const char* prefix) const {
    auto options = bucket_options(server_->url(prefix));
    options.poll_seconds = 3600;
    options.lease_seconds = 3600;
    return open_bucket_tier(options);
  }
  bool reads(StorageTier& tier, const Bytes& bytes) {
    const auto read = read_entry(tier, pool_, "e", bytes);
    return read.ok() && read.extents.front() == bytes;
  }
  bool has_moto() {
    if (const QString why = S3Server::missing(); !why.isEmpty()) {
      QTest::qSkip(qPrintable(why), __FILE__, __LINE__);
      return false;
    }
    if (server_ == nullptr) server_ = std::make_unique<S3Server>();
    return true;
  }

 private slots:
  void initTestCase() {
    if (!has_s3()) QSKIP("built without S3");
  }

  void whatSomebodyStoredMeanwhileStays() {
    if (!has_moto()) return;
    const auto one = open_alone("newer"), other = open_alone("newer");
    const auto first = random_bytes(1, 20'000), second = random_bytes(2, 25'000), third = random_bytes(3, 30'000);
    QVERIFY(write_entry(*one, "e", first));
    // It knows of none, and there is one.
    const Status written = write_entry(*other, "e", second);
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::busy);
    QVERIFY2(written.error().message.ends_with("another KVantage process stored a newer version meanwhile"),
             written.error().message.c_str());
    QVERIFY(other->reachable() && reads(*one, *first));
    QVERIFY(reads(*other, *first));  // found on the way
    QCOMPARE(other->statistics().failed_writes, (std::map<std::string, std::uint64_t>{{"busy", 1}}));
    // Now it does, and replaces it. The first one still thinks of its own.
    QVERIFY(write_entry(*other, "e", second));
    QCOMPARE(write_entry(*one, "e", third).error().code, ErrorCode::busy);
    QVERIFY(reads(*other, *second) && reads(*one, *second));
    QVERIFY(write_entry(*one, "e", third));
    QVERIFY(reads(*one, *third));
    QCOMPARE(server_->names("newer/v1/test/e/").size(), 1);
  }

  void equalEntriesAreNoConflict() {
    if (!has_moto()) return;
    const auto one = open_alone("equal"), other = open_alone("equal");
    const auto bytes = random_bytes(4, 2'000'000);
    QVERIFY(write_entry(*one, "e", bytes));
    QVERIFY(write_entry(*other, "e", bytes));
    QVERIFY(reads(*one, *bytes) && reads(*other, *bytes));
    QVERIFY(other->statistics().failed_writes.empty());
  }

  void anObjectThatIsGoneIsWrittenAgain() {
    if (!has_moto()) return;
    const auto tier = open_alone("gone");
    const auto first = random_bytes(5, 10'000), second = random_bytes(6, 10'000);
    QVERIFY(write_entry(*tier, "e", first));
    server_->call("delete_object(Bucket=bucket, Key='" + server_->names("gone/v1/test/e/").front() + "')");
    QVERIFY(write_entry(*tier, "e", second));
    QVERIFY(reads(*tier, *second));
  }

  // A write that was canceled may have arrived: that version is this workbench's own.
  void aCancelledWriteIsNoOtherWorkbench() {
    std::mutex mutex;
    std::string stored;  // its ETag
    std::atomic<int> puts{0}, looks{0};
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (!is_of_an_entry(request) || (request.method != "HEAD" && request.method != "PUT")) return false;
      const std::lock_guard lock(mutex);
      const std::string match = request.header("if-match");
      const bool is_other = !match.empty() && match != "\"" + stored + "\"";
      if (request.method == "HEAD") {
        ++looks;
        // What the canceled write leaves is looked for first, and has not arrived yet; then it has.
        if (!match.empty()) return peer.send("HTTP/1.1 404 Not Found\r\n\r\n");
        return peer.send("HTTP/1.1 200 OK\r\n" + etag_line(stored) + "\r\n");
      }
      if (is_other || (!request.header("if-none-match").empty() && !stored.empty()))
        return peer.send(http_answer(412, "<Error><Code>PreconditionFailed</Code></Error>"));
      stored = md5_of(request.body);
      if (++puts > 1) return peer.send(http_answer(200, {}, etag_line(stored)));
      peer.hold();
      return true;
    });
    auto options = options_at(server);
    options.access.timeouts = {20, 20};
    options.poll_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    const auto bytes = random_bytes(7, 5000);
    CompletionQueue queue(tier->executor().clock());
    tier->submit_write(info_of("e", *bytes), bytes, queue);
    QVERIFY(eventually([&] { return puts == 1; }));
    QVERIFY(tier->erase(key_of("e")));
    QCOMPARE(queue.wait(60).at(0).status.error().code, ErrorCode::cancelled);
    const Status again = write_entry(*tier, "e", random_bytes(8, 5000));
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QCOMPARE(puts.load(), 2);
    QCOMPARE(looks.load(), 2);
  }

  void aConflictIsTriedAgain() {
    std::atomic<int> puts{0};
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (request.method != "PUT" || !is_of_an_entry(request) || ++puts > 2) return false;
      return peer.send(http_answer(409, "<Error><Code>ConditionalRequestConflict</Code></Error>"));
    });
    auto options = options_at(server);
    options.poll_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    QVERIFY(write_entry(*tier, "e", random_bytes(1, 1000)));
    QCOMPARE(puts.load(), 3);
    // One that does not end: nobody says what is there.
    puts = -1000;
    const Status refused = write_entry(*tier, "f", random_bytes(2, 1000));
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::busy);
    QVERIFY2(refused.error().message.ends_with("storing an entry: 409 ConditionalRequestConflict; tried 4 times"),
             refused.error().message.c_str());
    QCOMPARE(puts.load(), -996);
    QVERIFY(tier->reachable());
  }

  void aServerWithoutConditionsIsSaid_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("said");
    QTest::newRow("501") << 501 << "501 NotImplemented: A header is not implemented";
    QTest::newRow("400") << 400 << "400 NotImplemented: A header is not implemented";
  }
  void aServerWithoutConditionsIsSaid() {
    QFETCH(int, status);
    QFETCH(QString, said);
    std::atomic<int> conditional{0}, others{0};
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (request.method != "PUT" || !is_of_an_entry(request)) return false;
      if (!is_conditional(request)) {
        ++others;
        return false;
      }
      ++conditional;
      return peer.send(http_answer(status,
                                   "<Error><Code>NotImplemented</Code><Message>A header is not implemented"
                                   "</Message></Error>"));
    });
    auto options = options_at(server);
    options.poll_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    const std::string before = tier->describe().note;
    QVERIFY2(before.starts_with("at s3://") && before.find("conditional") == std::string::npos, before.c_str());
    for (const char* name : {"e", "f", "g"}) QVERIFY(write_entry(*tier, name, random_bytes(1, 1000)));
    QCOMPARE(conditional.load(), 1);  // and from then on it is not asked again
    QCOMPARE(others.load(), 3);
    QCOMPARE(QString::fromStdString(tier->describe().note),
             QString::fromStdString(before) + "; writes are not conditional: " + said);
  }

  // A 501 that is not about the condition: it is kept.
  void whatIsNotAboutTheConditionIsAnError() {
    std::atomic<bool> bad{true};
    std::atomic<int> conditional{0};
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (request.method != "PUT" || !is_of_an_entry(request)) return false;
      conditional += is_conditional(request) ? 1 : 0;
      return bad && peer.send(http_answer(501, "<Error><Code>NotImplemented</Code></Error>"));
    });
    auto options = options_at(server);
    options.poll_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    const Status written = write_entry(*tier, "e", random_bytes(1, 1000));
    QVERIFY(!written && written.error().message.find("storing an entry: 501 NotImplemented") != std::string::npos);
    bad = false;
    QVERIFY(eventually([&] { return tier->reachable(); }));
    QVERIFY(write_entry(*tier, "e", random_bytes(1, 1000)));
    QCOMPARE(conditional.load(), 2);
    QVERIFY(tier->describe().note.find("conditional") == std::string::npos);
  }

  // In the middle of a run.
  void refusedKeysAreSaid_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("code");
    QTest::addColumn<bool>("credentials");
    QTest::newRow("wrong keys") << 401 << "InvalidAccessKeyId" << true;
    QTest::newRow("no right") << 403 << "AccessDenied" << true;
    QTest::newRow("keys of before") << 400 << "ExpiredToken" << true;
    QTest::newRow("a wrong request") << 400 << "InvalidArgument" << false;
    QTest::newRow("too much") << 503 << "SlowDown" << false;
  }
  void refusedKeysAreSaid() {
    QFETCH(int, status);
    QFETCH(QString, code);
    QFETCH(bool, credentials);
    std::atomic<bool> bad{false};
    ScriptedHttp server([&](const HttpMessage&, Peer& peer) {
      return bad && peer.send(http_answer(status, "<Error><Code>" + code.toStdString() + "</Code></Error>"));
    });
    const auto tier = open_bucket_tier(options_at(server));
    QVERIFY(tier->reachable());
    bad = true;
    QVERIFY(eventually([&] { return !tier->reachable(); }));  // the watch lists it
    const std::string note = tier->describe().note;
    const std::string reason = ": " + std::to_string(status) + " " + code.toStdString();
    QVERIFY2(note.find(reason) != std::string::npos, note.c_str());
    QVERIFY2(note.starts_with(credentials ? "refused: credentials: s3://archive/kv at " : "not reachable: s3://"),
             note.c_str());
    QCOMPARE(note.ends_with("; check the keys and their rights"), credentials);
    QCOMPARE(note.find("retrying") == std::string::npos, credentials);
    const Status written = write_entry(*tier, "e", random_bytes(1, 1000));
    QVERIFY(!written);
    QCOMPARE(written.error().message.find("refused: credentials: ") != std::string::npos, credentials);
    // Rights may be given back.
    bad = false;
    QVERIFY(eventually([&] { return tier->reachable(); }));
    QVERIFY(write_entry(*tier, "e", random_bytes(1, 1000)));
  }
};

KV_TEST_APPLESS_MAIN(S3WritesTest)

}  // namespace s3_writes_test

#include "s3_writes_test.moc"
