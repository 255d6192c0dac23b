// links: kv_reports profiles kv_cli_program
// --json: every command that prints results has it, prints one document and nothing else on stdout, and the document
// has the keys that docs/cli.md lists.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <set>

#include "core/base/files.h"
#include "core/base/json.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace json_output_test {

using namespace kvantage;
using namespace kvantage::test;

class JsonOutputTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QMap<QString, QString> sections_;  // of the reference, by command

  QString at(const QString& name) const { return folder_.filePath(name); }

  struct Keys {
    std::set<std::string> always, sometimes;
  };
  /// What the reference lists: names between "With `--json`" and the first full stop behind a name.
  static Keys keys_of(const QString& section) {
    Keys keys;
    const QString all = section.section("With `--json` it prints ", 1).section("`.", 0, 0).simplified() + "`";
    static const QRegularExpression name("`([a-z0-9_]+)`");
    const auto read = [](const QString& text, std::set<std::string>& names) {
      for (auto found = name.globalMatch(text); found.hasNext();) names.insert(found.next().captured(1).toStdString());
    };
    read(all.section("; if present, ", 0, 0), keys.always);
    read(all.section("; if present, ", 1), keys.sometimes);
    return keys;
  }

 private slots:
  void initTestCase() {
    QFile file(QString(KVANTAGE_SOURCE_DIR) + "/docs/cli.md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    for (const QString& section : QString::fromUtf8(file.readAll()).split("\n## kvantage-cli ").mid(1))
      sections_[section.section('\n', 0, 0)] = section;
    QVERIFY(sections_.size() > 30);
    QVERIFY(write_text_file(at("trace.jsonl").toStdString(), samples().at("mooncake")));
    QVERIFY(write_text_file(at("text.txt").toStdString(), "Mara Holt paid 372 to Ada Quill.\n"));
    QVERIFY(write_text_file(at("tokens.json").toStdString(), "[5, 6, 7]"));
    QVERIFY(write_text_file(at("curves.csv").toStdString(), "method,removed,quality\nnone,0,0.5\n"));
    QVERIFY(write_text_file(at("lmcache.yaml").toStdString(), "max_local_cpu_size: 5\n"));
    if (model_directory().empty()) return;
    QVERIFY(write_workload(small_workload(2, 16, 5), at("workload").toStdString()));
    const Answer run =
        call({"run", at("workload"), "--model", text_of(model_directory()), "--db", at("runs.db"), "--store",
              at("store"), "--tier", "ssd=64MiB", "--policy", "lru,full_prefill", "--limit", "3"});
    QVERIFY2(run.exit_code == 0, run.text());
  }

  void everyCommandThatPrintsResultsHasIt() {
    QFile file(QStringLiteral(KVANTAGE_SOURCE_DIR "/docs/cli.md"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(QString::fromUtf8(file.readAll()).simplified().contains("Every command has it."));
    for (auto it = sections_.begin(); it != sections_.end(); ++it) {
      QVERIFY2(it.value().contains("\n- `--json`: Print"), qPrintable(it.key()));
      QVERIFY2(it.value().contains("\nWith `--json` it prints "), qPrintable(it.key()));
      QVERIFY2(keys_of(it.value()).always.size() >= 1, qPrintable(it.key()));
    }
  }

  void theDocumentHasTheKeysOfTheReference_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("arguments");
    const auto row = [](const char* command, const char* arguments) {
      QTest::newRow(command) << QString(command) << QString(arguments);
    };
    row("run", "{WORKLOAD} --model {MODEL} --store {STORE} --tier dram=64MiB --policy lru --limit 2");
    row("profile",
        "{WORKLOAD} --model {MODEL} --store {STORE} --tier dram=64MiB --methods knorm --removed 0.5 --anytime "
        "--good-enough 90% --time-limit 600s --products batch_invariant");
    row("profiles import", "{FOLDER}/curves.csv");
    row("plan", "{WORKLOAD} --model {MODEL} --store {STORE} --tier dram=64MiB --methods knorm --removed 0.5");
    row("report", "--db {DB}");
    row("replay", "last --db {DB} --type run.started");
    row("compare", "last --db {DB}");
    row("export", "{RUN} --db {DB} --for lmcache");
    row("session import", "{FOLDER}/lmcache.yaml");
    row("runs list", "--db {DB}");
    row("runs export", "{RUN} {FOLDER}/exported.kvrun --db {DB}");
    row("runs import", "{FOLDER}/exported.kvrun --db {FOLDER}/other.db");
    row("runs share", "{RUN} --db {DB} --out {FOLDER}/run.html");
    row("methods", "");
    row("method new", "{FOLDER}/my_idea.py");
    row("method check", "{METHOD}");
    row("method bench", "{METHOD} --tokens 64 --repeat 2");
    row("policies", "");
    row("kept", "--model {MODEL} --text-file {TEXT}");
    row("device", "");
    row("completion", "fish");
    row("help", "workload make");
    row("man", "run");
    row("reproduce", "evicpress/fig2");
    row("simulate", "{TRACE} --capacity-blocks 9 --quiet");
    row("fleet", "--engines 3 --contexts 300 --quiet");
    row("sweep", "{WORKLOAD} --model {MODEL} --out {FOLDER}/sweep --policy lru --tier dram=64MiB --limit 2");
    row("tokenize", "{MODEL} --text-file {TEXT}");
    row("model info", "{MODEL}");
    row("model check", "{MODEL}");
    row("model generate", "{MODEL} --prompt-file {TEXT} --max-tokens 2");
    row("model logits", "{MODEL} --tokens {FOLDER}/tokens.json --out {FOLDER}/logits.npy");
    row("model scale", "{MODEL} --tokens 16 --repeat 1 --threads 1");
    row("store stat", "{STORE}");
    row("store check", "{STORE}");
    row("store compact", "{STORE}");
    row("trace info", "{TRACE}");
    row("trace import", "{TRACE} --workload {WORKLOAD} --out {FOLDER}/imported");
    row("workload list", "");
    row("workload check", "{WORKLOAD}");
    row("workload make",
        "--families registry --contexts-per-family 1 --min-tokens 200 --max-tokens 300 --out {FOLDER}/made");
    row("workload import", "--format text --out {FOLDER}/text {TEXT} --probes 0");
  }
  void theDocumentHasTheKeysOfTheReference() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QFETCH(QString, command);
    QFETCH(QString, arguments);
    std::string run;
    {
      const auto stores = open_stores(at("runs.db").toStdString(), StoreAccess::read_only, machine_clock());
      QVERIFY(stores);
      run = (*stores)->runs().runs().value().front().run_id;
    }
    arguments.replace("{WORKLOAD}", at("workload"))
        .replace("{MODEL}", text_of(model_directory()))
        .replace("{STORE}", at("store"))
        .replace("{TRACE}", at("trace.jsonl"))
        .replace("{TEXT}", at("text.txt"))
        .replace("{FOLDER}", folder_.path())
        .replace("{RUN}", QString::fromStdString(run))
        .replace("{METHOD}", QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/goldens/method_files/script_knorm.pt"))
        .replace("{DB}", at("runs.db"));
    const QStringList words = command.split(' ') + arguments.split(' ', Qt::SkipEmptyParts) + QStringList{"--json"};
    const QStringList computing{"run",          "profile",      "plan",           "sweep",        "kept",
                                "method check", "method bench", "model generate", "model logits", "model scale"};
    const Answer answer = computing.contains(command) ? call(words) : call_forked(words);
    QVERIFY2(answer.exit_code == 0, answer.text());
    const bool lines = sections_[command].contains("With `--json` it prints one object per line");
    const QString document = lines ? answer.out.section('\n', 0, 0) : answer.out;
    const auto json = parse_json(document.toStdString(), "stdout");  // fails on anything before or behind it
    QVERIFY2(json, answer.text());
    QCOMPARE(json->is_array(), sections_[command].contains("With `--json` it prints a list of objects"));
    QVERIFY2(!json->is_array() || !json->empty(), answer.text());
    if (command == "profile") {  // anytime
      const Json& profiling = json->at("profiling");
      QVERIFY(profiling.at("has_coarse") == true && profiling.at("good_enough") == true);
      QVERIFY(profiling.at("answers").get<int>() > 0 && profiling.at("answers_left") == 0);
      QVERIFY(profiling.at("answers").get<int>() <= profiling.at("full_answers").get<int>());
      QVERIFY(profiling.at("may_rise").get<double>() <= 0.9);
    }
    const Keys keys = keys_of(sections_[command]);
    for (const Json& object : json->is_array() ? *json : Json::array({*json})) {
      for (const std::string& key : keys.always) QVERIFY2(object.contains(key), key.c_str());
      for (const auto& [key, value] : object.items())
        QVERIFY2(keys.always.contains(key) || keys.sometimes.contains(key), key.c_str());
    }
  }

  // What a program reads of help is what the reference prints for people.
  void helpNamesEveryOptionOfTheReference() {
    for (auto it = sections_.begin(); it != sections_.end(); ++it) {
      const Answer answer = call_forked(QStringList{"help"} + it.key().split(' ') + QStringList{"--json"});
      const auto json = parse_json(answer.out.toStdString(), "stdout");
      QVERIFY2(answer.exit_code == 0 && json, answer.text());
      QCOMPARE(QString::fromStdString(json->at("command")), it.key());
      const QString section = it.value().simplified();
      for (const Json& option : json->at("options")) {
        const QString name = QString::fromStdString(option.at("name"));
        QVERIFY2(section.contains("- `" + name + "`") || section.contains("- `" + name + " "), qPrintable(name));
        QVERIFY2(section.contains(QString::fromStdString(option.at("description")).simplified()), qPrintable(name));
      }
      QCOMPARE(json->at("options").size(), std::size_t(it.value().count("\n- `")));
    }
  }

  void manualPagesAreListed() {
    const Answer answer = call_forked({"man", "--out", at("pages"), "--json"});
    const auto json = parse_json(answer.out.toStdString(), "stdout");
    QVERIFY2(answer.exit_code == 0 && json, answer.text());
    QCOMPARE(QString::fromStdString(json->at("folder")), at("pages"));
    QStringList listed;
    for (const Json& name : json->at("files")) listed << QString::fromStdString(name);
    listed.sort();
    QCOMPARE(listed, QDir(at("pages")).entryList(QDir::Files, QDir::Name | QDir::LocaleAware));
  }

  void trainingPrintsALinePerReport() {
    const Answer answer = call({"model",
                                "train",
                                "--out",
                                at("trained"),
                                "--steps",
                                "2",
                                "--hidden",
                                "32",
                                "--layers",
                                "1",
                                "--heads",
                                "2",
                                "--kv-heads",
                                "1",
                                "--head-dim",
                                "16",
                                "--intermediate",
                                "32",
                                "--max-length",
                                "64",
                                "--evaluate-minutes",
                                "0",
                                "--threads",
                                "0",  // one per core, as everywhere
                                "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Keys keys = keys_of(sections_["model train"]);
    const QStringList lines = answer.out.split('\n', Qt::SkipEmptyParts);
    QVERIFY(!lines.isEmpty());
    for (const QString& line : lines) {
      const auto json = parse_json(line.toStdString(), "line");
      QVERIFY2(json, qPrintable(line));
      for (const std::string& key : keys.always) QVERIFY2(json->contains(key), key.c_str());
    }
  }

  // A message about an error is for people; whoever reads stdout gets no half of a document.
  void anErrorLeavesStdoutEmpty_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("model check") << "model check /nowhere --json";
    QTest::newRow("runs export") << "runs export nothing out --db /nowhere.db --json";
    QTest::newRow("export") << "export last --for vlm --json";
    QTest::newRow("workload make") << "workload make --out /dev/null/x --json";
  }
  void anErrorLeavesStdoutEmpty() {
    QFETCH(QString, line);
    const Answer answer = call_forked(line.split(' '));
    QVERIFY2(answer.exit_code != 0 && answer.out.isEmpty() && answer.error.startsWith("error: "), answer.text());
  }

  // Linux allows any byte in a name of a file.
  void aNameThatIsNoTextIsStillOneDocument() {
    QProcess process;
    process.start("sh", {"-c", "out=$(printf '" + at("strange") + "\\377'); exec '" + command_line_program() +
                                   "' workload make --families registry --contexts-per-family 1 --min-tokens 200 "
                                   "--max-tokens 300 --out \"$out\" --json"});
    QVERIFY(process.waitForFinished(60000));
    std::filesystem::remove_all(at("strange").toStdString() + "\xff");  // Qt has no name for it
    QCOMPARE(process.exitCode(), 0);
    const auto json = parse_json(process.readAllStandardOutput().toStdString(), "stdout");
    QVERIFY(json && json->at("contexts") == 1);
  }
};

KV_TEST_GUILESS_MAIN(JsonOutputTest)

}  // namespace json_output_test

#include "json_output_test.moc"
