// A Redis Cluster of a test's own on loopback ports: three masters with a third of the slots each, and a replica of
// each. A master can be killed, and a slot moved key by key while clients use it. Also: Sentinels.
#pragma once

#include <QFile>
#include <functional>
#include <memory>
#include <vector>

#include "tests/support/certificates.h"
#include "tests/support/redis_server.h"

namespace kvantage::test {

class RedisCluster {
 public:
  static constexpr int masters = 3, nodes = 6, slot_total = 16384;

  /// With certificates: TLS between the nodes and for clients, with that named "node"; in clear for the test's own
  /// eyes.
  explicit RedisCluster(const QStringList& settings = {}, const QString& password = {},
                        const Certificates* certificates = nullptr)
      : uses_tls_(certificates != nullptr) {
    QStringList all{"--cluster-enabled",
                    "yes",
                    "--cluster-node-timeout",
                    "1500",
                    "--repl-diskless-sync-delay",
                    "0",
                    "--cluster-replica-validity-factor",
                    "0",
                    "--cluster-allow-replica-migration",
                    "no"};
    if (!password.isEmpty()) all << "--masterauth" << password;
    for (int i = 0; i < nodes; ++i) {
      QStringList own = all + settings;
      int tls_port = 0;
      if (certificates != nullptr) {
        do tls_port = RedisServer::free_port();
        while (tls_port > 65535 - 10000);  // the nodes' own port is so much higher
        own += certificates->redis_options("node", tls_port) + QStringList{"--tls-cluster", "yes"};
      }
      servers_.push_back(std::make_unique<RedisServer>(own, password));
      ports_.push_back(certificates != nullptr ? tls_port : servers_.back()->port());
    }
    for (int i = 0; i < masters; ++i)
      (void)servers_[i]->cli({"CLUSTER", "ADDSLOTSRANGE", QString::number(i * slot_total / masters),
                              QString::number((i + 1) * slot_total / masters - 1)});
    for (int i = 1; i < nodes; ++i)
      (void)servers_[0]->cli({"CLUSTER", "MEET", "127.0.0.1", QString::number(ports_[i])});
    wait(
        [this] { return all_say("CLUSTER NODES", [](const QString& said) { return said.count('\n') == nodes - 1; }); });
    for (int i = masters; i < nodes; ++i) {
      const QString master = id(i - masters);
      wait([&] { return servers_[i]->cli({"CLUSTER", "REPLICATE", master}) == "OK"; });
    }
    wait([this] { return healthy() && replicas_follow(); });
  }

