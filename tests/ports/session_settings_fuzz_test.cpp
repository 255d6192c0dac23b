// links: kv_base
// Random damage to the settings of a session as files hold them: settings that are written as they were read and are
// valid or refused in one line, or a refusal with file, reason and fix. What surrounds them when a session opens:
// workload_session_fuzz_test. KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QtTest>

#include "core/base/json.h"
#include "core/ports/session.h"
#include "tests/support/damage.h"
#include "tests/support/fuzzed_settings.h"
#include "tests/support/refusals.h"
#include "tests/support/test_program.h"

namespace session_settings_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

class SessionSettingsFuzzTest : public QObject {
  Q_OBJECT

  static SessionSettings sound() {
    SessionSettings settings = settings_to_damage();
    settings.tiers.front() = {.name = "fast", .budget = TierBudget::percent(40), .kind = "dram"};
    settings.tiers.push_back({.name = "pool",
                              .budget = TierBudget::unlimited(),
                              .options = {{"url", "redis://h:1"}, {"prefix", "p"}, {"timeout", "3s"}}});
    return settings;
  }

 private slots:
  void damageIsReadOrRefused() {
    const std::string whole = to_json(sound()).dump(1);
    const std::uint64_t executions = fuzz_executions(default_tries(20'000)),
                        seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    static const std::vector<std::string> own{
        "\"alpha\": ", "1e999", "\"kind\": \"ssd\"", "\"../x\"", "\"budget\": \"40%\"", "\"options\":{\"a\":\"b\"}",
        "\"lru\"",     "(",     "\"kvzip\"",         "null",     "\"kind\": \"\"",      "\"url\":\"redis://h:1/0\""};
    Outcomes outcomes;
    std::uint64_t valid = 0;
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      const auto json = parse_json(damaged(whole, random, own), "s.json");
      const auto told = [&](const std::string& what) { return "try " + std::to_string(i) + ": " + what; };
      const auto found = json ? session_settings_from_json(*json, "s.json") : tl::unexpected(json.error());
      if (!found) {
        ++outcomes.refused;
        QVERIFY2(is_whole_refusal(found.error(), "s.json"), told(found.error().message).c_str());
        continue;
      }
      ++outcomes.read;
      const Status sound = validate(*found);
      valid += sound.has_value();
      if (!sound)
        QVERIFY2(sound.error().code == ErrorCode::usage && sound.error().message.find('\n') == std::string::npos,
                 told(sound.error().message).c_str());
      if (!sound) continue;
      const auto again = session_settings_from_json(to_json(*found), "again");
      QVERIFY2(again && *again == *found, told("reads back otherwise").c_str());
    }
    qInfo("settings: %llu read, %llu of them valid, %llu refused", static_cast<unsigned long long>(outcomes.read),
          static_cast<unsigned long long>(valid), static_cast<unsigned long long>(outcomes.refused));
    QVERIFY(outcomes.mixed(500));  // names and numbers leave little free text to strike
    QVERIFY(executions < 1000 || valid > executions / 500);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  SessionSettingsFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace session_settings_fuzz_test

#include "session_settings_fuzz_test.moc"
