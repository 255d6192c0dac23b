// links: kv_base kv_tiers
// A server that is hostile or confused at every command of opening: bounded time and memory, one clear line, and
// whoever waits can give up at any moment.
#include <QFile>
#include <algorithm>
#include <atomic>
#include <set>

#include "tests/support/scripted_server.h"
#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"
#include "tiers/store_header.h"

namespace hostile_server_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::bulk;
using kvantage::test::ScriptedServer;
using kvantage::test::Words;

namespace {

using Peer = ScriptedServer::Peer;
using Attack = std::function<void(Peer& peer)>;

/// Every command that opening sends, distinguished by what it names.
bool is_step(const QString& step, const Words& words) {
  const auto names = [&words](std::string_view part) {
    return std::ranges::any_of(words, [part](const std::string& word) { return word.ends_with(part); });
  };
  if (step == "sign in") return words[0] == "PING";
  if (step == "lease") return words[0] == "EVAL" && names(":workbenches");
  if (step == "unfinished") return words[0] == "HGETALL" && names(":unfinished");
  if (step == "counter") return words[0] == "GET" && names(":changes");
  if (step == "index") return words[0] == "HGETALL" && names(":index");
  return false;
}
constexpr const char* steps[] = {"sign in", "lease", "unfinished", "counter", "index"};

struct NamedAttack {
  const char* name;
  const char* reason;  // in the message
  Attack send;
};
const std::vector<NamedAttack>& attacks() {
  static const std::vector<NamedAttack> all = {
      {"a value of 10 GB", "a value of 9999999999 bytes",
       [](Peer& peer) {
         if (peer.send("$9999999999\r\n")) peer.send_forever("x");
       }},
      {"a list of 100 million", "a list of 100000000 elements",
       [](Peer& peer) {
         if (peer.send("*100000000\r\n")) peer.send_forever(":1\r\n");
       }},
      {"a line without end", "a line of more than 64.0 KiB", [](Peer& peer) { peer.send_forever("+"); }},
      {"lists in lists without end", "depth", [](Peer& peer) { peer.send_forever("*1\r\n"); }},
      {"lists of lists", "a reply of more than 1048576 elements",
       [](Peer& peer) {
         if (peer.send("*1000000\r\n")) peer.send_forever("*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n");
       }},
      {"values of 1 MB each without end", "a reply of more than 128.0 MiB",
       [](Peer& peer) {
         if (peer.send("*1000000\r\n")) peer.send_forever(bulk(std::string(1000000, 'x')));
       }},
      {"a web page", "an invalid reply (Protocol error, got 'H' as reply type byte)",
       [](Peer& peer) { peer.send("HTTP/1.1 400 Bad Request\r\n\r\n"); }},
      {"a number that is none", "an invalid reply", [](Peer& peer) { peer.send(":12x\r\n"); }},
      {"a kind of the third version", "a reply of an unexpected type",
       [](Peer& peer) { peer.send("%1\r\n+a\r\n+b\r\n"); }},
  };
  return all;
}

RedisStoreOptions options_of(const ScriptedServer& server) { return options_at(server.url()); }

Expected<std::unique_ptr<StorageTier>> open_store(const RedisStoreOptions& options) {
  return QueuedTier::open(std::make_unique<RedisStore>("remote", options), 0, 0, system_executor());
}

/// Peak of the resident set since the last reset, in MiB.
double peak_mib() {
  QFile file("/proc/self/status");
  if (!file.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (line.startsWith("VmHWM:")) return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
  return 0;
}
void reset_peak() {
  QFile file("/proc/self/clear_refs");
  if (file.open(QIODevice::WriteOnly)) file.write("5");
}

QString line_of(const Error& error) { return QString::fromStdString(error.message); }

}  // namespace

class HostileServerTest : public QObject {
  Q_OBJECT

