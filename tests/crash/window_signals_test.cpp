// links: kv_reports profiles
// SIGINT, SIGTERM and SIGHUP end the window's program as Ctrl-C ends the command line: the run has an end, the database
// is closed, and the exit code is 130.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/workload/workload.h"
#include "tests/crash/window_process.h"
#include "tests/support/database_rows.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace window_signals_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class WindowSignalsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }

  bool start(QProcess& process, const QString& name, const QStringList& words, void (*hangup)(int) = SIG_DFL) const {
    return start_window(
        process, folder_.filePath(name + " config"),
        words + QStringList{"--model", text_of(model_directory()), "--store", folder_.filePath(name), "--threads", "1"},
        hangup);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(4, 16, 5), at("workload")));
    QVERIFY(write_workload(small_workload(2, 8, 1), at("asks")));
    const Json dram{{"name", "dram"}, {"budget_bytes", 1048576}},
        remote{{"name", "remote"}, {"budget_bytes", 1048576}, {"url", "redis://192.0.2.1:1"}};
    const Json serves{{"policy", "lru"}, {"tiers", Json::array({dram})}},
        asks{{"policy", "lru"}, {"tiers", Json::array({dram, remote})}};
    QVERIFY(write_text_file(at("workload") / "session.json", serves.dump()));
    QVERIFY(write_text_file(at("asks") / "session.json", asks.dump()));
  }

  void aRunThatServesGetsAnEnd_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
  }
  void aRunThatServesGetsAnEnd() {
    QFETCH(int, signal);
    const QString name = QStringLiteral("serves %1").arg(signal);
    const path database = at(name.toStdString()) / "kvantage.db";
    QProcess process;
    QVERIFY(start(process, name, {text_of(at("workload"))}));
    const auto served = [&] {
      const auto rows = rows_of(database, "SELECT requests FROM runs");
      return !rows.empty() && std::stoi(rows[0][0]) >= 3;
    };
    QVERIFY2(wait_for_window(process, served), process.readAllStandardError());
    end_window(process, signal);
    if (QTest::currentTestFailed()) return;
    const auto runs = rows_of(database, "SELECT finished_utc_ns, outcome, requests FROM runs");
    QCOMPARE(runs.size(), std::size_t{1});
    QVERIFY2(runs[0][0] != "0" && (runs[0][1] == "stopped" || runs[0][1] == "closed"), runs[0][1].c_str());
    QVERIFY(std::stoi(runs[0][2]) >= 3);
    QCOMPARE(rows_of(database, "PRAGMA integrity_check"), std::vector<std::vector<std::string>>{{"ok"}});
  }

  // The question comes before the first window, whose event loop is another one.
  void aQuestionIsEndedToo() {
    QProcess process;
    QVERIFY(start(process, "asks", {text_of(at("asks"))}));
    QVERIFY2(wait_for_window(process, [&] { return handles_signals(process); }), process.readAllStandardError());
    process.waitForFinished(1000);  // it asks by now
    QVERIFY2(process.state() == QProcess::Running, process.readAllStandardError());
    end_window(process, SIGTERM);
    QVERIFY(!QFile::exists(folder_.filePath("asks/kvantage.db")));  // and nothing was opened instead
  }

  void aHangupThatIsIgnoredEndsNothing() {
    QProcess process;
    QVERIFY(start(process, "nohup", {text_of(at("workload")), "--wait"}, SIG_IGN));
    QVERIFY2(wait_for_window(process, [&] { return handles_signals(process); }), process.readAllStandardError());
    send_signal(process, SIGHUP);
    QVERIFY(!process.waitForFinished(500));
    QVERIFY(process.state() == QProcess::Running);
    end_window(process, SIGTERM);
  }
};

KV_TEST_GUILESS_MAIN(WindowSignalsTest)

}  // namespace window_signals_test

#include "window_signals_test.moc"
