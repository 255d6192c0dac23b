// links: kv_base
// Ranked keys in rings of equal rank, against a sorted set, with whatever ranks and ties. The orders of eviction that
// use them, over prompts whose blocks are touched at the same time, against a plain cache: ties decide there.
#include "core/eviction/ranked_rings.h"

#include <QtTest>
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/random.h"
#include "core/eviction/eviction_orders.h"
#include "tests/support/test_program.h"

namespace ranked_rings_test {

using namespace kvantage;

namespace {

using Blocks = std::vector<std::uint64_t>;

/// The same as RankedRings, in a set.
class SortedKeys {
 public:
  using Item = std::tuple<double, std::uint64_t, std::uint32_t>;  // rank, tie, key
  explicit SortedKeys(std::size_t keys) : items_(keys) {}
  void put(std::uint32_t key, double rank, std::uint64_t tie) {
    remove(key);
    items_[key] = Item{rank, tie, key};
    sorted_.insert(*items_[key]);
  }
  void remove(std::uint32_t key) {
    if (items_[key]) sorted_.erase(*items_[key]);
    items_[key].reset();
  }
  bool holds(std::uint32_t key) const { return items_[key].has_value(); }
  std::size_t size() const { return sorted_.size(); }
  std::uint64_t tie(std::uint32_t key) const { return std::get<1>(*items_[key]); }
  template <class Pinned>
  std::optional<Item> first_free(const Pinned& pinned) const {
    const auto at = std::ranges::find_if(sorted_, [&](const Item& item) { return !pinned(std::get<2>(item)); });
    return at == sorted_.end() ? std::nullopt : std::optional<Item>(*at);
  }

 private:
  std::vector<std::optional<Item>> items_;
  std::set<Item> sorted_;
};

/// A cache of blocks, of which the one with the lowest (rank, request, number of first appearance) leaves.
class PlainRankedBlocks {
 public:
  /// `scale`: rank of one request. `ages`: the rank of what left is the least rank of what enters.
  PlainRankedBlocks(std::size_t capacity, double scale, bool ages, bool newcomers_compete)
      : capacity_(capacity), scale_(scale), ages_(ages), newcomers_compete_(newcomers_compete) {}
  /// Blocks found up to the first miss.
  std::uint64_t request(const Blocks& blocks) {
    ++now_;
    std::uint64_t found = 0;
    bool unbroken = true;
    for (const std::uint64_t block : blocks) {
      const auto [at, is_new] = entries_.try_emplace(block);
      Entry& entry = at->second;
      if (is_new) entry.number = entries_.size();
      unbroken = unbroken && entry.is_held;
      found += unbroken;
      ++entry.requests;
      if (entry.is_held) {
        queue_.erase({entry.rank, entry.touched, entry.number});
      } else {
        ++written_;
        while (!newcomers_compete_ && queue_.size() >= capacity_) evict();
      }
      entry.rank = level_ + static_cast<double>(entry.requests) * scale_;
      entry.touched = now_;
      entry.is_held = true;
      queue_[{entry.rank, entry.touched, entry.number}] = block;
      while (queue_.size() > capacity_) evict();
    }
    return found;
  }
  std::uint64_t written() const { return written_; }

 private:
  struct Entry {
    std::uint64_t number = 0, requests = 0, touched = 0;
    double rank = 0;
    bool is_held = false;
  };
  void evict() {
    Entry& entry = entries_.at(queue_.begin()->second);
    queue_.erase(queue_.begin());
    if (ages_) level_ = std::max(level_, entry.rank);
    entry.is_held = false;
    entry.requests = 0;
  }
  std::size_t capacity_;
  double scale_, level_ = 0;
  bool ages_, newcomers_compete_;
  std::uint64_t now_ = 0, written_ = 0;
  std::map<std::uint64_t, Entry> entries_;
  std::map<std::tuple<double, std::uint64_t, std::uint64_t>, std::uint64_t> queue_;
};

/// Prompts that share beginnings, popular and rare ones; a few are reversed or shuffled, or have a block twice.
std::vector<Blocks> drawn_prompts(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Blocks> prompts;
  for (std::size_t i = 0; i < count; ++i) {
    Blocks blocks;
    std::uint64_t path = random.below(3) == 0 ? 1 : random.below(40);
    for (std::uint64_t depth = 0, length = 1 + random.below(24); depth < length; ++depth) {
      if (depth % 4 == 3) path = path * 7 + random.below(3) + 1;
      blocks.push_back(Random(path * 131 + depth).next());
    }
    const std::uint64_t change = random.below(12);
    if (change == 0) std::ranges::reverse(blocks);
    if (change == 1) random.shuffle(std::span(blocks));
    if (change == 2) blocks.push_back(blocks.front());
    prompts.push_back(std::move(blocks));
  }
  return prompts;
}

}  // namespace

class RankedRingsTest : public QObject {
  Q_OBJECT