  RedisServer& server(int node) { return *servers_[node]; }
  QString id(int node) const { return servers_[node]->cli({"CLUSTER", "MYID"}); }
  /// redis-cluster:// or rediss-cluster://, with so many of the nodes.
  std::string url(int named = 1, const std::string& account = {}) const {
    std::string text = (uses_tls_ ? "rediss-cluster://" : "redis-cluster://") + (account.empty() ? "" : account + "@");
    for (int i = 0; i < named; ++i) text += (i == 0 ? "" : ",") + ("127.0.0.1:" + std::to_string(ports_[i]));
    return text;
  }
  /// The node that is the master of a slot, by what node `asked` says; -1: none.
  int master_of(int slot, int asked = -1) const {
    for (int from = 0; from < nodes; ++from) {
      if (dead_ == from || (asked >= 0 && asked != from)) continue;
      const QStringList lines = servers_[from]->cli({"CLUSTER", "NODES"}).split('\n');
      for (const QString& line : lines) {
        const QStringList words = line.split(' ', Qt::SkipEmptyParts);
        for (int i = 8; i < words.size(); ++i) {
          const QStringList range = words[i].split('-');
          if (words[i].startsWith('[') || slot < range[0].toInt() || slot > range.last().toInt()) continue;
          if (!words[2].contains("fail")) return node_at(words[1]);
        }
      }
    }
    return -1;
  }
  /// kill -9.
  void kill(int node) {
    dead_ = node;
    servers_[node]->kill();
  }
  /// Until every slot has a living master, by what each node says.
  void wait_until_healthy() {
    wait([this] {
      for (int node = 0; node < nodes; ++node)
        for (const int slot : {0, slot_total / 2, slot_total - 1})
          if (node != dead_ && (master_of(slot, node) < 0 || master_of(slot, node) == dead_)) return false;
      return healthy();
    });
  }
  /// Every key of all masters that fits.
  QStringList keys(const QString& pattern = "*") const {
    QStringList all;
    for (int i = 0; i < nodes; ++i)
      if (i != dead_ && servers_[i]->cli({"ROLE"}).startsWith("master")) all += servers_[i]->keys(pattern);
    return all;
  }
  /// Moves a slot as redis-cli does: marks it on both sides, then its keys one by one, with a pause between them.
  /// Between the last key and the end, `half_way` is called.
  void move_slot(int slot, int from, int to, int pause_ms, const std::function<void()>& half_way = {}) {
    const QString number = QString::number(slot), there = id(to);
    (void)servers_[to]->cli({"CLUSTER", "SETSLOT", number, "IMPORTING", id(from)});
    (void)servers_[from]->cli({"CLUSTER", "SETSLOT", number, "MIGRATING", there});
    for (;;) {
      const QStringList some =
          servers_[from]->cli({"CLUSTER", "GETKEYSINSLOT", number, "1"}).split('\n', Qt::SkipEmptyParts);
      if (some.isEmpty()) break;
      (void)servers_[from]->cli(
          {"MIGRATE", "127.0.0.1", QString::number(servers_[to]->port()), some[0], "0", "5000", "REPLACE"});
      QTest::qSleep(pause_ms);
    }
    if (half_way) half_way();
    for (const int node : {to, from}) (void)servers_[node]->cli({"CLUSTER", "SETSLOT", number, "NODE", there});
    wait([&] {
      for (int node = 0; node < nodes; ++node)
        if (node != dead_ && master_of(slot, node) != to) return false;
      return true;
    });
  }
  /// Sum over the nodes of errors of this name that clients got: "MOVED", "ASK".
  int errors(const QString& name) const {
    int count = 0;
    for (int i = 0; i < nodes; ++i) {
      if (i == dead_) continue;
      const QString said = servers_[i]->cli({"INFO", "errorstats"});
      const auto at = said.indexOf("errorstat_" + name + ":count=");
      if (at >= 0) count += said.mid(at + 17 + name.size()).split('\n')[0].trimmed().toInt();
    }
    return count;
  }

 private:
  int node_at(const QString& address) const {  // "127.0.0.1:7000@17000"
    const int port = address.split('@')[0].split(':').last().toInt();
    for (int i = 0; i < nodes; ++i)
      if (servers_[i]->port() == port) return i;
    return -1;
  }
  bool all_say(const QString& command, const std::function<bool(const QString&)>& holds) const {
    for (int i = 0; i < nodes; ++i)
      if (i != dead_ && !holds(servers_[i]->cli(command.split(' ')))) return false;
    return true;
  }
  bool healthy() const {
    return all_say("CLUSTER INFO", [](const QString& said) { return said.contains("cluster_state:ok"); });
  }
  bool replicas_follow() const {
    for (int i = masters; i < nodes; ++i)
      if (!servers_[i]->cli({"INFO", "replication"}).contains("master_link_status:up")) return false;
    return true;
  }
  static void wait(const std::function<bool()>& holds) {
    QElapsedTimer timer;
    for (timer.start(); !holds(); QTest::qSleep(50))
      if (timer.elapsed() > 60000) qFatal("the cluster did not become ready");
  }

  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::vector<int> ports_;  // of clients
  bool uses_tls_ = false;
  int dead_ = -1;
};

/// A server, its replica, and a Sentinel that watches them under the name "kv".
class SentinelWatch {
 public:
  struct Secrets {
    const Certificates* certificates = nullptr;  // TLS everywhere, with that named "node"; null: in clear
    QString password = {}, sentinel_password = {};
  };

