// links: kv_base
// kvantage-cli sweep as a user starts it: cells here, cells by workers over a real Redis server, and a worker that is killed.
#include <signal.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <memory>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/sweep/sweep_plan.h"
#include "tests/support/command_line.h"
#include "tests/support/redis_server.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class SweepCommandTest : public QObject {
  Q_OBJECT

  QTemporaryDir temporary_;
  path folder_, workload_;

  QStringList sweep(const QString& out, const QStringList& more) const {
    return QStringList{"sweep", text_of(workload_), "--model", text_of(model_directory()), "--tier", "dram=600KiB", "--tier", "ssd=1MiB", "--out",
                       text_of(folder_ / out.toStdString()), "--limit", "6", "--threads", "1", "--quiet"} + more;
  }
  static Json json_of(const QString& text) { return parse_json(text.toStdString(), "output").value_or(Json()); }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    folder_ = temporary_.path().toStdString();
    workload_ = folder_ / "workload";
    QVERIFY(write_workload(small_workload(4, 12, 5), workload_).has_value());
  }

  void cellsHereMakeOneTableAndResumeDoesNoneTwice() {
    const QStringList arguments = sweep("here", {"--policy", "lru,full_prefill", "--budgets", "1,50%", "--seeds", "2", "--no-warmup", "--json"});
    const Answer first = call(arguments);
    QVERIFY2(first.exit_code == 0, first.text().constData());
    const Json table = json_of(first.out);
    QCOMPARE(table["cells"].get<int>(), 8);
    QCOMPARE(table["done"].get<int>(), 8);
    QCOMPARE(int(table["rows"].size()), 4);
    for (const Json& row : table["rows"]) {
      QCOMPARE(row["seeds"].get<int>(), 2);
      QCOMPARE(row["requests"].get<int>(), 12);
      QVERIFY(row["ttft_service_seconds"]["low"].is_number());
    }
    QVERIFY(read_text_file(folder_ / "here" / "sweep.csv").has_value());
    const Answer again = call(arguments);
    QCOMPARE(again.exit_code, 3);  // it holds results
    const Answer resumed = call(arguments + QStringList{"--resume"});
    QVERIFY2(resumed.exit_code == 0, resumed.text().constData());
    QCOMPARE(json_of(resumed.out), table);  // run ids are in no row; had a cell been run again, its times would differ
  }

  void aKilledWorkerLosesNoCellAndNoneCountsTwice() {
    if (!RedisServer::missing().isEmpty()) QSKIP(qPrintable(RedisServer::missing()));
    RedisServer server;
    const QString url = QString::fromStdString(server.url());
    QProcess owner;
    owner.start(command_line_program(), sweep("away", {"--policy", "lru,lfu,full_prefill", "--budgets", "0.5,1", "--seeds", "3", "--workers", url, "--name", "kill", "--json"}));
    QVERIFY(owner.waitForStarted());
    std::vector<std::unique_ptr<QProcess>> workers;
    for (int i = 0; i < 3; ++i) {
      workers.push_back(std::make_unique<QProcess>());
      workers.back()->start(command_line_program(), {"sweep", "--worker", "--workers", url, "--name", "kill", "--lease", "3", "--threads", "1", "--store",
                                                     text_of(folder_ / ("worker-" + std::to_string(i)))});
      QVERIFY(workers.back()->waitForStarted());
    }
    // Killed with a cell in hand: it is seen in the group's pending entries.
    const QString victim = "-" + QString::number(workers[0]->processId());
    QElapsedTimer timer;
    QString held;
    for (timer.start(); timer.elapsed() < 240'000 && held.isEmpty(); QTest::qWait(5)) {
      const QStringList pending = server.cli({"XPENDING", "kvantage:sweep:kill:cells", "workers", "-", "+", "10"}).split('\n');
      for (int i = 0; i + 1 < pending.size(); i += 4)
        if (pending[i + 1].endsWith(victim)) held = pending[i];
    }
    QVERIFY2(!held.isEmpty(), "the first worker never took a cell");
    QVERIFY(::kill(static_cast<pid_t>(workers[0]->processId()), SIGKILL) == 0);
    workers[0]->waitForFinished();
    QVERIFY(owner.waitForFinished(480'000));
    QCOMPARE(owner.exitCode(), 0);
    for (std::size_t i = 1; i < 3; ++i) {
      QVERIFY(workers[i]->waitForFinished(120'000));
      QCOMPARE(workers[i]->exitCode(), 0);
    }
    const Json table = json_of(QString::fromUtf8(owner.readAllStandardOutput()));
    QCOMPARE(table["cells"].get<int>(), 18);
    QCOMPARE(table["done"].get<int>(), 18);
    for (const Json& row : table["rows"]) {
      QCOMPARE(row["seeds"].get<int>(), 3);
      QCOMPARE(row["requests"].get<int>(), 18);
    }
    QCOMPARE(server.cli({"HLEN", "kvantage:sweep:kill:results"}).toInt(), 18);
    QCOMPARE(server.cli({"XLEN", "kvantage:sweep:kill:cells"}).toInt(), 18);
    QCOMPARE(server.cli({"XPENDING", "kvantage:sweep:kill:cells", "workers"}).split('\n').front().toInt(), 0);
    const QString others = QString::fromUtf8(workers[1]->readAllStandardError() + workers[2]->readAllStandardError());
    QVERIFY2(others.contains("takes over"), qPrintable(others));
  }

  void wrongListsAreRefusedInOneLine_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("budget") << QStringList{"--budgets", "0"};
    QTest::newRow("grid") << QStringList{"--alpha-grid", "1:2"};
    QTest::newRow("rate") << QStringList{"--rate", "-1"};
    QTest::newRow("policy") << QStringList{"--policy", "lur"};
  }
  void wrongListsAreRefusedInOneLine() {
    QFETCH(QStringList, words);
    const Answer answer = call(sweep("wrong", words));
    QCOMPARE(answer.exit_code, 2);
    QCOMPARE(answer.error_lines().size(), 1);
  }
};

QTEST_GUILESS_MAIN(SweepCommandTest)
#include "sweep_command_test.moc"
