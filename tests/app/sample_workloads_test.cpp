// links: app_wiring
// The samples that ship: each is what its own record of its command makes, shows what its name says, and goes by its
// name.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <set>

#include "app/wiring/session_setup.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/model/config.h"
#include "core/workload/families/pieces.h"
#include "core/workload/presets.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace sample_workloads_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

namespace {

fs::path samples() { return source_directory() / "sample_workloads"; }

std::string bytes_of(const fs::path& file) { return fs::exists(file) ? read_text_file(file).value() : std::string(); }

/// The lines of a list without those that continue one.
QStringList rows_of(const Answer& list) {
  return list.out.split('\n', Qt::SkipEmptyParts).filter(QRegularExpression("^(?!   )"));
}

}  // namespace

class SampleWorkloadsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  fs::path made(const std::string& name) const { return fs::path(folder_.path().toStdString()) / name; }

  static void each_preset() {
    QTest::addColumn<QString>("name");
    for (const WorkloadPreset& preset : workload_presets())
      if (preset.is_sample) QTest::newRow(preset.options.name.c_str()) << QString::fromStdString(preset.options.name);
  }

 private slots:
  void isWhatItsCommandMakes_data() { each_preset(); }
  void isWhatItsCommandMakes() {
    QFETCH(QString, name);
    const fs::path sample = samples() / name.toStdString();
    const auto shipped = read_workload(sample);
    QVERIFY2(shipped, shipped ? "" : shipped.error().message.c_str());
    QStringList words = QProcess::splitCommand(QString::fromStdString(shipped->made_by));
    QVERIFY(words.size() > 3 && words.takeFirst() == "kvantage-cli");
    const fs::path out = made(name.toStdString());
    const Answer answer = call(words + QStringList{"--out", text_of(out)});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto again = read_workload(out);
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QCOMPARE(QString::fromStdString(again->digest().hex()), QString::fromStdString(shipped->digest().hex()));
    for (const char* file : {"contexts.jsonl", "questions.jsonl", "workload.json", "session.json"})
      QVERIFY2(bytes_of(out / file) == bytes_of(sample / file), file);
  }

  void isWhatItsPresetMakes_data() { each_preset(); }
  void isWhatItsPresetMakes() {
    QFETCH(QString, name);
    const fs::path out = made("preset-" + name.toStdString());
    const Answer answer = call({"workload", "make", "--preset", name, "--out", text_of(out), "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY(answer.out.isEmpty());
    for (const char* file : {"contexts.jsonl", "questions.jsonl", "workload.json", "session.json"})
      QVERIFY2(bytes_of(out / file) == bytes_of(samples() / name.toStdString() / file), file);
  }

  // The papers' regimes and the large sample are too large to ship.
  void aRegimeIsMadeOnTheMachine_data() {
    QTest::addColumn<QString>("name");
    for (const WorkloadPreset& preset : workload_presets())
      if (!preset.is_sample) QTest::newRow(preset.options.name.c_str()) << QString::fromStdString(preset.options.name);
  }
  void aRegimeIsMadeOnTheMachine() {
    QFETCH(QString, name);
    QVERIFY(!fs::exists(samples() / name.toStdString()));
    const fs::path out = made("regime-" + name.toStdString()), again = made("again-" + name.toStdString());
    const Answer answer = call({"workload", "make", "--preset", name, "--out", text_of(out), "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto workload = read_workload(out);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    // Its record of its command makes the same.
    QStringList words = QProcess::splitCommand(QString::fromStdString(workload->made_by));
    QVERIFY(words.size() > 3 && words.takeFirst() == "kvantage-cli");
    const Answer second = call(words + QStringList{"--out", text_of(again), "--quiet"});
    QVERIFY2(second.exit_code == 0, second.text());
    for (const char* file : {"contexts.jsonl", "questions.jsonl", "schedule.jsonl", "workload.json", "session.json"})
      QVERIFY2(bytes_of(out / file) == bytes_of(again / file), file);
    QCOMPARE(fs::exists(out / "schedule.jsonl"), name == "azure-drift");
    const auto session = read_json_file(out / "session.json");
    QVERIFY(session);
    if (name != "evicpress-regime") return;
    QCOMPARE(session->at("policy"), Json("evicpress(quality=raw)"));
    QCOMPARE(session->at("compute_or_load"), Json("off"));
    QCOMPARE(session->at("reprofile"), Json(false));
    QCOMPARE(session->at("tiers"),
             *parse_json(R"([{"name":"dram","budget":"2%","bandwidth":"prefill/0.09","kind":"dram"},
                             {"name":"ssd","budget":"20%","bandwidth":"prefill/0.45","kind":"ssd"},
                             {"name":"remote","budget":"unlimited","bandwidth":"prefill/4.75","kind":"ssd"}])",
                         "t"));
  }

  void isSmallAndSaysWhatItShows_data() { each_preset(); }
  void isSmallAndSaysWhatItShows() {
    QFETCH(QString, name);
    const fs::path sample = samples() / name.toStdString();
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(sample)) bytes += entry.file_size();
    QVERIFY(bytes < 600'000);
    const auto head = read_workload_head(sample);
    QVERIFY(head && head->description.size() > 20 && head->description.size() < 160);
    QCOMPARE(QString::fromStdString(head->name), name);
    QVERIFY(head->contexts.empty());
  }

  void tierPressureIsSeveralTimesTheTiers() {
    const auto workload = read_workload(samples() / "tier-pressure");
    const auto session = read_json_file(samples() / "tier-pressure" / "session.json");
    QVERIFY(workload && session);
    std::size_t tokens = 0;
    for (const WorkloadContext& context : workload->contexts) tokens += count_pieces(context.text);
    std::uint64_t budgets = 0;
    for (const Json& tier : session->at("tiers")) budgets += tier.at("budget_bytes").get<std::uint64_t>();
    const auto model = read_model_config(source_directory() / "resources" / "model");
    if (!model) QSKIP("the default model is not there");
    const auto bytes_per_token = static_cast<std::size_t>(2 * 2 * model->layers * model->kv_heads * model->head_dim);
    const double times = static_cast<double>(tokens * bytes_per_token) / static_cast<double>(budgets);
    QVERIFY2(times > 5, qPrintable(QString::number(times)));
  }

  void longTailHasManyThatAreSeldomAsked() {
    const auto workload = read_workload(samples() / "long-tail");
    QVERIFY(workload && workload->contexts.size() >= 60);
    std::map<std::size_t, std::size_t> counts;
    for (const WorkloadRequest& request : workload->requests(0, 0)) ++counts[request.context];
    std::size_t seldom = workload->contexts.size() - counts.size(), most = 0;
    for (const auto& [context, count] : counts) {
      seldom += count <= 5 ? 1 : 0;
      most = std::max(most, count);
    }
    QVERIFY(seldom * 2 > workload->contexts.size() && most > 30);
  }

  void goesByItsName() {
    const Answer list = call({"workload", "list", "--json"});
    QVERIFY2(list.exit_code == 0, list.text());
    std::set<std::string> names;
    for (const Json& one : Json::parse(list.out.toStdString())) {
      names.insert(one.at("name"));
      QVERIFY(!one.at("description").get<std::string>().empty());
      QVERIFY(one.at("contexts") > 0 && one.at("requests") > 0);
    }
    for (const WorkloadPreset& preset : workload_presets())
      QVERIFY2(names.contains(preset.options.name) == preset.is_sample, preset.options.name.c_str());
    const Answer table = call({"workload", "list"});
    QCOMPARE(rows_of(table).size(), static_cast<qsizetype>(names.size()) + 1);
    const Answer check = call({"workload", "check", "bursts"});
    QVERIFY2(check.exit_code == 0 && check.out.contains("bursts of 20 requests about 2 contexts"), check.text());
    const Answer text = call({"workload", "check", "own-text"});
    QVERIFY2(text.exit_code == 0 && text.out.contains("own-text (CC0-1.0)"), text.text());
    const Answer nothing = call({"workload", "check", "no-such-sample"});
    QCOMPARE(nothing.exit_code, 3);
  }

  // The rate is the workload's; one that the session is given replaces it.
  void aSessionTakesTheRateOfItsWorkload() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    SessionOptions options;
    options.model = model_directory();
    options.workload = "bursts";
    options.store = made("store");
    const auto session = open_virtual(options);
    QVERIFY2(session, session ? "" : session.error().message.c_str());
    QCOMPARE((*session)->engine().settings().requests_per_second, 1.0);
    options.requests_per_second = 0;
    options.store = made("another-store");
    const auto own = open_virtual(options);
    QVERIFY2(own, own ? "" : own.error().message.c_str());
    QCOMPARE((*own)->engine().settings().requests_per_second, 0.0);
  }

  // What is given on the command line goes over the preset; the rest stays.
  void optionsGoOverAPreset() {
    const Answer answer = call({"workload",
                                "make",
                                "--preset",
                                "drifting-questions",
                                "--mix",
                                "story+config",
                                "--contexts-per-family",
                                "1",
                                "--drift-begin",
                                "0.1",
                                "--zipf",
                                "0",
                                "--burst-length",
                                "5",
                                "--tier",
                                "dram=1MiB",
                                "--name",
                                "a $name's",
                                "--description",
                                "a \"$name\"",
                                "--neighbors",
                                "0.5",
                                "--distractors",
                                "0.6",
                                "--out",
                                text_of(made("over"))});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto workload = read_workload(made("over"));
    QVERIFY(workload);
    QCOMPARE(workload->contexts.size(), std::size_t{1});
    QCOMPARE(workload->contexts[0].family, std::string("story+config"));
    QCOMPARE(workload->name, std::string("a $name's"));
    QCOMPARE(workload->description, std::string("a \"$name\""));
    QCOMPARE(workload->seed, std::uint64_t{41});
    QVERIFY((workload->arrivals.drift == Drift{.begin = 0.1, .end = 0.6, .one_by_one = true}));
    QVERIFY(workload->arrivals.bursts && workload->arrivals.bursts->mean_requests == 5);
    QCOMPARE(workload->arrivals.zipf_exponent, 0.0);
    const auto session = read_json_file(made("over") / "session.json");
    QVERIFY(session && session->at("tiers").size() == 1 && session->at("tiers")[0].at("budget_bytes") == 1048576);
    for (const char* part : {"--mix story+config", "--drift-begin 0.1", "--neighbors 0.5", "--distractors 0.6",
                             "--tier dram=1MiB", "--name \"a \\$name's\"", "--description \"a \\\"\\$name\\\"\""})
      QVERIFY2(workload->made_by.find(part) != std::string::npos, part);
  }

  void badInputIsOneLine_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* line, const char* part) {
      QTest::newRow(line) << QProcess::splitCommand(QString::fromLatin1(line)) << QString::fromLatin1(part);
    };
    row("--preset nope", "choose from quickstart");
    row("--preset burst", "did you mean 'bursts'");
    row("--mix story+registry+news", "two families");
    row("--mix fewshot+fewshot", "contradict");
    row("--drift-begin 0.5", "drift");  // of one kind of questions
    row("--mix story+registry --drift-begin 0.6 --drift-end 0.5", "'drift.end'");
    row("--mix story+registry --drift-end nan", "drift");
    row("--burst-length 5 --burst-factor 0.5", "'bursts.factor'");
    row("--burst-length nan", "'bursts.mean_requests'");
    row("--burst-contexts -1", "--burst-contexts");
    row("--tail nan", "'tail_share'");
    row("--rate nan", "'requests_per_second'");
    row("--requests 0", "--requests");
    row("--neighbors nan", "neighbor");
    row("--answer-tokens 0", "answer tokens");
    row("--tier ssd=1MiB,path=/tmp", "path=");
    row("--tier dram=1MiB --methods poem", "'poem'");
    row("--tier dram=1MiB --removed 1.5", "removed_fractions");
  }
  void badInputIsOneLine() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, part);
    const Answer answer = call(QStringList{"workload", "make", "--out", text_of(made("refused"))} + arguments);
    QVERIFY2(answer.exit_code == 2, answer.text());
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY2(answer.error.contains(part), answer.text());
    QVERIFY(!fs::exists(made("refused")));  // nothing is written then
  }

  void theFolderToWriteIsAskedFor() {
    const Answer answer = call({"workload", "make"});
    QCOMPARE(answer.exit_code, 2);
    QCOMPARE(answer.error_lines().size(), 1);
    const Answer list = call({"workload", "make", "--list-presets"});
    QVERIFY2(list.exit_code == 0, list.text());
    QCOMPARE(rows_of(list).size(), static_cast<qsizetype>(workload_presets().size()));
  }
};

KV_TEST_GUILESS_MAIN(SampleWorkloadsTest)

}  // namespace sample_workloads_test

#include "sample_workloads_test.moc"
