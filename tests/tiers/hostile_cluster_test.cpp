// links: kv_base kv_tiers
// Nodes and Sentinels that are hostile or confused: they send clients in circles, to hosts that the user did not name,
// and to nowhere. Bounded time, one clear line, and no password for anybody who was not named.
#include <QElapsedTimer>
#include <algorithm>

#include "tests/support/scripted_server.h"
#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"
#include "tiers/remote/redis_scripts.h"

namespace hostile_cluster_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::bulk;
using kvantage::test::ScriptedServer;
using kvantage::test::Words;

namespace {

using Peer = ScriptedServer::Peer;

std::string node(const std::string& host, int port) {
  return "*3\r\n" + bulk(host) + ":" + std::to_string(port) + "\r\n" + bulk("id");
}
/// All slots at one node, with a replica if it has a host.
std::string all_slots(const std::string& host, int port, const std::string& replica = {}) {
  return "*1\r\n*" + std::to_string(replica.empty() ? 3 : 4) + "\r\n:0\r\n:16383\r\n" + node(host, port) +
         (replica.empty() ? "" : node(replica, 1));
}
bool asks_slots(const Words& words) { return words[0] == "CLUSTER"; }
bool commits(const Words& words) { return words[0] == "EVAL" && words[1] == redis_scripts::commit; }

RedisStoreOptions options_of(const std::string& url) {
  RedisStoreOptions options = options_at(url);
  options.longest_pause_seconds = 0.2;
  return options;
}
std::string cluster_url(const ScriptedServer& server, const std::string& account = {}) {
  return "redis-cluster://" + account + "127.0.0.1:" + std::to_string(server.port());
}
Expected<std::unique_ptr<StorageTier>> open_store(const std::string& url) {
  return QueuedTier::open(std::make_unique<RedisStore>("remote", options_of(url)), 0, 0, system_executor());
}
bool got_password(const ScriptedServer& server) {
  const auto commands = server.commands();
  return std::ranges::any_of(commands, [](const Words& words) {
    return std::ranges::any_of(words, [](const std::string& word) { return word.find("hush") != std::string::npos; });
  });
}

}  // namespace

class HostileClusterTest : public QObject {
  Q_OBJECT