 private slots:
  void firstIsThatOfASortedSet_data() {
    QTest::addColumn<quint64>("ranks");  // different ones; 0: each is its own
    QTest::addColumn<bool>("rising");
    for (const quint64 ranks : {1, 6, 300, 3000, 0})
      for (const bool rising : {false, true})
        QTest::addRow("%d ranks%s", static_cast<int>(ranks), rising ? ", rising" : "") << ranks << rising;
  }
  void firstIsThatOfASortedSet() {
    QFETCH(quint64, ranks);
    QFETCH(bool, rising);
    constexpr std::uint32_t keys = 2500;
    Random random(17 + ranks);
    RankedRings<> rings;
    rings.grow(keys);
    SortedKeys plain(keys);
    double level = 0;
    std::size_t taken = 0;
    const auto take_first = [&](std::uint64_t pinned_share) {
      const auto pinned = [&](std::uint32_t key) { return key % 8 < pinned_share; };
      const auto first = rings.first_free(pinned, [&](std::uint32_t key) { return plain.tie(key); });
      const auto wanted = plain.first_free(pinned);
      QCOMPARE(first.has_value(), wanted.has_value());
      if (!first) return;
      QCOMPARE(first->key, std::get<2>(*wanted));
      QCOMPARE(first->rank, std::get<0>(*wanted));
      if (rising) level = std::max(level, first->rank);
      rings.remove(first->key);
      plain.remove(first->key);
      ++taken;
    };
    for (std::uint64_t step = 0; step < 60'000; ++step) {
      const auto key = static_cast<std::uint32_t>(random.below(keys));
      const std::uint64_t what = random.below(20);
      if (what < 12) {
        const double rank = level + (ranks > 0 ? static_cast<double>(random.below(ranks)) : random.uniform());
        // Several keys at the same time; some as old as they like.
        const std::uint64_t tie = 100 + step / 8 - (what == 0 ? random.below(100) : 0);
        rings.put(key, rank, tie);
        plain.put(key, rank, tie);
      } else if (what < 14) {
        if (!plain.holds(key)) continue;
        rings.remove(key);
        plain.remove(key);
      } else {
        take_first(what == 14 ? random.below(9) : 0);
        if (QTest::currentTestFailed()) return;
      }
      if (step % 10'000 == 9'999) rings = RankedRings<>(rings);
    }
    while (plain.size() > 0 && !QTest::currentTestFailed()) take_first(0);
    QVERIFY(taken > 15'000);
    QVERIFY(!rings.first_free(NothingPinned{}, [](std::uint32_t) { return std::uint64_t{0}; }));
  }

  void zerosAreOneRank() {
    RankedRings<> rings;
    rings.grow(16);
    for (const std::uint32_t key : {4, 5, 6, 7}) rings.put(key, 0.0, 1);
    for (const std::uint32_t key : {8, 9}) rings.put(key, 5.0, 1);
    for (const std::uint32_t key : {0, 1, 10, 11, 12}) rings.put(key, -0.0, 1);
    for (const std::uint32_t key : {0, 1, 4, 5, 6, 7, 10, 11, 12, 8, 9}) {
      const auto first = rings.first_free(NothingPinned{}, [](std::uint32_t) { return std::uint64_t{1}; });
      QVERIFY(first.has_value());
      QCOMPARE(first->key, key);
      rings.remove(key);
    }
  }

  void tiesWithinAPromptAreThoseOfThePlainOne_data() {
    QTest::addColumn<QString>("order");
    QTest::addColumn<double>("scale");
    QTest::addColumn<bool>("ages");
    QTest::addColumn<bool>("competes");
    QTest::newRow("lfu") << "lfu" << 1.0 << false << false;
    QTest::newRow("gdsf") << "gdsf" << 1.0 << true << true;
    QTest::newRow("gdsf_hits") << "gdsf_hits" << 1e6 << true << false;
  }
  void tiesWithinAPromptAreThoseOfThePlainOne() {
    QFETCH(QString, order);
    QFETCH(double, scale);
    QFETCH(bool, ages);
    QFETCH(bool, competes);
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const std::vector<Blocks> prompts = drawn_prompts(seed, 2500);
      for (const std::size_t capacity : {1, 30, 200, 1500}) {
        const auto cache = find_eviction_order(order.toStdString())->make_cache(std::vector<std::uint64_t>{capacity});
        PlainRankedBlocks plain(capacity, scale, ages, competes);
        for (std::size_t i = 0; i < prompts.size(); ++i) {
          Reuse reuse;
          cache->touch_blocks(prompts[i], reuse);
          const std::uint64_t wanted = plain.request(prompts[i]);
          const bool same = reuse.all == wanted && cache->written(0) == plain.written();
          QVERIFY2(same, qPrintable(QString("capacity %1, request %2").arg(capacity).arg(i)));
          found += wanted;
        }
      }
    }
    QVERIFY2(found > 20'000, qPrintable(QString::number(found)));
  }
};

KV_TEST_GUILESS_MAIN(RankedRingsTest)

}  // namespace ranked_rings_test

#include "ranked_rings_test.moc"
