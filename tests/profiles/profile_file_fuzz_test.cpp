// links: kv_reports profiles
// Random damage to a profile file: cells that are written as they were read, or a refusal with file, reason and fix.
// KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QtTest>

#include "profiles/profile_file.h"
#include "tests/support/fuzz_loop.h"
#include "tests/support/test_program.h"

namespace profile_file_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

class ProfileFileFuzzTest : public QObject {
  Q_OBJECT

  static ProfileFile sample_file() {
    ProfileFile file;
    file.scope = {.model = digest_of("model"), .workload = digest_of("workload"), .quality_metric = "token_f1"};
    for (const char* context : {"c01", "cö2"})
      for (const double fraction : {0.25, 0.5})
        file.cells.push_back({.context = digest_of(context),
                              .context_id = context,
                              .family = "news",
                              .point = {.method = "adakv(snapkv)+kivi4",
                                        .removed_fraction = fraction,
                                        .quality = 0.75,
                                        .quality_low = 0.5,
                                        .quality_high = 1,
                                        .n = 2,
                                        .bytes = 123456,
                                        .kept_tokens = 768},
                              .scores = {0.5, 1}});
    return file;
  }

 private slots:
  void damageIsReadOrRefused() {
    const std::string whole = profile_to_text(sample_file());
    static const std::vector<std::string> own{"\"cells\":[", "\"scores\":[]", "1e300",        "\"n\":0",
                                              "\"point\":{", "\"version\":2", "\"bytes\":-1", "\"scope\":{}"};
    fuzz("profile files", fuzz_executions(default_tries(20'000)),
         [&](Random& random, Outcomes& outcomes, const auto& told) {
           const auto read = profile_from_text(damaged(whole, random, own), "p.json");
           if (!read) {
             ++outcomes.refused;
             QVERIFY2(is_whole_refusal(read.error(), "p.json"), told(read.error().message).c_str());
             return;
           }
           ++outcomes.read;
           const std::string text = profile_to_text(*read);
           const auto again = profile_from_text(text, "again");
           QVERIFY2(again, told(again ? "" : again.error().message).c_str());
           QVERIFY2(profile_to_text(*again) == text, told("reads back otherwise").c_str());
         });
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  ProfileFileFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace profile_file_fuzz_test

#include "profile_file_fuzz_test.moc"
