// links: kv_reports profiles kv_cli_program
// Settings of serving systems through the real command line: files become sessions and a session.json, what has no
// equivalent is listed, servers in files are asked for, and exports are scaled to another model.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/imported/serving/yaml_json.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace serving_commands_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

class ServingCommandsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  QString text(const std::string& name) const { return text_of(at(name)); }
  QString write(const std::string& name, const std::string& content) const {
    if (!write_text_file(at(name), content)) qFatal("cannot write");
    return text(name);
  }
  Answer run_with(const QStringList& more) const {
    return call(QStringList{"run", text("workload"), "--model", text_of(model_directory()), "--store", text("store"),
                            "--db", text("runs.db"), "--limit", "2"} +
                more);
  }
  RunSummary last_run() const {
    return (*open_stores(at("runs.db"), StoreAccess::read_only, machine_clock()))->runs().runs().value().back();
  }
  static bool is_one_line(const Answer& answer) {
    return answer.out.isEmpty() && answer.error.startsWith("error: ") && answer.error.count('\n') == 1;
  }

 private slots:
  void initTestCase() {
    if (!has_yaml()) QSKIP("this build has no libyaml");
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(2, 16, 5), at("workload")));
    write("lmcache.yaml",
          "max_local_cpu_size: 0.0625\nlocal_disk: file:///nowhere/kv/\nmax_local_disk_size: 0.25\n"
          "cache_policy: LFU\nenable_p2p: true\n");
  }

  void aFileBecomesASessionJson() {
    const Answer printed = call({"session", "import", text("lmcache.yaml")});
    QVERIFY2(printed.exit_code == 0, printed.text());
    const auto session = parse_json(printed.out.toStdString(), "stdout");
    QVERIFY2(session, printed.text());
    QCOMPARE(session->at("policy").get<std::string>(), std::string("lfu"));
    QCOMPARE(session->at("tiers").at(0).at("budget_bytes").get<std::uint64_t>(), std::uint64_t{64} << 20);
    QCOMPARE(session->at("tiers").at(1).at("budget_bytes").get<std::uint64_t>(), std::uint64_t{256} << 20);
    for (const char* words : {"from LMCache: tier dram: 64.0 MiB, of max_local_cpu_size",
                              "no equivalent: local_disk: its folder", "no equivalent: enable_p2p: no equivalent"})
      QVERIFY2(printed.error.contains(words), printed.text());
    const Answer written = call({"session", "import", text("lmcache.yaml"), "--out", text("session.json"), "--quiet"});
    QVERIFY2(written.exit_code == 0 && written.out.isEmpty() && written.error.isEmpty(), written.text());
    QVERIFY(read_json_file(at("session.json")).value() == *session);
  }

  void aRunStartsWithIt() {
    const Answer answer = run_with({"--from-serving", text("lmcache.yaml")});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY2(answer.error.contains("no equivalent: enable_p2p"), answer.text());
    const RunSummary run = last_run();
    QCOMPARE(run.policy, std::string("lfu"));
    const Json& settings = run.settings.at("settings");
    QCOMPARE(settings.at("tiers").size(), std::size_t{2});
    QCOMPARE(settings.at("tiers").at(1).at("budget_bytes").get<std::uint64_t>(), std::uint64_t{256} << 20);
    QCOMPARE(QString::fromStdString(run.settings.at("environment").at("settings_from").get<std::string>()),
             text("lmcache.yaml"));
    const Answer other = run_with({"--from-serving", text("lmcache.yaml"), "--policy", "lru", "--tier", "ssd=32MiB"});
    QVERIFY2(other.exit_code == 0, other.text());
    QCOMPARE(last_run().policy, std::string("lru"));
    QCOMPARE(last_run().settings.at("settings").at("tiers").size(), std::size_t{1});
  }

  // Nothing connects to a server that only a file names.
  void aServerOfAFileIsAskedFor() {
    const QString file = write("remote.yaml", "local_cpu: false\nremote_url: 'redis://cache.invalid:6379'\n");
    const Answer answer = run_with({"--from-serving", file, "--quiet"});
    QCOMPARE(answer.exit_code, 3);
    QVERIFY2(is_one_line(answer) && answer.error.contains("--allow-remote cache.invalid:6379"), answer.text());
  }

  void wrongFilesAreRefusedInOneLine_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("reason");
    QTest::newRow("laughs") << QByteArray("a: &a [x]\nb: [*a, *a]\n") << "an anchor (&) is not read";
    QTest::newRow("others") << QByteArray("apiVersion: v1\n") << "has no setting of LMCache or vLLM";
    QTest::newRow("password") << QByteArray("remote_url: 'redis://u:secret@h:1'\n") << "holds a password";
    QTest::newRow("empty") << QByteArray() << "has no setting of LMCache or vLLM";
  }
  void wrongFilesAreRefusedInOneLine() {
    QFETCH(QByteArray, content);
    QFETCH(QString, reason);
    const QString file = write("wrong.yaml", content.toStdString());
    for (const Answer& answer :
         {call({"session", "import", file, "--out", text("wrong.json")}), run_with({"--from-serving", file})}) {
      QCOMPARE(answer.exit_code, 3);
      QVERIFY2(is_one_line(answer) && answer.error.contains(reason) && !answer.error.contains("secret"), answer.text());
    }
    QVERIFY(!std::filesystem::exists(at("wrong.json")));
  }

  void aRecordedRunHasItsOwn() {
    const Answer answer = run_with({"--from", "last", "--from-serving", text("lmcache.yaml")});
    QVERIFY2(answer.exit_code == 2 && answer.error.contains("--from-serving"), answer.text());
  }

  void exportsAreScaledToAModel_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<double>("bytes");
    const QByteArray llama = R"({"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,
                                 "hidden_size":4096,"torch_dtype":"bfloat16"})";
    QTest::newRow("config.json of Llama 3.1 8B") << "llama.json" << llama << 131072.0;
    QTest::newRow("head_dim, dtype") << "q.json" << QByteArray(R"({"num_hidden_layers":48,"num_attention_heads":32,
         "num_key_value_heads":4,"head_dim":128,"hidden_size":2048,"dtype":"float32","sliding_window":null})")
                                     << 196608.0;
    QTest::newRow("inside text_config") << "m.json" << QByteArray(R"({"dtype":"float16","text_config":)" + llama + "}")
                                        << 131072.0;
    QTest::newRow("facts") << "facts.json" << QByteArray(R"({"kv_bytes_per_token": 98304})") << 98304.0;
    QTest::newRow("a preset") << "llama-3.1-70b" << QByteArray() << 327680.0;
  }
  void exportsAreScaledToAModel() {
    QFETCH(QString, model);
    QFETCH(QByteArray, config);
    QFETCH(double, bytes);
    QVERIFY(run_with({"--tier", "dram=64MiB", "--policy", "lru"}).exit_code == 0);
    const QString word = config.isEmpty() ? model : write(model.toStdString(), config.toStdString());
    const Answer answer =
        call({"export", "last", "--for", "vllm", "--for-model", word, "--db", text("runs.db"), "--json"});
    const auto json = parse_json(answer.out.toStdString(), "stdout");
    QVERIFY2(answer.exit_code == 0 && json, answer.text());
    const double own = last_run().settings.at("kv_bytes_per_token").get<double>();
    QCOMPARE(json->at("factor").get<double>(), bytes / own);
    const auto wanted = static_cast<std::uint64_t>(static_cast<double>(std::uint64_t{64} << 20) * (bytes / own));
    const std::string setting = "\"cpu_bytes_to_use\":" + std::to_string(wanted);
    QVERIFY2(json->at("settings").get<std::string>().find(setting) != std::string::npos, answer.text());
    const Answer said = call({"export", "last", "--for", "lmcache", "--for-model", word, "--db", text("runs.db")});
    QVERIFY2(said.exit_code == 0 && said.error.contains("budgets times "), said.text());
  }

  void modelsOfAnotherKindAreRefused_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("reason");
    const QByteArray begin = R"({"num_hidden_layers":2,"num_attention_heads":4,"hidden_size":64,"dtype":"bfloat16")";
    QTest::newRow("latent") << begin + R"(,"kv_lora_rank":512})" << 3 << "latent vectors (MLA)";
    QTest::newRow("window") << begin + R"(,"sliding_window":4096})" << 3 << "a sliding window";
    QTest::newRow("layers") << begin + R"(,"layer_types":["full_attention","sliding_attention"]})" << 3
                            << "layers without full attention";
    QTest::newRow("no dtype") << QByteArray(R"({"num_hidden_layers":2,"num_attention_heads":4,"hidden_size":64})") << 3
                              << "does not say its dtype";
    QTest::newRow("no layers") << QByteArray("{}") << 3 << "does not say num_hidden_layers";
    QTest::newRow("no JSON") << QByteArray("layers") << 3 << "config.json";
    QTest::newRow("unknown name") << QByteArray() << 2 << "no file or model 'llama-3.1-8c'; did you mean";
  }
  void modelsOfAnotherKindAreRefused() {
    QFETCH(QByteArray, config);
    QFETCH(int, code);
    QFETCH(QString, reason);
    const QString word = config.isEmpty() ? QStringLiteral("llama-3.1-8c") : write("config.json", config.toStdString());
    const Answer answer = call({"export", "last", "--for", "vllm", "--for-model", word, "--db", text("runs.db")});
    QCOMPARE(answer.exit_code, code);
    QVERIFY2(is_one_line(answer) && answer.error.contains(reason), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(ServingCommandsTest)

}  // namespace serving_commands_test

#include "serving_commands_test.moc"
