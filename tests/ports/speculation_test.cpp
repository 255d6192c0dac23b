// links: kv_base
// The text of the setting speculation: what is read, its canonical form, and what is refused with which reason.
#include "core/ports/speculation.h"

#include <QtTest>

#include "tests/support/test_program.h"

namespace speculation_test {

using namespace kvantage;

class SpeculationTest : public QObject {
  Q_OBJECT

 private slots:
  void textsAreReadAndWrittenInOneForm_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("canonical");
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("match");
    QTest::addColumn<int>("drafts");
    QTest::newRow("off") << "off"
                         << "off" << 0 << 3 << 8;
    QTest::newRow("lookup") << " lookup "
                            << "lookup" << 1 << 3 << 8;
    QTest::newRow("the defaults") << "lookup(n=3, k=8)"
                                  << "lookup" << 1 << 3 << 8;
    QTest::newRow("both") << "lookup(k=4,n=2)"
                          << "lookup(n=2,k=4)" << 1 << 2 << 4;
    QTest::newRow("one") << "lookup(k=1)"
                         << "lookup(k=1)" << 1 << 3 << 1;
    QTest::newRow("auto") << "auto"
                          << "auto" << 2 << 3 << 8;
    QTest::newRow("auto with parameters") << "auto(n=1)"
                                          << "auto(n=1)" << 2 << 1 << 8;
  }
  void textsAreReadAndWrittenInOneForm() {
    QFETCH(QString, text);
    QFETCH(QString, canonical);
    QFETCH(int, mode);
    QFETCH(int, match);
    QFETCH(int, drafts);
    const auto read = parse_speculation(text.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(static_cast<int>(read->mode), mode);
    QCOMPARE(read->match_tokens, match);
    QCOMPARE(read->draft_tokens, drafts);
    QCOMPARE(read->is_on(), mode != 0);
    QCOMPARE(read->text(), canonical.toStdString());
    QVERIFY(parse_speculation(read->text()).value() == *read);
  }

  void otherTextsAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("nothing") << ""
                             << "speculation";
    QTest::newRow("a near name") << "lookups"
                                 << "did you mean 'lookup'";
    QTest::newRow("another name") << "eagle"
                                  << "choose one of off, lookup, auto";
    QTest::newRow("no tokens") << "lookup(n=0)"
                               << "n is 0, not from 1 to 3";
    QTest::newRow("long n-grams") << "lookup(n=4)"
                                  << "n is 4, not from 1 to 3";
    QTest::newRow("no drafts") << "auto(k=0)"
                               << "k is 0, not from 1 to 8";
    QTest::newRow("many drafts") << "lookup(k=9)"
                                 << "k is 9, not from 1 to 8";
    QTest::newRow("a parameter of off") << "off(n=2)"
                                        << "speculation 'off'";
    QTest::newRow("not a number") << "lookup(n=two)"
                                  << "arguments not understood";
    QTest::newRow("below zero") << "lookup(k=-1)"
                                << "arguments not understood";
    QTest::newRow("twice") << "lookup(k=1,k=2)"
                           << "'k' is given twice";
    QTest::newRow("no form") << "lookup(k=1"
                             << "speculation";
  }
  void otherTextsAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, reason);
    const auto read = parse_speculation(text.toStdString());
    QVERIFY(!read);
    QVERIFY(read.error().code == ErrorCode::usage);
    QVERIFY2(read.error().message.find(reason.toStdString()) != std::string::npos, read.error().message.c_str());
    QVERIFY(read.error().message.find('\n') == std::string::npos);
  }
};

KV_TEST_APPLESS_MAIN(SpeculationTest)

}  // namespace speculation_test

#include "speculation_test.moc"
