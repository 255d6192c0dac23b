// links: kv_base
// What may name a workload, a tier or a run, whoever wrote it.
#include <QtTest>

#include "core/base/json_fields.h"
#include "core/base/names.h"
#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace names_test {

using namespace kvantage;

class NamesTest : public QObject {
  Q_OBJECT

 private slots:
  void namesThatAreFine() {
    for (const std::string name : {"quickstart", "own text", "Bericht 2026 (2), v1.2+x", "w\xc3\xb6rkload",
                                   "\xe6\x96\x87", "a_b-c.d", "\xf0\x9f\x8c\x8d", "x"}) {
      QVERIFY2(check_name(name, "f"), name.c_str());
      QCOMPARE(as_name(name, "other"), name);
    }
    QVERIFY(check_name(std::string(max_name_bytes, 'n'), "f"));
  }

  void namesThatAreNone_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QString>("reason");
    const auto row = [](const QByteArray& name, const char* reason) {
      QTest::newRow(name.toPercentEncoding().constData()) << name << reason;
    };
    row("", "is empty");
    row(QByteArray(101, 'n'), "longer than 100 bytes");
    row(QByteArray(1 << 20, 'n'), "longer than 100 bytes");
    for (const char* dotted : {".", "..", ".hidden", "../up"}) row(dotted, "begins with a dot");
    for (const char* spaced : {" x", "x ", " "}) row(spaced, "a space");
    for (const char* sign : {"/abs/evil", "a/b", "a\\b", "C:x", "a*", "a?", "a\"b", "<b>", "a|b", "a\nb", "a\rb",
                             "a\tb", "a\x1b[31m", "a\x7f", "a\xc2\x85",
                             "a\xe2\x80\xae"
                             "b",
                             "a\xe2\x80\x8b", "a\xef\xbb\xbf"})
      row(sign, "no name may hold");
    row(QByteArray("a\0b", 3), "no name may hold");
    for (const char* broken : {"a\xff", "a\xc3", "a\xed\xa0\x80", "a\xc0\xaf"}) row(broken, "not valid UTF-8");
  }
  void namesThatAreNone() {
    QFETCH(QByteArray, name);
    QFETCH(QString, reason);
    const Status checked = check_name(name.toStdString(), "f.json");
    QVERIFY(!checked);
    QCOMPARE(checked.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(checked.error().message);
    QVERIFY2(message.startsWith("f.json: ") && message.contains(reason), qPrintable(message));
    QVERIFY2(message.size() < 400 && !message.contains('\n') && !message.contains('\x1b'), qPrintable(message));
    const std::string made = as_name(name.toStdString(), "other");
    QVERIFY2(check_name(made, "f"), made.c_str());
  }

  void whateverIsMadeANameIsOne() {
    Random random(1);
    for (int i = 0; i < 20000; ++i) {
      std::string text(random.below(130), ' ');
      for (char& letter : text)
        letter = static_cast<char>(random.below(3) == 0 ? random.below(256) : 'a' + random.below(26));
      const std::string made = as_name(text, "other");
      QVERIFY2(check_name(made, "f"), made.c_str());
      if (check_name(text, "f")) QCOMPARE(made, text);
    }
  }
};

KV_TEST_GUILESS_MAIN(NamesTest)

}  // namespace names_test

#include "names_test.moc"
