// links: kv_reports
// Faults as users write them.
#include <QTest>

#include "core/ports/fault_plan.h"
#include "tests/support/test_program.h"

namespace fault_plan_test {

using namespace kvantage;

class FaultPlanTest : public QObject {
  Q_OBJECT

 private slots:
  void everyPartIsRead() {
    const auto faults = parse_faults(
        "flip_on_read:0.01+flip_on_write:0.02+torn_write:0.03+short_read:0.04+read_error:0.05+write_error:0.06+no_"
        "space:0.07+"
        "sync_error:0.08+lost_sync:0.09+delay_on_read:20ms@0.1+delay_on_write:1.5s+space:64MiB+seed:"
        "18446744073709551615");
    QVERIFY(faults);
    const FaultPlan expected{.flip_on_read = 0.01,
                             .flip_on_write = 0.02,
                             .torn_write = 0.03,
                             .short_read = 0.04,
                             .read_error = 0.05,
                             .write_error = 0.06,
                             .no_space = 0.07,
                             .sync_error = 0.08,
                             .lost_sync = 0.09,
                             .delay_on_read = {0.1, 0.02},
                             .delay_on_write = {1, 1.5},
                             .space_bytes = 64 << 20};
    QVERIFY(faults->plan == expected);
    QCOMPARE(faults->seed, ~std::uint64_t{0});
    QVERIFY(faults->plan.any() && faults->plan.slows());
    QVERIFY(!parse_faults("")->plan.any());
  }

  void canonicalTextReadsBack_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* text, const char* canonical) { QTest::newRow(text) << text << canonical; };
    row("read_error:1e-3", "read_error:0.001");
    row("seed:1+read_error:0.10", "read_error:0.1");
    row("delay:20ms", "delay:0.02s");
    row("delay_on_write:20ms@0.5+delay_on_read:0.02s@0.5", "delay:0.02s@0.5");
    row("delay_on_write:1us@0.5", "delay_on_write:1e-06s@0.5");
    row("seed:7+space:1KiB+torn_write:1", "torn_write:1+space:1024+seed:7");
    row("", "");
  }
  void canonicalTextReadsBack() {
    QFETCH(QString, text);
    QFETCH(QString, canonical);
    const auto faults = parse_faults(text.toStdString());
    QVERIFY(faults);
    QCOMPARE(QString::fromStdString(to_string(*faults)), canonical);
    QVERIFY(*parse_faults(canonical.toStdString()) == *faults);
  }

  void whatMakesNoSenseIsRefusedWithAWayOut_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* text, const char* reason) { QTest::newRow(text) << text << reason; };
    row("read_error", "KIND:PROBABILITY");
    row("read_error:0.1+", "KIND:PROBABILITY");
    row("read_eror:0.1", "did you mean 'read_error'?");
    row("meteorite:0.1", "known are flip_on_read");
    row("read_error:1.1", "not a number above 0 up to 1");
    row("read_error:-0.1", "not a number above 0 up to 1");
    row("read_error:nan", "not a number above 0 up to 1");
    row("read_error:often", "not a number above 0 up to 1");
    row("read_error:0", "never occurs");
    row("read_error:0.1+read_error:0.2", "twice");
    row("delay:0.1", "not a time");
    row("delay:0s", "zero");
    row("delay:11s", "at most 10 s");
    row("delay:20ms@2", "not a number above 0 up to 1");
    row("delay:20ms+delay_on_read:1ms", "both delays");
    row("space:0", "holds nothing");
    row("space:much", "not a size");
    row("seed:-1+read_error:1", "not a whole number");
    row("seed:7", "names no fault");
  }
  void whatMakesNoSenseIsRefusedWithAWayOut() {
    QFETCH(QString, text);
    QFETCH(QString, reason);
    const auto faults = parse_faults(text.toStdString());
    QVERIFY(!faults);
    QCOMPARE(faults.error().code, ErrorCode::usage);
    const QString message = QString::fromStdString(faults.error().message);
    QVERIFY2(message.startsWith("faults: ") && message.contains(reason), qPrintable(message));
    QVERIFY2(message.contains("; ") || message.endsWith('?'), qPrintable(message));
  }
};

KV_TEST_GUILESS_MAIN(FaultPlanTest)

}  // namespace fault_plan_test

#include "fault_plan_test.moc"
