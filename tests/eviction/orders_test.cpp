// links: kv_base
// The orders of eviction, request by request, against plain implementations of the papers
// (tests/support/plain_orders.h): as a policy uses them and as simulated caches do, over drawn traces and a published
// one. What holds of all of them.
#include <QtTest>

#include <cmath>
#include <filesystem>

#include "core/base/random.h"
#include "core/eviction/eviction_orders.h"
#include "core/trace/trace.h"
#include "tests/support/plain_orders.h"
#include "tests/support/test_program.h"

namespace orders_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Request {
  std::uint64_t key = 0, size = 1;
};
using Requests = std::vector<Request>;

const std::vector<const char*> held_against{"lru", "sieve", "w_tinylfu", "arc"};

/// "zipf": a power law; "scan": the same with runs of keys that never return; "loop": more keys in turn than fit;
/// "phases": the popular keys change.
Requests drawn(const std::string& shape, std::uint64_t seed, bool varied, std::size_t count) {
  Random random(seed);
  Requests requests;
  std::uint64_t fresh = 1'000'000;
  while (requests.size() < count) {
    const auto popular = static_cast<std::uint64_t>(200 * std::pow(random.uniform(), 3));
    std::uint64_t key = popular;
    if (shape == "loop") key = requests.size() % 60;
    if (shape == "phases") key = popular + 70 * (requests.size() / 800);
    if (shape == "scan" && requests.size() % 500 > 380) key = ++fresh;
    requests.push_back({key, varied ? 1 + Random(key).below(9) : 1});
  }
  return requests;
}

/// Hits of a policy's order that is driven as a cascade drives it.
std::vector<bool> hits_of_order(const std::string& name, const Requests& requests, std::uint64_t capacity) {
  const auto order = find_eviction_order(name)->make();
  order->set_capacity(capacity);
  std::map<std::uint64_t, Slot> numbers;
  std::map<Slot, std::uint64_t> here;  // bytes
  std::uint64_t used = 0, counter = 0;
  std::vector<bool> hits;
  for (const Request& request : requests) {
    const Slot slot = numbers.try_emplace(request.key, static_cast<Slot>(numbers.size())).first->second;
    const EntryFacts facts{request.size, ++counter, 1, 0, static_cast<double>(request.size), 0};
    hits.push_back(here.contains(slot));
    if (hits.back()) {
      order->touch(slot, facts);
      continue;
    }
    order->announce(slot, request.size);
    const bool competes = order->traits().newcomers_compete;
    if (competes) order->enter(slot, facts);
    used += request.size;
    here[slot] = request.size;
    while (used > capacity) {
      const auto victim = order->evict({});
      if (!victim || !here.contains(*victim)) return {};
      used -= here[*victim];
      here.erase(*victim);
    }
    if (!competes) order->enter(slot, facts);
  }
  return hits;
}

std::vector<bool> hits_of_cache(const std::string& name, const Requests& requests, std::uint64_t capacity) {
  const auto cache = *make_simulated_cache(name, std::vector<std::uint64_t>{capacity});
  std::vector<bool> hits;
  for (const Request& request : requests) {
    Reuse reuse;
    cache->touch_context(request.key, request.size, {}, reuse);
    hits.push_back(reuse.all > 0);
  }
  return hits;
}

std::vector<bool> hits_of_plain(const std::string& name, const Requests& requests, std::uint64_t capacity) {
  const auto cache = plain_cache(name, capacity);
  std::vector<bool> hits;
  for (const Request& request : requests) hits.push_back(cache->request(request.key, request.size));
  return hits;
}

void compare(const std::string& name, const Requests& requests, std::uint64_t capacity) {
  const auto plain = hits_of_plain(name, requests, capacity);
  for (const auto& [what, hits] : {std::pair{"order", hits_of_order(name, requests, capacity)},
                                   {"cache", hits_of_cache(name, requests, capacity)}}) {
    QCOMPARE(hits.size(), plain.size());
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(hits, plain).in1 - hits.begin());
    const QString key = at < requests.size() ? QString::number(requests[at].key) : QString();
    QVERIFY2(hits == plain, qPrintable(QString("%1 of %2 at capacity %3: request %4 of key %5")
                                           .arg(what)
                                           .arg(name.c_str())
                                           .arg(capacity)
                                           .arg(at)
                                           .arg(key)));
  }
}

}  // namespace

