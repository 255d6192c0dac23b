// links: kv_base
// Every eviction order of the simulator, request by request, against a second, plain implementation of its published
// definition (tests/support/plain_orders.h, plain_trace_orders.h, plain_workload_queues.h), over drawn traces and
// published ones.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/eviction/eviction_orders.h"
#include "core/eviction/trace_caches.h"
#include "core/trace/trace.h"
#include "tests/support/plain_trace_orders.h"
#include "tests/support/plain_workload_queues.h"
#include "tests/support/test_program.h"

namespace published_orders_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Keys = std::vector<std::uint64_t>;

/// A power law, now and then with keys that never return.
Keys drawn_keys(std::uint64_t seed, std::size_t count, std::uint64_t catalog) {
  Random random(seed);
  Keys keys;
  keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = std::pow(random.uniform(), 3);
    keys.push_back(i % 700 > 600 ? 1'000'000 + i : static_cast<std::uint64_t>(static_cast<double>(catalog) * share));
  }
  return keys;
}

std::uint64_t size_of(std::uint64_t key, bool varied) { return varied ? 1 + Random(key).below(9) : 1; }

void compare(const std::string& name, const Keys& keys, std::uint64_t capacity, bool varied, std::size_t& hits) {
  const auto cache = *make_simulated_cache(name, std::vector<std::uint64_t>{capacity});
  const auto plain = plain_trace_cache(name, capacity);
  QVERIFY2(plain != nullptr, name.c_str());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Reuse reuse;
    const std::uint64_t size = size_of(keys[i], varied);
    cache->touch_context(keys[i], size, {}, reuse);
    const bool hit = plain->request(keys[i], size);
    QVERIFY2((reuse.all > 0) == hit,
             qPrintable(QString("%1 at capacity %2: request %3").arg(name.c_str()).arg(capacity).arg(i)));
    hits += hit;
  }
}

std::vector<Keys> published_requests() {
  std::vector<Keys> requests;
  auto reader =
      open_trace(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/traces/mooncake_conversation.jsonl");
  for (;;) {
    auto next = reader ? (*reader)->next() : Expected<std::optional<TraceRequest>>(std::nullopt);
    if (!next || !*next) return requests;
    requests.push_back((*next)->blocks);
  }
}

struct SentRequest {
  double seconds = 0;
  std::uint64_t category = 0;  // type and turn
  Keys blocks;
};

const std::filesystem::path agent_traces =
    std::filesystem::path(KVANTAGE_SOURCE_DIR) / "../shared/data/traces/lmcache-agent";

/// Sessions of three kinds of agents, which begin together. The kind is the type of a request, its number in its
/// session the turn, up to ten.
std::vector<SentRequest> published_agents() {
  std::vector<SentRequest> all;
  std::uint64_t type = 0;
  for (const char* kind : {"magagent", "miniswe", "taubench"}) {
    ++type;
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(agent_traces / kind)) files.insert(entry.path());
    std::string lines;
    for (const auto& file : files) lines += read_text_file(file).value_or("") + "\n";
    const auto reader =
        open_trace(std::make_unique<std::istringstream>(std::move(lines)), kind, {.format = "lmcache-agent"});
    std::map<std::uint64_t, std::uint64_t> turns;  // by session
    for (;;) {
      auto next = reader ? (*reader)->next() : Expected<std::optional<TraceRequest>>(std::nullopt);
      if (!next || !*next) break;
      const std::uint64_t turn = std::min<std::uint64_t>(++turns[(*next)->context], 10);
      all.push_back({(*next)->arrival_seconds, 16 * type + turn, std::move((*next)->blocks)});
    }
  }
  std::ranges::stable_sort(all, {}, &SentRequest::seconds);
  return all;
}

