// links: kv_reports profiles kv_cli_program
// kill -9 in the middle of `kvantage-cli run`: the next start opens, everything that another process could see in the
// database before is still there, every stored cache is bit for bit what an undisturbed run stores, and what is served
// from them are the answers of a fresh store.
#include <signal.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <map>

#include "core/base/json.h"
#include "core/base/random.h"
#include "tests/support/database_rows.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/stored_files.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace run_kill_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

/// What a second process reads of a database.
struct Visible {
  std::map<std::string, std::string> cells;                 // profile cell -> its numbers
  std::map<std::string, std::vector<std::string>> journal;  // run id -> events in order
};

Visible look_into(const path& database) {
  Visible visible;
  for (const auto& row :
       rows_of(database,
               "SELECT scope, context_id, method, removed_fraction, quality, n, bytes, scores FROM profile_cells"))
    visible.cells[row[0] + " " + row[1] + " " + row[2] + " " + row[3]] =
        row[4] + " " + row[5] + " " + row[6] + " " + row[7];
  for (const auto& row : rows_of(database, "SELECT run_id FROM runs")) visible.journal[row[0]];
  for (const auto& row :
       rows_of(database, "SELECT run_id, body FROM events JOIN runs ON runs.id = events.run ORDER BY events.id"))
    visible.journal[row[0]].push_back(row[1]);
  return visible;
}

int count_in(const path& database, const char* query) {
  const auto rows = rows_of(database, query);
  return rows.empty() ? 0 : std::atoi(rows[0][0].c_str());
}
int profiled_contexts(const path& database) {
  return count_in(database, "SELECT count(DISTINCT context_id) FROM profile_cells");
}
int newest_requests(const path& database) {
  return count_in(database, "SELECT requests FROM runs ORDER BY id DESC LIMIT 1");
}
int runs_begun(const path& database) { return count_in(database, "SELECT count(*) FROM runs"); }

}  // namespace

class RunKillTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<std::string, StoredFile> reference_;  // entries that undisturbed runs stored
  std::vector<std::pair<std::string, std::string>> answers_;
  int compared_ = 0;

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  path database() const { return at("store/kvantage.db"); }
  QStringList words(const QString& policy, const QString& store, const QStringList& rest) const {
    return QStringList{"run",       text_of(at("workload")),
                       "--model",   text_of(model_directory()),
                       "--store",   text_of(at(store.toStdString())),
                       "--tier",    "dram=2MiB",
                       "--tier",    "ssd=4MiB",
                       "--methods", "knorm,keydiff",
                       "--removed", "0.3,0.6",
                       "--policy",  policy} +
           rest;
  }
  /// Uncompressed caches from what the store holds: the question and answer of each request.
  Answer serve(const QString& store, std::vector<std::pair<std::string, std::string>>& answers, int& hits) const {
    const Answer answer = call_forked(words(
        "lru", store, {"--limit", "10", "--seed", "7", "--keep-store", "--no-warmup", "--compute-or-load", "off"}));
    for (const auto& row : rows_of(at(store.toStdString()) / "kvantage.db",
                                   "SELECT body FROM events WHERE type = 'request.finished' AND run = (SELECT max(id) "
                                   "FROM runs) ORDER BY id")) {
      const Json record = Json::parse(row[0]).at("data").at("record");
      answers.emplace_back(record.at("question").get<std::string>(), record.at("answer").get<std::string>());
      if (record.at("removed_fraction").get<double>() != 0) answers.back().second += " (compressed)";
      hits += record.at("source") == "prefill" ? 0 : 1;
    }
    return answer;
  }

  void check_database(const Visible& before) {
    const Visible after = look_into(database());
    for (const auto& [cell, numbers] : before.cells) {
      QVERIFY2(after.cells.contains(cell), cell.c_str());
      QCOMPARE(after.cells.at(cell), numbers);
    }
    QVERIFY(after.cells.size() % 5 == 0);  // a context's curves are there as a whole or not at all
    for (const auto& [run, events] : before.journal) {
      QVERIFY2(after.journal.contains(run), run.c_str());
      const auto& kept = after.journal.at(run);
      QVERIFY2(kept.size() >= events.size() && std::equal(events.begin(), events.end(), kept.begin()), run.c_str());
    }
    for (const auto& row :
         rows_of(database(),
                 "SELECT run_id, count(*), max(sequence) - min(sequence) + 1, runs.requests, "
                 "sum(events.type = 'request.finished') FROM events JOIN runs ON runs.id = events.run GROUP BY run")) {
      QCOMPARE(row[1], row[2]);  // no gap
      QCOMPARE(row[3], row[4]);
    }
    QCOMPARE(rows_of(database(), "PRAGMA integrity_check"), std::vector<std::vector<std::string>>{{"ok"}});
  }

  void check_files() {
    for (const auto& [name, file] : stored_files(at("store"))) {
      QVERIFY2(file.whole, name.c_str());
      const auto same = reference_.find(name);
      if (same == reference_.end()) continue;
      QVERIFY2(file.bytes == same->second.bytes, name.c_str());
      ++compared_;
    }
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(8, 24, 5), at("workload")));
    for (const char* policy : {"lru", "fixed(keydiff,0.6)"}) {
      const Answer answer = call_forked(words(policy, "reference", {"--limit", "12"}));
      QVERIFY2(answer.exit_code == 0, answer.text());
      reference_.merge(stored_files(at("reference")));
    }
    int hits = 0;
    const Answer fresh = serve("fresh", answers_, hits);
    QVERIFY2(fresh.exit_code == 0 && answers_.size() == 10, fresh.text());
    QVERIFY(reference_.size() >= 9);  // originals of all contexts, and something in the SSD tier
    for (const auto& [name, file] : reference_) QVERIFY2(file.whole, name.c_str());
  }

  void nothingCommittedIsLostAndNothingWrongIsServed_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("phase");
    QTest::addColumn<int>("amount");
    QTest::addColumn<bool>("keeps_store");
    QTest::addColumn<bool>("serves");
    if (answers_.empty()) return;
    const auto row = [](const char* policy, const char* phase, int amount, bool keeps_store, bool serves) {
      QTest::addRow("%s, %s %d%s", policy, phase, amount, keeps_store ? ", kept store" : "")
          << policy << phase << amount << keeps_store << serves;
    };
    row("evicpress", "profiling", 1, false, false);
    row("lru", "loading", 0, false, false);
    row("lru", "requests", 5, false, true);
    row("evicpress", "profiling", 3, false, false);
    row("evicpress", "requests", 4, false, true);
    row("lru", "requests", 9, true, false);
    row("evicpress", "requests", 12, true, true);
    row("lru,evicpress", "requests", 2, false, true);
  }
  void nothingCommittedIsLostAndNothingWrongIsServed() {
    QFETCH(QString, policy);
    QFETCH(QString, phase);
    QFETCH(int, amount);
    QFETCH(bool, keeps_store);
    QFETCH(bool, serves);
    static Random random(20261121);
    const int runs_before = runs_begun(database());
    QProcess process;
    process.start(command_line_program(), words(policy, "store", {"--limit", "1000000"}) +
                                              (keeps_store ? QStringList{"--keep-store"} : QStringList{}));
    QVERIFY(process.waitForStarted());
    const auto due = [&] {
      if (phase == "profiling") return profiled_contexts(database()) >= amount;
      if (phase == "requests") return runs_begun(database()) > runs_before && newest_requests(database()) >= amount;
      return true;
    };
    QElapsedTimer timer;
    timer.start();
    while (!due() && process.state() == QProcess::Running && timer.elapsed() < 120000) process.waitForFinished(10);
    process.waitForFinished(
        static_cast<int>(random.below(phase == "loading" ? 700 : 250)));  // at no moment of its own choice
    const Visible before = look_into(database());
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished(60000));
    QVERIFY2(process.exitStatus() == QProcess::CrashExit, process.readAllStandardError());
    if (phase != "loading") QVERIFY(due());

    check_database(before);
    check_files();
    const bool begun = runs_begun(database()) > runs_before;
    if (begun) {
      const Answer report = call_forked({"report", "--db", text_of(database()), "--json"});
      QVERIFY2(report.exit_code == 0, report.text());
      const Json json = Json::parse(report.out.toStdString());
      QCOMPARE(json.at("rows").back().at("policy").get<std::string>(), policy.section(',', 0, 0).toStdString());
      QVERIFY2(json.at("claim").get<std::string>().find("(no end recorded)") != std::string::npos, report.text());
    }
    if (!serves) return;
    std::vector<std::pair<std::string, std::string>> answers;
    int hits = 0;
    const Answer next = serve("store", answers, hits);
    QVERIFY2(next.exit_code == 0 && !next.error.contains("error") && !next.error.contains("warning"), next.text());
    QCOMPARE(answers, answers_);
    QVERIFY2(hits > 0, next.text());
    check_database(before);
    check_files();
  }

  void cleanupTestCase() {
    if (answers_.empty()) return;
    qInfo("%d stored entries were those of an undisturbed run", compared_);
    QVERIFY(compared_ >= 40);
  }
};

KV_TEST_GUILESS_MAIN(RunKillTest)

}  // namespace run_kill_test

#include "run_kill_test.moc"
