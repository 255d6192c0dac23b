// links: kv_base
// Random damage to settings files of LMCache and vLLM: a session whose settings are valid, or a refusal with file,
// reason and fix. KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QtTest>

#include "core/base/files.h"
#include "core/imported/serving/serving_config.h"
#include "core/imported/serving/yaml_json.h"
#include "core/ports/session.h"
#include "tests/support/fuzz_loop.h"
#include "tests/support/test_program.h"

namespace serving_config_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

class ServingConfigFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void damageIsReadOrRefused() {
    if (!has_yaml()) QSKIP("this build has no libyaml");
    std::vector<std::string> whole;
    for (const char* file : {"serving_files/lmcache/resp.yaml", "serving_files/lmcache/decoder_with_remote.yaml",
                             "serving/lmcache-tiers.yaml", "serving/vllm-tiers.yaml"}) {
      const auto text = read_text_file(std::filesystem::path(KVANTAGE_SOURCE_DIR "/tests/goldens") / file);
      QVERIFY(text.has_value());
      whole.push_back(*text);
    }
    static const std::vector<std::string> own{"max_local_cpu_size: ",
                                              "local_disk: '/x'",
                                              "redis://h:1",
                                              "cache_policy: ",
                                              "- ",
                                              "? ",
                                              "&a ",
                                              "*a",
                                              "!!str ",
                                              "---\n",
                                              "{\"type\":",
                                              "1.0e+300",
                                              "|\n  x",
                                              "- - -",
                                              "%YAML",
                                              "\\x"};
    fuzz("serving settings", fuzz_executions(default_tries(20'000)),
         [&](Random& random, Outcomes& outcomes, const auto& told) {
           const std::string text = damaged(whole[random.below(whole.size())], random, own);
           const auto values = json_of_yaml(text, "s.yaml");
           const auto config = values ? serving_config(*values, "s.yaml") : tl::unexpected(values.error());
           if (!config) {
             ++outcomes.refused;
             QVERIFY2(is_whole_refusal(config.error(), "s.yaml"), told(config.error().message).c_str());
             return;
           }
           ++outcomes.read;
           const auto settings = session_settings_from_json(config->session, "session");
           QVERIFY2(settings, told(settings ? "" : settings.error().message).c_str());
           for (const std::string& line : config->unsaid)
             QVERIFY2(!line.empty() && line.size() < 300 && line.find('\n') == line.npos, told(line).c_str());
         });
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  ServingConfigFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace serving_config_fuzz_test

#include "serving_config_fuzz_test.moc"
