// links: app_session_socket
// The socket of a running session: who may open it, what each request answers and changes, and that no line and no
// client ends or blocks it.
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/session_socket/session_socket.h"
#include "core/base/random.h"
#include "core/base/unique_fd.h"
#include "tests/support/test_program.h"
#include "tests/support/told_session.h"

namespace session_socket_test {

using namespace kvantage;
using namespace kvantage::test;

/// A program at the other end.
class Peer {
 public:
  explicit Peer(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    connected_ = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  bool connected() const { return connected_; }
  bool send(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t more = ::send(fd_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (more <= 0) return false;
      sent += static_cast<std::size_t>(more);
    }
    return true;
  }
  /// The next line; empty at the end of the connection, or after 10 s without one.
  std::string line() {
    for (;;) {
      if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
        std::string line = read_.substr(0, end);
        read_.erase(0, end + 1);
        return line;
      }
      pollfd file{fd_.get(), POLLIN, 0};
      char part[1 << 16];
      if (::poll(&file, 1, 10000) != 1) return {};
      const ssize_t got = ::recv(fd_.get(), part, sizeof part, 0);
      if (got <= 0) return {};
      read_.append(part, static_cast<std::size_t>(got));
    }
  }
  Json ask(const std::string& request) { return send(request + "\n") ? Json::parse(line(), nullptr, false) : Json(); }

 private:
  UniqueFd fd_;
  bool connected_ = false;
  std::string read_;
};

class SessionSocketTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<ToldSession> session_;
  std::unique_ptr<DecisionLog> log_;
  std::unique_ptr<SessionSocket> socket_;
  std::atomic<int> stopped_ = 0;

  std::string path() const { return folder_.filePath("s").toStdString(); }
  Expected<std::unique_ptr<SessionSocket>> opened(const std::string& at, const std::string& refusal = {}) {
    return SessionSocket::listen(
        at, ServedSession{*session_, session_.get(), *log_, [this] { ++stopped_; }, "KVantage 0", refusal},
        system_executor());
  }
  static std::string error_of(const Json& answer) { return answer.value("error", std::string()); }

 private slots:
  void init() {
    session_ = std::make_unique<ToldSession>();
    log_ = std::make_unique<DecisionLog>();
    stopped_ = 0;
    auto socket = opened(path());
    QVERIFY(socket);
    socket_ = std::move(*socket);
  }
  void cleanup() { socket_.reset(); }

  void onlyThisUserMayOpenItAndItsFileGoesWithIt() {
    struct stat file {};
    QVERIFY(::stat(path().c_str(), &file) == 0 && S_ISSOCK(file.st_mode));
    QCOMPARE(file.st_mode & 07777, mode_t{0600});
    socket_.reset();
    QVERIFY(::stat(path().c_str(), &file) != 0);
  }

  void greetsAndSaysItsState() {
    Peer peer(path());
    const Json greeting = Json::parse(peer.line());
    QVERIFY(greeting == Json({{"format", "kvantage-session"}, {"version", 1}, {"program", "KVantage 0"}}));
    const Json answer = peer.ask(R"({"id": 7, "do": "state"})");
    QVERIFY(answer.at("id") == 7);
    QVERIFY(answer.at("result").at("state") == "running" && answer.at("result").at("run_id") == "r");
    QTRY_COMPARE(socket_->clients(), 1);
    const Json snapshot = peer.ask(R"({"do": "snapshot"})").at("result");
    QVERIFY(snapshot.at("alpha") == 2.0 && snapshot.at("contexts").size() == 2 && snapshot.at("reason") == "socket");
  }

  // A snapshot of that time has curves, for a window to show, and no costs.
  void aSessionThatLoadsHasNoSnapshotYet() {
    Peer peer(path());
    peer.line();
    session_->set_state(RunState::loading);
    QCOMPARE(error_of(peer.ask(R"({"do": "snapshot"})")),
             std::string("snapshot: the session is still loading; ask for its state until it is ready"));
    session_->set_state(RunState::ready);
    QVERIFY(peer.ask(R"({"do": "snapshot"})").contains("result"));
  }