class EvictionOrdersTest : public QObject {
  Q_OBJECT
 private slots:
  void hitsAreThoseOfThePlainOne_data() {
    QTest::addColumn<QString>("order");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<bool>("varied");
    for (const char* order : held_against)
      for (const char* shape : {"zipf", "scan", "loop", "phases"})
        for (const bool varied : {false, true})
          QTest::addRow("%s, %s, %s sizes", order, shape, varied ? "varied" : "equal") << order << shape << varied;
  }
  void hitsAreThoseOfThePlainOne() {
    QFETCH(QString, order);
    QFETCH(QString, shape);
    QFETCH(bool, varied);
    std::size_t hits = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      for (const std::uint64_t capacity : {9, 40, 57, 150, 400}) {
        const Requests requests = drawn(shape.toStdString(), seed, varied, 3000);
        compare(order.toStdString(), requests, capacity);
        if (QTest::currentTestFailed()) return;
        const auto counted = hits_of_cache(order.toStdString(), requests, capacity);
        hits += static_cast<std::size_t>(std::ranges::count(counted, true));
      }
    QVERIFY(hits > 3000);
  }

  void hitsAreThoseOfThePlainOneOnAPublishedTrace_data() {
    QTest::addColumn<QString>("order");
    for (const char* order : held_against) QTest::newRow(order) << order;
  }
  void hitsAreThoseOfThePlainOneOnAPublishedTrace() {
    QFETCH(QString, order);
    auto reader =
        open_trace(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/traces/mooncake_conversation.jsonl");
    QVERIFY(reader.has_value());
    std::vector<std::uint64_t> blocks;
    while (blocks.size() < 12'000) {
      const auto next = (*reader)->next();
      QVERIFY(next.has_value() && next->has_value());
      blocks.insert(blocks.end(), (*next)->blocks.begin(), (*next)->blocks.end());
    }
    for (const bool varied : {false, true}) {
      Requests requests;
      for (const std::uint64_t block : blocks) requests.push_back({block, varied ? 1 + Random(block).below(9) : 1});
      compare(order.toStdString(), requests, varied ? 1500 : 300);
    }
  }

  // Whatever is pinned stays, and something leaves as long as something may.
  void whatIsPinnedStays() {
    for (const EvictionOrderInfo& info : eviction_orders())
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed);
        const auto order = info.make();
        order->set_capacity(50);
        std::map<Slot, std::uint64_t> here;
        std::vector<bool> pinned(30, false);
        for (std::uint64_t step = 1; step <= 600; ++step) {
          const auto slot = static_cast<Slot>(random.below(30));
          const std::uint64_t size = here.contains(slot) ? here[slot] : 1 + random.below(9);
          const EntryFacts facts{size, step, 1 + random.below(5), 1, random.uniform(), 1};
          switch (random.below(8)) {
            case 0:
              pinned[slot] = !pinned[slot];
              break;
            case 1:
              order->leave(slot);
              here.erase(slot);
              break;
            case 2:
            case 3: {
              const auto free = std::ranges::count_if(here, [&](const auto& one) { return !pinned[one.first]; });
              const auto victim = order->evict(pinned);
              QVERIFY2(victim.has_value() == (free > 0), std::string(info.name).c_str());
              if (!victim) break;
              QVERIFY2(here.contains(*victim) && !pinned[*victim], std::string(info.name).c_str());
              here.erase(*victim);
              break;
            }
            default:
              if (here.contains(slot)) {
                order->touch(slot, facts);
                break;
              }
              order->announce(slot, size);
              order->enter(slot, facts);
              here[slot] = size;
          }
        }
        for (std::size_t left = here.size(); left > 0; --left) QVERIFY(order->evict({}).has_value());
        QVERIFY(!order->evict({}).has_value());
      }
  }

  // A copy decides by itself, as the original would have.
  void aCopyGoesItsOwnWay() {
    for (const EvictionOrderInfo& info : eviction_orders()) {
      Random random(3);
      const auto order = info.make();
      order->set_capacity(40);
      for (Slot slot = 0; slot < 40; ++slot) {
        order->announce(slot, 1);
        order->enter(slot, {1, slot, 1, 0, 1, 0});
        if (slot > 5) order->touch(static_cast<Slot>(random.below(slot)), {1, slot, 2, 0, 1, 0});
      }
      const auto copy = order->clone();
      std::vector<Slot> first, second;
      for (int i = 0; i < 20; ++i) first.push_back(*order->evict({}));
      for (int i = 0; i < 20; ++i) second.push_back(*copy->evict({}));
      QVERIFY2(first == second, std::string(info.name).c_str());
    }
  }

  void everyRowIsWhole() {
    QVERIFY(eviction_orders().size() >= 8);
    for (const EvictionOrderInfo& info : eviction_orders()) {
      QVERIFY(!info.name.empty() && !info.victim_text.empty() && !info.summary.empty() && !info.source.empty());
      QCOMPARE(find_eviction_order(info.name), &info);
      QCOMPARE(("|" + eviction_choices() + "|").find("|" + std::string(info.name) + "|") != std::string::npos,
               info.is_policy);
    }
    QVERIFY(find_eviction_order("mru") == nullptr);
  }
};

KV_TEST_GUILESS_MAIN(EvictionOrdersTest)

}  // namespace orders_test

#include "orders_test.moc"
