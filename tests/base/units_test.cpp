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
};

KV_TEST_GUILESS_MAIN(UnitsTest)

}  // namespace units_test

#include "units_test.moc"
