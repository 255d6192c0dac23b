// links: kv_reports
// Settings for LMCache and vLLM: what a policy's eviction and codec become there, and that what is left out is named.
#include <QtTest>

#include "core/ports/session.h"
#include "core/report/serving/serving_settings.h"
#include "tests/support/test_program.h"

namespace serving_settings_test {

using namespace kvantage;

class ServingSettingsTest : public QObject {
  Q_OBJECT

  static RecordedRun run_with(const std::string& policy, bool remote) {
    SessionSettings settings;
    settings.policy = policy;
    settings.tiers = {{.name = "dram", .budget = 1 << 20}};
    if (remote)
      settings.tiers.push_back({.name = "server", .budget = 1 << 21, .options = {{"url", "redis://host:6379"}}});
    RecordedRun run;
    run.summary = {.run_id = "r",
                   .started_utc_ns = 1,
                   .finished_utc_ns = 2,
                   .policy = policy,
                   .outcome = "finished",
                   .requests = 0,
                   .settings = Json{{"settings", to_json(settings)}}};
    Event begun;
    begun.sequence = 1;
    begun.payload = events::RunStarted{"r", run.summary.settings};
    run.events.push_back(begun);
    return run;
  }
  static bool said(const ExportedSettings& settings, const std::string& words) {
    return std::ranges::any_of(settings.unsaid,
                               [&](const std::string& one) { return one.find(words) != std::string::npos; }) &&
           settings.text.find(words) != std::string::npos;
  }

 private slots:
  void evictionAndCodecAreMappedOrNamed_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("system");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("unsaid");
    const auto row = [](const char* policy, const char* system, const char* key, const char* unsaid) {
      QTest::newRow(qPrintable(QString("%1 %2 %3").arg(policy, system, key))) << policy << system << key << unsaid;
    };
    row("lru", "lmcache", "cache_policy: 'LRU'", "");
    row("lfu", "lmcache", "cache_policy: 'LFU'", "");
    row("gdsf", "lmcache", "cache_policy: 'LFU'", "eviction by gdsf");
    row("fixed(snapkv,0.5,eviction=lfu)", "lmcache", "cache_policy: 'LFU'", "removes 0.5 of the tokens");
    row("fixed(snapkv,0.5,eviction=gdsf)", "lmcache", "cache_policy: 'LFU'", "LFU, by requests, is the closest");
    row("fixed(none,0,eviction=fifo)", "lmcache", "cache_policy: 'FIFO'", "");
    row("fixed(snapkv,0.5,eviction=s3fifo)", "lmcache", "cache_policy: 'LRU'", "eviction by s3fifo");
    row("fixed(snapkv,0.5)", "lmcache", "cache_policy: 'LRU'", "removes 0.5 of the tokens");
    row("evicpress", "lmcache", "cache_policy: 'LRU'", "eviction by evicpress");
    row("lru", "vllm", "\"eviction_policy\":\"lru\"", "");
    row("fixed(snapkv,0.5,eviction=lfu)", "vllm", "\"eviction_policy\":\"arc\"", "eviction by lfu");
    row("fixed(snapkv,0.5,eviction=s3fifo)", "vllm", "\"eviction_policy\":\"arc\"", "eviction by s3fifo");
    row("fixed(kivi4,0)", "lmcache", "remote_serde: 'naive'", "codec kivi4: remote_serde kivi of LMCache 0.5.6");
    row("fixed(adakv(snapkv)+kivi2,0.5)", "lmcache", "remote_serde: 'naive'", "returns entries unchanged");
    row("fixed(cachegen,0)", "lmcache", "remote_serde: 'cachegen'", "codecs in tiers that are not remote");
    row("fixed(kivi4+zstd,0)", "lmcache", "remote_serde: 'naive'", "codec zstd");
    row("fixed(fp8,0)", "lmcache", "remote_serde: 'naive'", "codec fp8");
    row("fixed(kivi4,0)", "vllm", "kv-cache-dtype: 'auto'", "codec kivi4");
    row("fixed(fp8,0)", "vllm", "kv-cache-dtype: 'fp8'", "fp8 rows in the tiers only");
  }
  void evictionAndCodecAreMappedOrNamed() {
    QFETCH(QString, policy);
    QFETCH(QString, system);
    QFETCH(QString, key);
    QFETCH(QString, unsaid);
    const auto settings = serving_settings(run_with(policy.toStdString(), system == "lmcache"), system.toStdString());
    QVERIFY2(settings.has_value(), settings ? "" : settings.error().message.c_str());
    QVERIFY2(settings->text.find(key.toStdString()) != std::string::npos, settings->text.c_str());
    if (!unsaid.isEmpty()) QVERIFY2(said(*settings, unsaid.toStdString()), settings->text.c_str());
  }

