// links: kv_base
// Times as people read them, and that what is shown can be given.
#include "core/base/units.h"

#include <QTest>

#include "core/base/duration.h"
#include "tests/support/test_program.h"

namespace units_test {

using namespace kvantage;

class UnitsTest : public QObject {
  Q_OBJECT

 private slots:
  void timesHaveTheUnitThatFits() {
    QCOMPARE(format_seconds(1.5), std::string("1.50 s"));
    QCOMPARE(format_seconds(0.0123), std::string("12.3 ms"));
    QCOMPARE(format_seconds(4.2e-5), std::string("42 \u00b5s"));
    QCOMPARE(format_seconds(-4.2e-5), std::string("-42 \u00b5s"));
  }

  void microsecondsAreReadInBothSpellings() {
    QCOMPARE(parse_duration("20us").value(), 20e-6);
    QCOMPARE(parse_duration("20\u00b5s").value(), 20e-6);
    QVERIFY(!parse_duration("20\u00b5"));
  }

  void aUnitThatDiffersInCaseIsNamed_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("meant");
    QTest::newRow("lower") << "12mib"
                           << "unknown unit 'mib'; did you mean '12MiB'?";
    QTest::newRow("upper") << "1.5 GIB"
                           << "unknown unit 'GIB'; did you mean '1.5GiB'?";
    QTest::newRow("decimal") << "3gb"
                             << "unknown unit 'gb'; did you mean '3GB'?";
    QTest::newRow("short") << "64k"
                           << "unknown unit 'k'; did you mean '64K'?";
    QTest::newRow("none") << "12parsec"
                          << "unknown unit 'parsec'; write it like 64MiB or 1.5GiB";
    QTest::newRow("no number") << "nanmib"
                               << "not a size; write it like 64MiB or 1.5GiB";
    QTest::newRow("too large") << "51218446744073709551616MiB"
                               << "larger than 8 EiB; give one like 64MiB";
  }
  void aUnitThatDiffersInCaseIsNamed() {
    QFETCH(QString, text);
    QFETCH(QString, meant);
    const auto bytes = parse_bytes(text.toStdString());
    QVERIFY(!bytes);
    QCOMPARE(QString::fromStdString(bytes.error().message), "size '" + text + "': " + meant);
  }
};

KV_TEST_GUILESS_MAIN(UnitsTest)

}  // namespace units_test

#include "units_test.moc"