 private slots:
  // Linux has all of 127.0.0.0/8: 127.0.0.2 is another host, and whoever listens there gets what is sent.
  void aHostThatTheUrlDoesNotNameGetsNothing_data() {
    QTest::addColumn<QString>("how");
    for (const char* how : {"as a master", "as a replica", "by MOVED", "by ASK", "as a Sentinel's master"})
      QTest::newRow(how) << how;
  }
  void aHostThatTheUrlDoesNotNameGetsNothing() {
    QFETCH(QString, how);
    ScriptedServer thief;
    const std::string there = "127.0.0.2:" + std::to_string(thief.port());
    int port = 0;
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (asks_slots(words)) {
        if (how == "as a master") return peer.send(all_slots("127.0.0.2", thief.port()));
        return peer.send(all_slots("127.0.0.1", port, how == "as a replica" ? "127.0.0.2" : ""));
      }
      if (words[0] == "SENTINEL") return peer.send("*2\r\n" + bulk("127.0.0.2") + bulk(std::to_string(thief.port())));
      if (words[0] != "EVAL") return false;
      const std::string slot = std::to_string(slot_of(words[3]));
      if (how == "by MOVED") return peer.send("-MOVED " + slot + " " + there + "\r\n");
      if (how == "by ASK") return peer.send("-ASK " + slot + " " + there + "\r\n");
      return false;
    });
    port = server.port();
    const std::string url = how == "as a Sentinel's master"
                                ? "redis-sentinel://:hush@127.0.0.1:" + std::to_string(server.port()) + "/kv"
                                : cluster_url(server, ":hush@");
    const auto tier = open_store(url);
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(tier.error().message);
    QVERIFY2(message.contains("?hosts=127.0.0.2") && !message.contains("hush"), qPrintable(message));
    QCOMPARE(thief.connections(), 0);
    QVERIFY(got_password(server) == (how != "as a Sentinel's master"));  // a Sentinel is not a server
  }

  void circlesEnd_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"MOVED", "ASK", "TRYAGAIN"}) QTest::newRow(kind) << kind;
  }
  void circlesEnd() {
    QFETCH(QString, kind);
    int port = 0;
    std::atomic<int> scripts{0};
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (asks_slots(words)) return peer.send(all_slots("127.0.0.1", port));
      if (words[0] != "EVAL") return false;
      ++scripts;
      const std::string there = " " + std::to_string(slot_of(words[3])) + " 127.0.0.1:" + std::to_string(port);
      return peer.send("-" + kind.toStdString() + (kind == "TRYAGAIN" ? " wait" : there) + "\r\n");
    });
    port = server.port();
    QElapsedTimer timer;
    timer.start();
    {
      const auto tier = open_store(cluster_url(server));
      QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
      QVERIFY(!(*tier)->reachable());
      QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
    }
    QVERIFY(scripts > 0);
  }

  // While a slot moves: ASK to the new node, which says TRYAGAIN until it has all keys of the script. Each repetition
  // goes there; the old node would only answer ASK again, until there are too many redirections.
  void tryAgainAfterAskStaysAtTheNewNode() {
    constexpr int refusals = 6;  // more than the redirections of one command
    std::atomic<int> tries{0};
    ScriptedServer target([&](const Words& words, Peer& peer) {
      return commits(words) && tries++ < refusals && peer.send("-TRYAGAIN wait\r\n");
    });
    int port = 0;
    ScriptedServer source([&](const Words& words, Peer& peer) {
      if (asks_slots(words)) return peer.send(all_slots("127.0.0.1", port));
      // Nothing changed, so the index of an empty store is not read again and the entry stays.
      if (words[0] == "GET" && words[1].ends_with(":changes")) return peer.send(bulk("1"));
      if (!commits(words)) return false;
      const std::string slot = std::to_string(slot_of(words[3]));
      return peer.send("-ASK " + slot + " 127.0.0.1:" + std::to_string(target.port()) + "\r\n");
    });
    port = source.port();
    const auto tier = open_store(cluster_url(source));
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY((*tier)->reachable());
    const Status written = write_entry(**tier, "entry", random_bytes(1, 10000));
    QVERIFY2(written, written ? "" : written.error().message.c_str());
    QVERIFY((*tier)->contains(key_of("entry")));
    const std::string note = (*tier)->describe().note;
    QVERIFY2((*tier)->reachable() && note.starts_with("at "), note.c_str());

    const auto at_source = source.commands();
    QCOMPARE(static_cast<int>(std::ranges::count_if(at_source, commits)), 1);
    QStringList expected{"PING"}, at_target;
    for (int i = 0; i <= refusals; ++i)
      expected << "ASKING"
               << "EVAL";
    for (const Words& words : target.commands()) at_target << QString::fromStdString(words[0]);
    QCOMPARE(at_target, expected);
    QCOMPARE(tries.load(), refusals + 1);
  }

  // Its connection is of no use after a refusal, and there is no other one: the operation ends in order.
  void aNodeThatIsGoneAfterItsRefusal() {
    int port = 0;
    std::atomic<bool> hostile{true}, gone{false};
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (asks_slots(words)) return peer.send(all_slots("127.0.0.1", port));
      if (!hostile) return false;
      if (words[0] == "PING") return gone && peer.send("-LOADING wait\r\n");
      if (words[0] != "EVAL") return false;
      gone = true;
      return peer.send("-TRYAGAIN wait\r\n+stray\r\n");
    });
    port = server.port();
    const auto tier = open_store(cluster_url(server));
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY(gone && !(*tier)->reachable());
    const std::string note = (*tier)->describe().note;
    QVERIFY2(note.find("loading its data") != std::string::npos, note.c_str());
    hostile = false;
    QVERIFY(eventually([&] { return (*tier)->describe().note.starts_with("at "); }));
  }

  void nonsenseIsRefused_data() {
    QTest::addColumn<QString>("reply");
    QTest::addColumn<QString>("reason");
    QTest::newRow("a huge list") << "*100000000\r\n"
                                 << "a list of 100000000 elements";
    QTest::newRow("a bad port") << "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\na\r\n:99999\r\n"
                                << "port 99999";
    QTest::newRow("no host") << "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$3\r\na b\r\n:1\r\n"
                             << "no host name";
    QTest::newRow("slots backwards") << "*1\r\n*3\r\n:5\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n"
                                     << "without slots";
    QTest::newRow("a word") << "+OK\r\n"
                            << "no list of slots";
    QTest::newRow("no cluster") << "-ERR This instance has cluster support disabled\r\n"
                                << "write redis://";
  }
  void nonsenseIsRefused() {
    QFETCH(QString, reply);
    QFETCH(QString, reason);
    ScriptedServer server(
        [&](const Words& words, Peer& peer) { return asks_slots(words) && peer.send(reply.toStdString()); });
    const auto tier = open_store(cluster_url(server));
    QVERIFY(!tier && tier.error().code == ErrorCode::rejected_input);
    const QString message = QString::fromStdString(tier.error().message);
    QVERIFY2(message.contains(reason) && !message.contains('\n'), qPrintable(message));
  }

  // Any port of a named host may be named: connections stay few, whatever a cluster says.
  void manyPortsAreFewConnections() {
    int port = 0;
    std::atomic<int> next{20000};
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (asks_slots(words)) {
        std::string text = "*16\r\n";
        for (int i = 0; i < 16; ++i)
          text += "*4\r\n:" + std::to_string(i * 1024) + "\r\n:" + std::to_string(i * 1024 + 1023) + "\r\n" +
                  node("127.0.0.1", port) + node("127.0.0.1", next++ % 40000 + 20000);
        return peer.send(text);
      }
      return false;
    });
    port = server.port();
    const auto tier = open_store(cluster_url(server));
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY((*tier)->reachable());
    QVERIFY(server.connections() <= 4);
  }

  // What a node says while the cluster is down is no answer, and nothing of it reaches a reader.
  void aClusterThatIsDownIsUnreachable() {
    int port = 0;
    std::atomic<bool> down{true};
    ScriptedServer server([&](const Words& words, Peer& peer) {
      if (asks_slots(words)) return peer.send(all_slots("", port));  // its own host
      return down && words[0] != "PING" && peer.send("-CLUSTERDOWN The cluster is down\r\n");
    });
    port = server.port();
    const auto tier = open_store(cluster_url(server));
    QVERIFY2(tier, tier ? "" : tier.error().message.c_str());
    QVERIFY(!(*tier)->reachable());
    QVERIFY((*tier)->describe().note.find("CLUSTERDOWN") != std::string::npos);
    down = false;
    QVERIFY(eventually([&] { return (*tier)->describe().note.starts_with("at "); }));
  }
};

KV_TEST_GUILESS_MAIN(HostileClusterTest)

}  // namespace hostile_cluster_test

#include "hostile_cluster_test.moc"