 private slots:
  void whatNoStoreSendsIsOneLineAtEveryStep_data() {
    QTest::addColumn<QString>("step");
    QTest::addColumn<int>("attack");
    for (const char* step : steps)
      for (std::size_t i = 0; i < attacks().size(); ++i)
        QTest::addRow("%s: %s", step, attacks()[i].name) << step << static_cast<int>(i);
  }
  void whatNoStoreSendsIsOneLineAtEveryStep() {
    QFETCH(QString, step);
    QFETCH(int, attack);
    const NamedAttack& chosen = attacks()[static_cast<std::size_t>(attack)];
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (!is_step(step, words)) return false;
      chosen.send(peer);
      return true;
    });
    RedisStoreOptions options = options_of(server);
    options.timeouts = {60, 60};  // what ends it is not the clock
    reset_peak();
    const double before = peak_mib();
    const auto tier = open_store(options);
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    const QString message = line_of(tier.error());
    QVERIFY2(message.contains(chosen.reason) && message.contains("check the address"), qPrintable(message));
    QVERIFY2(message.size() <= 300 && !message.contains('\n'), qPrintable(message));
    QVERIFY2(peak_mib() - before < 512, qPrintable(QString::number(peak_mib() - before) + " MiB"));
  }

  void aByteAtATimeIsOneDeadlineForTheWholeReply_data() {
    QTest::addColumn<QString>("step");
    for (const char* step : steps) QTest::newRow(step) << step;
  }
  void aByteAtATimeIsOneDeadlineForTheWholeReply() {
    QFETCH(QString, step);
    std::atomic<bool> whole{false};
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (!is_step(step, words)) return false;
      peer.send_slowly("+" + std::string(100000, 'x'), 5);
      whole = peer.send("\r\n");
      return true;
    });
    RedisStoreOptions options = options_of(server);
    options.timeouts = {60, 0.3};
    options.first_pause_seconds = options.longest_pause_seconds = 60;
    const auto tier = open_store(options);
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());  // out of reach, and tried again
    QVERIFY(!(*tier)->reachable());
    const QString note = QString::fromStdString((*tier)->describe().note);
    QVERIFY2(note.contains("within 0.3 s"), qPrintable(note));
    QVERIFY(!whole);
  }

  void manySlowAnswersAreOneDeadlineForTheWholeOpening() {
    // Each answer is in time; there are more of them than opening waits for.
    ScriptedServer server([](const Words& words, Peer& peer) {
      if (is_step("unfinished", words)) {
        std::string rows = "*2000\r\n";
        for (int i = 0; i < 1000; ++i) rows += bulk(std::string(32, 'a') + ":" + std::to_string(i)) + bulk("gone 1");
        return peer.send(rows);
      }
      ::poll(nullptr, 0, words[0] == "UNLINK" ? 20 : 0);
      return false;
    });
    RedisStoreOptions options = options_of(server);
    options.timeouts = {0.5, 0.5};
    options.first_pause_seconds = options.longest_pause_seconds = 60;
    const auto tier = open_store(options);
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY(!(*tier)->reachable());
    QVERIFY2(QString::fromStdString((*tier)->describe().note).contains("not opened within 1 s"),
             (*tier)->describe().note.c_str());
  }

  void aPoisonedCountIsNotCountedTo_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"gone 18446744073709551616", "gone 18446744073709551615", "gone 65537", "gone -1",
                             "gone 1e9", "gone", "", "gone 99999999999999999999999999"})
      QTest::newRow(text) << text;
  }
  void aPoisonedCountIsNotCountedTo() {
    QFETCH(QString, text);
    const std::string version = std::string(32, 'a') + ":7";
    ScriptedServer server([&](const Words& words, Peer& peer) {
      return is_step("unfinished", words) && peer.send("*2\r\n" + bulk(version) + bulk(text.toStdString()));
    });
    const auto tier = open_store(options_of(server));
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY((*tier)->reachable());
    bool removed = false;
    for (const Words& words : server.commands()) {
      QVERIFY2(words[0] != "UNLINK", "chunks are unlinked that nobody can have counted");
      removed = removed || (words[0] == "HDEL" && words[2] == version);
    }
    QVERIFY(removed);  // the registration itself goes: no later opening reads it again
  }

  void aNameThatIsNoVersionIsNotRepeatedForEachChunk() {
    const std::string name(5 << 20, 'n');  // 256 names of chunks would take 1.3 GB
    ScriptedServer server([&](const Words& words, Peer& peer) {
      return is_step("unfinished", words) && peer.send("*2\r\n" + bulk(name) + bulk("gone 60000"));
    });
    reset_peak();
    const double before = peak_mib();
    const auto tier = open_store(options_of(server));
    QVERIFY2(tier && (*tier)->reachable(), tier ? "" : tier.error().message.c_str());
    QVERIFY2(peak_mib() - before < 512, qPrintable(QString::number(peak_mib() - before) + " MiB"));
  }

  void rowsWithoutHeadersAreReadInBatches() {
    constexpr int rows = 300000;
    ScriptedServer server([](const Words& words, Peer& peer) {
      if (is_step("counter", words)) return peer.send(bulk("1"));
      if (!is_step("index", words)) return false;
      std::string index = "*" + std::to_string(2 * rows) + "\r\n";
      for (int i = 0; i < rows; ++i) index += bulk(digest_of(std::to_string(i)).hex()) + bulk("7 1048576 1");
      return peer.send(index);
    });
    RedisStoreOptions options = options_of(server);
    options.timeouts = {60, 60};
    options.poll_seconds = 60;
    const auto tier = open_store(options);
    QVERIFY2(tier && (*tier)->reachable(), tier ? "" : tier.error().message.c_str());
    QVERIFY((*tier)->entries().empty());
    std::size_t alone = 0, batches = 0;
    for (const Words& words : server.commands()) {
      alone += words[0] == "HGET" ? 1 : 0;
      batches += words[0] == "HMGET" ? 1 : 0;
    }
    QCOMPARE(alone, std::size_t{0});
    QVERIFY2(batches < rows / 32, qPrintable(QString::number(batches)));
  }

  void labelsWithoutEndAreRefused() {
    constexpr int rows = 400;  // of 1 MiB each
    ScriptedServer server([](const Words& words, Peer& peer) {
      if (is_step("counter", words)) return peer.send(bulk("1"));
      if (is_step("index", words)) {
        std::string index = "*" + std::to_string(2 * rows) + "\r\n";
        for (int i = 0; i < rows; ++i) index += bulk(digest_of(std::to_string(i)).hex()) + bulk("7 1048576 1");
        return peer.send(index);
      }
      if (words[0] != "HMGET") return false;
      if (!peer.send("*" + std::to_string(words.size() - 2) + "\r\n")) return true;
      for (std::size_t i = 2; i < words.size(); ++i) {
        StoreHeader header{{*Digest128::from_hex(words[i]), 4096, 4096, std::string(max_label_bytes, 'l')}, 7, 0, 0};
        const auto bytes = encode_store_header(header);
        if (!peer.send(bulk({reinterpret_cast<const char*>(bytes.data()), bytes.size()}))) break;
      }
      return true;
    });
    RedisStoreOptions options = options_of(server);
    options.timeouts = {60, 60};
    reset_peak();
    const double before = peak_mib();
    const auto tier = open_store(options);
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    QVERIFY2(line_of(tier.error()).contains("more than 256.0 MiB"), qPrintable(line_of(tier.error())));
    QVERIFY2(peak_mib() - before < 640, qPrintable(QString::number(peak_mib() - before) + " MiB"));
  }

  void whateverARefusalSaysItIsOneShortLine() {
    ScriptedServer server([](const Words& words, Peer& peer) {
      return is_step("sign in", words) && peer.send("-NOPERM \x1b[31mred\x07 " + std::string(5000, 'y') + "\r\n");
    });
    const auto tier = open_store(options_of(server));
    QVERIFY(!tier);
    const QString message = line_of(tier.error());
    QVERIFY2(message.size() <= 300 && !message.contains('\x1b') && !message.contains('\x07'), qPrintable(message));
  }

  // What is no error and no number says what it is not.
  void anAnswerOfAnotherKindIsNamed() {
    ScriptedServer server(
        [](const Words& words, Peer& peer) { return words[0] == "INCR" && peer.send("+OK\x1b[31m\r\n"); });
    const auto tier = open_store(options_of(server));
    QVERIFY2(tier && (*tier)->reachable(), tier ? "" : tier.error().message.c_str());
    const Status written = write_entry(**tier, "entry", random_bytes(1, 4096));
    QVERIFY(!written);
    const QString message = line_of(written.error());
    QVERIFY2(message.contains(": answers as no KVantage store does (OK") && !message.contains('\x1b'),
             qPrintable(message));
  }

  void openingCanBeGivenUpAtEveryStep_data() {
    QTest::addColumn<QString>("step");
    QTest::addColumn<bool>("drips");
    for (const char* step : steps)
      for (const bool drips : {false, true})
        QTest::addRow("%s, %s", step, drips ? "a byte at a time" : "no answer") << step << drips;
  }
  void openingCanBeGivenUpAtEveryStep() {
    QFETCH(QString, step);
    QFETCH(bool, drips);
    std::atomic<bool> reached{false};
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (!is_step(step, words)) return false;
      reached = true;
      drips ? peer.send_slowly(std::string(1000000, '+'), 1) : peer.hold();
      return true;
    });
    RedisStoreOptions options = options_of(server);
    options.timeouts = {3600, 3600};  // an end within the test's own limit is that of giving up
    options.give_up = [&reached] { return reached.load(); };
    const auto tier = open_store(options);
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::cancelled);
  }

  void aServerThatTakesNothingIsOneDeadline() {
    // Its window is full: what is sent waits, and no single wait is as long as the command's limit.
    ScriptedServer server([](const Words& words, Peer& peer) {
      if (words[0] != "SET" || !words[1].ends_with(":0")) return false;
      peer.send_slowly(std::string(100000, '+'), 5);
      return true;
    });
    RedisStoreOptions options = options_of(server);
    options.timeouts = {60, 0.5};
    options.first_pause_seconds = options.longest_pause_seconds = 60;
    const auto tier = open_store(options);
    QVERIFY2(tier && (*tier)->reachable(), tier ? "" : tier.error().message.c_str());
    const Status written = write_entry(**tier, "entry", random_bytes(1, 30 << 20));
    QVERIFY(!written);
    QVERIFY(!(*tier)->reachable());
  }
};

KV_TEST_GUILESS_MAIN(HostileServerTest)

}  // namespace hostile_server_test

#include "hostile_server_test.moc"
