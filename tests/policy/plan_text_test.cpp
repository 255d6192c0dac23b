// links: kv_base
// Numbers as a decision's sentences write them.
#include <QtTest>

#include "core/policy/plan_text.h"
#include "tests/support/test_program.h"

namespace plan_text_test {

using namespace kvantage;

class PlanTextTest : public QObject {
  Q_OBJECT

 private slots:
  void numbersHaveThreeDigitsAndZeroHasNoSign() {
    QCOMPARE(short_number(0.0), std::string("0"));
    QCOMPARE(short_number(-0.0), std::string("0"));
    QCOMPARE(short_number(-0.12345), std::string("-0.123"));
    QCOMPARE(short_number(1234567), std::string("1.23e+06"));
    QCOMPARE(short_number(3000), std::string("3000"));
    QCOMPARE(short_number(-12345), std::string("-12300"));
    QCOMPARE(short_number(999.9), std::string("1000"));
    QCOMPARE(short_number(999900), std::string("1e+06"));
  }
};

KV_TEST_GUILESS_MAIN(PlanTextTest)

}  // namespace plan_text_test

#include "plan_text_test.moc"
