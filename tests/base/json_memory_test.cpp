// links: kv_base
// A small file of others whose values would take all memory is refused before it is parsed.
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
};

KV_TEST_GUILESS_MAIN(JsonMemoryTest)

}  // namespace json_memory_test

#include "json_memory_test.moc"
