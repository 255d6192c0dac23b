// links: kv_reports
// kvantage-cli sweep as a user starts it: cells here, cells by workers over a real Redis server, workers that are
// killed or cannot serve, cells that fail, plans that somebody else wrote, and the recorded runs of all cells in one
// database.
#include <signal.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <memory>
#include <set>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/experiments/experiment_runner.h"
#include "core/sweep/sweep_plan.h"
#include "tests/support/command_line.h"
#include "tests/support/redis_server.h"
#include "tests/support/scripted_server.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace sweep_command_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class SweepCommandTest : public QObject {
  Q_OBJECT

  QTemporaryDir temporary_;
  path folder_, workload_;

  QStringList sweep(const QString& out, const QStringList& more) const {
    return QStringList{"sweep",     text_of(workload_),
                       "--model",   text_of(model_directory()),
                       "--tier",    "dram=600KiB",
                       "--tier",    "ssd=1MiB",
                       "--out",     text_of(folder_ / out.toStdString()),
                       "--limit",   "6",
                       "--threads", "1",
                       "--quiet"} +
           more;
  }
  static Json runs(const path& database) {
    return json_of(call({"runs", "list", "--json", "--db", text_of(database)}).out);
  }
  static std::set<std::string> run_ids(const Json& list) {
    std::set<std::string> ids;
    for (const Json& run : list) ids.insert(run["run_id"].get<std::string>());
    return ids;
  }
  static std::set<std::string> run_ids_of_rows(const Json& table) {
    std::set<std::string> ids;
    for (const Json& row : table["rows"])
      for (const Json& id : row["run_ids"]) ids.insert(id.get<std::string>());
    return ids;
  }
  static Json json_of(const QString& text) { return parse_json(text.toStdString(), "output").value_or(Json()); }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    folder_ = temporary_.path().toStdString();
    workload_ = folder_ / "workload";
    QVERIFY(write_workload(small_workload(4, 12, 5), workload_).has_value());
  }

  // What happens to the machine in the meantime does not always hit the same policy.
  void cellsOfASeedAreServedInAnOrderDrawnFromIt() {
    const SweepGrid grid{.policies = {{"lru", false}, {"full_prefill", false}, {"lfu", false}},
                         .alphas = {1},
                         .budgets = {{1, false}, {0.5, false}},
                         .rates = {0},
                         .seeds = {3}};
    const auto cells = cells_of(grid).value();
    std::vector<std::string> expected, in_order;
    for (const std::size_t place : drawn_order(cells.size(), 3)) expected.push_back(cells[place].policy);
    for (const SweepCell& cell : cells) in_order.push_back(cell.policy);
    QVERIFY(expected != in_order);
    const Answer answer = call(sweep("order", {"--policy", "lru,full_prefill,lfu", "--budgets", "1,50%", "--seeds", "1",
                                               "--seed", "3", "--no-warmup", "--json"}));
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    std::map<std::int64_t, std::string> begun;
    for (const Json& run : runs(folder_ / "order" / "kvantage.db"))
      begun[run["started_utc_ns"].get<std::int64_t>()] = run["policy"].get<std::string>();
    std::vector<std::string> policies;
    for (const auto& [utc_ns, policy] : begun) policies.push_back(policy);
    QCOMPARE(policies, expected);
  }

  void cellsHereMakeOneTableAndResumeDoesNoneTwice() {
    const QStringList arguments =
        sweep("here", {"--policy", "lru,full_prefill", "--budgets", "1,50%", "--seeds", "2", "--no-warmup", "--json"});
    const Answer first = call(arguments);
    QVERIFY2(first.exit_code == 0, first.text().constData());
    const Json table = json_of(first.out);
    QCOMPARE(table["cells"].get<int>(), 8);
    QCOMPARE(table["done"].get<int>(), 8);
    QCOMPARE(int(table["rows"].size()), 4);
    for (const Json& row : table["rows"]) {
      QCOMPARE(row["seeds"].get<int>(), 2);
      QCOMPARE(row["requests"].get<int>(), 12);
      const Json& figure = row["ttft_service_seconds"];
      QVERIFY(figure["low"].is_null() && figure["high"].is_null());  // two seeds have no 95 % interval
      QVERIFY(figure["least"].get<double>() > 0 && figure["least"] <= figure["mean"] &&
              figure["mean"] <= figure["most"]);
      QCOMPARE(int(row["run_ids"].size()), 2);
    }
    QCOMPARE(int(table["machines"].size()), 1);
    QVERIFY(table["failed"].empty());
    const Json recorded = runs(folder_ / "here" / "kvantage.db");
    QCOMPARE(run_ids(recorded), run_ids_of_rows(table));
    std::set<std::string> groups;
    for (const Json& run : recorded) groups.insert(run["group"].get<std::string>());
    QCOMPARE(int(groups.size()), 1);
    QVERIFY2(groups.begin()->starts_with("sweep-"), groups.begin()->c_str());
    QVERIFY(read_text_file(folder_ / "here" / "sweep.csv").has_value());
    const Answer again = call(arguments);
    QCOMPARE(again.exit_code, 3);  // it holds results
    const Answer resumed = call(arguments + QStringList{"--resume"});
    QVERIFY2(resumed.exit_code == 0, resumed.text().constData());
    QCOMPARE(json_of(resumed.out), table);  // had a cell been run again, its times and its run's id would differ
    const Answer other = call(sweep("here", {"--policy", "lru,full_prefill", "--budgets", "1,50%", "--seeds", "2",
                                             "--max-batch", "2", "--resume", "--no-warmup"}));
    QCOMPARE(other.exit_code, 3);
    QVERIFY2(other.error.contains("its max_batch is 0, this one's 2; "), qPrintable(other.error));
  }

  void maxBatchIsServedAndAnotherSweepHasAnotherGroup() {
    const Answer answer =
        call(sweep("batch", {"--policy", "lru", "--max-batch", "3", "--rate", "200", "--no-warmup", "--json"}));
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const path database = folder_ / "batch" / "kvantage.db", file = folder_ / "batch.run";
    QCOMPARE(call({"runs", "export", "last", text_of(file), "--db", text_of(database)}).exit_code, 0);
    const std::string text = read_text_file(file).value();
    QCOMPARE(parse_json(text.substr(0, text.find('\n')), "run")
                 .value()["run"]["settings"]["settings"]["max_batch"]
                 .get<int>(),
             3);
    QVERIFY(!std::filesystem::exists(folder_ / "here" / "kvantage.db") ||
            runs(database)[0]["group"] != runs(folder_ / "here" / "kvantage.db")[0]["group"]);
  }

  void aCellThatFailsIsNamedAndDoneAgain() {
    // So small a share of the budgets is none at all.
    const QStringList words = sweep("fails", {"--policy", "lru", "--budgets", "1,0.0000001", "--no-warmup", "--json"});
    const Answer answer = call(words);
    QCOMPARE(answer.exit_code, 1);
    const Json table = json_of(answer.out);
    QCOMPARE(table["done"].get<int>(), 1);
    QCOMPARE(int(table["failed"].size()), 1);
    QCOMPARE(table["failed"][0]["cell"]["budget"].get<std::string>(), std::string("1e-07"));
    QVERIFY2(answer.error_lines().last().contains("1 of 2 cells could not be served ("), qPrintable(answer.error));
    const Answer again = call(words + QStringList{"--resume"});
    QCOMPARE(again.exit_code, 1);
    QCOMPARE(int(run_ids(runs(folder_ / "fails" / "kvantage.db")).size()), 1);  // the good cell was not done twice
  }

  void aRefusedServerLeavesNothingBehind() {
    const Answer answer = call(sweep("nowhere", {"--workers", "redis://127.0.0.1:1", "--policy", "lru"}));
    QVERIFY(answer.exit_code != 0);
    QVERIFY(!std::filesystem::exists(folder_ / "nowhere"));
  }

  void aWorkerThatCannotServeTakesNoCell() {
    if (!RedisServer::missing().isEmpty()) QSKIP(qPrintable(RedisServer::missing()));
    RedisServer server;
    const QString url = QString::fromStdString(server.url());
    QProcess owner;
    owner.start(command_line_program(), sweep("guarded", {"--policy", "lru,lfu", "--seeds", "2", "--no-warmup",
                                                          "--workers", url, "--name", "guard", "--json"}));
    QVERIFY(owner.waitForStarted());
    const QStringList worker{"sweep", "--worker", "--workers", url, "--name", "guard", "--threads", "1", "--quiet"};
    const Answer no_model = call(worker + QStringList{"--model", text_of(folder_ / "no-such-model")});
    QCOMPARE(no_model.exit_code, 3);
    QVERIFY2(no_model.error.contains("no such model folder; give"), qPrintable(no_model.error));
    // The same weights under another configuration are another model.
    const path other = folder_ / "other-model";
    std::filesystem::copy(model_directory(), other);
    Json config = read_json_file(other / "config.json").value();
    config["rms_norm_eps"] = config.value("rms_norm_eps", 1e-6) * 2;
    QVERIFY(write_text_file(other / "config.json", config.dump()).has_value());
    const Answer another = call(worker + QStringList{"--model", text_of(other)});
    QCOMPARE(another.exit_code, 3);
    QVERIFY2(
        another.error.contains("is another model (") && another.error.contains("; give the same model with --model"),
        qPrintable(another.error));
    // Nor one whose files of that name are another workload.
    const path kept = folder_ / "workload-kept";
    std::filesystem::rename(workload_, kept);
    const Answer absent = call(worker);
    const bool written = write_workload(small_workload(4, 12, 6), workload_).has_value();
    const Answer changed = call(worker);
    std::filesystem::remove_all(workload_);
    std::filesystem::rename(kept, workload_);
    QVERIFY(written);
    QCOMPARE(absent.exit_code, 3);
    QCOMPARE(changed.exit_code, 3);
    QVERIFY2(changed.error.contains("is another workload here"), qPrintable(changed.error));
    QCOMPARE(server.cli({"HLEN", "kvantage:sweep:guard:results"}).toInt(), 0);
    QCOMPARE(server.cli({"XPENDING", "kvantage:sweep:guard:cells", "workers"}).split('\n').front().toInt(), 0);
    const Answer good = call(worker);
    QVERIFY2(good.exit_code == 0, good.text().constData());
    QVERIFY(owner.waitForFinished(60'000));
    QCOMPARE(owner.exitCode(), 0);
    const Json table = json_of(QString::fromUtf8(owner.readAllStandardOutput()));
    QCOMPARE(table["done"].get<int>(), 4);
    // Runs of the worker are the owner's, and gone from the server.
    QCOMPARE(run_ids(runs(folder_ / "guarded" / "kvantage.db")), run_ids_of_rows(table));
    QCOMPARE(server.cli({"EXISTS", "kvantage:sweep:guard:runs"}).toInt(), 0);
    // Another model's cells go into no table of this sweep.
    QStringList with_other = sweep("guarded", {"--policy", "lru,lfu", "--seeds", "2", "--no-warmup", "--resume"});
    with_other[with_other.indexOf("--model") + 1] = text_of(other);
    const Answer mixed = call(with_other);
    QCOMPARE(mixed.exit_code, 3);
    QVERIFY2(mixed.error.contains("holds another sweep: its model_digest is"), qPrintable(mixed.error));
  }

  void aFailureIsFinalAfterThreeAttemptsAndResumeForgetsIt() {
    if (!RedisServer::missing().isEmpty()) QSKIP(qPrintable(RedisServer::missing()));
    RedisServer server;
    const QString url = QString::fromStdString(server.url());
    QStringList words = sweep("attempts", {"--policy", "lru", "--budgets", "1,0.0000001", "--no-warmup", "--workers",
                                           url, "--name", "try", "--json"});
    words.removeAll("--quiet");
    const QStringList worker{"sweep", "--worker", "--workers", url, "--name", "try", "--threads", "1", "--quiet"};
    for (const bool resumed : {false, true}) {
      QProcess owner;
      owner.start(command_line_program(), resumed ? words + QStringList{"--resume"} : words);
      QVERIFY(owner.waitForStarted());
      // In the second round the failure must be undone first: a worker that came before would find all done.
      QTRY_VERIFY_WITH_TIMEOUT(server.cli({"XLEN", "kvantage:sweep:try:cells"}).toInt() == (resumed ? 5 : 2), 60'000);
      const Answer done = call(worker);
      QVERIFY2(done.exit_code == 0, done.text().constData());
      QVERIFY(owner.waitForFinished(60'000));
      const QString said = QString::fromUtf8(owner.readAllStandardError());
      QVERIFY2(owner.exitCode() == 1, qPrintable(said));
      const Json table = json_of(QString::fromUtf8(owner.readAllStandardOutput()));
      QCOMPARE(table["done"].get<int>(), 1);
      QCOMPARE(int(table["failed"].size()), 1);
      QCOMPARE(table["failed"][0]["attempts"].get<int>(), 3);
      QVERIFY(!table["failed"][0]["worker"].get<std::string>().empty());
      // Two cells and two that were handed back; then one that was given out again and handed back twice.
      QCOMPARE(server.cli({"XLEN", "kvantage:sweep:try:cells"}).toInt(), resumed ? 7 : 4);
      for (const char* attempt : {"attempt 1 of 3, on ", "attempt 2 of 3, on "})
        QVERIFY2(said.contains(attempt), qPrintable(said));
    }
  }

  void aSweepThatVanishesFromTheServerEndsItsOwner() {
    if (!RedisServer::missing().isEmpty()) QSKIP(qPrintable(RedisServer::missing()));
    RedisServer server;
    const QString url = QString::fromStdString(server.url());
    QProcess owner;
    owner.start(command_line_program(), sweep("gone", {"--policy", "lru", "--workers", url, "--name", "gone"}));
    QVERIFY(owner.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(server.cli({"XLEN", "kvantage:sweep:gone:cells"}).toInt() == 1, 60'000);
    server.cli({"FLUSHALL"});
    QVERIFY(owner.waitForFinished(60'000));
    QCOMPARE(owner.exitCode(), 1);
    const QString said = QString::fromUtf8(owner.readAllStandardError());
    QVERIFY2(said.contains("sweep 'gone': is no longer on the server") && said.contains("--resume"), qPrintable(said));
  }

  void aPlanOfAServerChoosesNoPlaceOfThisMachine_data() {
    QTest::addColumn<QString>("tier");
    QTest::addColumn<QString>("reason");
    const QString chosen = " names a file or folder of this machine, which the plan of a sweep must not choose; start";
    const auto row = [](const char* title, const QString& tier, const QString& reason) {
      QTest::newRow(title) << tier << reason;
    };
    row("folder", "disk=5MiB,path=PLACE", "tier 'disk': path=" + chosen);
    row("folder of the archive", "archive=unlimited,path=PLACE", "tier 'archive': path=" + chosen);
    row("authority", "pool=5MiB,url=rediss://127.0.0.1:PORT,ca=PLACE", "tier 'pool': ca=" + chosen);
    row("authority in the url", "pool=5MiB,url=rediss://127.0.0.1:PORT?ca=PLACE", "?ca= of its url" + chosen);
    row("key", "pool=5MiB,url=redis://127.0.0.1:PORT,seal_key_file=PLACE", "tier 'pool': seal_key_file=" + chosen);
    row("server", "pool=5MiB,url=redis://127.0.0.1:PORT", "--allow-remote 127.0.0.1:");
    row("server of the archive", "archive=unlimited,url=redis://127.0.0.1:PORT", "--allow-remote 127.0.0.1:");
  }
  void aPlanOfAServerChoosesNoPlaceOfThisMachine() {
    QFETCH(QString, tier);
    QFETCH(QString, reason);
    const path place = folder_ / "chosen-by-a-stranger";
    ScriptedServer named;
    tier.replace("PLACE", text_of(place)).replace("PORT", QString::number(named.port()));
    SweepPlan plan;
    plan.workload = workload_.string();
    plan.tiers = {"dram=1MiB", tier.toStdString()};
    plan.cells.push_back(
        {.policy = "lru", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = 0, .uses_alpha = false});
    const std::string text = to_json(plan).dump();
    ScriptedServer hostile(
        [&](const Words& words, ScriptedServer::Peer& peer) { return words[0] == "GET" && peer.send(bulk(text)); });
    const QString url = QString::fromStdString(hostile.url());
    // An allowed server chooses no file either.
    const QStringList allowed =
        reason.startsWith("--allow") ? QStringList{} : QStringList{"--allow-remote", "127.0.0.1"};
    const Answer worker = call(QStringList{"sweep", "--worker", "--workers", url, "--model", text_of(model_directory()),
                                           "--store", text_of(folder_ / "strange store"), "--threads", "1", "--quiet"} +
                               allowed);
    QCOMPARE(worker.exit_code, 3);
    QVERIFY2(worker.error_lines().size() == 1 && worker.error.contains(reason), worker.text().constData());
    QVERIFY2(!worker.error.contains("chosen-by-a-stranger"), worker.text().constData());
    QVERIFY(!std::filesystem::exists(place));
    QCOMPARE(named.connections(), 0);
    if (reason.startsWith("--allow")) return;
    // Its owner learns that before workers do.
    ScriptedServer own;
    const Answer owner = call(
        sweep("refused plan", {"--tier", tier, "--policy", "lru", "--workers", QString::fromStdString(own.url())}));
    QCOMPARE(owner.exit_code, 3);
    QVERIFY2(owner.error_lines().size() == 1 && owner.error.contains(reason), owner.text().constData());
    QCOMPARE(own.connections(), 0);
  }

  void aKilledWorkerLosesNoCellAndNoneCountsTwice() {
    if (!RedisServer::missing().isEmpty()) QSKIP(qPrintable(RedisServer::missing()));
    RedisServer server;
    const QString url = QString::fromStdString(server.url());
    QProcess owner;
    owner.start(command_line_program(), sweep("away", {"--policy", "lru,lfu,full_prefill", "--budgets", "0.5,1",
                                                       "--seeds", "3", "--workers", url, "--name", "kill", "--json"}));
    QVERIFY(owner.waitForStarted());
    std::vector<std::unique_ptr<QProcess>> workers;
    // The one that is killed has its stores in the cache folder, the default; who comes later shares it.
    const path cache = folder_ / "cache";
    QProcessEnvironment with_cache = QProcessEnvironment::systemEnvironment();
    with_cache.insert("KVANTAGE_CACHE", text_of(cache));
    const QStringList worker_words{"sweep", "--worker", "--workers", url,         "--name",
                                   "kill",  "--lease",  "3",         "--threads", "1"};
    for (int i = 0; i < 3; ++i) {
      workers.push_back(std::make_unique<QProcess>());
      workers.back()->setProcessEnvironment(with_cache);
      workers.back()->start(
          command_line_program(),
          i == 0 ? worker_words
                 : worker_words + QStringList{"--store", text_of(folder_ / ("worker-" + std::to_string(i)))});
      QVERIFY(workers.back()->waitForStarted());
    }
    // Killed with a cell in hand: it is seen in the group's pending entries.
    const QString victim = "-" + QString::number(workers[0]->processId());
    QElapsedTimer timer;
    QString held;
    for (timer.start(); timer.elapsed() < 240'000 && held.isEmpty(); QTest::qWait(5)) {
      const QStringList pending =
          server.cli({"XPENDING", "kvantage:sweep:kill:cells", "workers", "-", "+", "10"}).split('\n');
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
    QCOMPARE(run_ids(runs(folder_ / "away" / "kvantage.db")), run_ids_of_rows(table));
    // What it left stays there until the next worker on this machine.
    const auto left = [&] {
      return std::distance(std::filesystem::directory_iterator(cache / "sweeps"),
                           std::filesystem::directory_iterator());
    };
    QCOMPARE(left(), 2);  // its folder, and the file that it held locked
    QProcess next;
    next.setProcessEnvironment(with_cache);
    next.start(command_line_program(), worker_words);
    QVERIFY(next.waitForFinished(120'000));
    QCOMPARE(next.exitCode(), 0);
    QCOMPARE(left(), 0);
  }

  void workersShareAFolderAndTheRestIsServedHere() {
    const path out = folder_ / "shared";
    const QStringList words = sweep("shared", {"--policy", "lru,lfu", "--no-warmup", "--json"});
    QProcess owner;
    owner.start(command_line_program(), words + QStringList{"--seeds", "2", "--workers", "folder", "--lease", "3"});
    QVERIFY(owner.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(out / "queue" / "plan.json"), 60'000);
    const Answer nobody_twice = call(words + QStringList{"--resume", "--workers", "folder"});
    QVERIFY2(nobody_twice.exit_code == 1 && nobody_twice.error.contains("sweep in use by"), nobody_twice.text());
    const QStringList worker{"sweep",   "--worker", "--workers", "folder", "--out",  text_of(out),
                             "--lease", "3",        "--threads", "1",      "--quiet"};
    // Killed as soon as it has a cell; the next one serves all.
    QProcess killed;
    killed.start(command_line_program(), worker);
    const auto files_in = [&](const char* folder) {
      std::error_code ignored;
      return entries_of(out / "queue" / folder, ignored).size();
    };
    QTRY_VERIFY_WITH_TIMEOUT(files_in("claims") >= 1, 120'000);
    QVERIFY(::kill(static_cast<pid_t>(killed.processId()), SIGKILL) == 0);
    killed.waitForFinished();
    const Answer good = call(worker);
    QVERIFY2(good.exit_code == 0, good.text().constData());
    QVERIFY(owner.waitForFinished(60'000));
    QVERIFY2(owner.exitCode() == 0, owner.readAllStandardError());
    const Json table = json_of(QString::fromUtf8(owner.readAllStandardOutput()));
    QCOMPARE(table["done"].get<int>(), 4);
    QCOMPARE(run_ids(runs(out / "kvantage.db")), run_ids_of_rows(table));
    QCOMPARE(files_in("results"), std::size_t{4});
    // Two more cells, without workers: what they served stays.
    const Answer more = call(words + QStringList{"--seeds", "3", "--resume"});
    QVERIFY2(more.exit_code == 0, more.text().constData());
    const Json longer = json_of(more.out);
    QCOMPARE(longer["done"].get<int>(), 6);
    for (const std::string& id : run_ids_of_rows(table)) QVERIFY(run_ids_of_rows(longer).contains(id));
    // Nor does a folder without a sweep make a worker wait for long.
    const Answer none = call({"sweep", "--worker", "--workers", "folder", "--out", text_of(folder_), "--wait", "0.1"});
    QVERIFY2(none.exit_code == 3 && none.error_lines().size() == 1, none.text().constData());
    QVERIFY2(none.error.contains(" is in " + text_of(folder_) + "; start one with"), none.text().constData());
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

KV_TEST_GUILESS_MAIN(SweepCommandTest)

}  // namespace sweep_command_test

#include "sweep_command_test.moc"
