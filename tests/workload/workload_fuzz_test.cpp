// links: kv_base
// Random damage to the files of a workload: read, or refused with file, reason and fix. KVANTAGE_FUZZ_EXECUTIONS and
// KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "tests/support/damage.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace workload_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

class WorkloadFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void damageIsReadOrRefused_data() {
    QTest::addColumn<QString>("file");
    for (const QString file : {"workload.json", "contexts.jsonl", "questions.jsonl", "schedule.jsonl"})
      QTest::newRow(qPrintable(file)) << file;
  }
  void damageIsReadOrRefused() {
    QFETCH(QString, file);
    // In memory where there is such a file system: a try writes one small file and reads three.
    const QTemporaryDir folder(fs::exists("/dev/shm") ? "/dev/shm/kvantage-fuzz-XXXXXX"
                                                      : QDir::tempPath() + "/kvantage-fuzz-XXXXXX");
    const fs::path workload = folder.path().toStdString();
    Workload small = small_workload(2, 4, 3, 2);
    small.arrivals.bursts = Bursts{};
    small.arrivals.drift = Drift{};
    const auto asked = std::ranges::find(small.questions, QuestionSplit::held_out, &WorkloadQuestion::split);
    small.schedule = {{0, asked->context, static_cast<std::size_t>(asked - small.questions.begin())},
                      {1, asked->context, {}},
                      {1000, {}, {}}};
    QVERIFY(write_workload(small, workload).has_value());
    const fs::path target = workload / file.toStdString();
    const std::string whole = read_text_file(target).value();
    const std::uint64_t executions = fuzz_executions(default_tries(200'000), 12),
                        seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    static const std::vector<std::string> own{"\"id\":",       "\"context\":",   "\"split\":\"profile\"",
                                              "\"arrivals\":", "\"phase\":",     "1e999",
                                              "\"c0\"",        "\"bursts\":null"};
    std::uint64_t read = 0, refused = 0;
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      const std::string text = damaged(whole, random, own);
      {
        std::ofstream stream(target, std::ios::binary | std::ios::trunc);
        stream << text;
      }
      const auto found = read_workload(workload);
      const std::string message = found ? std::string() : found.error().message;
      const auto told = [&] { return file + ", try " + QString::number(i) + ": " + QString::fromStdString(message); };
      if (found) {
        ++read;
        QVERIFY2(!found->contexts.empty() && found->requests(5, i).size() <= 5, qPrintable(told()));
      } else {
        ++refused;
        QVERIFY2(found.error().code == ErrorCode::rejected_input && message.starts_with(workload.string()) &&
                     message.find("; ") != std::string::npos && message.find('\n') == std::string::npos &&
                     message.size() < 2000,
                 qPrintable(told()));
      }
    }
    qInfo("%s: %llu read, %llu refused", qPrintable(file), static_cast<unsigned long long>(read),
          static_cast<unsigned long long>(refused));
    // Next to nothing in a schedule is free text, so little of what is damaged is still right.
    if (executions >= 1000)
      QVERIFY(read > executions / (file == "schedule.jsonl" ? 1000 : 100) && refused > executions / 100);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  WorkloadFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace workload_fuzz_test

#include "workload_fuzz_test.moc"
