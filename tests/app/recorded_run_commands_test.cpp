// links: kv_reports profiles kv_cli_program
// Through the real command line: a recorded run is replayed, repeated, compared, handed on, and turned into the
// settings of other systems, which a YAML parser that is not ours reads.
#include <QTemporaryDir>
#include <QtTest>

#include <QDir>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/policy/formula/formula.h"
#include "profiles/stores.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace recorded_run_commands_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

Json parsed(const QString& text) { return parse_json(text.toStdString(), "output").value_or(Json()); }

/// A Python that has PyYAML; empty: there is none.
QString python_with_yaml() {
  QStringList candidates{"python3"};
  const QDir build(QStringLiteral(KVANTAGE_SOURCE_DIR "/build"));
  for (const QString& name : build.entryList({"venv-*"}, QDir::Dirs))
    candidates << build.filePath(name + "/bin/python");
  for (const QString& candidate : candidates) {
    QProcess process;
    process.start(candidate, {"-c", "import yaml"});
    if (process.waitForFinished(30000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
      return candidate;
  }
  return {};
}

}  // namespace

class RecordedRunCommandsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString database_;
  Answer first_;  // of the run that all is about

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  QString text(const std::string& name) const { return text_of(at(name)); }
  Answer with_database(QStringList arguments) const { return call_forked(arguments << "--db" << database_); }
  std::vector<RunSummary> recorded() const {
    return (*open_stores(database_.toStdString(), StoreAccess::read_only, machine_clock()))->runs().runs().value();
  }
  std::vector<Event> events_of(const std::string& run) const {
    return (*open_stores(database_.toStdString(), StoreAccess::read_only, machine_clock()))->runs().events(run).value();
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(5, 32, 5), at("workload")));
    database_ = text("runs.db");
    first_ = with_database({"run",       text("workload"),
                            "--model",   text_of(model_directory()),
                            "--store",   text("store"),
                            "--tier",    "dram=1MiB",
                            "--tier",    "ssd=2MiB,bandwidth=400MB/s",
                            "--policy",  "lru,evicpress",
                            "--limit",   "12",
                            "--methods", "knorm",
                            "--removed", "0.5",
                            "--seed",    "3",
                            "--alpha",   "0.5",
                            "--freeze"});
    QVERIFY2(first_.exit_code == 0, first_.text());
  }

  void aReplayEndsWithTheTableOfTheRun() {
    const Answer replay = with_database({"replay", "last"});
    QVERIFY2(replay.exit_code == 0, replay.text());
    QVERIFY2(replay.out.endsWith("\n\n" + first_.out), replay.text());
    QCOMPARE(with_database({"replay", "last", "--quiet"}).out, first_.out);
    // Every event is there, in order.
    const Answer json = with_database({"replay", "last", "--json"});
    const QStringList lines = json.out.split('\n', Qt::SkipEmptyParts);
    std::vector<Event> all;
    for (const RunSummary& run : recorded())
      for (Event& event : events_of(run.run_id)) all.push_back(std::move(event));
    QCOMPARE(lines.size(), static_cast<qsizetype>(all.size()) + 1);
    for (std::size_t i = 0; i < all.size(); ++i)
      QCOMPARE(parsed(lines[static_cast<qsizetype>(i)]),
               Json::parse(to_json(all[i]).dump(-1, ' ', false, Json::error_handler_t::replace)));
    QVERIFY(parsed(lines.back()).contains("report"));
  }

  void partsOfAReplay() {
    const QString run = QString::fromStdString(recorded().back().run_id);
    const auto lines = [&](const QStringList& options) {
      const Answer answer = with_database(QStringList{"replay", run, "--json"} + options);
      QStringList list = answer.out.split('\n', Qt::SkipEmptyParts);
      if (!list.isEmpty()) list.removeLast();
      return list;
    };
    QCOMPARE(lines({"--type", "request.finished"}).size(), qsizetype{17});  // five to warm up
    QCOMPARE(lines({"--start-at", "3", "--stop-at", "7"}).size(), qsizetype{5});
    QCOMPARE(parsed(lines({"--start-at", "3"}).front()).at("sequence").get<int>(), 3);
    const auto early = lines({"--stop-at", "100ms"}).size(), late = lines({"--start-at", "100ms"}).size(),
               all = lines({}).size();
    QVERIFY(early > 0 && early + late >= all && early + late <= all + 1);
    const Answer by_end = with_database({"replay", run.right(run.size() - 1), "--json", "--start-at", "3"});
    QVERIFY2(by_end.exit_code == 0 && by_end.out.startsWith(lines({"--start-at", "3"}).front()), by_end.text());
    // As earlier releases spelled them.
    QCOMPARE(lines({"--from", "3", "--to=7"}), lines({"--start-at", "3", "--stop-at", "7"}));
  }

  void theSameRunAgainSaysTheSame() {
    const std::string before = recorded().back().run_id;
    const Answer again = with_database(
        {"run", "--from", QString::fromStdString(before), "--freeze", "--store", text("store"), "--quiet"});
    QVERIFY2(again.exit_code == 0, again.text());
    const RunSummary repeated = recorded().back();
    QVERIFY(repeated.run_id != before);
    QCOMPARE(repeated.settings.at("repeats").get<std::string>(), before);
    QCOMPARE(repeated.settings.at("settings"), recorded()[1].settings.at("settings"));
    const auto said = [&](const std::string& run) {
      std::vector<std::string> lines;
      for (const Event& event : events_of(run)) {
        Json data = to_json(event).at("data");
        data.erase("seconds");
        if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload))
          lines.push_back(finished->record.question + finished->record.answer + finished->record.source +
                          finished->record.method);
        else if (std::holds_alternative<events::TokenEmitted>(event.payload) ||
                 std::holds_alternative<events::PlacementCommitted>(event.payload) ||
                 std::holds_alternative<events::PlanMade>(event.payload))
          lines.push_back(data.dump(-1, ' ', false, Json::error_handler_t::replace));
      }
      return lines;
    };
    const auto one = said(before), two = said(repeated.run_id);
    QVERIFY(one.size() > 30);
    for (std::size_t i = 0; i < std::min(one.size(), two.size()); ++i)
      QCOMPARE(QString::fromStdString(two[i]), QString::fromStdString(one[i]));
    QCOMPARE(two.size(), one.size());

    const Answer compared =
        with_database({"compare", QString::fromStdString(before), QString::fromStdString(repeated.run_id)});
    QVERIFY2(compared.exit_code == 0 && compared.out.contains("No setting differs."), compared.text());
    QVERIFY2(compared.out.contains("the same for each of n = 12"), compared.text());
    for (const QString& line : compared.out.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
    const Answer details = with_database(
        {"compare", QString::fromStdString(before), QString::fromStdString(repeated.run_id), "--details"});
    QVERIFY2(details.exit_code == 0 && details.out.contains("No setting differs."), details.text());
    QVERIFY2(details.out.contains("the same for each of 12 questions"), details.text());
  }

  void optionsGoOverTheRecordedOnes() {
    const std::string before = recorded()[1].run_id;
    const Answer other = with_database({"run", "--from", QString::fromStdString(before), "--policy", "full_prefill",
                                        "--limit", "6", "--store", text("store"), "--json", "--quiet"});
    QVERIFY2(other.exit_code == 0, other.text());
    const RunSummary made = recorded().back();
    QCOMPARE(made.policy, std::string("full_prefill"));
    QCOMPARE(made.settings.at("settings").at("request_limit").get<int>(), 6);
    QCOMPARE(made.settings.at("settings").at("tiers"), recorded()[1].settings.at("settings").at("tiers"));
    QCOMPARE(made.settings.at("environment").at("seed").get<int>(), 3);
    const Answer compared =
        with_database({"compare", QString::fromStdString(before), QString::fromStdString(made.run_id), "--json"});
    const Json json = parsed(compared.out);
    QVERIFY2(json.is_object(), compared.text());
    QStringList differing;
    for (const Json& setting : json.at("settings"))
      differing << QString::fromStdString(setting.at("name").get<std::string>());
    QCOMPARE(differing, (QStringList{"frozen", "policy", "request_limit"}));
    for (const Json& figure : json.at("figures"))
      if (figure.at("name") == "TTFT, service") {
        const Json& value = figure.at("values")[1];
        QCOMPARE(value.at("pairs").get<int>(), 6);
        QCOMPARE(value.at("delta").get<double>(),
                 value.at("value").get<double>() - figure.at("values")[0].at("value").get<double>());
      }
  }

  void anotherWorkloadIsRefused() {
    QVERIFY(write_workload(small_workload(5, 32, 6), at("another")));
    const Answer answer = with_database(
        {"run", text("another"), "--from", QString::fromStdString(recorded()[0].run_id), "--store", text("store")});
    QVERIFY2(answer.exit_code == 3 && answer.error.contains("digest") && answer.error_lines().size() == 1,
             answer.text());
    Workload slower = small_workload(5, 32, 5);
    slower.arrivals.zipf_exponent = 2;
    QVERIFY(write_workload(slower, at("slower")));
    const Answer arrivals = with_database(
        {"run", text("slower"), "--from", QString::fromStdString(recorded()[0].run_id), "--store", text("store")});
    QVERIFY2(arrivals.exit_code == 3 && arrivals.error.contains("arrivals"), arrivals.text());
  }

  void reportsComeOutTheSameEveryTime() {
    const QString run = QString::fromStdString(recorded()[1].run_id);
    for (const char* name : {"one", "two"}) {
      // A program of its own: pages of a PDF need an application that can draw, which this process has not.
      const Answer answer = call({"report", "--run", run, "--out", text(name), "--format", "html,json,csv,latex,pdf",
                                  "--quiet", "--db", database_});
      QVERIFY2(answer.exit_code == 0, answer.text());
      QTest::qWait(20);
    }
    for (const char* file : {"report.html", "report.json", "report.csv", "report.tex", "report.pdf"}) {
      const std::string bytes = read_text_file(at("one") / file).value();
      QVERIFY2(!bytes.empty() && bytes == read_text_file(at("two") / file).value(), file);
      QVERIFY2(bytes.find(folder_.path().toStdString() + "/workload") == std::string::npos ||
                   std::string_view(file) != "report.csv",
               file);
    }
  }

  void aRunTravelsAsAFile() {
    const QString run = QString::fromStdString(recorded()[1].run_id);
    QCOMPARE(with_database({"runs", "export", run, text("run.kvrun"), "--quiet"}).exit_code, 0);
    const Answer imported = call_forked({"runs", "import", text("run.kvrun"), "--db", text("other.db")});
    QVERIFY2(imported.exit_code == 0, imported.text());
    QCOMPARE(call_forked({"replay", run, "--db", text("other.db")}).out, with_database({"replay", run}).out);
    QCOMPARE(call_forked({"runs", "export", run, text("again.kvrun"), "--db", text("other.db"), "--quiet"}).exit_code,
             0);
    QVERIFY(read_text_file(at("run.kvrun")).value() == read_text_file(at("again.kvrun")).value());
    const Answer twice = call_forked({"runs", "import", text("run.kvrun"), "--db", text("other.db")});
    QVERIFY2(twice.exit_code == 3 && twice.error.contains("already"), twice.text());
    const Json list = parsed(call_forked({"runs", "list", "--db", text("other.db"), "--json"}).out);
    QVERIFY(list.size() == 1 && list[0].at("run_id") == run.toStdString() && list[0].at("workload") == "small");
    QVERIFY(call_forked({"runs", "list", "--db", text("other.db")}).out.contains(run));
  }

  void otherSystemsKnowEveryKey_data() {
    QTest::addColumn<QString>("system");
    QTest::newRow("lmcache") << "lmcache";
    QTest::newRow("vllm") << "vllm";
  }
  void otherSystemsKnowEveryKey() {
    QFETCH(QString, system);
    const QString run = QString::fromStdString(recorded()[1].run_id), file = text(system.toStdString() + ".yaml");
    const Answer answer = with_database({"export", run, "--for", system, "--out", file});
    QVERIFY2(answer.exit_code == 0 && answer.out.isEmpty(), answer.text());
    const std::string placement = std::string("placement per context: ") + (system == "lmcache" ? "LMCache" : "vLLM") +
                                  " applies one rule to all.";
    for (const char* said : {"alpha", placement.c_str(), "was throttled in the run"}) {
      QVERIFY2(answer.error.contains(said), answer.text());
      QVERIFY2(read_text_file(file.toStdString()).value().find(said) != std::string::npos, said);
    }
    const QString python = python_with_yaml();
    if (python.isEmpty()) QSKIP("no Python with PyYAML here");
    QProcess process;
    process.start(python, {QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/parity/check_serving_settings.py"), system, file,
                           QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/goldens/serving_keys.json")});
    QVERIFY(process.waitForFinished(60000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
    const Json values = parsed(QString::fromUtf8(process.readAllStandardOutput()));
    if (system == "lmcache") {
      QCOMPARE(values.at("max_local_cpu_size").get<double>() * 1024, 1.0);
      QCOMPARE(values.at("max_local_disk_size").get<double>() * 1024, 2.0);
    } else {
      const Json& extra = values.at("kv-transfer-config").at("kv_connector_extra_config");
      QCOMPARE(extra.at("cpu_bytes_to_use").get<int>(), 1 << 20);
      QCOMPARE(extra.at("secondary_tiers")[0].at("type").get<std::string>(), std::string("fs"));
    }
  }

  // A workload that asks for several at once is served one by one, and that is said where people and records look.
  void freezingABatchIsSaid() {
    std::filesystem::create_directories(at("batch"));
    std::filesystem::copy(at("workload"), at("batch"),
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    QVERIFY(write_text_file(at("batch") / "session.json",
                            R"({"max_batch": 8, "tiers": [{"name": "dram", "budget_bytes": 1048576}]})"));
    const QString database = text("batch.db");
    const auto run = [&](const QStringList& more) {
      return call_forked(QStringList{"run", text("batch"), "--model", text_of(model_directory()), "--store",
                                     text("batch store"), "--policy", "lru", "--limit", "2", "--db", database} +
                         more);
    };
    const Answer frozen = run({"--freeze"});
    QVERIFY2(frozen.exit_code == 0, frozen.text());
    const QString note = "frozen: one request at a time, where the workload's session.json asks for up to 8";
    QCOMPARE(frozen.error_lines().count(note), 1);
    const auto summary = [&] {
      return (*open_stores(database.toStdString(), StoreAccess::read_only, machine_clock()))
          ->runs()
          .runs()
          .value()
          .back();
    };
    QCOMPARE(QString::fromStdString(summary().settings.at("environment").at("note").get<std::string>()), note);
    QCOMPARE(summary().settings.at("settings").at("max_batch").get<int>(), 1);
    const Answer free = run({});
    QVERIFY2(free.exit_code == 0 && !free.error.contains("frozen"), free.text());
    QVERIFY(!summary().settings.at("environment").contains("note"));
    QCOMPARE(summary().settings.at("settings").at("max_batch").get<int>(), 8);
    // A recorded run that was batched, too.
    const Answer again = call_forked({"run", "--from", QString::fromStdString(summary().run_id), "--freeze", "--store",
                                      text("batch store"), "--db", database});
    QVERIFY2(again.exit_code == 0 &&
                 again.error_lines().contains("frozen: one request at a time, where the recorded run had up to 8"),
             again.text());
  }

  // Also as earlier releases gave it, by a share alone.
  void theRuleOfReprofilingIsRecorded() {
    const QString database = text("rules.db");
    for (const auto& [option, value, rule] : {std::tuple("--reprofile-when", "below(0.55)", "below(0.55)"),
                                              std::tuple("--reprofile-threshold", "0.45", "relative(0.45)"),
                                              std::tuple("--reprofile-threshold", "7", "relative(1)")}) {
      const Answer run = call_forked({"run",         text("workload"),
                                      "--model",     text_of(model_directory()),
                                      "--store",     text("rules store"),
                                      "--tier",      "dram=1MiB",
                                      "--policy",    "full_prefill",
                                      "--limit",     "1",
                                      "--no-warmup", "--db",
                                      database,      option,
                                      value,         "--assume-loss",
                                      "off",         "--reprofile-share",
                                      "0.25"});
      QVERIFY2(run.exit_code == 0, run.text());
      const Json settings = (*open_stores(database.toStdString(), StoreAccess::read_only, machine_clock()))
                                ->runs()
                                .runs()
                                .value()
                                .back()
                                .settings.at("settings");
      QCOMPARE(settings.at("reprofile_when"), Json(rule));
      QCOMPARE(settings.at("assume_loss"), Json(false));
      QCOMPARE(settings.at("reprofile_share"), Json(0.25));
      QVERIFY(!settings.contains("reprofile_threshold"));
    }
  }

  void wrongCallsGetOneClearLine_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exit_code");
    QTest::addColumn<QString>("named");
    const QString run = QString::fromStdString(recorded()[1].run_id);
    QTest::newRow("unknown run") << QStringList{"replay", "nowhere"} << 3 << "newest are";
    QTest::newRow("a beginning of many") << QStringList{"replay", run.left(3)} << 3 << "give more of its id";
    QTest::newRow("type") << QStringList{"replay", run, "--type", "request.finnished"} << 2
                          << "did you mean 'request.finished'?";
    QTest::newRow("bound") << QStringList{"replay", run, "--start-at", "soon"} << 2
                           << "--start-at: 'soon' is neither an event number nor a time; write it like 120 or 2.5s";
    QTest::newRow("one to compare") << QStringList{"compare", run} << 2
                                    << "names 1 run; compare takes 2 to 8; give another run";
    QTest::newRow("system") << QStringList{"export", run, "--for", "sglang"} << 2 << "lmcache or vllm";
    QTest::newRow("repeat nothing") << QStringList{"run", "--from", "nowhere"} << 3 << "newest are";
    QTest::newRow("neither workload nor run") << QStringList{"run"} << 2 << "--from";
    QTest::newRow("freeze what is kept") << QStringList{"run", text("workload"), "--freeze", "--keep-store"} << 2
                                         << "--keep-store";
    QTest::newRow("no run file") << QStringList{"runs", "import", text("workload/workload.json")} << 3 << "line 1";
  }
  void wrongCallsGetOneClearLine() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exit_code);
    QFETCH(QString, named);
    const Answer answer = with_database(arguments);
    QVERIFY2(answer.exit_code == exit_code, answer.text());
    QVERIFY2(answer.error.startsWith("error: ") && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains(named) && answer.out.isEmpty(), answer.text());
  }

  // From here on, runs are added to the database. The model's digest has the form, so without it the run is refused.
  void theFormOfPromptsIsRecordedAndRepeated() {
    const Answer run = with_database({"run", text("workload"), "--model", text_of(model_directory()), "--store",
                                      text("store-form"), "--prompt-form", "raw", "--max-model-len", "1024", "--policy",
                                      "full_prefill", "--limit", "2", "--no-warmup", "--quiet"});
    QVERIFY2(run.exit_code == 0, run.text());
    const RunSummary made = recorded().back();
    QCOMPARE(made.settings.at("repeat").at("prompt_form"), Json("raw"));
    const Answer again =
        with_database({"run", "--from", QString::fromStdString(made.run_id), "--store", text("store-form"), "--quiet"});
    QVERIFY2(again.exit_code == 0, again.text());
    QCOMPARE(recorded().back().settings.at("repeat").at("prompt_form"), Json("raw"));
    QCOMPARE(recorded().back().settings.at("repeat").at("max_model_len"), Json(1024));
    QCOMPARE(recorded().back().settings.at("environment").at("model_digest"),
             made.settings.at("environment").at("model_digest"));
  }

  // The formula is in the run's settings, so a replay and a repeated run
  // have it.
  void aFormulaIsRecordedReplayedAndRepeated() {
    if (!Formula::is_available()) QSKIP("this build has no muParser");
    const std::string policy = "formula((alpha*quality-ttft)*frequency/bytes^0.5,drop=per_byte)";
    const Answer run = with_database({"run",       text("workload"),
                                      "--model",   text_of(model_directory()),
                                      "--store",   text("store-formula"),
                                      "--tier",    "dram=1MiB",
                                      "--tier",    "ssd=2MiB,bandwidth=400MB/s",
                                      "--policy",  QString::fromStdString(policy),
                                      "--limit",   "12",
                                      "--methods", "knorm",
                                      "--removed", "0.5",
                                      "--seed",    "3",
                                      "--alpha",   "0.5",
                                      "--freeze"});
    QVERIFY2(run.exit_code == 0, run.text());
    const RunSummary made = recorded().back();
    QCOMPARE(made.policy, policy);
    QCOMPARE(made.settings.at("settings").at("policy").get<std::string>(), policy);
    const Answer replay = with_database({"replay", QString::fromStdString(made.run_id), "--quiet"});
    QVERIFY2(replay.exit_code == 0, replay.text());
    QCOMPARE(replay.out, run.out);
    const Answer report = with_database({"report", QString::fromStdString(made.run_id), "--json"});
    QCOMPARE(parsed(report.out).at("rows").at(0).at("policy").get<std::string>(), policy);
    const Answer again = with_database({"run", "--from", QString::fromStdString(made.run_id), "--freeze", "--store",
                                        text("store-formula"), "--quiet"});
    QVERIFY2(again.exit_code == 0, again.text());
    const auto placed = [&](const std::string& id) {
      std::vector<std::string> lines;
      for (const Event& event : events_of(id)) {
        Json data = to_json(event).at("data");
        data.erase("seconds");
        if (std::holds_alternative<events::PlacementCommitted>(event.payload) ||
            std::holds_alternative<events::PlanMade>(event.payload))
          lines.push_back(data.dump(-1, ' ', false, Json::error_handler_t::replace));
      }
      return lines;
    };
    const auto first = placed(made.run_id), second = placed(recorded().back().run_id);
    QVERIFY(first.size() > 5);
    QCOMPARE(second, first);
  }
};

KV_TEST_GUILESS_MAIN(RecordedRunCommandsTest)

}  // namespace recorded_run_commands_test

#include "recorded_run_commands_test.moc"
