// links: kv_base
// Random damage to small traces of every format: each is read to its end with a closed account, or refused with line,
// reason and fix. KVANTAGE_FUZZ_EXECUTIONS sets the number of tries per format (default 120,000) and KVANTAGE_FUZZ_SEED
// where they begin, for long runs, in builds with a sanitizer too; with it Qt's limit of five minutes per function is
// lifted.
#include <QtTest>

#include "core/trace/trace_summary.h"
#include "tests/support/damage.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace trace_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const std::vector<std::string> own_morsels{
    "timestamp", "hash_ids", "\"input\":", "TIMESTAMP", "2023-02-30 00:00:00", "9999-99-99 99:99:99", "+14:59", "Z"};

// "t:<number>: reason; fix" on one line.
bool is_whole_refusal(const std::string& message) {
  if (!message.starts_with("t:")) return false;
  const std::size_t digits = message.find_first_not_of("0123456789", 2);
  return digits != std::string::npos && digits > 2 && message.compare(digits, 2, ": ") == 0 && message[2] != '0' &&
         message.find("; ", digits) != std::string::npos && message.size() < 2000;
}

}  // namespace

class TraceFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void damageIsReadOrRefused_data() {
    QTest::addColumn<QByteArray>("format");
    for (const auto& [format, text] : samples()) QTest::newRow(format.c_str()) << QByteArray::fromStdString(format);
  }
  void damageIsReadOrRefused() {
    QFETCH(QByteArray, format);
    const std::uint64_t executions = fuzz_executions(default_tries(600'000), 15),
                        seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    std::uint64_t read = 0, refused = 0;
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      const std::string text = damaged(samples().at(format.toStdString()), random, own_morsels);
      TraceOptions options;
      if (random.below(2) == 0) options.format = format.toStdString();
      options.window_rows = 1 + random.below(4);
      options.limit = random.below(3);
      const auto reader = open_trace(std::make_unique<std::istringstream>(text), "t", options);
      const auto summary = reader ? summarize_trace(**reader, std::vector<std::uint64_t>{2})
                                  : Expected<TraceSummary>(tl::unexpected(reader.error()));
      const auto told = [&] {
        return (format + ", seed " + QByteArray::number(quint64(seed)) + ", try " + QByteArray::number(quint64(i)) +
                ": " + (summary ? QByteArray("account open") : QByteArray::fromStdString(summary.error().message)))
            .toStdString();
      };
      if (summary) {
        ++read;
        QVERIFY2(summary->counts.balanced() && summary->counts.waiting == 0, told().c_str());
      } else {
        ++refused;
        QVERIFY2(summary.error().code == ErrorCode::rejected_input && is_whole_refusal(summary.error().message),
                 told().c_str());
        QVERIFY2(!reader || (*reader)->counts().balanced(), told().c_str());
      }
    }
    qInfo("%s: %llu read, %llu refused", format.constData(), static_cast<unsigned long long>(read),
          static_cast<unsigned long long>(refused));
    if (executions >= 1000)
      QVERIFY(read > executions / 100 && refused > executions / 100);  // neither all fine nor all broken
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  TraceFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace trace_fuzz_test

#include "trace_fuzz_test.moc"