  void aCodecWithoutAServerIsNamed() {
    const auto settings = serving_settings(run_with("fixed(kivi4,0)", false), "lmcache");
    QVERIFY(settings.has_value());
    QVERIFY(settings->text.find("remote_serde:") == std::string::npos);
    QVERIFY2(said(*settings, "codec kivi4: entries are encoded only on their way to a remote server"),
             settings->text.c_str());
  }

  // A url that LMCache would read otherwise is not handed on.
  void onlyUrlsOfRedisAreHandedOn() {
    const auto with_url = [](const char* url) {
      SessionSettings settings;
      settings.policy = "lru";
      settings.tiers = {{.name = "dram", .budget = 1 << 20},
                        {.name = "server", .budget = 1 << 21, .options = {{"url", url}}}};
      RecordedRun run = run_with("lru", true);
      run.summary.settings["settings"] = to_json(settings);
      run.events.front().payload = events::RunStarted{"r", run.summary.settings};
      return serving_settings(run, "lmcache");
    };
    const auto cluster = with_url("redis-cluster://a:1,b:2?hosts=c");
    QVERIFY2(cluster && cluster->text.find("remote_url: 'redis-cluster://a:1,b:2'\n") != std::string::npos,
             cluster ? cluster->text.c_str() : cluster.error().message.c_str());
    QVERIFY(said(*cluster, "what follows the ? in the url of tier 'server'"));
    const auto sentinels = with_url("redis-sentinel://a:1/main");
    QVERIFY2(sentinels && sentinels->text.find("remote_url:") == std::string::npos,
             sentinels ? sentinels->text.c_str() : sentinels.error().message.c_str());
    QVERIFY(said(*sentinels, "tier 'server' at redis-sentinel://"));
  }

  void theCommandCanBePasted() {
    const auto settings = serving_settings(run_with("lru", false), "lmcache");
    QVERIFY(settings.has_value());
    QVERIFY2(settings->text.find("\n# LMCACHE_CONFIG_FILE=lmcache.yaml vllm serve MODEL --kv-transfer-config "
                                 "'{\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}'\n") !=
                 std::string::npos,
             settings->text.c_str());
  }

  // 4,096 bytes a token are four times 1,024: budgets hold as many tokens.
  void budgetsAreScaledToAModel() {
    RecordedRun run = run_with("lru", true);
    run.summary.settings["kv_bytes_per_token"] = 1024;
    run.events.front().payload = events::RunStarted{"r", run.summary.settings};
    const ServingOptions options{.for_model = ServedModel{"big", 4096}};
    const auto lmcache = serving_settings(run, "lmcache", options), vllm = serving_settings(run, "vllm", options);
    QVERIFY(lmcache && vllm);
    QCOMPARE(lmcache->factor, 4.0);
    QVERIFY2(lmcache->text.find("max_local_cpu_size: 0.00390625\n") != std::string::npos, lmcache->text.c_str());
    QVERIFY2(lmcache->text.find("the run times 4, for big: a token takes 4096 bytes of KV there, 1024 in the run") !=
                 std::string::npos,
             lmcache->text.c_str());
    QVERIFY2(said(*lmcache, "the budget of tier 'server' (8.0 MiB)"), lmcache->text.c_str());
    QVERIFY2(vllm->text.find("\"cpu_bytes_to_use\":4194304") != std::string::npos, vllm->text.c_str());
    QCOMPARE(serving_settings(run, "vllm")->factor, 1.0);
    const auto refused = serving_settings(run_with("lru", false), "lmcache", options);
    QVERIFY(!refused && refused.error().code == ErrorCode::rejected_input);
    QVERIFY2(refused.error().message.find("leave --for-model out") != std::string::npos,
             refused.error().message.c_str());
  }

  void fullPrefillSwitchesCachesOff() {
    const auto lmcache = serving_settings(run_with("full_prefill", true), "lmcache");
    QVERIFY(lmcache && lmcache->text.find("local_cpu: false") != std::string::npos);
    for (const char* key : {"max_local_cpu_size", "remote_url", "local_disk", "cache_policy"})
      QVERIFY2(lmcache->text.find(key) == std::string::npos, key);
    const auto vllm = serving_settings(run_with("full_prefill", false), "vllm");
    QVERIFY(vllm && vllm->text.find("enable-prefix-caching: false") != std::string::npos);
    QVERIFY2(vllm->text.find("\nkv-transfer-config:") == std::string::npos, vllm->text.c_str());
    QVERIFY(said(*vllm, "full_prefill stored nothing"));
  }
};

KV_TEST_GUILESS_MAIN(ServingSettingsTest)

}  // namespace serving_settings_test

#include "serving_settings_test.moc"
