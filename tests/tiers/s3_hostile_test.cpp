// links: kv_base kv_tiers
// A tier in a bucket whose server is hostile or confused: bounded time and memory, and never an error of the program or
// a wrong byte.
#include "tests/support/scripted_http.h"
#include "tests/support/test_program.h"
#include "tests/tiers/s3_testing.h"

namespace s3_hostile_test {

using namespace kvantage;
using namespace kvantage::testing;
using namespace kvantage::test;
using Peer = ScriptedHttp::Peer;

bool is_list(const HttpMessage& request) { return request.target.find("list-type=2") != std::string::npos; }
bool is_list_of_entries(const HttpMessage& request) {
  return is_list(request) && request.target.find("%2Fe%2F") != std::string::npos;
}

std::string list_of(const std::string& contents, const std::string& next = {}) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "
         "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><IsTruncated>" +
         std::string(next.empty() ? "false" : "true") + "</IsTruncated>" +
         (next.empty() ? "" : "<NextContinuationToken>" + next + "</NextContinuationToken>") + contents +
         "</ListBucketResult>";
}
std::string object_row(const std::string& name, const std::string& etag = "x") {
  return "<Contents><Key>" + name + "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;" + etag +
         "&quot;</ETag><Size>10</Size></Contents>";
}

S3StoreOptions options_at(const ScriptedHttp& server) {
  S3StoreOptions options = bucket_options(server.url());
  options.access.timeouts = {0.5, 0.5};
  return options;
}

/// Instead of a list of entries.
using Answer = std::function<void(Peer& peer)>;

class S3HostileTest : public QObject {
  Q_OBJECT

  static void open_with(const Answer& answer, bool late, const QString& why) {
    ScriptedHttp server([&answer](const HttpMessage& request, Peer& peer) {
      if (!is_list_of_entries(request)) return false;
      answer(peer);
      return true;
    });
    auto options = options_at(server);
    options.poll_seconds = options.first_pause_seconds = options.longest_pause_seconds = 3600;
    QElapsedTimer timer;
    timer.start();
    const auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", options), 0, 0, system_executor());
    QVERIFY2(timer.elapsed() < 10000, std::to_string(timer.elapsed()).c_str());
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY((*tier)->entries().empty());
    const std::string note = (*tier)->describe().note;
    QVERIFY2(late || !(*tier)->reachable(), note.c_str());
    QVERIFY2(why.isEmpty() || QString::fromStdString(note).contains(why), note.c_str());
    QVERIFY(note.find('\n') == std::string::npos);
    // What it takes of an endless answer is bounded: a page of a listing, and what systems hold for a connection.
    QVERIFY2(server.max_sent() < (std::uint64_t{24} << 20), std::to_string(server.max_sent()).c_str());
  }

 private slots:
  void initTestCase() {
    if (!has_s3()) QSKIP("built without S3");
  }

  // Each opens in time with an empty tier that is not reachable. `late`: or with one that has its list still to come.
  void openingIsBounded_data() {
    QTest::addColumn<Answer>("answer");
    QTest::addColumn<bool>("late");
    QTest::addColumn<QString>("why");
    const std::string ok = "HTTP/1.1 200 OK\r\n";
    const auto row = [](const char* name, bool late, const char* why, Answer answer) {
      QTest::newRow(name) << std::move(answer) << late << why;
    };
    const auto endless = [](const std::string& begin, const std::string& rest) -> Answer {
      return [begin, rest](Peer& peer) {
        if (peer.send(begin)) peer.send_forever(rest);
      };
    };
    const auto aborted = [](const std::string& bytes) -> Answer {
      return [bytes](Peer& peer) {
        (void)peer.send(bytes);
        peer.close_now();
      };
    };
    row("silence", true, "", [](Peer& peer) { peer.hold(); });
    row("slow headers", true, "", [ok](Peer& peer) { peer.send_slowly(ok + "Content-Length: 0\r\n\r\n", 200); });
    row("an endless header", true, "", endless(ok + "X: ", "y"));
    row("endless headers", true, "", endless(ok, "X: y\r\n"));
    row("an endless body", true, "", endless(ok + "\r\n", "<a>"));
    row("endless statuses", true, "", endless("", "HTTP/1.1 100 Continue\r\n\r\n"));
    row("a longer body than any", true, "", endless(ok + "Content-Length: 99999999999\r\n\r\n", "<a>"));
    row("two lengths", true, "",
        [ok](Peer& peer) { (void)peer.send(ok + "Content-Length: 5\r\nContent-Length: 9\r\n\r\nshort"); });
    row("no HTTP", false, "", aborted("+PONG\r\n"));
    row("a wrong length", false, "", aborted(ok + "Content-Length: 1000\r\n\r\nshort"));
    row("closed at once", false, "", aborted(""));
  }
  void openingIsBounded() {
    QFETCH(Answer, answer);
    QFETCH(bool, late);
    QFETCH(QString, why);
    open_with(answer, late, why);
  }

