// links: kv_base
// A small file of others whose values would take all memory is refused before it is parsed; so is a text that the
// library would read in part, or misname.
#include <sys/resource.h>

#include <QTest>
#include <string>

#include "core/base/json.h"
#include "tests/support/test_program.h"

namespace json_memory_test {

using namespace kvantage;

class JsonMemoryTest : public QObject {
  Q_OBJECT

  static std::string repeated(const std::string& piece, std::size_t bytes) {
    std::string text = "[";
    text.reserve(bytes + piece.size() + 2);
    while (text.size() < bytes) text += piece;
    text.back() = ']';
    return text;
  }
  static std::int64_t peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} << 10;
  }

 private slots:
  void valuesThatTakeMuchMoreThanTheirTextAreRefused_data() {
    QTest::addColumn<QByteArray>("piece");
    QTest::newRow("empty lists") << QByteArray("[],");
    QTest::newRow("empty objects") << QByteArray("{},");
    QTest::newRow("numbers") << QByteArray("1,");
    QTest::newRow("members") << QByteArray("{\"a\":1,\"b\":2},");
    QTest::newRow("strings") << QByteArray("\"\",");
    QTest::newRow("commas in strings count as text") << QByteArray("\",,,,,,,,\",");
  }
  void valuesThatTakeMuchMoreThanTheirTextAreRefused() {
    QFETCH(QByteArray, piece);
    // What is read stays within the stated memory, and what would not is refused.
    int refused = 0, read = 0;
    for (const std::size_t mib : {2, 6, 60, 200}) {
      const std::string text = repeated(piece.toStdString(), mib << 20);
      const auto json = parse_json(text, "file.json");
      if (json) {
        ++read;
        continue;
      }
      ++refused;
      QVERIFY2(json.error().message.starts_with("file.json: holds more values than fit in 640 MiB of memory; split"),
               json.error().message.c_str());
    }
    QVERIFY(refused > 0 && read > 0);
    QVERIFY2(peak_bytes() < std::int64_t{1024} << 20, qPrintable(QString::number(peak_bytes() >> 20)));
  }

  void longTextsAreRead() {
    const std::string text = "{\"a\": \"" + std::string(std::size_t{200} << 20, ',') + "\"}";
    const auto json = parse_json(text, "file.json");
    QVERIFY(json.has_value());
    QCOMPARE((*json)["a"].get_ref<const std::string&>().size(), std::size_t{200} << 20);
  }

  // The library takes a NUL between values for the end of the text: what follows it would be hidden.
  void nothingIsHiddenBehindANul_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const QByteArray& text, const char* reason) {
      QTest::newRow(name) << text << QByteArray(reason);
    };
    row("at the end", QByteArray("{}\0", 3), "not valid JSON (byte 3 is NUL); correct it");
    row("before more", QByteArray("{}\0{\"a\":1}", 10), "not valid JSON (byte 3 is NUL); correct it");
    row("in a string", QByteArray("[\"a\0\"]", 6), "not valid JSON (byte 4 is NUL); correct it");
    row("UTF-16, little end first", QByteArray("\xff\xfe{\0}\0", 6), "is UTF-16; save it as UTF-8");
    row("UTF-16, big end first", QByteArray("\xfe\xff\0{\0}", 6), "is UTF-16; save it as UTF-8");
  }
  void nothingIsHiddenBehindANul() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, reason);
    const auto json = parse_json(text.toStdString(), "file.json");
    QVERIFY(!json);
    QCOMPARE(json.error().message, "file.json: " + reason.toStdString());
    QVERIFY(parse_json("{\"a\\u0000b\":1}", "file.json").has_value());
  }
};

KV_TEST_GUILESS_MAIN(JsonMemoryTest)

}  // namespace json_memory_test

#include "json_memory_test.moc"
