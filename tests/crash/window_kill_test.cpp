// links: kv_ui profiles
// kill -9 of the window's program while it serves: the next start opens with the arrangement of before and serves from
// the store, and the run that was aborted has its journal without a gap, metrics, a report and a replay.
#include <signal.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/ports/placement_reasons.h"
#include "core/report/recorded_run.h"
#include "core/report/replay_source.h"
#include "profiles/run_library.h"
#include "tests/support/database_rows.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/runs/model/run_files.h"
#include "ui/runs/model/runs_model.h"
#include "ui/text/words.h"
#include "ui/window/last_session.h"
#include "ui/window/layout/layout_file.h"

namespace window_kill_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class WindowKillTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  ScriptedWindow scripted_;
  Random random_{20261122};

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  path database() const { return at("store/kvantage.db"); }
  path kept() const { return at("config/KVantage/KVantage.conf"); }  // the window's own settings file

  struct Run {
    std::string id;
    bool ended = false;
    std::vector<std::string> events;  // bodies in order
  };
  std::vector<Run> journal() const {
    std::vector<Run> runs;
    for (const auto& row : rows_of(database(), "SELECT run_id, finished_utc_ns FROM runs ORDER BY id"))
      runs.push_back({row[0], row[1] != "0", {}});
    for (const auto& row :
         rows_of(database(), "SELECT run_id, body FROM events JOIN runs ON runs.id = events.run ORDER BY events.id"))
      for (Run& run : runs)
        if (run.id == row[0]) run.events.push_back(row[1]);
    return runs;
  }
  int served_in(std::size_t run) const {
    const auto rows =
        rows_of(database(), ("SELECT requests FROM runs ORDER BY id LIMIT 1 OFFSET " + std::to_string(run)).c_str());
    return rows.empty() ? -1 : std::stoi(rows[0][0]);
  }
  /// Starts the program, waits until its run has `requests` answers and `ready()` holds, and kills it a moment later.
  void serve_and_kill(const QStringList& words, std::size_t run, int requests, const std::function<bool()>& ready,
                      std::vector<Run>& seen) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CONFIG_HOME", QString::fromStdString(at("config").string()));
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(KVANTAGE_BINARY_DIR "/app/kvantage"),
                  words + QStringList{"--store", QString::fromStdString(at("store").string())});
    QVERIFY(process.waitForStarted());
    QElapsedTimer timer;
    timer.start();
    const auto due = [&] { return served_in(run) >= requests && ready(); };
    while (!due() && process.state() == QProcess::Running && timer.elapsed() < 180000) process.waitForFinished(20);
    QVERIFY2(
        process.state() == QProcess::Running && due(),
        qPrintable(QStringLiteral("%1 answers, hidden docks: %2; %3")
                       .arg(served_in(run))
                       .arg(hidden_docks().join(' '), QString::fromUtf8(process.readAllStandardError().left(300)))));
    process.waitForFinished(static_cast<int>(random_.below(200)));
    seen = journal();
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished(60000));
    QVERIFY(process.exitStatus() == QProcess::CrashExit);
  }
  /// What was committed before the kill is there, in order and without a gap.
  void check_journal(const std::vector<Run>& seen) {
    const std::vector<Run> after = journal();
    QVERIFY(after.size() >= seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      QCOMPARE(after[i].id, seen[i].id);
      QVERIFY(after[i].events.size() >= seen[i].events.size());
      QVERIFY(std::equal(seen[i].events.begin(), seen[i].events.end(), after[i].events.begin()));
    }
    for (const auto& row :
         rows_of(database(), "SELECT count(*), max(sequence) - min(sequence) + 1 FROM events GROUP BY run"))
      QCOMPARE(row[0], row[1]);
    QCOMPARE(rows_of(database(), "PRAGMA integrity_check"), std::vector<std::vector<std::string>>{{"ok"}});
  }
  /// Docks that a window started on the program's settings file hides.
  QStringList hidden_docks() {
    const QString copy = QString::fromStdString(at("copy.ini").string());
    QFile::remove(copy);
    if (!QFile::copy(QString::fromStdString(kept().string()), copy)) return {"no settings file"};
    ScriptedSession session;
    WindowOptions options;
    options.settings_file = copy;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    if (!QTest::qWaitFor([&] { return !shows_start_page(window); })) return {"not loaded"};
    QTest::qWait(100);
    QStringList hidden;
    for (const QString& id :
         {QStringLiteral("events"), QStringLiteral("hitRates"), QStringLiteral("requests"), QStringLiteral("controls")})
      if (dock_of(window, id)->isHidden()) hidden << id;
    return hidden;
  }

  LastSession last_session() const {
    return read_last_session(QSettings(QString::fromStdString(kept().string()), QSettings::IniFormat));
  }
  /// Moves alpha, policy and a budget with the keyboard; the settings file is left as a kill at that moment would leave
  /// it.
  SessionSettings set_by_hand(const QString& workload) {
    const QString copy = QString::fromStdString(at("mine.ini").string()),
                  file = QString::fromStdString(kept().string());
    QFile::remove(copy);
    if (!QFile::copy(file, copy)) QTest::qFail("no settings file", __FILE__, __LINE__);
    ScriptedSession session;
    WindowOptions options;
    options.settings_file = copy;
    options.workload_path = workload;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    if (!QTest::qWaitFor([&] { return !shows_start_page(window); })) QTest::qFail("not loaded", __FILE__, __LINE__);
    for (int i = 0; i < 5; ++i) QTest::keyClick(&controls_of(window).alpha().slider(), Qt::Key_Right);
    QTest::keyClick(&controls_of(window).tier("dram")->budget().slider(), Qt::Key_Right);
    QTest::keyClicks(&controls_of(window).policy(), "lru");
    const auto written = [&] {
      const LastSession now = read_last_session(QSettings(copy, QSettings::IniFormat));
      return now.settings && *now.settings == settings_of(window).committed() && now.settings->policy != "evicpress";
    };
    if (!QTest::qWaitFor(written, 10000)) QTest::qFail("not kept", __FILE__, __LINE__);
    QFile::remove(file);
    if (!QFile::copy(copy, file)) QTest::qFail("not copied", __FILE__, __LINE__);
    return settings_of(window).committed();
  }

  /// The second run serves the workload and the model of the first, under what was set by hand between them.
  void check_settings(const LastSession& served, const SessionSettings& mine) {
    const auto recorded = rows_of(database(), "SELECT settings FROM runs ORDER BY id");
    const Json before = Json::parse(recorded[0][0]), after = Json::parse(recorded[1][0]);
    QCOMPARE(after.at("environment").at("workload"), before.at("environment").at("workload"));
    QCOMPARE(before.at("environment").at("model").get<std::string>(), std::string("my model"));
    QCOMPARE(after.at("environment").at("model").get<std::string>(), std::string("my model"));
    QCOMPARE(after.at("settings").at("policy").get<std::string>(), mine.policy);
    QCOMPARE(after.at("settings").at("alpha").get<double>(), mine.alpha);
    for (const Json& tier : after.at("settings").at("tiers"))
      for (const TierConfig& set : mine.tiers)
        if (tier.at("name") == set.name) QCOMPARE(tier.at("budget_bytes").get<std::uint64_t>(), set.budget.bytes());
    const LastSession still = last_session();
    QVERIFY(still.settings && still.workload == served.workload);
    QCOMPARE(still.settings->policy, mine.policy);
    QCOMPARE(still.settings->alpha, mine.alpha);
  }
  void check_failures() {
    // A write that a newer plan gave up is nothing that went wrong.
    for (const auto& row :
         rows_of(database(), "SELECT body FROM events WHERE type IN ('read.failed', 'placement.failed')")) {
      const Json event = Json::parse(row[0]);
      QVERIFY2(event.at("type") == "placement.failed" && event.at("data").at("reason") == superseded_reason,
               row[0].c_str());
    }
  }
  /// The aborted run in the window: it says so, has metrics, is replayed to its end and reported.
  void check_aborted_run(const std::vector<Run>& runs) {
    auto opened = open_run_library(database(), machine_clock());
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    const std::shared_ptr<RunLibrary> library = std::move(*opened);
    RunsModel model(library);
    model.refresh();
    QTRY_COMPARE(model.rowCount(), 2);
    QTRY_COMPARE(model.missing_figures(), std::size_t{0});
    for (int r = 0; r < 2; ++r) {
      QCOMPARE(model.index(r, RunsModel::state).data().toString(), QString("aborted"));
      QVERIFY(model.row(r)->metrics->answered() >= 1);
    }
    const auto whole = library->read(runs[0].id);
    QVERIFY(whole.has_value() && whole->events.size() == runs[0].events.size());
    const auto replay = ReplaySource::open({whole->summary, whole->events});
    QVERIFY2(replay.has_value(), replay ? "" : replay.error().message.c_str());
    (*replay)->seek((*replay)->size());
    QCOMPARE((*replay)->now().events, runs[0].events.size());
    QVERIFY(!(*replay)->snapshot()->contexts.empty());
    RunFiles files(library);
    QSignalSpy finished(&files, &RunFiles::finished);
    files.write_report({to_q(runs[0].id)}, QString::fromStdString(at("report").string()));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    // A window serves without an end, so that none is missed: the report is of what was answered until the kill.
    QVERIFY(read_text_file(at("report/report.html")).value().find(runs[0].id) != std::string::npos);
  }

 private slots:
  void theNextStartResumesFromThere() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const QString layout = QString::fromStdString(at("mine.kvlayout").string());
    {
      ScriptedSession session;
      auto window = scripted_.loaded(session);
      dock_of(*window, "events")->hide();
      dock_of(*window, "requests")->hide();
      QVERIFY(layouts_of(*window).export_to(layout, "two hidden"));
    }
    const auto state_is_kept = [&] { return hidden_docks() == QStringList({"events", "requests"}); };
    std::vector<Run> first, second;
    // A model of the user's own, in another place than the default model.
    const path own_model = at("my model");
    std::filesystem::copy(model_directory(), own_model, std::filesystem::copy_options::recursive);
    serve_and_kill({layout, "--model", QString::fromStdString(own_model.string())}, 0, 4, state_is_kept, first);
    if (QTest::currentTestFailed()) return;
    check_journal(first);
    const QStringList two{"events", "requests"};
    QCOMPARE(hidden_docks(), two);

    // What the user sets meanwhile, by the controls of a window over the program's own settings; what is on the disk
    // then is kept.
    const LastSession served = last_session();
    QVERIFY2(QFileInfo::exists(served.workload) && served.settings, qPrintable(served.workload));
    QCOMPARE(served.model, QString::fromStdString(own_model.string()));
    const SessionSettings mine = set_by_hand(served.workload);
    if (QTest::currentTestFailed()) return;
    QVERIFY(mine.alpha != served.settings->alpha && mine.policy != served.settings->policy);

    // The next start: serves the same workload with the same model as it was set, without a failed read, into a run of
    // its own, and nobody had to arrange the window again.
    serve_and_kill(
        {}, 1, 4, [] { return true; }, second);
    if (QTest::currentTestFailed()) return;
    check_journal(second);
    QCOMPARE(hidden_docks(), two);
    check_settings(served, mine);
    if (QTest::currentTestFailed()) return;
    check_failures();
    if (QTest::currentTestFailed()) return;
    const std::vector<Run> runs = journal();
    QCOMPARE(runs.size(), std::size_t{2});
    for (const Run& run : runs) QVERIFY(!run.ended && run.events.front() != run.events.back());

    check_aborted_run(runs);
  }
};

KV_TEST_MAIN(WindowKillTest)

}  // namespace window_kill_test

#include "window_kill_test.moc"
