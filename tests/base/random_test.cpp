// links: kv_base
// SplitMix64 against the sequence of its authors' published code, and the finalizer that tables of keys share with it.
#include "core/base/random.h"

#include <QtTest>
#include <bit>
#include <set>

#include "tests/support/test_program.h"

namespace random_test {

using namespace kvantage;

class RandomTest : public QObject {
  Q_OBJECT

 private slots:
  // Seed 1234567.
  void numbersAreThoseOfSplitMix64() {
    Random random(1234567);
    for (const std::uint64_t number : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                       4593380528125082431ULL, 16408922859458223821ULL})
      QCOMPARE(random.next(), number);
  }

  void theFinalizerIsWhatFollowsTheStep() {
    QCOMPARE(mixed_bits(1234567 + splitmix_step), std::uint64_t{6457827717110365317ULL});
    QCOMPARE(mixed_bits(0), std::uint64_t{0});
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}})
      QCOMPARE(Random(seed).next(), mixed_bits(seed + splitmix_step));
  }

  // Consecutive keys differ in about half of the bits, also in the lowest 16, which choose the slots of tables.
  void neighborsComeOutFarApart() {
    std::set<std::uint64_t> lowest;
    for (std::uint64_t key = 1; key <= 256; ++key) {
      const int differing = std::popcount(mixed_bits(key) ^ mixed_bits(key + 1));
      QVERIFY2(differing > 10 && differing < 54, qPrintable(QString::number(key)));
      lowest.insert(mixed_bits(key) & 0xffff);
    }
    QVERIFY(lowest.size() > 250);
  }
};

KV_TEST_APPLESS_MAIN(RandomTest)

}  // namespace random_test

#include "random_test.moc"
