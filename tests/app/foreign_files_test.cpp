// links: kv_reports profiles kv_cli_program
// A workload folder or a recorded run that somebody else sends, through the real command line: the server that it names
// is not connected to, no password goes there, its name is no path, it chooses no file of this machine, and its lists
// and numbers have limits.
#include <signal.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/workload/workload.h"
#include "profiles/stores.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/scripted_http.h"
#include "tests/support/scripted_server.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace foreign_files_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class ForeignFilesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }

  path workload_with(const std::string& name, const std::string& session) {
    const path folder = at(name);
    if (!write_workload(small_workload(2, 8, 1), folder) || !write_text_file(folder / "session.json", session))
      qFatal("cannot write %s", folder.c_str());
    return folder;
  }
  static Json session_of(const Json& tiers) { return {{"policy", "lru"}, {"tiers", tiers}}; }
  static Json dram() { return {{"name", "dram"}, {"budget_bytes", 1048576}}; }
  static std::string session_in_memory() { return session_of(Json::array({dram()})).dump(); }
  static std::string session_at(const std::string& url) {
    const Json remote{
        {"name", "remote"}, {"budget_bytes", 1048576}, {"connect_seconds", 1}, {"timeout_seconds", 1}, {"url", url}};
    return session_of(Json::array({dram(), remote})).dump();
  }
  Answer run(const path& workload, const QStringList& more) const {
    return call_forked(QStringList{"run", text_of(workload), "--model", text_of(model_directory()), "--store",
                                   text_of(at("store")), "--limit", "2", "--threads", "1", "--quiet"} +
                       more);
  }
  /// A run of somebody's, in a database of its own. `facts`: besides its workload and its settings.
  path database_with(const std::string& name, const Json& settings, const Json& facts, const path& workload) {
    const path database = at(name + ".db");
    Json all = facts;
    all["settings"] = settings;
    all["repeat"]["workload"] = workload.string();
    const auto stores = open_stores(database, StoreAccess::read_write, machine_clock());
    if (!stores || !(*stores)->import_run({.run_id = "strange",
                                           .started_utc_ns = 1,
                                           .finished_utc_ns = 2,
                                           .policy = "lru",
                                           .outcome = "finished",
                                           .requests = 1,
                                           .settings = all},
                                          {}, {}))
      qFatal("cannot write %s", database.c_str());
    return database;
  }
  Answer run_from(const path& database, const QStringList& more) const {
    return call_forked(QStringList{"run", "--from", "strange", "--db", text_of(database), "--model",
                                   text_of(model_directory()), "--store", text_of(at("store")), "--quiet"} +
                       more);
  }
  static bool is_one_line(const Answer& answer, const char* reason) {
    return answer.exit_code == 3 && answer.error_lines().size() == 1 && answer.error_lines()[0].contains(reason) &&
           answer.error_lines()[0].size() <= 300;
  }
  static std::vector<std::string> passwords_sent(const ScriptedServer& server) {
    std::vector<std::string> sent;
    for (const Words& words : server.commands())
      if (words[0] == "AUTH") sent.push_back(words.back());
    return sent;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    qputenv("XDG_CONFIG_HOME", folder_.filePath("config").toLocal8Bit());
    qputenv("KVANTAGE_REDIS_PASSWORD", "bare-secret");
    qunsetenv("KVANTAGE_REDIS_PASSWORD_127_0_0_1");
  }

  void aServerOfAFileIsNotConnectedTo() {
    ScriptedServer server;
    const path workload = workload_with("asked", session_at(server.url()));
    const Answer refused = run(workload, {});
    QVERIFY2(is_one_line(refused, "--allow-remote 127.0.0.1:"), refused.text());
    QCOMPARE(server.connections(), 0);
    for (const QString& other : {QStringLiteral("127.0.0.2"), QStringLiteral("127.0.0.1:1")}) {
      const Answer still = run(workload, {"--allow-remote", other});
      QVERIFY2(is_one_line(still, "--allow-remote 127.0.0.1:"), still.text());
    }
    QCOMPARE(server.connections(), 0);
  }

  // Nothing is sent before it is allowed, and then no keys that are meant for another server.
  void aBucketOfAFileGetsNoKeysOfTheEnvironment() {
    qputenv("AWS_ACCESS_KEY_ID", "bare-id");
    qputenv("AWS_SECRET_ACCESS_KEY", "bare-secret");
    ScriptedHttp server;
    const path workload = workload_with("bucket", session_at(server.url()));
    const Answer refused = run(workload, {});
    if (refused.error.contains("built without S3")) QSKIP("built without S3");
    QVERIFY2(is_one_line(refused, "--allow-remote 127.0.0.1:"), refused.text());
    const QStringList allowed{"--allow-remote", "127.0.0.1"};
    const Answer without = run(workload, allowed);
    QVERIFY2(is_one_line(without, "no keys for this bucket; write a line for it into "), without.text());
    QCOMPARE(server.connections(), 0);
    // Those of the file are for this bucket and server.
    const path keys = at("config") / "kvantage" / "s3_keys";
    std::filesystem::create_directories(keys.parent_path());
    const std::string line = "?endpoint=http://127.0.0.1:" + std::to_string(server.port()) + " file-id file-secret\n";
    QVERIFY(write_text_file(keys, "s3://other" + line));
    std::filesystem::permissions(keys, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    QVERIFY2(is_one_line(run(workload, allowed), "no keys for this bucket"), "keys of another bucket");
    QCOMPARE(server.connections(), 0);
    QVERIFY(write_text_file(keys, "s3://archive" + line));
    std::filesystem::permissions(keys, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    const Answer served = run(workload, allowed);
    QVERIFY2(served.exit_code == 0, served.text());
    QVERIFY(server.connections() > 0);
    for (const HttpMessage& request : server.requests())
      QVERIFY2(request.header("authorization").find("Credential=file-id/") != std::string::npos,
               request.header("authorization").c_str());
    qunsetenv("AWS_ACCESS_KEY_ID");
    qunsetenv("AWS_SECRET_ACCESS_KEY");
  }

  // A cluster and Sentinels may name any port: the host is what is allowed, and each of those in the url.
  void everyHostOfAClusterIsAllowedByItself() {
    ScriptedServer server;
    const std::string own = "127.0.0.1:" + std::to_string(server.port());
    for (const std::string& url : {"redis-cluster://" + own + ",127.0.0.2?hosts=127.0.0.3",
                                   "redis-sentinel://" + own + ",127.0.0.2/kv?hosts=127.0.0.3"}) {
      const path workload = workload_with("nodes", session_at(url));
      QStringList allowed{"--allow-remote", QString::fromStdString(own)};
      for (const char* host : {"127.0.0.1", "127.0.0.2", "127.0.0.3"}) {
        const Answer refused = run(workload, allowed);
        QVERIFY2(is_one_line(refused, ("--allow-remote " + std::string(host)).c_str()), refused.text());
        QVERIFY2(!refused.error.contains(QString("%1:").arg(host)), refused.text());
        allowed << "--allow-remote" << host;
      }
      QCOMPARE(server.connections(), 0);
    }
  }

  void anAllowedServerOfAFileGetsNoPasswordOfAnother() {
    ScriptedServer server;
    const path workload = workload_with("allowed", session_at(server.url()));
    const Answer allowed = run(workload, {"--allow-remote", "127.0.0.1"});
    QVERIFY2(server.connections() > 0, allowed.text());
    QCOMPARE(passwords_sent(server), std::vector<std::string>{});
    QVERIFY2(!allowed.error.contains("bare-secret"), allowed.text());
  }

  void itsOwnPasswordGoesToIt() {
    ScriptedServer server;
    const path workload = workload_with("own", session_at(server.url()));
    qputenv("KVANTAGE_REDIS_PASSWORD_127_0_0_1", "own-secret");
    const Answer allowed = run(workload, {"--allow-remote", QString("127.0.0.1:%1").arg(server.port())});
    qunsetenv("KVANTAGE_REDIS_PASSWORD_127_0_0_1");
    const auto sent = passwords_sent(server);
    QVERIFY2(!sent.empty(), allowed.text());
    for (const std::string& password : sent) QCOMPARE(password, std::string("own-secret"));
  }

  void aServerOfTheCommandLineIsTheUsersOwn() {
    ScriptedServer server;
    const path workload = workload_with("typed", session_at("redis://192.0.2.1:1"));
    const Answer served =
        run(workload, {"--tier", "dram=1MiB", "--tier", "remote=1MiB,url=" + QString::fromStdString(server.url())});
    QVERIFY2(server.connections() > 0, served.text());
    const auto sent = passwords_sent(server);
    QVERIFY2(!sent.empty() && sent[0] == "bare-secret", served.text());
    // The record of it is a file like others: it may have come from elsewhere.
    QVERIFY2(served.exit_code == 0, served.text());
    const auto runs = parse_json(
        call_forked({"runs", "list", "--json", "--db", text_of(at("store") / "kvantage.db")}).out.toStdString(),
        "runs");
    QVERIFY(runs && !runs->empty());
    const int before = server.connections();
    const Answer again =
        call_forked({"run", "--from", QString::fromStdString(runs->front()["run_id"].get<std::string>()), "--store",
                     text_of(at("store")), "--quiet"});
    QVERIFY2(is_one_line(again, "--allow-remote 127.0.0.1:"), again.text());
    QCOMPARE(server.connections(), before);
  }

  void whatNoStoreSendsEndsTheRunInOneLine_data() {
    QTest::addColumn<QByteArray>("reply");
    QTest::addColumn<QString>("reason");
    QTest::newRow("a value of 10 GB") << QByteArray("$9999999999\r\n") << "a value of 9999999999 bytes";
    QTest::newRow("a list of 100 million") << QByteArray("*100000000\r\n") << "a list of 100000000 elements";
    QTest::newRow("a web page") << QByteArray("HTTP/1.1 400 Bad Request\r\n\r\n") << "an invalid reply";
  }
  void whatNoStoreSendsEndsTheRunInOneLine() {
    QFETCH(QByteArray, reply);
    QFETCH(QString, reason);
    ScriptedServer server([&](const Words& words, ScriptedServer::Peer& peer) {
      return words[0] == "PING" && peer.send({reply.constData(), static_cast<std::size_t>(reply.size())});
    });
    const Answer answer = run(workload_with("hostile", session_at(server.url())), {"--allow-remote", "127.0.0.1"});
    QVERIFY2(is_one_line(answer, reason.toLatin1().constData()), answer.text());
  }

  void anInterruptEndsOpening_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<bool>("drips");
    for (const char* command : {"PING", "EVAL", "HGETALL", "GET"})
      for (const bool drips : {false, true})
        QTest::addRow("%s, %s", command, drips ? "drips" : "waits") << command << drips;
  }
  void anInterruptEndsOpening() {
    QFETCH(QString, command);
    QFETCH(bool, drips);
    std::atomic<bool> reached{false};
    ScriptedServer server([&](const Words& words, ScriptedServer::Peer& peer) {
      if (words[0] != command.toStdString()) return false;
      reached = true;
      drips ? peer.send_slowly(std::string(1000000, '+'), 1) : peer.hold();
      return true;
    });
    QProcess process;
    process.start(command_line_program(), {"run", text_of(workload_with("waited", session_at("redis://192.0.2.1:1"))),
                                           "--model", text_of(model_directory()), "--store", text_of(at("store")),
                                           "--limit", "2", "--threads", "1", "--tier", "dram=1MiB", "--tier",
                                           "remote=1MiB,timeout=3600s,url=" + QString::fromStdString(server.url())});
    while (!reached && process.state() != QProcess::NotRunning) QTest::qWait(5);
    QVERIFY2(reached, process.readAllStandardError());
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(300000));  // its own limits are an hour
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
  }

  void aNameThatIsAPathIsRefusedBeforeARunBegins_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("a path") << folder_.filePath("evil").toLocal8Bit();
    QTest::newRow("a path upwards") << QByteArray("../../evil");
    QTest::newRow("300 characters") << QByteArray(300, 'n');
  }
  void aNameThatIsAPathIsRefusedBeforeARunBegins() {
    QFETCH(QByteArray, name);
    const path workload = workload_with("named", session_in_memory());
    Json head = *read_json_file(workload / "workload.json");
    head["name"] = name.toStdString();
    QVERIFY(write_text_file(workload / "workload.json", head.dump()));
    for (const Answer& answer : {call_forked({"workload", "check", text_of(workload)}), run(workload, {})})
      QVERIFY2(is_one_line(answer, "the name '"), answer.text());
  }

  void aFileChoosesNoAuthorityForTls_data() {
    QTest::addColumn<bool>("of_archive");
    QTest::newRow("tier") << false;
    QTest::newRow("archive") << true;
  }
  void aFileChoosesNoAuthorityForTls() {
    QFETCH(bool, of_archive);
    ScriptedServer server;
    const std::string url = "rediss://127.0.0.1:" + std::to_string(server.port()) + "?ca=/dev/chosen-by-a-stranger";
    Json session = session_of(Json::array({dram()}));
    if (of_archive)
      session["archive"] = Json{{"name", "archive"}, {"url", url}};
    else
      session = *parse_json(session_at(url), "session");
    const path workload = workload_with("authority", session.dump());
    const path database = database_with(of_archive ? "archive" : "tier", session, Json::object(), workload);
    const QStringList allowed{"--allow-remote", "127.0.0.1"};
    for (const Answer& answer : {call_forked({"workload", "check", text_of(workload)}), run(workload, allowed),
                                 run_from(database, allowed + QStringList{"--threads", "1"})}) {
      QVERIFY2(is_one_line(answer, "?ca= of its url names a file or folder of this machine"), answer.text());
      QVERIFY2(!answer.error.contains("chosen-by-a-stranger"), answer.text());
    }
    QCOMPARE(server.connections(), 0);
  }

  void numbersOfARecordedRunHaveTheBoundsOfOptions_data() {
    QTest::addColumn<QString>("part");
    QTest::addColumn<QString>("field");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("range");
    QTest::addColumn<QString>("option");
    const auto row = [](const char* part, const char* field, const char* value, const char* range, const char* option) {
      QTest::addRow("%s %s", field, value) << part << field << QByteArray(value) << range << option;
    };
    const char* const largest = "0 to 9223372036854775807";
    row("repeat", "threads", "1025", "0 to 1024", "--threads");
    row("repeat", "threads", "4294967297", "0 to 1024", "--threads");
    row("repeat", "threads", "-1", "0 to 1024", "--threads");
    row("repeat", "threads", "\"many\"", "0 to 1024", "--threads");
    row("repeat", "context_tokens", "10000001", "0 to 10000000", "--context-tokens");
    row("repeat", "probes", "1001", "0 to 1000", "--probes");
    row("repeat", "profile_questions", "9223372036854775808", largest, "--profile-questions");
    row("environment", "seed", "18446744073709551615", largest, "--seed");
  }
  void numbersOfARecordedRunHaveTheBoundsOfOptions() {
    QFETCH(QString, part);
    QFETCH(QString, field);
    QFETCH(QByteArray, value);
    QFETCH(QString, range);
    QFETCH(QString, option);
    const path workload = workload_with("numbers", session_in_memory());
    Json facts;
    facts[part.toStdString()][field.toStdString()] = *parse_json(value.toStdString(), "value");
    const path database = database_with(QTest::currentDataTag(), session_of(Json::array({dram()})), facts, workload);
    const Answer answer = run_from(database, {"--limit", "2"});
    const QString shown = QString::fromUtf8(value).remove('"');
    QVERIFY2(is_one_line(answer, ("run strange: " + field + ": '" + shown + "' is not a whole number from " + range +
                                  "; give " + option + " along with --from")
                                     .toLatin1()
                                     .constData()),
             answer.text());
    QStringList options{"--limit", "2", option, "1"};
    if (option != "--threads")
      options << "--threads"
              << "1";
    const Answer given = run_from(database, options);
    QVERIFY2(given.exit_code == 0, given.text());
  }

  void listsOfAFileHaveLimits_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<int>("most");
    QTest::newRow("tiers") << "tiers" << 32;
    QTest::newRow("methods") << "methods" << 256;
    QTest::newRow("removed_fractions") << "removed_fractions" << 256;
    QTest::newRow("decode_options") << "decode_options" << 64;
  }
  void listsOfAFileHaveLimits() {
    QFETCH(QString, field);
    QFETCH(int, most);
    // Elements of no sense: none of them is looked at.
    Json session = session_of(Json::array({dram()}));
    session[field.toStdString()] = Json(static_cast<std::size_t>(most) + 1, Json());
    const path workload = workload_with("lists", session.dump());
    const QByteArray reason =
        (field + ": the list has %1 elements, more than %2; shorten it").arg(most + 1).arg(most).toLatin1();
    for (const Answer& answer : {call_forked({"workload", "check", text_of(workload)}), run(workload, {})})
      QVERIFY2(is_one_line(answer, reason.constData()), answer.text());
  }

  // A tier that takes hours for a byte would hold up the run without end.
  void tiersOfAFileAreNotEndlesslySlow_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<double>("value");
    QTest::addColumn<bool>("taken");
    QTest::newRow("latency") << "shaped_latency_seconds" << 1e9 << false;
    QTest::newRow("a little above the limit") << "shaped_latency_seconds" << 10.5 << false;
    QTest::newRow("at the limit") << "shaped_latency_seconds" << 10.0 << true;
    QTest::newRow("bandwidth") << "shaped_bytes_per_second" << 1e-9 << false;
    QTest::newRow("a little below the limit") << "shaped_bytes_per_second" << 999.0 << false;
    QTest::newRow("no limit") << "shaped_bytes_per_second" << 0.0 << true;
  }
  void tiersOfAFileAreNotEndlesslySlow() {
    QFETCH(QString, field);
    QFETCH(double, value);
    QFETCH(bool, taken);
    Json tier = dram();
    tier[field.toStdString()] = value;
    const path workload = workload_with("slow", session_of(Json::array({tier})).dump());
    const Answer checked = call_forked({"workload", "check", text_of(workload)});
    if (taken) {
      QVERIFY2(checked.exit_code == 0, checked.text());
      return;
    }
    for (const Answer& answer : {checked, run(workload, {})})
      QVERIFY2(is_one_line(answer, field.toLatin1().constData()), answer.text());
    const path database =
        database_with(QTest::currentDataTag(), session_of(Json::array({tier})), Json::object(), workload);
    const Answer again = run_from(database, {});
    QVERIFY2((again.exit_code == 2 || again.exit_code == 3) && again.error_lines().size() == 1 &&
                 again.error.contains(field),
             again.text());
  }

  void aFieldOfATierIsNoOption() {
    Json tier = dram();
    tier["options"] = {{"faults", "flip_on_read:0.1"}};
    const path workload = workload_with("options", session_of(Json::array({tier})).dump());
    const Answer answer = call_forked({"workload", "check", text_of(workload)});
    QVERIFY2(is_one_line(answer, "'faults' belongs to the tier itself"), answer.text());
  }

  void aShippedProfileIsNotBelievedOfAnotherWorkload() {
    // Called like the quick start, with other texts: the shipped profile's cells do not come into the database.
    const path workload = workload_with("like", session_in_memory());
    Json head = *read_json_file(workload / "workload.json");
    head["name"] = "quickstart";
    QVERIFY(write_text_file(workload / "workload.json", head.dump()));
    const path database = at("like.db");
    const Answer served = run(workload, {"--db", text_of(database)});
    QVERIFY2(served.exit_code == 0, served.text());
    const Json shipped = *read_json_file(source_directory() / "resources" / "profiles" / "quickstart.profile.json");
    const auto stores = open_stores(database, StoreAccess::read_write, machine_clock());
    QVERIFY(stores);
    ProfileScope scope{.model = *Digest128::from_hex(shipped["scope"]["model"].get<std::string>()),
                       .workload = *Digest128::from_hex(shipped["scope"]["workload"].get<std::string>()),
                       .quality_metric = shipped["scope"]["quality_metric"].get<std::string>()};
    QVERIFY((*stores)->profiles().load_profiles(scope)->empty());
  }
};

KV_TEST_GUILESS_MAIN(ForeignFilesTest)

}  // namespace foreign_files_test

#include "foreign_files_test.moc"
