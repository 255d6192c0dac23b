// links: kv_reports
// Servers of a sweep that do not answer, or answer whatever they like: one line and exit code 3, at the owner and at a
// worker.
#include <QtTest>

#include "tests/support/command_line.h"
#include "tests/support/scripted_server.h"
#include "tests/support/test_program.h"

namespace sweep_server_test {

using namespace kvantage::test;

class SweepServerTest : public QObject {
  Q_OBJECT

  static Answer work_on(const ScriptedServer& server) {
    return call({"sweep", "--worker", "--workers", QString::fromStdString(server.url()), "--name", "night", "--wait",
                 "0.1", "--quiet"});
  }
  static void expect_refused(const Answer& answer, const QString& reason) {
    QVERIFY2(answer.exit_code == 3 && answer.out.isEmpty(), answer.text());
    QVERIFY2(answer.error_lines().size() == 1 && answer.is_of_short_lines(), answer.text());
    QVERIFY2(answer.error.startsWith("error: ") && answer.error.contains(reason), answer.text());
    QVERIFY2(answer.error.contains("; "), answer.text());
  }

 private slots:
  void aServerThatIsNotThereIsRefused() {
    expect_refused(call({"sweep", "--worker", "--workers", "redis://127.0.0.1:1", "--name", "night"}), "refused");
  }

  void aSilentServerIsRefused_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"PING", "GET"}) QTest::newRow(command) << QString(command);
  }
  void aSilentServerIsRefused() {
    QFETCH(QString, command);
    const ScriptedServer server([&command](const Words& words, ScriptedServer::Peer& peer) {
      if (words.front() != command.toStdString()) return false;
      peer.hold();
      return true;
    });
    expect_refused(work_on(server), "no answer within");
  }

  void aLongErrorOfAServerIsCut() {
    const ScriptedServer server([](const Words& words, ScriptedServer::Peer& peer) {
      return words.front() == "GET" && peer.send("-ERR " + std::string(60'000, 'e') + "\x1b[2J\r\n");
    });
    expect_refused(work_on(server), "eee");
  }

  void aServerWithoutASweepIsRefused() {
    const ScriptedServer server;
    expect_refused(work_on(server), "no sweep 'night' is on the server; start one");
  }
};

KV_TEST_GUILESS_MAIN(SweepServerTest)

}  // namespace sweep_server_test

#include "sweep_server_test.moc"
