// links: kv_base
// Numbers agree with their nouns.
#include "core/base/counted.h"

#include <QTest>
#include <limits>

#include "tests/support/test_program.h"

namespace counted_test {

using namespace kvantage;

class CountedTest : public QObject {
  Q_OBJECT

 private slots:
  void oneIsSingular() {
    QCOMPARE(counted(1, "request"), std::string("1 request"));
    QCOMPARE(counted(1, "entry"), std::string("1 entry"));
  }

  void allOthersArePlural() {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{11}, std::uint64_t{21},
                                  std::numeric_limits<std::uint64_t>::max()})
      QCOMPARE(counted(n, "write"), std::to_string(n) + " writes");
  }

  void aNounInRyBecomesOneInRies() {
    QCOMPARE(counted(3, "entry"), std::string("3 entries"));
    QCOMPARE(counted(2, "day"), std::string("2 days"));
  }
};

KV_TEST_GUILESS_MAIN(CountedTest)

}  // namespace counted_test

#include "counted_test.moc"