/// Prompts that share beginnings: a tree of blocks, three deep in branches.
std::vector<Keys> drawn_prompts(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Keys> requests;
  for (std::size_t i = 0; i < count; ++i) {
    Keys blocks;
    std::uint64_t path = 1 + random.below(4);
    for (std::uint64_t depth = 0, length = 1 + random.below(14); depth < length; ++depth) {
      if (depth % 4 == 3) path = path * 5 + random.below(3) + 1;
      blocks.push_back(Random(path * 131 + depth).next());
    }
    requests.push_back(std::move(blocks));
  }
  return requests;
}

}  // namespace

class PublishedOrdersTest : public QObject {
  Q_OBJECT

 private slots:
  void everyOrderIsThePlainOne_data() {
    QTest::addColumn<QString>("order");
    for (const EvictionOrderInfo& info : eviction_orders())
      QTest::newRow(std::string(info.name).c_str()) << QString::fromStdString(std::string(info.name));
  }
  void everyOrderIsThePlainOne() {
    QFETCH(QString, order);
    std::size_t hits = 0;
    for (const bool varied : {false, true})
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        for (const std::uint64_t capacity : {9, 41, 150}) {
          compare(order.toStdString(), drawn_keys(seed, 2500, 220), capacity, varied, hits);
          if (QTest::currentTestFailed()) return;
        }
    Keys blocks;
    for (const Keys& request : published_requests()) {
      blocks.insert(blocks.end(), request.begin(), request.end());
      if (blocks.size() > 9000) break;
    }
    QVERIFY(blocks.size() > 9000);
    compare(order.toStdString(), blocks, 300, false, hits);
    QVERIFY(QTest::currentTestFailed() || hits > 2000);
  }

