// links: kv_base
// Which requests hit under each order of eviction, against libCacheSim (tests/parity/make_eviction_goldens.py): whole
// policies over drawn requests, the orders alone over a part of a published trace.
#include <QtTest>
#include <cstdio>
#include <fstream>
#include <unordered_set>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/eviction/eviction_orders.h"
#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "tests/support/test_program.h"

namespace eviction_golden_test {

using namespace kvantage;

namespace {

const std::string goldens = std::string(KVANTAGE_SOURCE_DIR) + "/tests/goldens/evictions.json";
const std::string trace = std::string(KVANTAGE_SOURCE_DIR) + "/../shared/data/traces/mooncake/conversation_trace.jsonl";

Json golden() {
  std::ifstream file(goldens);
  return Json::parse(file);
}

struct Hits {
  std::uint64_t count = 0, digest = 0xcbf29ce484222325ULL;
  void add(bool hit) {
    count += hit;
    digest = (digest ^ static_cast<std::uint64_t>(hit)) * 0x100000001b3ULL;
  }
  QString text() const { return QString("%1 hits, %2").arg(count).arg(digest, 16, 16, QChar('0')); }
};

QString expected(const Json& one) {
  return QString("%1 hits, %2").arg(one.at("hits").get<std::uint64_t>()).arg(QString::fromStdString(one.at("digest")));
}

/// One tier that loads at no cost, contexts that are all as slow to prefill: gdsf's cost is the same for all of them.
Snapshot one_tier(const std::vector<std::uint64_t>& sizes, std::uint64_t capacity) {
  Snapshot snapshot;
  snapshot.tiers = {{"dram", capacity, {0, 1e300, 0, 0}, false}};
  snapshot.prefill.base_seconds = 1e6;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ContextState context;
    context.key = {0, i};
    context.full_bytes = sizes[i];
    snapshot.contexts.push_back(context);
  }
  return snapshot;
}

}  // namespace

class EvictionGoldenTest : public QObject {
  Q_OBJECT
 private slots:
  void policiesHitWhereLibCacheSimDoes_data() {
    QTest::addColumn<int>("at");
    const Json cases = golden().at("drawn");
    for (std::size_t i = 0; i < cases.size(); ++i)
      QTest::addRow("%s, %s sizes", cases[i].at("order").get<std::string>().c_str(),
                    cases[i].at("varied").get<bool>() ? "varied" : "equal")
          << static_cast<int>(i);
  }
  void policiesHitWhereLibCacheSimDoes() {
    QFETCH(int, at);
    const Json one = golden().at("drawn").at(static_cast<std::size_t>(at));
    Random random(one.at("seed").get<std::uint64_t>());
    const auto contexts = one.at("contexts").get<std::size_t>();
    std::vector<std::uint64_t> sizes(contexts, 500);
    if (one.at("varied").get<bool>())
      for (std::uint64_t& size : sizes) size = 100 + random.below(700);
    PolicyState state{one_tier(sizes, one.at("capacity").get<std::uint64_t>())};
    const auto policy = *make_policy(one.at("order").get<std::string>());
    Hits hits;
    for (std::uint64_t r = 1; r <= one.at("requests").get<std::uint64_t>(); ++r) {
      const auto first = random.below(contexts), second = random.below(contexts);
      ContextState& context = state.snapshot.contexts[std::min(first, second)];
      const bool hit = context.placement.stored();
      hits.add(hit);
      note_request(state.snapshot, std::min(first, second), r);
      const auto handle = [&](PolicyEvent::Kind kind) {
        for (const PlacementAction& action : policy->advance(state, {kind, context.key}).actions)
          apply(state.snapshot, action);
      };
      handle(PolicyEvent::Kind::requested);
      if (hit) continue;
      context.archived = true;
      handle(PolicyEvent::Kind::context_computed);
    }
    QCOMPARE(hits.text(), expected(one));
  }

  void ordersHitWhereLibCacheSimDoesOnATrace_data() {
    QTest::addColumn<int>("at");
    const Json cases = golden().at("trace");
    for (std::size_t i = 0; i < cases.size(); ++i)
      QTest::addRow("%s, %s sizes, %s", cases[i].at("order").get<std::string>().c_str(),
                    cases[i].at("varied").get<bool>() ? "varied" : "equal", cases[i].at("capacity").dump().c_str())
          << static_cast<int>(i);
  }
  void ordersHitWhereLibCacheSimDoesOnATrace() {
    QFETCH(int, at);
    std::ifstream file(trace);
    if (!file) QSKIP("../shared/data/traces/mooncake is not there");
    const Json all = golden(), one = all.at("trace").at(static_cast<std::size_t>(at));
    const auto capacity = one.at("capacity").get<std::uint64_t>();
    const bool varied = one.at("varied").get<bool>();
    const EvictionOrderInfo* info = find_eviction_order(one.at("order").get<std::string>());
    QVERIFY(info != nullptr);
    const auto order = info->make();
    order->set_capacity(capacity);

    std::vector<std::uint64_t> requests_of;
    std::unordered_set<std::uint64_t> here;
    std::uint64_t counter = 0, used = 0;
    Hits hits;
    std::string line;
    const auto size_of = [&](std::uint64_t block) {
      return varied ? 100 + block * 2654435761ULL % (1ULL << 32) % 700 : 1;
    };
    for (int n = 0; n < all.at("trace_lines").get<int>() && std::getline(file, line); ++n) {
      const Json row = Json::parse(line);
      for (const std::uint64_t block : row.at("hash_ids")) {
        if (block >= requests_of.size()) requests_of.resize(block + 1, 0);
        const bool hit = here.contains(block);
        hits.add(hit);
        EntryFacts facts{size_of(block), ++counter, hit ? ++requests_of[block] : requests_of[block] = 1, 0, 1e6, 0};
        const auto slot = static_cast<Slot>(block);
        if (hit) {
          order->touch(slot, facts);
          continue;
        }
        const auto enter = [&] {
          order->enter(slot, facts);
          here.insert(block);
        };
        order->announce(slot, facts.bytes);
        if (order->traits().newcomers_compete) enter();
        for (used += facts.bytes; used > capacity;) {
          const auto victim = order->evict({});
          QVERIFY(victim.has_value());
          here.erase(*victim);
          used -= size_of(*victim);
        }
        if (!order->traits().newcomers_compete) enter();
      }
    }
    std::printf(
        "%s, %s sizes, capacity %llu: hit rate %.4f over %llu requests\n", one.at("order").get<std::string>().c_str(),
        varied ? "varied" : "equal", static_cast<unsigned long long>(capacity),
        static_cast<double>(hits.count) / static_cast<double>(counter), static_cast<unsigned long long>(counter));
    QCOMPARE(hits.text(), expected(one));
  }
};

KV_TEST_GUILESS_MAIN(EvictionGoldenTest)

}  // namespace eviction_golden_test

#include "eviction_golden_test.moc"
