// links: kv_reports profiles sqlite3
// kvantage-cli sweep --slurm as a user starts it, with a real SLURM cluster of three nodes: one of them is lost in
// mid-run; what SLURM refuses; a job that is left and come back to.
#include <signal.h>
#include <sqlite3.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <memory>
#include <set>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/report_readers.h"
#include "tests/support/slurm_cluster.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace slurm_sweep_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class SlurmSweepTest : public QObject {
  Q_OBJECT

  QTemporaryDir temporary_;
  path folder_, workload_;
  std::unique_ptr<SlurmCluster> cluster_;

  QStringList sweep(const path& out, const QStringList& more) const {
    return QStringList{"sweep",     text_of(workload_),
                       "--model",   text_of(model_directory()),
                       "--tier",    "dram=600KiB",
                       "--tier",    "ssd=1MiB",
                       "--out",     text_of(out),
                       "--limit",   "6",
                       "--threads", "1",
                       "--lease",   "6",
                       "--json",    "--no-warmup"} +
           more;
  }
  /// In the cluster's environment.
  std::unique_ptr<QProcess> started(const QStringList& words) const {
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = cluster_->environment();
    environment.insert("KVANTAGE_CACHE", text_of(folder_ / "cache"));
    process->setProcessEnvironment(environment);
    process->start(command_line_program(), words);
    return process;
  }
  Answer answer_of(const QStringList& words) const {
    const auto process = started(words);
    if (!process->waitForFinished(300'000)) return {};
    return {process->exitCode(), QString::fromUtf8(process->readAllStandardOutput()),
            QString::fromUtf8(process->readAllStandardError())};
  }
  static Json json_of(const QString& text) { return parse_json(text.toStdString(), "output").value_or(Json()); }
  static std::set<std::string> names_in(const path& folder) {
    std::set<std::string> names;
    std::error_code ignored;
    for (const path& entry : entries_of(folder, ignored)) names.insert(entry.filename().string());
    return names;
  }
  static QString job_of(const path& out) {
    const auto record = read_json_file(out / "slurm" / "job.json");
    return record ? QString::fromStdString(record->value("job", "")) : QString();
  }
  /// First column of every row.
  static std::vector<std::string> rows_of(const path& database, const char* query) {
    std::vector<std::string> rows;
    sqlite3* connection = nullptr;
    if (sqlite3_open_v2(database.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v2(connection, query, -1, &statement, nullptr);
      while (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        rows.emplace_back(text == nullptr ? "" : text);
      }
      sqlite3_finalize(statement);
    }
    sqlite3_close(connection);
    return rows;
  }

  /// The cell that the worker on `node` holds and that has no result, where it is stopped; else it continues.
  std::string stopped_in_mid_cell(int node, const path& queue) const {
    const auto pids = cluster_->job_processes(node);
    if (pids.empty()) return {};
    const pid_t worker = pids.front();
    ::kill(worker, SIGSTOP);
    const std::string ending = "-" + std::to_string(worker) + "\n";
    for (const std::string& name : names_in(queue / "claims")) {
      const auto text = read_text_file(queue / "claims" / name);
      const std::string id = name.substr(0, name.find('.'));
      if (text && text->ends_with(ending) && !std::filesystem::exists(queue / "results" / (id + ".json"))) return id;
    }
    ::kill(worker, SIGCONT);
    return {};
  }

  /// `runs_left`: of workers that were killed between a run and its result.
  static void expect_every_cell_once(const path& out, const Json& table, std::size_t cells, std::size_t runs_left) {
    QCOMPARE(table["cells"].get<std::size_t>(), cells);
    QCOMPARE(table["done"].get<std::size_t>(), cells);
    QVERIFY(table["failed"].empty());
    QCOMPARE(names_in(out / "cells").size(), cells);
    std::set<std::string> served = names_in(out / "queue" / "results");
    std::erase_if(served, [](const std::string& name) { return !name.ends_with(".json"); });
    QCOMPARE(served, names_in(out / "cells"));
    // The same in the tables, as the library itself reads them.
    const std::vector<std::string> count{std::to_string(cells)};
    QCOMPARE(rows_of(out / "sweep.sqlite", "SELECT count(*) FROM cells WHERE state = 'done'"), count);
    QCOMPARE(rows_of(out / "sweep.sqlite", "SELECT count(DISTINCT cell) FROM cells"), count);
    QCOMPARE(rows_of(out / "sweep.sqlite", "SELECT count(DISTINCT run_id) FROM cells"), count);
    QCOMPARE(csv_rows(bytes_of(text_of(out / "cells.csv"))).size(), static_cast<qsizetype>(cells) + 1);
    // A recorded run per cell, all of them the owner's by now.
    const Json runs = json_of(call({"runs", "list", "--json", "--db", text_of(out / "kvantage.db")}).out);
    std::set<std::string> recorded;
    for (const Json& run : runs) recorded.insert(run["run_id"].get<std::string>());
    QCOMPARE(recorded.size(), cells);
    const auto named = rows_of(out / "sweep.sqlite", "SELECT run_id FROM cells");
    QCOMPARE(recorded, std::set<std::string>(named.begin(), named.end()));
    QVERIFY(names_in(out / "queue" / "runs").size() <= runs_left);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    folder_ = temporary_.path().toStdString();
    workload_ = folder_ / "workload";
    QVERIFY(write_workload(small_workload(4, 12, 5), workload_).has_value());
    if (SlurmCluster::missing().isEmpty()) cluster_ = std::make_unique<SlurmCluster>(3);
  }
  void cleanupTestCase() { cluster_.reset(); }

  void withoutSlurmNothingIsWritten() {
    const Answer answer =
        call(sweep(folder_ / "nowhere", {"--slurm", "--policy", "lru", "--quiet"}), {"env", "PATH=/nowhere"});
    QVERIFY2(answer.exit_code == 2 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains("--slurm: there is no sbatch in PATH; start it"), answer.text());
    QVERIFY(!std::filesystem::exists(folder_ / "nowhere"));
    const Answer quote = call(sweep(folder_ / "nowhere", {"--slurm", "--sbatch", "--comment='open"}));
    QVERIFY2(quote.exit_code == 2 && quote.error.contains("--sbatch: a quote (') has no end; close it"), quote.text());
    const Answer alone = call(sweep(folder_ / "nowhere", {"--sbatch=--exclusive"}));
    QVERIFY2(alone.exit_code == 2 && alone.error.contains("--sbatch and --slurm-tasks are for --slurm"), alone.text());
    QVERIFY(!std::filesystem::exists(folder_ / "nowhere"));
  }

  // 24 cells on three nodes, of which one is lost while it serves a cell.
  void aLostNodeLosesNoCellAndNoneCountsTwice() {
    if (!cluster_) QSKIP(qPrintable(SlurmCluster::missing()));
    // Neither the shell nor SLURM may see anything in the folder's name.
    const path out = folder_ / "it's $(touch expanded) 100%A";
    const auto owner = started(sweep(out, {"--policy", "lru,lfu,full_prefill", "--budgets", "0.5,1", "--seeds", "4",
                                           "--slurm", "--slurm-tasks", "3", "--sbatch=--exclusive"}));
    QVERIFY(owner->waitForStarted());
    QElapsedTimer timer;
    std::string cell;
    int lost = 0;
    for (timer.start(); timer.elapsed() < 240'000 && cell.empty(); QTest::qWait(20)) {
      QVERIFY(owner->state() == QProcess::Running);
      if (names_in(out / "queue" / "results").size() < 3) continue;
      lost = lost % 3 + 1;
      cell = stopped_in_mid_cell(lost, out / "queue");
    }
    QVERIFY2(!cell.empty(), "no node ever held a cell");
    cluster_->kill_node(lost);
    QVERIFY(names_in(out / "queue" / "results").size() < 24);
    QVERIFY(owner->waitForFinished(480'000));
    const QByteArray said = owner->readAllStandardError();
    QVERIFY2(owner->exitCode() == 0, said);
    QVERIFY2(said.contains("SLURM job ") && said.contains(": 3 tasks for 24 cells"), said);
    const Json table = json_of(QString::fromUtf8(owner->readAllStandardOutput()));
    expect_every_cell_once(out, table, 24, 1);
    for (const Json& row : table["rows"]) QCOMPARE(row["seeds"].get<int>(), 4);
    // The cell was taken over by another worker, and it alone.
    std::set<std::string> again;
    for (const std::string& name : names_in(out / "queue" / "claims"))
      if (!name.ends_with(".1")) again.insert(name);
    QCOMPARE(again, std::set<std::string>{cell + ".2"});
    QString logs;
    for (const std::string& name : names_in(out / "slurm"))
      if (name.ends_with(".log")) logs += QString::fromUtf8(bytes_of(text_of(out / "slurm" / name)));
    QCOMPARE(logs.count(" takes over "), qsizetype{1});
    QVERIFY(rows_of(out / "sweep.sqlite", "SELECT DISTINCT worker FROM cells").size() >= 2);
    QVERIFY(!std::filesystem::exists("expanded") && !std::filesystem::exists(folder_ / "expanded"));
  }

  void aRefusedSubmissionIsSaidInSlurmsWords() {
    if (!cluster_) QSKIP(qPrintable(SlurmCluster::missing()));
    const Answer answer = answer_of(sweep(
        folder_ / "refused", {"--policy", "lru", "--slurm", "--quiet", "--sbatch", "--partition=nope --time=1:00"}));
    QVERIFY2(answer.exit_code == 3 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains("sbatch refused the job: ") && answer.error.contains("Invalid partition name"),
             answer.text());
    QVERIFY(job_of(folder_ / "refused").isEmpty());
  }

  // Held by SLURM until it is released: so long there is only a job.
  void aJobIsLeftAndComeBackTo() {
    if (!cluster_) QSKIP(qPrintable(SlurmCluster::missing()));
    const path out = folder_ / ("left" + std::string(120, 'x'));  // errors are shortened, the way back is not
    const QStringList words = sweep(out, {"--policy", "lru,lfu", "--seeds", "1"});
    const QStringList job = words + QStringList{"--slurm", "--slurm-tasks", "5", "--sbatch=--hold --exclusive"};
    const Answer left = answer_of(job + QStringList{"--slurm-wait", "no"});
    QVERIFY2(left.exit_code == 0, left.text());
    QCOMPARE(json_of(left.out)["done"].get<int>(), 0);
    const QString id = job_of(out);
    QVERIFY(!id.isEmpty());
    QVERIFY2(left.error.contains("SLURM job " + id + ": 2 tasks for 2 cells"), left.text());
    QVERIFY2(left.error_lines().contains("come back with: kvantage-cli sweep --plan " + text_of(out / "plan.json") +
                                         " --out " + text_of(out) +
                                         " --resume --slurm --threads 1 --lease 6 --slurm-tasks 5"
                                         " --sbatch='--hold --exclusive'"),
             left.text());
    const Answer here = answer_of(words + QStringList{"--resume"});
    QVERIFY2(here.exit_code == 1 && here.error.contains("SLURM job " + id + " still serves this sweep"), here.text());
    cluster_->call("scontrol", {"release", id});
    const Answer back = answer_of({"sweep", "--plan", text_of(out / "plan.json"), "--out", text_of(out), "--resume",
                                   "--slurm", "--lease", "3", "--json"});
    QVERIFY2(back.exit_code == 0, back.text());
    QCOMPARE(job_of(out), id);  // no second job
    expect_every_cell_once(out, json_of(back.out), 2, 0);
  }

  void aJobThatEndsTooEarlyIsNoticed() {
    if (!cluster_) QSKIP(qPrintable(SlurmCluster::missing()));
    const path out = folder_ / "early";
    const auto owner = started(sweep(out, {"--policy", "lru", "--slurm", "--sbatch=--hold"}));
    QTRY_VERIFY_WITH_TIMEOUT(!job_of(out).isEmpty(), 60'000);
    cluster_->call("scancel", {job_of(out)});
    QVERIFY(owner->waitForFinished(120'000));
    const QByteArray said = owner->readAllStandardError();
    QVERIFY2(owner->exitCode() == 1, said);
    QVERIFY2(said.contains("has ended, and 1 cell has no result: no task took a cell.") &&
                 said.contains("; serve the rest with --resume --slurm"),
             said);
  }
};

KV_TEST_GUILESS_MAIN(SlurmSweepTest)

}  // namespace slurm_sweep_test

#include "slurm_sweep_test.moc"