  void settingsAreReadAndChanged() {
    Peer peer(path());
    peer.line();
    QVERIFY(peer.ask(R"({"do": "settings"})").at("result").at("policy") == "lru");
    const Json changed =
        peer.ask(R"({"do": "settings", "alpha": 0.25, "policy": "evicpress", "budgets": {"dram": "25%", "ssd": 77}})");
    QVERIFY2(changed.contains("result"), error_of(changed).c_str());
    const SessionSettings settings = session_->settings();
    QCOMPARE(settings.alpha, 0.25);
    QVERIFY(settings.policy == "evicpress");
    QCOMPARE(settings.tiers[0].budget.bytes(), std::uint64_t{2000});  // of 8000
    QCOMPARE(settings.tiers[1].budget.bytes(), std::uint64_t{77});
    QVERIFY(peer.ask(R"({"do": "settings", "budgets": {"ssd": "unlimited"}})").contains("result"));
    QVERIFY(session_->settings().tiers[1].budget.is_unlimited());
  }

  void refusals_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("message");
    QTest::newRow("no JSON") << "hello"
                             << "request: ";
    QTest::newRow("no object") << "[1]"
                               << "field 'do' is missing";
    QTest::newRow("deep") << QString("[").repeated(5000) << "request: ";
    QTest::newRow("nothing to do") << "{}"
                                   << "field 'do' is missing";
    QTest::newRow("near miss") << R"({"do": "setings"})"
                               << "did you mean 'settings'?";
    QTest::newRow("far miss") << R"({"do": "dance"})"
                              << "choose one of state, snapshot, settings, decisions, ask, stop";
    QTest::newRow("unknown field") << R"({"do": "state", "x": 1})"
                                   << "'x'";
    QTest::newRow("id") << R"({"do": "state", "id": [1]})"
                        << "id: is no number or text";
    QTest::newRow("alpha") << R"({"do": "settings", "alpha": -1})"
                           << "alpha: must be 0 or greater";
    QTest::newRow("alpha's type") << R"({"do": "settings", "alpha": "x"})"
                                  << "'alpha'";
    QTest::newRow("tier") << R"({"do": "settings", "budgets": {"drm": 5}})"
                          << "did you mean 'dram'?";
    QTest::newRow("budget") << R"({"do": "settings", "budgets": {"dram": "many"}})"
                            << "budgets: dram: ";
    QTest::newRow("negative budget") << R"({"do": "settings", "budgets": {"dram": -5}})"
                                     << "neither a number of bytes";
    QTest::newRow("budgets") << R"({"do": "settings", "budgets": 5})"
                             << "budgets: is no object";
    QTest::newRow("since") << R"({"do": "decisions", "since": -1})"
                           << "'since'";
    QTest::newRow("no question") << R"({"do": "ask", "context": "a"})"
                                 << "'question'";
    QTest::newRow("columns") << R"({"do": "ask", "question": "q", "columns": []})"
                             << "columns: is no list of 1 to 4";
  }
  void refusals() {
    QFETCH(QString, line);
    QFETCH(QString, message);
    Peer peer(path());
    peer.line();
    const SessionSettings before = session_->settings();
    const Json answer = peer.ask(line.toStdString());
    QVERIFY2(QString::fromStdString(error_of(answer)).contains(message), answer.dump().c_str());
    QVERIFY(answer.at("exit_code") == 2);
    QVERIFY(session_->settings() == before);
    QVERIFY(peer.ask(R"({"do": "state"})").contains("result"));  // the connection stays
  }

  void aFrozenSessionShowsItsSettingsAndKeepsThem() {
    socket_.reset();
    auto frozen = opened(path(), "the run is frozen");
    QVERIFY(frozen);
    Peer peer(path());
    peer.line();
    QVERIFY(peer.ask(R"({"do": "settings"})").contains("result"));
    QVERIFY(error_of(peer.ask(R"({"do": "settings", "alpha": 3})")) == "settings: the run is frozen");
    QCOMPARE(session_->settings().alpha, 1.0);
  }

  void decisionsAreReadFromWhereTheyWereLeft() {
    const auto publish = [&](int count, EventPayload payload) {
      Event event;
      event.payload = std::move(payload);
      for (int i = 0; i < count; ++i) {
        ++event.sequence;
        log_->publish(event);
      }
    };
    publish(1, events::RunStarted{"r", {{"secret", 1}}});
    publish(1, events::TokenEmitted{1, "no decision"});
    publish(2, events::PlanMade{.policy = "evicpress", .alpha = 2});
    Peer peer(path());
    peer.line();
    const Json first = peer.ask(R"({"do": "decisions"})").at("result");
    QCOMPARE(first.at("events").size(), std::size_t{3});
    QVERIFY(first.at("events")[0].at("data").at("settings").is_null());
    QVERIFY(first.at("next") == 3 && first.at("lost") == false);
    publish(1, events::SettingChanged{"alpha", 1, 2});
    const Json second = peer.ask(R"({"do": "decisions", "since": 3})").at("result");
    QCOMPARE(second.at("events").size(), std::size_t{1});
    QVERIFY(second.at("events")[0].at("type") == "setting.changed" && second.at("next") == 4);
    publish(static_cast<int>(DecisionLog::max_kept), events::PlanMade{});
    const Json third = peer.ask(R"({"do": "decisions", "since": 3})").at("result");
    QVERIFY(third.at("lost") == true);
    QCOMPARE(third.at("events").size(), DecisionLog::max_page);
    QCOMPARE(third.at("next").get<std::size_t>(), 4 + DecisionLog::max_page);
  }

  void aQuestionIsAnsweredWhenItsAnswerIsComplete() {
    Peer peer(path()), other(path());
    peer.line();
    other.line();
    QVERIFY(
        peer.send("{\"id\": \"q\", \"do\": \"ask\", \"question\": \"How many?\", \"context\": \"a\", \"columns\": "
                  "[{\"method\": \"knorm\", \"removed_fraction\": 0.5, \"tier\": \"ssd\"}]}\n"));
    QTRY_VERIFY(session_->asked_for().question == "How many?");
    const AskRequest asked = session_->asked_for();
    QVERIFY(asked.context == "a" && asked.columns == std::vector<AskColumn>({{"knorm", 0.5, "ssd"}}));
    QVERIFY(error_of(other.ask(R"({"do": "ask", "question": "And I?"})")).starts_with("ask: another question is"));
    session_->answer();
    const Json answer = Json::parse(peer.line());
    QVERIFY(answer.at("id") == "q");
    const Json given = answer.at("result").at("answers").at(0);
    QVERIFY(given.at("text") == "forty" && given.at("tokens") == 2 && given.at("ttft_seconds") == 0.5);
    QVERIFY(given.at("method") == "knorm" && given.at("parts_at").is_null());
    // One of the window's own takes the place of the next.
    QVERIFY(peer.send("{\"do\": \"ask\", \"question\": \"Again?\", \"text\": \"t\"}\n"));
    QTRY_VERIFY(session_->asked_for().question == "Again?");
    session_->ask({.context = "b", .text = {}, .question = "Mine", .columns = {{}}});
    QVERIFY(error_of(Json::parse(peer.line())) == "ask: another question took its place; ask again");
  }

  void aQuestionGoesWithItsClient() {
    {
      Peer peer(path());
      peer.line();
      QVERIFY(peer.send("{\"do\": \"ask\", \"question\": \"q\"}\n"));
      QTRY_VERIFY(session_->asked_for().question == "q");
    }
    QTRY_COMPARE(session_->stops(), 1);
    QTRY_COMPARE(socket_->clients(), 0);
  }

  void stopsTheWork() {
    Peer peer(path());
    peer.line();
    QVERIFY(peer.ask(R"({"do": "stop"})").at("result").at("stopping") == true);
    QCOMPARE(stopped_.load(), 1);
  }

  void manyRequestsAtOnceAreAnsweredInOrder() {
    Peer peer(path());
    peer.line();
    std::string all;
    for (int i = 0; i < 1000; ++i) all += "{\"id\": " + std::to_string(i) + ", \"do\": \"state\"}\n";
    QVERIFY(peer.send(all));
    for (int i = 0; i < 1000; ++i) QVERIFY(Json::parse(peer.line()).at("id") == i);
  }

  void aNinthClientIsRefused() {
    std::deque<Peer> peers;
    for (int i = 0; i < SessionSocket::max_clients; ++i) QVERIFY(!peers.emplace_back(path()).line().empty());
    Peer ninth(path());
    QVERIFY(error_of(Json::parse(ninth.line())).starts_with("8 programs are connected"));
    QVERIFY(ninth.line().empty());
    peers.pop_front();
    QTRY_COMPARE(socket_->clients(), SessionSocket::max_clients - 1);
    Peer next(path());
    QVERIFY(next.line().find("kvantage-session") != std::string::npos);
  }

  void aLineWithoutAnEndClosesItsConnectionAlone() {
    Peer endless(path()), other(path());
    endless.line();
    other.line();
    endless.send(std::string(SessionSocket::max_line_bytes + (1 << 17), 'x'));
    QVERIFY(error_of(Json::parse(endless.line(), nullptr, false)).starts_with("a line has more than 1 MiB"));
    QVERIFY(endless.line().empty());
    QVERIFY(other.ask(R"({"do": "state"})").contains("result"));
  }

  void aClientThatReadsNothingBlocksNobody() {
    Peer deaf(path()), other(path());
    other.line();
    std::string all;
    for (int i = 0; i < 2000; ++i) all += "{\"do\": \"snapshot\"}\n";
    QVERIFY(deaf.send(all));
    for (int i = 0; i < 20; ++i) QVERIFY(other.ask(R"({"do": "state"})").contains("result"));
  }

  void randomBytesLeaveItServing() {
    Random random(3);
    for (int client = 0; client < 40; ++client) {
      Peer peer(path());
      std::string bytes;
      for (int i = 0; i < 400; ++i) {
        static const std::string seed = R"({"id": 1, "do": "settings", "budgets": {"dram": "25%"}, "alpha": 1e5})";
        std::string line = seed.substr(0, random.below(seed.size()));
        for (char& letter : line)
          if (random.below(9) == 0) letter = static_cast<char>(random.below(256));
        bytes += line + '\n';
      }
      if (!peer.send(bytes)) continue;
      if (client % 2 == 0) peer.line();
    }
    Peer peer(path());
    peer.line();
    QVERIFY(peer.ask(R"({"do": "state"})").contains("result"));
  }

  void pathsThatCannotBeSockets() {
    const auto message = [&](const std::string& at) {
      const auto socket = opened(at);
      return socket ? std::string() : socket.error().message;
    };
    QVERIFY(message(path()).find("another session listens there") != std::string::npos);
    QVERIFY(message(folder_.filePath(QString("x").repeated(200)).toStdString()).find("107 bytes") != std::string::npos);
    const std::string file = folder_.filePath("file").toStdString();
    QVERIFY(QFile(QString::fromStdString(file)).open(QIODevice::WriteOnly));
    QVERIFY(message(file).find("is no socket") != std::string::npos);
    QVERIFY(QFile::exists(QString::fromStdString(file)));
    QVERIFY(message("/nowhere/s").find("/nowhere/s: ") == 0);
    QVERIFY(Peer(path()).connected());  // none of them took it away
  }

  void aSocketThatAKilledProcessLeftIsReplaced() {
    const std::string left = folder_.filePath("left").toStdString();
    {
      const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::memcpy(address.sun_path, left.c_str(), left.size() + 1);
      QVERIFY(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    const auto socket = opened(left);
    QVERIFY(socket);
    QVERIFY(Peer(left).connected());
  }
};

KV_TEST_GUILESS_MAIN(SessionSocketTest)

}  // namespace session_socket_test

#include "session_socket_test.moc"
