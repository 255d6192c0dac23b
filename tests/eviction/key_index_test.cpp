// links: kv_base
// Numbers of keys, by first appearance, whatever keys a file has: against a map of the standard library.
#include "core/eviction/key_index.h"

#include <QtTest>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace key_index_test {

using namespace kvantage;

class KeyIndexTest : public QObject {
  Q_OBJECT

 private slots:
  void numbersAreThoseOfTheFirstAppearance_data() {
    QTest::addColumn<quint64>("step");
    QTest::addColumn<bool>("drawn");
    QTest::newRow("one after the other") << quint64{1} << false;
    QTest::newRow("multiples of 16") << quint64{16} << false;  // which share the place in a line
    QTest::newRow("multiples of 17") << quint64{17} << false;
    QTest::newRow("powers apart") << (quint64{1} << 40) << false;
    QTest::newRow("at random") << quint64{1} << true;
  }
  void numbersAreThoseOfTheFirstAppearance() {
    QFETCH(quint64, step);
    QFETCH(bool, drawn);
    constexpr std::uint64_t different = 150'000;  // it grows several times
    Random random(31);
    std::vector<std::uint64_t> keys;
    keys.reserve(3 * different);
    for (std::uint64_t i = 0; i < different; ++i) keys.push_back(drawn ? random.next() : i * step);
    for (std::uint64_t i = 0; i < 2 * different; ++i) keys.push_back(keys[random.below(different)]);
    KeyIndex index;
    std::unordered_map<std::uint64_t, std::uint32_t> plain;
    std::uint32_t last = KeyIndex::none;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto expected = plain.emplace(keys[i], static_cast<std::uint32_t>(plain.size())).first->second;
      last = index.number(keys[i], i % 2 == 0 ? KeyIndex::none : last + 1);
      if (last != expected) QFAIL(qPrintable(QStringLiteral("touch %1: %2, not %3").arg(i).arg(last).arg(expected)));
    }
    QCOMPARE(index.size(), plain.size());
    for (const auto& [key, number] : plain) QCOMPARE(index.key(number), key);
  }
};

KV_TEST_APPLESS_MAIN(KeyIndexTest)

}  // namespace key_index_test

#include "key_index_test.moc"