  void listsAreReadWithCare_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const char* why, const std::string& body) {
      QTest::newRow(name) << QString::fromStdString(body) << why;
    };
    std::string deep;
    for (int i = 0; i < 20000; ++i) deep += "<a>";
    row("entities", "has a document type",
        "<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
        "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><ListBucketResult><IsTruncated>&c;</IsTruncated>"
        "</ListBucketResult>");
    row("an external entity", "has a document type",
        "<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><ListBucketResult>"
        "<NextContinuationToken>&x;</NextContinuationToken></ListBucketResult>");
    row("deep XML", "nested too deeply", deep);
    row("a long text", "text that is too long", list_of("<X>" + std::string(100'000, 'x') + "</X>"));
    row("no XML", "is no XML", "not <XML");
    row("another answer", "is another answer", "<html></html>");
    row("a size that is none", "size that is no number", list_of("<Contents><Size>-1</Size></Contents>"));
    row("in circles", "not in order", list_of(object_row("kv/v1/test/e/a"), "again"));
    row("objects of others", "outside the prefix", list_of(object_row("kv/v1/other/e/a")));
    row("pages without objects", "does not end", list_of("", "again"));
  }
  void listsAreReadWithCare() {
    QFETCH(QString, body);
    QFETCH(QString, why);
    open_with([&body](Peer& peer) { (void)peer.send(http_answer(200, body.toStdString())); }, false, why);
  }

  void redirectsAreNotFollowed() {
    ScriptedHttp elsewhere;
    const std::string to = "Location: http://127.0.0.1:" + std::to_string(elsewhere.port()) + "/archive/x\r\n";
    for (const int status : {301, 302, 307, 308}) {
      ScriptedHttp server([&](const HttpMessage&, Peer& peer) { return peer.send(http_answer(status, "", to)); });
      const auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", options_at(server)), 0, 0, system_executor());
      if (!tier) QCOMPARE(tier.error().code, ErrorCode::rejected_input);
      QVERIFY(!tier || !(*tier)->reachable());
    }
    QCOMPARE(elsewhere.connections(), 0);
  }

  // Basic would send the secret key.
  void aServerThatAsksForAnotherSignInGetsSignaturesOnly() {
    ScriptedHttp server([](const HttpMessage&, Peer& peer) {
      return peer.send(http_answer(401, "",
                                   "WWW-Authenticate: Basic realm=\"x\"\r\nWWW-Authenticate: Digest realm=\"x\", "
                                   "nonce=\"1\"\r\nWWW-Authenticate: NTLM\r\n"));
    });
    const auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", options_at(server)), 0, 0, system_executor());
    QVERIFY(!tier && tier.error().code == ErrorCode::unauthorized);
    const auto requests = server.requests();
    QVERIFY(!requests.empty());
    for (const HttpMessage& request : requests)
      QVERIFY2(request.header("authorization").starts_with("AWS4-HMAC-SHA256 "), request.target.c_str());
  }

  // Wrong keys, a wrong bucket or region stay wrong; a server in trouble is tried again.
  void whatStaysWrongIsRefused_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<bool>("refused");
    for (const int status : {400, 401, 403, 404}) QTest::addRow("%d", status) << status << true;
    for (const int status : {429, 500, 503}) QTest::addRow("%d", status) << status << false;
  }
  void whatStaysWrongIsRefused() {
    QFETCH(int, status);
    QFETCH(bool, refused);
    ScriptedHttp server([status](const HttpMessage&, Peer& peer) {
      return peer.send(http_answer(status, "<Error><Code>InvalidAccessKeyId</Code></Error>"));
    });
    auto options = options_at(server);
    options.poll_seconds = options.first_pause_seconds = options.longest_pause_seconds = 3600;
    const auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", options), 0, 0, system_executor());
    const std::string words = ": writing to it: " + std::to_string(status) + " InvalidAccessKeyId";
    QCOMPARE(!tier.has_value(), refused);
    const bool keys = status == 401 || status == 403;
    if (refused) QCOMPARE(tier.error().code, keys ? ErrorCode::unauthorized : ErrorCode::rejected_input);
    if (tier) QVERIFY(!(*tier)->reachable());
    const std::string said = tier ? (*tier)->describe().note : tier.error().message;
    QVERIFY2(said.find(words) != std::string::npos, said.c_str());
    QCOMPARE(said.ends_with("; retrying"), !refused);
  }

  // Another's object beside the signs of workbenches is no workbench: what is erased is deleted all the same.
  void anObjectAmongTheSignsIsNoWorkbench() {
    std::atomic<bool> asked{false};
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (is_list(request) && !is_list_of_entries(request))
        return peer.send(http_answer(200, list_of(object_row("kv/v1/test/w/readme"))));
      if (request.method == "HEAD") asked = true;
      return false;
    });
    auto options = options_at(server);
    options.poll_seconds = options.first_pause_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    QVERIFY(write_entry(*tier, "e", random_bytes(1, 1000)));
    QVERIFY(tier->erase(key_of("e")));
    QVERIFY(eventually([&] { return asked.load(); }));
  }

  void theRegionIsNamedWhereTheServerSaysSo() {
    ScriptedHttp server([](const HttpMessage&, Peer& peer) {
      return peer.send(
          http_answer(301, "<Error><Code>PermanentRedirect</Code></Error>", "x-amz-bucket-region: eu-west-9\r\n"));
    });
    const auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", options_at(server)), 0, 0, system_executor());
    QVERIFY(!tier);
    QCOMPARE(tier.error().message,
             "tier s3: s3://archive/kv at 127.0.0.1:" + std::to_string(server.port()) +
                 ": writing to it: 301 PermanentRedirect; the bucket is in another region, write region=eu-west-9");
  }

  void refusalsShowNothingThatCommandsATerminal() {
    ScriptedHttp server([](const HttpMessage&, Peer& peer) {
      return peer.send(http_answer(403, "<Error><Code>Access&#10;Denied</Code><Message>" + std::string(3000, 'm') +
                                            "&#x9b;31m</Message></Error>"));
    });
    const auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", options_at(server)), 0, 0, system_executor());
    QVERIFY(!tier && tier.error().code == ErrorCode::unauthorized);
    const std::string& message = tier.error().message;
    QVERIFY2(message.size() < 500 && message.find('\n') == std::string::npos, message.c_str());
    QVERIFY(message.find("secret/KEY") == std::string::npos && message.find("AKIDEXAMPLE") == std::string::npos);
  }

  // Reads of an entry that the server holds, with answers that are wrong in one way each.
  void readsAreMisses_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("reason");
    const char* modes[][2] = {{"all of the object", "unavailable"},
                              {"another range", "truncated"},
                              {"another length", "truncated"},
                              {"another version", "missing"},
                              {"500", "unavailable"},
                              {"403", "unavailable"},
                              {"503", "unavailable"},
                              {"no such bucket", "unavailable"},
                              {"endless", "checksum"},
                              {"short", "unavailable"},
                              {"silence", "unavailable"},
                              {"wrong bytes", "checksum"},
                              {"416", "truncated"},
                              {"slow bytes", "unavailable"}};
    int mode = 0;
    for (const auto& [name, reason] : modes) QTest::newRow(name) << mode++ << reason;
  }
  void readsAreMisses() {
    QFETCH(int, mode);
    QFETCH(QString, reason);
    const std::size_t bytes = 20'000;
    std::atomic<bool> bad{false};
    const std::string etag = "ETag: \"d41d8cd98f00b204e9800998ecf8427e\"\r\n";
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (request.method != "GET" || is_list(request) || !bad) return false;
      const std::string right = "Content-Range: bytes 4096-24095/24096\r\n", text(bytes, 'x');
      const auto partial = [&](const std::string& headers, const std::string& body) {
        return peer.send(http_answer(206, body, headers));
      };
      // A look at its first bytes, after the read: nothing is there.
      if (request.header("range") != "bytes=4096-24095") return false;
      switch (mode) {
        case 0:
          return peer.send(http_answer(200, text, etag));
        case 1:
          return partial(etag + "Content-Range: bytes 4097-24095/24096\r\n", text.substr(1));
        case 2:
          return partial(etag + "Content-Range: bytes 4096-24095/99999\r\n", text);
        case 3:
          return partial("ETag: \"other\"\r\n" + right, text);
        case 4:
          return peer.send(http_answer(500));
        case 5:
          return peer.send(http_answer(403, "<Error><Code>AccessDenied</Code></Error>"));
        case 6:
          return peer.send(http_answer(503, "<Error><Code>SlowDown</Code></Error>"));
        case 7:
          return peer.send(http_answer(404, "<Error><Code>NoSuchBucket</Code></Error>"));
        case 8:
          peer.send("HTTP/1.1 206 X\r\n" + etag + right + "\r\n");
          peer.send_forever("x");
          return true;
        case 9:
          peer.send("HTTP/1.1 206 X\r\nContent-Length: 20000\r\n" + etag + right + "\r\nxx");
          peer.close_now();
          return true;
        case 10:
          peer.hold();
          return true;
        case 11:
          return partial(etag + right, text);
        case 12:
          return peer.send(http_answer(416, "<Error><Code>InvalidRange</Code></Error>"));
        default:
          peer.send("HTTP/1.1 206 X\r\nContent-Length: 20000\r\n" + etag + right + "\r\n");
          peer.send_slowly(text, 300);
          return true;
      }
    });
    auto options = options_at(server);
    options.poll_seconds = 3600;
    options.first_pause_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    const auto written = random_bytes(1, bytes);
    QVERIFY(write_entry(*tier, "e", written));
    bad = true;
    BufferPool pool(std::size_t{1} << 20);
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!read_entry(*tier, pool, "e", *written).ok());
    QVERIFY2(timer.elapsed() < 10000, std::to_string(timer.elapsed()).c_str());
    QCOMPARE(misses(*tier, reason.toUtf8().constData()), std::uint64_t{1});
    // Only what is certain drops it.
    const bool kept = reason == "unavailable";
    QCOMPARE(tier->contains(key_of("e")), kept);
    QCOMPARE(tier->reachable(), !kept);
  }

  void aWriteToABrokenServerFailsInTime() {
    std::atomic<bool> bad{false};
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (request.method != "PUT" || !bad) return false;
      peer.hold();
      return true;
    });
    auto options = options_at(server);
    options.poll_seconds = options.first_pause_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    bad = true;
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!write_entry(*tier, "e", random_bytes(1, 1'000'000)));
    QVERIFY2(timer.elapsed() < 15000, std::to_string(timer.elapsed()).c_str());
    QVERIFY(!tier->reachable() && !tier->contains(key_of("e")));
  }

  void manyPagesAreRead() {
    const auto name = [](int number) {
      return "kv/v1/test/e/" + Digest128{0, static_cast<std::uint64_t>(number)}.hex();
    };
    std::atomic<int> heads{0};
    ScriptedHttp server([&](const HttpMessage& request, Peer& peer) {
      if (request.method == "GET" && !is_list(request)) ++heads;
      if (!is_list_of_entries(request)) return false;
      const std::size_t at = request.target.find("continuation-token=");
      const int page = at == std::string::npos ? 0 : std::atoi(request.target.c_str() + at + 19);
      std::string rows;
      for (int i = 0; i < 1000; ++i) rows += object_row(name(page * 1000 + i));
      return peer.send(http_answer(200, list_of(rows, page < 2 ? std::to_string(page + 1) : std::string())));
    });
    auto options = options_at(server);
    options.access.timeouts = {2, 20};
    options.poll_seconds = 3600;
    const auto tier = open_bucket_tier(options);
    QVERIFY(tier->reachable());
    QCOMPARE(heads.load(), 3000);  // none of which is there
    QVERIFY(tier->entries().empty());
  }
};

KV_TEST_APPLESS_MAIN(S3HostileTest)

}  // namespace s3_hostile_test

#include "s3_hostile_test.moc"