  SentinelWatch() : SentinelWatch(Secrets{}) {}
  explicit SentinelWatch(Secrets secrets) : secrets_(std::move(secrets)) {
    const bool tls = secrets_.certificates != nullptr;
    for (int i = 0; i < 2; ++i) {
      const int tls_port = tls ? RedisServer::free_port() : 0;
      servers_.push_back(std::make_unique<RedisServer>(settings(i, tls_port), secrets_.password));
      ports_.push_back(tls ? tls_port : servers_.back()->port());
    }
    wait([this] { return servers_[1]->cli({"INFO", "replication"}).contains("master_link_status:up"); });
    QFile file(folder_.filePath("sentinel.conf"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no file for the Sentinel");
    port_ = RedisServer::free_port();
    QString text = QString(
                       "port %1\nbind 127.0.0.1\ndir %2\nsentinel monitor kv 127.0.0.1 %3 1\n"
                       "sentinel down-after-milliseconds kv 1000\nsentinel failover-timeout kv 5000\n")
                       .arg(port_)
                       .arg(folder_.path())
                       .arg(ports_[0]);
    if (!secrets_.password.isEmpty()) text += "sentinel auth-pass kv " + secrets_.password + "\n";
    if (!secrets_.sentinel_password.isEmpty()) text += "requirepass " + secrets_.sentinel_password + "\n";
    if (tls) {
      tls_port_ = RedisServer::free_port();
      const QStringList words = secrets_.certificates->redis_options("node", tls_port_);
      for (qsizetype i = 0; i + 1 < words.size(); i += 2) text += words[i].mid(2) + " " + words[i + 1] + "\n";
    }
    file.write(text.toUtf8());
    file.close();
    sentinel_.start("redis-server", {file.fileName(), "--sentinel"});
    wait([this] { return said({"SENTINEL", "replicas", "kv"}).contains(QString::number(ports_[1])); });
  }
  ~SentinelWatch() {
    sentinel_.kill();
    sentinel_.waitForFinished();
  }

  std::string url(const std::string& name = "kv", const std::string& account = {}) const {
    return (tls_port_ != 0 ? "rediss-sentinel://" : "redis-sentinel://") + (account.empty() ? "" : account + "@") +
           "127.0.0.1:" + std::to_string(tls_port_ != 0 ? tls_port_ : port_) + "/" + name;
  }
  RedisServer& server(int node) { return *servers_[node]; }
  void kill_master() { servers_[0]->kill(); }
  void wait_for_failover() {
    wait([this] {
      return said({"SENTINEL", "get-master-addr-by-name", "kv"}).contains(QString::number(ports_[1])) &&
             servers_[1]->cli({"ROLE"}).startsWith("master");
    });
  }

 private:
  QStringList settings(int node, int tls_port) const {
    QStringList words{"--repl-diskless-sync-delay", "0"};
    if (tls_port != 0) words += secrets_.certificates->redis_options("node", tls_port);
    if (!secrets_.password.isEmpty()) words += QStringList{"--masterauth", secrets_.password};
    if (node == 1) words += QStringList{"--replicaof", "127.0.0.1", QString::number(ports_[0])};
    return words;
  }
  QString said(const QStringList& words) const {
    QProcess client;
    QStringList all{"-p", QString::number(port_), "--no-auth-warning"};
    if (!secrets_.sentinel_password.isEmpty()) all << "-a" << secrets_.sentinel_password;
    client.start("redis-cli", all + words);
    client.waitForFinished(60000);
    return QString::fromUtf8(client.readAllStandardOutput());
  }
  static void wait(const std::function<bool()>& holds) {
    QElapsedTimer timer;
    for (timer.start(); !holds(); QTest::qSleep(50))
      if (timer.elapsed() > 60000) qFatal("the Sentinel did not become ready");
  }

  const Secrets secrets_;
  QTemporaryDir folder_;
  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::vector<int> ports_;  // of clients
  QProcess sentinel_;
  int port_ = 0, tls_port_ = 0;
};

}  // namespace kvantage::test
