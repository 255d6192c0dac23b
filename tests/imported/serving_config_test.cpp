// links: kv_base kv_reports
// Settings files of LMCache and vLLM as sessions: YAML as PyYAML reads it (tests/parity/make_yaml_goldens.py), examples
// of LMCache's own source archive, the exports that both packages loaded, read back, and files that are refused.
#include "core/imported/serving/serving_config.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "core/base/files.h"
#include "core/imported/serving/yaml_json.h"
#include "core/ports/session.h"
#include "tests/report/serving_cases.h"
#include "tests/support/test_program.h"

namespace serving_config_test {

using namespace kvantage;
using namespace kvantage::test;

class ServingConfigTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  static std::filesystem::path goldens() { return KVANTAGE_SOURCE_DIR "/tests/goldens"; }
  static bool has(const std::vector<std::string>& lines, const std::string& words) {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(words) != line.npos; });
  }
  Expected<ServingConfig> read(const std::string& text) const {
    const auto file = std::filesystem::path(folder_.path().toStdString()) / "s.yaml";
    if (!write_text_file(file, text)) qFatal("cannot write");
    return read_serving_config(file);
  }
  static std::vector<TierConfig> tiers_of(const ServingConfig& config) {
    const auto settings = session_settings_from_json(config.session, "session");
    return settings ? settings->tiers : std::vector<TierConfig>();
  }

 private slots:
  void initTestCase() {
    if (!has_yaml()) QSKIP("this build has no libyaml");
  }

  void yamlIsReadAsPyYamlDoes() {
    const auto rows = read_json_file(goldens() / "serving_files" / "yaml.json");
    QVERIFY(rows && rows->size() > 55);
    for (const Json& row : *rows) {
      const auto text = row.at("text").get<std::string>();
      const auto values = json_of_yaml(text, "s.yaml");
      QVERIFY2(values.has_value(), values ? "" : (text + ": " + values.error().message).c_str());
      QCOMPARE(QString::fromStdString(dump_json(*values)), QString::fromStdString(dump_json(row.at("values"))));
    }
  }

  void whatGrowsOrRunsIsRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("anchor") << QByteArray("local_cpu: &x true") << "line 1: an anchor (&) is not read";
    QTest::newRow("alias") << QByteArray("a: *x") << "an alias (*) is not read";
    QByteArray laughs("a: &a [x, x]\n");
    for (char letter = 'b'; letter < 'j'; ++letter)
      laughs += QByteArray(1, letter) + ": &" + QByteArray(1, letter) + " [*" + QByteArray(1, char(letter - 1)) + "]\n";
    QTest::newRow("billion laughs") << laughs << "line 1: an anchor (&) is not read";
    QTest::newRow("code") << QByteArray("a: !!python/object/apply:os.system [id]") << "a tag (!) is not read";
    QTest::newRow("merge") << QByteArray("<<: {local_cpu: true}") << "a merge key (<<) is not read";
    QTest::newRow("second document") << QByteArray("a: 1\n---\nb: 2") << "line 2: a second document begins";
    QTest::newRow("depth") << QByteArray(1000, '[') << "nested too deeply; at most 32 levels are read";
    QTest::newRow("key") << QByteArray("[a]: 1") << "a key is a list or an object";
    QTest::newRow("syntax") << QByteArray("a: [1\nb: 2") << "; correct it";
    QTest::newRow("size") << QByteArray("a: ").append(QByteArray(300'000, 'x')) << "s.yaml";
  }
  void whatGrowsOrRunsIsRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    const auto config = read(text.toStdString());
    QVERIFY(!config.has_value());
    QCOMPARE(config.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(config.error().message);
    QVERIFY2(message.contains(reason) && message.contains("s.yaml") && !message.contains('\n'), qPrintable(message));
  }

  void examplesOfLmcacheAreSessions_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("tiers");
    QTest::addColumn<QStringList>("unsaid");
    QTest::newRow("memory") << "cache_with_configs"
                            << "dram=10737418240"
                            << QStringList{"chunk_size 256: contexts are stored whole",
                                           "local_device: no setting of LMCache 0.5.6, which ignores it"};
    QTest::newRow("default size") << "auto_stop"
                                  << "dram=5368709120"
                                  << QStringList{"enable_chunk_statistics: no equivalent",
                                                 "extra_config: no equivalent"};
    QTest::newRow("server") << "resp"
                            << "remote=unlimited"
                            << QStringList{"max_local_cpu_size: with local_cpu false it is only a buffer",
                                           "async_loading: no setting of LMCache 0.5.6",
                                           "remote_url: entries of LMCache"};
    QTest::newRow("cluster") << "valkey"
                             << "dram=5368709120,remote=unlimited"
                             << QStringList{"remote_url: nodes of the cluster that it does not name"};
    QTest::newRow("own server") << "centralized_sharing"
                                << "dram=5368709120"
                                << QStringList{"remote_url: a store lm://", "remote_serde cachegen: encodes only"};
    QTest::newRow("disaggregated") << "decoder_with_remote"
                                   << "dram=5368709120"
                                   << QStringList{"enable_pd: no equivalent", "save_decode_cache: answers are not",
                                                  "nixl_backends: no equivalent"};
    QTest::newRow("controller") << "controller_move"
                                << "dram=5368709120"
                                << QStringList{"enable_p2p: no equivalent", "lmcache_worker_ports: no equivalent"};
  }
  void examplesOfLmcacheAreSessions() {
    QFETCH(QString, file);
    QFETCH(QString, tiers);
    QFETCH(QStringList, unsaid);
    const auto config = read_serving_config(goldens() / "serving_files" / "lmcache" / (file.toStdString() + ".yaml"));
    QVERIFY2(config.has_value(), config ? "" : config.error().message.c_str());
    QCOMPARE(config->system, std::string("LMCache"));
    QCOMPARE(config->session.at("policy").get<std::string>(), std::string("lru"));
    QString found;
    for (const TierConfig& tier : tiers_of(*config))
      found += (found.isEmpty() ? "" : ",") + QString::fromStdString(tier.name + "=" + to_string(tier.budget));
    QCOMPARE(found, tiers);
    for (const QString& words : unsaid) QVERIFY2(has(config->unsaid, words.toStdString()), qPrintable(words));
  }

  void filesOfOthersAreRefusedWithWhatTheyLack_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("kubernetes") << QByteArray("apiVersion: v1\nkind: Pod\n") << "has no setting of LMCache or vLLM";
    QTest::newRow("text") << QByteArray("notes of a day") << "has no setting of LMCache or vLLM";
    QTest::newRow("store") << QByteArray("local_cpu: false\nremote_url: 's3://bucket'\n")
                           << "names no tier that KVantage has (remote_url: a store s3://";
    for (const char* url : {"redis://u:se/cret@h:1", "rediss://u:se?cret@h:1", "valkey://u:se#cret@h:1"})
      QTest::newRow(url) << QByteArray("remote_url: '") + url + "'\n"
                         << "remote_url: holds a password";
    QTest::newRow("password") << QByteArray("remote_url: 'redis://u:secret@h:1'\n") << "remote_url: holds a password";
    // Named after the key that has the url.
    const auto plugin = [](const char* name, const QByteArray& url, const char* reason) {
      QTest::newRow(name)
          << QByteArray("local_cpu: false\nremote_storage_plugins: [redis]\nextra_config: {redis_url: '" + url + "'}\n")
          << reason;
    };
    plugin("password of a plugin", "redis://u:secret@h:1", "s.yaml: extra_config.redis_url: holds a password");
    plugin("long url of a plugin", "redis://" + QByteArray(480, 'h'),
           "s.yaml: extra_config.redis_url: is longer than 480 bytes");
    plugin("no url of a plugin", "h:6379", "(extra_config.redis_url: is no url)");
    plugin("store of a plugin", "s3://bucket", "(extra_config.redis_url: a store s3://;");
    QTest::newRow("unit") << QByteArray("max_local_cpu_size: 5GB\n") << "max_local_cpu_size: '5GB' is not a number";
    QTest::newRow("negative") << QByteArray("max_local_cpu_size: -1\n") << "'-1' is not a size in GiB";
    QTest::newRow("huge") << QByteArray("max_local_cpu_size: 1.0e+300\n") << "is not a size in GiB";
    QTest::newRow("list") << QByteArray("max_local_cpu_size: [1]\n") << "'[1]' is not a number";
    QTest::newRow("chunk") << QByteArray("chunk_size: 0.5\n") << "chunk_size: is not a whole number";
    QTest::newRow("no budget") << QByteArray("{\"kv_connector\": \"NixlConnector\", \"kv_role\": \"kv_both\"}")
                               << "(kv_connector NixlConnector: no equivalent)";
    QTest::newRow("own file") << QByteArray("{\"kv_connector\": \"LMCacheConnectorV1\", \"kv_role\": \"kv_both\"}")
                              << "in LMCache's own file (LMCACHE_CONFIG_FILE)";
    QTest::newRow("half a request") << QByteArray("kv-offloading-size: 1\nmax-num-seqs: 2.5\n")
                                    << "max-num-seqs: is not a whole number above 0";
    QTest::newRow("only on the GPU") << QByteArray("max-num-seqs: 4\n") << "keeps caches on the GPU only";
    QTest::newRow("extra list") << QByteArray(
                                       "{\"kv_connector\": \"OffloadingConnector\", "
                                       "\"kv_connector_extra_config\": [1]}")
                                << "kv_connector_extra_config: is no object; correct it";
    QTest::newRow("transfer list") << QByteArray("kv-transfer-config: [1]\n")
                                   << "kv-transfer-config: is no object; correct it";
    QTest::newRow("broken transfer") << QByteArray("kv-transfer-config: '{\"kv_connector\": '\n")
                                     << "kv-transfer-config";
  }
  void filesOfOthersAreRefusedWithWhatTheyLack() {
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    const auto config = read(text.toStdString());
    QVERIFY(!config.has_value());
    QCOMPARE(config.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(config.error().message);
    QVERIFY2(message.contains(reason), qPrintable(message));
    QVERIFY2(!message.contains("secret") && message.contains("; ") && !message.contains('\n'), qPrintable(message));
  }

  // What export writes is read back as it was, where both have a word for it.
  void exportsAreReadBack() {
    for (const ServingCase& one : serving_cases()) {
      const auto config = read_serving_config(goldens() / "serving" / (one.name + ".yaml"));
      QVERIFY2(config.has_value(), config ? one.name.c_str() : (one.name + ": " + config.error().message).c_str());
      const Json settings = one.run.summary.settings.at("settings");
      const auto policy = config->session.at("policy").get<std::string>();
      const auto recorded = settings.at("policy").get<std::string>();
      const std::map<std::string, std::string> others{{"fixed(cachegen,0)", "lru"},
                                                      {"fixed(kivi4,0)", "lru"},
                                                      {"evicpress", "lru"},
                                                      {"fixed(fp8,0)", "fixed(fp8,0,eviction=lru)"}};
      QCOMPARE(policy, others.contains(recorded) ? others.at(recorded) : recorded);
      if (recorded == "full_prefill") continue;
      const bool scaled = one.options.for_model.has_value(), vllm = one.system() == "vllm";
      const std::uint64_t memory = scaled ? 2863311530U : std::uint64_t{64} << 20;
      const auto tiers = tiers_of(*config);
      const auto tier = [&](const std::string& name) {
        const auto found = std::ranges::find(tiers, name, &TierConfig::name);
        return found == tiers.end() ? TierConfig() : *found;
      };
      if (one.name != "lmcache-fifo") QCOMPARE(tier("dram").budget.bytes(), memory);
      if (one.name.ends_with("tiers") || scaled)
        QVERIFY(vllm ? tier("ssd").budget.is_unlimited()
                     : tier("ssd").budget.bytes() == (scaled ? 45812984490U : std::uint64_t{1} << 30));
      if (one.name == "lmcache-tiers")
        QCOMPARE(tier("remote").option("url"), std::string("redis://cache.example:6379"));
      QCOMPARE(config->session.value("max_batch", 1), one.name == "vllm-tiers" ? 8 : 1);
    }
  }

  void optionsOfVllmAreRead() {
    const auto config = read(
        "model: meta/x\nport: 8000\nmax_num_seqs: 256\nkv_offloading_size: 1.5\n"
        "enable-prefix-caching: true\nno-enable-log-requests: false\n");
    QVERIFY2(config.has_value(), config ? "" : config.error().message.c_str());
    QCOMPARE(config->system, std::string("vLLM"));
    QCOMPARE(tiers_of(*config).front().budget.bytes(), std::uint64_t{3} << 29);
    QCOMPARE(config->session.at("max_batch").get<int>(), 64);
    QCOMPARE(config->session.at("policy").get<std::string>(), std::string("lru"));
    for (const char* words : {"model: choose one with --model", "port: no equivalent", "max-num-seqs above 64"})
      QVERIFY2(has(config->unsaid, words), words);
    QVERIFY(!has(config->unsaid, "enable-log-requests"));  // it is off
  }

  void lmcacheInsideVllmIsRead() {
    const auto config = read(R"({"kv_connector": "LMCacheConnectorV1", "kv_role": "kv_producer",
      "kv_connector_extra_config": {"lmcache.max_local_cpu_size": 2, "lmcache.cache_policy": "lfu", "x": 1}})");
    QVERIFY2(config.has_value(), config ? "" : config.error().message.c_str());
    QCOMPARE(tiers_of(*config).front().budget.bytes(), std::uint64_t{2} << 30);
    QCOMPARE(config->session.at("policy").get<std::string>(), std::string("lfu"));
    QVERIFY(has(config->unsaid, "kv_role kv_producer: a session stores and loads"));
    const auto policies =
        std::ranges::count_if(config->taken, [](const auto& line) { return line.starts_with("policy "); });
    QCOMPARE(policies, std::ptrdiff_t{1});
  }

  void otherEvictionIsNamed() {
    const auto config = read("max_local_cpu_size: 1\ncache_policy: MRU\nsave_unfull_chunk: false\n");
    QVERIFY(config.has_value());
    QCOMPARE(config->session.at("policy").get<std::string>(), std::string("lru"));
    QVERIFY(has(config->unsaid, "cache_policy MRU: no such eviction order; lru is used"));
    QVERIFY(has(config->unsaid, "save_unfull_chunk false"));
    QVERIFY(has(config->taken, "tier dram: 1.00 GiB, of max_local_cpu_size"));
    const auto fifo = read("max_local_cpu_size: 1\ncache_policy: fifo\n");
    QCOMPARE(fifo->session.at("policy").get<std::string>(), std::string("fixed(none,0,eviction=fifo)"));
  }

  void serversHaveTheFormOfOurs_data() {
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("TLS") << "rediss://h:1/2?ssl_cert_reqs=none"
                         << "rediss://h:1/2";
    QTest::newRow("cluster") << "redis-cluster://a:1,b:2"
                             << "redis-cluster://a:1,b:2";
    QTest::newRow("RESP") << "resp://h:6379"
                          << "redis://h:6379";
    QTest::newRow("Valkey") << "valkey://h:6379"
                            << "redis://h:6379";
    QTest::newRow("user") << "redis://me@h:6379"
                          << "redis://me@h:6379";
  }
  void serversHaveTheFormOfOurs() {
    QFETCH(QString, url);
    QFETCH(QString, wanted);
    const auto config = read("local_cpu: false\nremote_url: '" + url.toStdString() + "'\n");
    QVERIFY2(config.has_value(), config ? "" : config.error().message.c_str());
    QCOMPARE(QString::fromStdString(tiers_of(*config).front().option("url")), wanted);
    const auto plugin = read("local_cpu: false\nremote_storage_plugins: [redis]\nextra_config: {redis_url: '" +
                             url.toStdString() + "'}\n");
    QVERIFY2(plugin.has_value(), plugin ? "" : plugin.error().message.c_str());
    QCOMPARE(QString::fromStdString(tiers_of(*plugin).front().option("url")), wanted);
  }

  // Values of keys that nothing reads may be secrets.
  void secretsAreNotRepeated() {
    const auto config =
        read("max_local_cpu_size: 1\nextra_config: {valkey_password: hunter2}\nremote_token: hunter2\n");
    QVERIFY(config.has_value());
    for (const std::string& line : config->unsaid) QVERIFY2(line.find("hunter2") == line.npos, line.c_str());
    QVERIFY(dump_json(config->session).find("hunter2") == std::string::npos);
  }

  void manyKeysAreCounted() {
    std::string text = "max_local_cpu_size: 1\n";
    for (int i = 0; i < 5000; ++i) text += "unknown_" + std::to_string(i) + ": 1\n";
    const auto config = read(text);
    QVERIFY(config.has_value());
    QCOMPARE(config->unsaid.size(), std::size_t{201});
    QCOMPARE(config->unsaid.back(), std::string("and 4800 more"));
  }

  void filesAreToldByTheirBeginning() {
    QVERIFY(looks_like_serving_config(" {\n \"kv_connector\": \"x\""));
    QVERIFY(looks_like_serving_config("{\"kv-transfer-config\": {"));
    QVERIFY(!looks_like_serving_config("[{\"kv_connector\": 1}]"));
    QVERIFY(!looks_like_serving_config("{\"question\": \"x\"}"));
  }
};

KV_TEST_APPLESS_MAIN(ServingConfigTest)

}  // namespace serving_config_test

#include "serving_config_test.moc"
