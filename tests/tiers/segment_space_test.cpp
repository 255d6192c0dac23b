// links: kv_base kv_tiers
// The bookkeeping of segment files against a map of pages: no two extents share one, no page is lost, and holes are
// used again.
#include <QTest>
#include <set>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "tiers/mapped_memory.h"
#include "tiers/ssd/segment_space.h"

namespace segment_space_test {

using namespace kvantage;

class SegmentSpaceTest : public QObject {
  Q_OBJECT

 private:
  using Pages = std::set<std::pair<std::uint32_t, std::uint64_t>>;

  static bool claim(Pages& taken, const SegmentExtent& extent) {
    for (std::uint64_t at = extent.offset; at < extent.end(); at += page_bytes)
      if (!taken.emplace(extent.segment, at).second) return false;
    return true;
  }
  static void give_up(Pages& taken, const SegmentExtent& extent) {
    for (std::uint64_t at = extent.offset; at < extent.end(); at += page_bytes) taken.erase({extent.segment, at});
  }

 private slots:
  void noPageIsTakenTwiceOrLost_data() {
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= 5; ++seed) QTest::addRow("seed %llu", seed) << seed;
  }
  void noPageIsTakenTwiceOrLost() {
    QFETCH(quint64, seed);
    constexpr std::uint64_t segment_pages = 64;
    SegmentSpace space(segment_pages * page_bytes);
    Random random(seed);
    Pages taken;
    std::vector<SegmentExtent> live;
    for (int step = 0; step < 20000; ++step) {
      const bool grow = live.empty() || random.below(200) < (step / 2000 % 2 == 0 ? 120u : 80u);
      if (grow) {
        const std::uint64_t pages = 1 + random.below(random.below(20) == 0 ? 100 : 12);
        const SegmentExtent extent = random.below(10) == 0 ? space.append(pages * page_bytes, space.next_number())
                                                           : space.allocate(pages * page_bytes);
        QCOMPARE(extent.bytes, pages * page_bytes);
        QVERIFY(claim(taken, extent));
        QVERIFY(extent.end() <= space.length(extent.segment));
        QVERIFY(extent.end() <= segment_pages * page_bytes || extent.offset == 0);
        live.push_back(extent);
      } else {
        const std::size_t victim = random.below(live.size());
        const SegmentExtent extent = live[victim];
        give_up(taken, extent);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
        const std::uint64_t length = space.release(extent);
        QCOMPARE(space.length(extent.segment), length);
        // A segment ends where its last page ends.
        const auto last = taken.lower_bound({extent.segment + 1, 0});
        const bool empty = last == taken.begin() || std::prev(last)->first != extent.segment;
        QCOMPARE(length, empty ? 0 : std::prev(last)->second + page_bytes);
      }
      QCOMPARE(space.length_bytes(), taken.size() * page_bytes + space.free_bytes());
    }
    while (!live.empty()) {
      space.release(live.back());
      live.pop_back();
    }
    QCOMPARE(space.length_bytes(), std::uint64_t{0});
    QCOMPARE(space.free_bytes(), std::uint64_t{0});
  }

  void whatIsFoundAtOpeningIsTheSameSpace() {
    Random random(9);
    SegmentSpace first(64 * page_bytes);
    std::vector<SegmentExtent> live;
    for (int i = 0; i < 400; ++i) live.push_back(first.allocate((1 + random.below(9)) * page_bytes));
    for (int i = 0; i < 150; ++i) {
      const std::size_t victim = random.below(live.size());
      first.release(live[victim]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    std::sort(live.begin(), live.end(), [](const SegmentExtent& a, const SegmentExtent& b) {
      return std::pair(a.segment, a.offset) < std::pair(b.segment, b.offset);
    });
    SegmentSpace second(64 * page_bytes);
    for (const SegmentExtent& extent : live) QVERIFY(second.occupy(extent));
    QCOMPARE(second.length_bytes(), first.length_bytes());
    QCOMPARE(second.free_bytes(), first.free_bytes());
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t bytes = (1 + random.below(9)) * page_bytes;
      QVERIFY(first.allocate(bytes) == second.allocate(bytes));
    }
  }

  void whatCannotBeIsRefused() {
    SegmentSpace space(64 * page_bytes);
    QVERIFY(space.occupy({1, 0, 2 * page_bytes}));
    QVERIFY(!space.occupy({1, page_bytes, 2 * page_bytes}));  // overlaps
    QVERIFY(!space.occupy({1, 8192 + 100, page_bytes}));
    QVERIFY(!space.occupy({1, 2 * page_bytes, 0}));
    QVERIFY(!space.occupy({0, 0, page_bytes}));
    QVERIFY(!space.occupy({2, ~std::uint64_t{0} & ~std::uint64_t{4095}, page_bytes}));
    QCOMPARE(space.length_bytes(), 2 * page_bytes);
  }

  void theSmallestHoleThatIsLargeEnoughIsTaken() {
    SegmentSpace space(64 * page_bytes);
    std::vector<SegmentExtent> extents;
    for (const std::uint64_t pages : {5, 1, 3, 1, 4, 1}) extents.push_back(space.allocate(pages * page_bytes));
    space.release(extents[0]);
    space.release(extents[2]);
    space.release(extents[4]);
    QVERIFY(space.allocate(3 * page_bytes) == extents[2]);
    QVERIFY(space.allocate(4 * page_bytes) == extents[4]);
    QCOMPARE(space.allocate(2 * page_bytes).offset, extents[0].offset);
    QCOMPARE(space.free_bytes(), 3 * page_bytes);
  }
};

KV_TEST_GUILESS_MAIN(SegmentSpaceTest)

}  // namespace segment_space_test

#include "segment_space_test.moc"
