// links: app_wiring
// Random damage to a workload's session.json: settings that a session takes and that are written as they were read, or
// a refusal with file, reason and fix. KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QTemporaryDir>
#include <QtTest>

#include "app/wiring/session_setup.h"
#include "tests/support/damage.h"
#include "tests/support/fuzzed_settings.h"
#include "tests/support/refusals.h"
#include "tests/support/test_program.h"

namespace session_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

class SessionFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void damageIsReadOrRefused() {
    const QTemporaryDir folder(fs::exists("/dev/shm") ? "/dev/shm/kvantage-fuzz-XXXXXX"
                                                      : QDir::tempPath() + "/kvantage-fuzz-XXXXXX");
    SessionOptions options;
    options.workload = folder.path().toStdString();
    const fs::path file = options.workload / "session.json";
    const std::string whole = to_json(settings_to_damage()).dump(1);
    const std::uint64_t executions = fuzz_executions(default_tries(20'000)),
                        seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    static const std::vector<std::string> own{
        "\"alpha\": ",          "1e999", "\"ssd\"",   "\"../x\"", "\"archive\"", "\"lru\"",
        "\"fixed(knorm,0.5)\"", "(",     "\"kvzip\"", "null",     "[]",          "\"url\":\"redis://h:1/0\""};
    Outcomes outcomes;
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      {
        std::ofstream stream(file, std::ios::binary | std::ios::trunc);
        stream << damaged(whole, random, own);
      }
      const auto found = session_settings(options);
      const auto told = [&](const std::string& what) { return "try " + std::to_string(i) + ": " + what; };
      if (!found) {
        ++outcomes.refused;
        const Error& error = found.error();
        // A file may leave the tiers to the command line: that none are there is no fault of it.
        if (error.message.starts_with("no tier is given; ")) continue;
        QVERIFY2(is_whole_refusal(error, file.string()), told(error.message).c_str());
        continue;
      }
      ++outcomes.read;
      QVERIFY2(validate(*found), told("not valid").c_str());
      const auto again = session_settings_from_json(to_json(*found), "again");
      QVERIFY2(again && *again == *found, told("reads back otherwise").c_str());
    }
    qInfo("session.json: %llu read, %llu refused", static_cast<unsigned long long>(outcomes.read),
          static_cast<unsigned long long>(outcomes.refused));
    QVERIFY(outcomes.mixed(500));  // names and numbers of settings leave little free text to damage
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  SessionFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace session_fuzz_test

#include "session_fuzz_test.moc"
