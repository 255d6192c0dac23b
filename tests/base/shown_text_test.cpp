// links: kv_base
// What comes from files and servers commands neither a terminal nor a spreadsheet.
#include <QtTest>

#include "core/base/json.h"
#include "core/base/shown_text.h"
#include "tests/support/test_program.h"

namespace shown_text_test {

using namespace kvantage;

class ShownTextTest : public QObject {
  Q_OBJECT

 private slots:
  void aLineCommandsNothing() {
    QCOMPARE(shown_line("a\tb\nc\x1b[2J\x07\x7f"), std::string("a b c [2J  "));
    QCOMPARE(shown_line("\xc2\x9b"
                        "2J"),
             std::string("\xef\xbf\xbd"
                         "2J"));  // C1's ESC [
    QCOMPARE(shown_line("a\xe2\x80\xae"
                        "b\xe2\x81\xa9"),
             std::string("a\xef\xbf\xbd"
                         "b\xef\xbf\xbd"));
    QCOMPARE(shown_line("\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8"), std::string("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
    QCOMPARE(shown_line("\xff"), std::string("\xef\xbf\xbd"));
    const std::string plain = "caf\xc3\xa9 \xe6\x96\x87 \xd7\xa9 \xe2\x80\x93 \xe2\x80\xa6 \xc2\xa0";
    QCOMPARE(shown_line(plain), plain);
  }

  void namesAreShortened() {
    QCOMPARE(shortened("abc", 3), std::string("abc"));
    QCOMPARE(shortened("abcd", 3), std::string("abc..."));
    QCOMPARE(shortened("ab\xe2\x82\xac", 4), std::string("ab..."));  // no cut letter
    QCOMPARE(printable(std::string(5000, 'x')).size(), std::size_t{203});
    QCOMPARE(printable("a\x1b]0;t\x07\xe2\x80\xae"), std::string("a\\u001b]0;t\\u0007\xef\xbf\xbd"));
  }

  void faultyJsonIsQuotedShortAndPlain() {
    const auto json = parse_json("[\"" + std::string(5000, 'x') + "\x1b[2J", "f.json");
    QVERIFY(!json && json.error().message.size() < 400);
    QVERIFY(json.error().message.find('\x1b') == std::string::npos);
  }

  void noCellIsAFormula() {
    for (const char* formula : {"=1+1", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "--1"})
      QVERIFY2(csv_cell(formula).find(std::string("'") + formula) != std::string::npos, formula);
    for (const char* number : {"-1.5", "-2e-7", "+3.5", "-30 %", "3", "-", "a=b"})
      QCOMPARE(csv_cell(number), std::string(number));
    QCOMPARE(csv_cell("=HYPERLINK(\"x\",\"y\")\n"), std::string("\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\n\""));
  }
};

KV_TEST_GUILESS_MAIN(ShownTextTest)

}  // namespace shown_text_test

#include "shown_text_test.moc"