  // LHD estimates its densities again every 2^20 requests.
  void lhdReconfiguresAsThePlainOne() {
    std::size_t hits = 0;
    compare("lhd", drawn_keys(5, (std::size_t{1} << 20) + 60'000, 900), 120, false, hits);
    QVERIFY(QTest::currentTestFailed() || hits > 100'000);
  }

  void beladyIsTheSearchedFuture() {
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
      for (const std::uint64_t capacity : {1, 5, 23, 60}) {
        const Keys keys = drawn_keys(seed, 900, 120);
        const auto cache = make_belady_cache(capacity);
        for (const std::uint64_t key : keys) cache->expect(key);
        QCOMPARE(cache->expected(), std::uint64_t{900});
        std::size_t hits = 0;
        const std::vector<bool> wanted = plain_belady(keys, capacity);
        for (std::size_t i = 0; i < keys.size(); ++i) {
          Reuse reuse;
          cache->touch_context(keys[i], 1, {}, reuse);
          QVERIFY2((reuse.all > 0) == wanted[i], qPrintable(QString("capacity %1, request %2").arg(capacity).arg(i)));
          hits += wanted[i];
          QVERIFY(cache->held(0) <= capacity);
        }
        // No order has more hits.
        for (const EvictionOrderInfo& info : eviction_orders()) {
          const auto other = info.make_cache(std::vector<std::uint64_t>{capacity});
          std::size_t of_other = 0;
          for (const std::uint64_t key : keys) {
            Reuse reuse;
            other->touch_context(key, 1, {}, reuse);
            of_other += reuse.all > 0;
          }
          QVERIFY2(of_other <= hits, std::string(info.name).c_str());
        }
      }
  }

  void beladyIsTheSearchedFutureOfAPublishedTrace() {
    Keys keys;
    for (const Keys& request : published_requests()) keys.insert(keys.end(), request.begin(), request.end());
    QCOMPARE(keys.size(), std::size_t{12'002});
    std::size_t before = 0;
    for (const std::uint64_t capacity : {5, 60, 300}) {
      const auto cache = make_belady_cache(capacity);
      for (const std::uint64_t key : keys) cache->expect(key);
      const std::vector<bool> wanted = plain_belady(keys, capacity);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        Reuse reuse;
        cache->touch_context(keys[i], 1, {}, reuse);
        QVERIFY2((reuse.all > 0) == wanted[i], qPrintable(QString("capacity %1, request %2").arg(capacity).arg(i)));
      }
      const auto hits = static_cast<std::size_t>(std::ranges::count(wanted, true));
      QVERIFY2(hits > before && hits > 400, qPrintable(QString::number(hits)));
      before = hits;
    }
  }

  void prefixBlocksAreKeptAsTheEnginesDo() {
    std::vector<std::vector<Keys>> traces{drawn_prompts(1, 700), drawn_prompts(2, 700), published_requests()};
    traces.back().resize(std::min<std::size_t>(traces.back().size(), 300));
    for (const auto& requests : traces)
      for (const std::uint64_t capacity : {1, 12, 60, 400}) {
        const auto queue = make_vllm_lru_cache(capacity), tree = make_sglang_radix_cache(capacity),
                   aware = make_workload_aware_cache(capacity);
        PlainFreeQueue plain_queue(capacity);
        PlainRadixTree plain_tree(capacity);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          Reuse of_queue, of_tree, of_aware;
          queue->touch_blocks(requests[i], of_queue);
          tree->touch_blocks(requests[i], of_tree);
          aware->begin_request(static_cast<double>(i), 0);
          aware->touch_blocks(requests[i], of_aware);
          const QString place = QString("capacity %1, request %2").arg(capacity).arg(i);
          QVERIFY2(of_queue.all == plain_queue.request(requests[i]), qPrintable("queue, " + place));
          QVERIFY2(of_tree.all == plain_tree.request(requests[i]), qPrintable("tree, " + place));
          // Requests of one category: the order of the queue.
          QVERIFY2(of_aware.all == of_queue.all, qPrintable("workload, " + place));
          QVERIFY(queue->held(0) <= capacity && tree->held(0) <= capacity && aware->held(0) <= capacity);
        }
      }
  }

  void workloadQueuesAreThePlainOnes() {
    std::size_t unlike_lru = 0;
    for (const std::uint64_t seed : {1, 2, 3})
      for (const std::uint64_t capacity : {1, 12, 60, 400}) {
        const auto aware = make_workload_aware_cache(capacity), queue = make_vllm_lru_cache(capacity);
        PlainWorkloadQueues plain(capacity);
        Random gaps(seed);
        double seconds = 0;
        for (const Keys& request : drawn_prompts(seed, 900)) {
          const std::uint64_t category = request.front() % 3;
          seconds += gaps.exponential(static_cast<double>(1 + 4 * category));
          Reuse of_aware, of_queue;
          aware->begin_request(seconds, category);
          aware->touch_blocks(request, of_aware);
          queue->touch_blocks(request, of_queue);
          QVERIFY2(of_aware.all == plain.request(seconds, category, request),
                   qPrintable(QString("seed %1, capacity %2, at %3 s").arg(seed).arg(capacity).arg(seconds)));
          unlike_lru += of_aware.all != of_queue.all;
        }
      }
    QVERIFY(unlike_lru > 20);
  }

  void workloadQueuesOfPublishedAgentsAreThePlainOnes() {
    if (!std::filesystem::exists(agent_traces)) QSKIP("../shared/data/traces/lmcache-agent is not there");
    const std::vector<SentRequest> requests = published_agents();
    QVERIFY(requests.size() > 1500);
    std::set<std::uint64_t> categories;
    for (const SentRequest& request : requests) categories.insert(request.category);
    QCOMPARE(categories.size(), std::size_t{30});
    std::size_t unlike_lru = 0;
    for (const std::uint64_t capacity : {12, 40, 120, 300}) {
      const auto aware = make_workload_aware_cache(capacity), queue = make_vllm_lru_cache(capacity);
      PlainWorkloadQueues plain(capacity);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto& [seconds, category, blocks] = requests[i];
        Reuse of_aware, of_queue;
        aware->begin_request(seconds, category);
        aware->touch_blocks(blocks, of_aware);
        queue->touch_blocks(blocks, of_queue);
        QVERIFY2(of_aware.all == plain.request(seconds, category, blocks),
                 qPrintable(QString("capacity %1, request %2").arg(capacity).arg(i)));
        unlike_lru += of_aware.all != of_queue.all;
      }
    }
    QVERIFY2(unlike_lru > 20, qPrintable(QString::number(unlike_lru)));
  }

  // Blocks of a category that returns soon stay, those of one that never returns leave first.
  void blocksThatReturnStay() {
    const auto aware = make_workload_aware_cache(40), queue = make_vllm_lru_cache(40);
    std::uint64_t of_aware = 0, of_queue = 0, fresh = 1'000'000;
    for (int round = 0; round < 400; ++round) {
      for (std::uint64_t chat = 0; chat < 5; ++chat) {
        const Keys again{10 * chat, 10 * chat + 1, 10 * chat + 2};
        Keys once;
        for (int i = 0; i < 12; ++i) once.push_back(++fresh);
        for (auto [cache, hits] : {std::pair{&aware, &of_aware}, {&queue, &of_queue}}) {
          const double seconds = round * 10.0 + static_cast<double>(chat);
          Reuse reuse, none;
          (*cache)->begin_request(seconds, 7);
          (*cache)->touch_blocks(again, reuse);
          (*cache)->begin_request(seconds + 0.5, 9);
          (*cache)->touch_blocks(once, none);
          *hits += reuse.all;
        }
      }
    }
    QVERIFY2(of_aware > 5000 && of_queue < 100, qPrintable(QString("%1, %2").arg(of_aware).arg(of_queue)));
  }

  // docs/simulator.md names the definition of each one and the plain implementation that it is held against.
  void theDocsNameEveryDefinition() {
    const std::filesystem::path root(KVANTAGE_SOURCE_DIR);
    const std::string docs = read_text_file(root / "docs/simulator.md").value_or("");
    std::string plain;
    for (const char* header : {"plain_orders.h", "plain_trace_orders.h", "plain_workload_queues.h"})
      plain += read_text_file(root / "tests/support" / header).value_or("");
    const std::size_t section = docs.find("\n### Definitions\n");
    QVERIFY(section != std::string::npos);
    std::set<std::string> names;
    for (const EvictionOrderInfo& info : eviction_orders()) names.emplace(info.name);
    for (const TraceCacheInfo& info : trace_caches()) names.emplace(info.name);
    for (const std::string& name : names) {
      const std::size_t begin = docs.find("\n| `" + name + "` | ", section);
      QVERIFY2(begin != std::string::npos, name.c_str());
      const std::string row = docs.substr(begin + 1, docs.find('\n', begin + 1) - begin - 1);
      const std::size_t last = row.rfind('`'), first = row.rfind('`', last - 1);
      const std::string held_against = row.substr(first + 1, last - first - 1);
      QVERIFY2(held_against != name && plain.find(" " + held_against) != std::string::npos, row.c_str());
    }
  }

  void namesAreKnownAndTellWhatTheyNeed() {
    std::set<std::string_view> names;
    for (const EvictionOrderInfo& info : eviction_orders()) names.insert(info.name);
    for (const TraceCacheInfo& info : trace_caches()) {
      QVERIFY2(names.insert(info.name).second, std::string(info.name).c_str());
      QVERIFY(!info.summary.empty() && !info.source.empty());
      QVERIFY(make_simulated_cache(info.name, std::vector<std::uint64_t>{4}).has_value());
      const auto tiers = make_simulated_cache(info.name, std::vector<std::uint64_t>{4, 8});
      QVERIFY(!tiers && tiers.error().message.find("one tier") != std::string::npos);
    }
    QVERIFY(find_trace_cache("belady")->needs_future && find_trace_cache("sglang_radix")->blocks_only);
    QVERIFY(find_trace_cache("mru") == nullptr);
  }
};

KV_TEST_GUILESS_MAIN(PublishedOrdersTest)

}  // namespace published_orders_test

#include "published_orders_test.moc"
