// links: kv_reports
// How fast the simulator is, beside what cannot be avoided (one look-up of every key in a hash map) and beside the
// common way to write an LRU cache (std::list and std::unordered_map), on the same requests. Ratios are shown, not
// asserted times.
#include <QtTest>

#include <ctime>
#include <filesystem>
#include <list>
#include <unordered_map>

#include "core/base/random.h"
#include "core/eviction/trace_caches.h"
#include "core/simulator/simulator.h"
#include "tests/support/test_program.h"

namespace simulator_bench_test {

using namespace kvantage;

namespace {

struct Requests {
  std::vector<double> arrivals;
  std::vector<std::uint64_t> tokens, contexts, blocks;
  std::vector<std::size_t> ends;
  std::size_t size() const { return ends.size(); }
  std::span<const std::uint64_t> blocks_of(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(blocks).subspan(begin, ends[i] - begin);
  }
};

double seconds_of(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();  // of the processor: others may share the machine
    work();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

/// Popularity as in published traces: a power law over as many keys as Mooncake's conversation trace has blocks.
Requests popular_contexts(std::size_t requests, std::size_t catalog) {
  Requests made;
  std::vector<double> cumulative;
  double sum = 0;
  for (std::size_t i = 0; i < catalog; ++i) cumulative.push_back(sum += 1 / static_cast<double>(i + 1));
  Random random(7);
  for (std::size_t i = 0; i < requests; ++i) {
    const auto rank =
        static_cast<std::uint64_t>(std::ranges::upper_bound(cumulative, random.uniform() * sum) - cumulative.begin());
    made.arrivals.push_back(static_cast<double>(i));
    made.contexts.push_back(Random(rank).next());
    made.tokens.push_back(512);
    made.ends.push_back(0);
  }
  return made;
}

SimulatorSetup timed(ReuseMode mode, const std::string& order, std::uint64_t capacity) {
  SimulatorSetup setup;
  setup.mode = mode;
  setup.order = order;
  setup.capacities = {capacity};
  setup.costs.timed = true;
  setup.costs.bytes_per_token = 131072;
  setup.costs.prefill = {0.01, 1e-4, 1e-9};
  setup.costs.tiers = {{0.01, 1e-5}};
  return setup;
}

std::uint64_t simulated(const Requests& requests, const SimulatorSetup& setup) {
  auto simulator = TraceSimulator::make(setup);
  if (!simulator) return 0;
  for (std::size_t i = 0; i < requests.size(); ++i)
    (*simulator)->serve(requests.arrivals[i], requests.tokens[i], requests.contexts[i], requests.blocks_of(i));
  return (*simulator)->totals().hit_blocks;
}

/// The textbook.
class ListLru {
 public:
  explicit ListLru(std::size_t capacity) : capacity_(capacity) {}
  bool touch(std::uint64_t key) {
    if (const auto found = places_.find(key); found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    if (order_.size() == capacity_) {
      places_.erase(order_.back());
      order_.pop_back();
    }
    order_.push_front(key);
    places_[key] = order_.begin();
    return false;
  }

 private:
  std::size_t capacity_;
  std::list<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

/// Seconds that others take for the same requests.
struct Beside {
  double look_up = 0, textbook = 0, lru = 0;
};

void print(const char* what, std::size_t requests, std::size_t touches, double seconds, const Beside& beside) {
  qInfo("%-28s %7.2f M requests/s %8.2f M touches/s; %.2f of one look-up pass, %.2f of lru, %.1f x the textbook LRU",
        what, static_cast<double>(requests) / seconds * 1e-6, static_cast<double>(touches) / seconds * 1e-6,
        seconds / beside.look_up, seconds / beside.lru, beside.textbook / seconds);
}

}  // namespace

class SimulatorBenchTest : public QObject {
  Q_OBJECT

  /// Caches of traces alone; those that need it are told the future first.
  static void compare_trace_caches(const Requests& requests, std::size_t capacity, const Beside& beside) {
    for (const TraceCacheInfo& info : trace_caches()) {
      const auto once = [&](bool with_touches) {
        const auto cache = info.make(capacity);
        for (std::size_t i = 0; info.needs_future && i < requests.size(); ++i)
          for (const std::uint64_t block : requests.blocks_of(i)) cache->expect(block);
        for (std::size_t i = 0; with_touches && i < requests.size(); ++i) {
          Reuse reuse;
          cache->begin_request(requests.arrivals[i], 0);
          cache->touch_blocks(requests.blocks_of(i), reuse);
        }
      };
      const double seconds = seconds_of([&] { once(true); }) - seconds_of([&] { once(false); });
      print(std::string(info.name).c_str(), requests.size(), requests.blocks.size(), std::max(seconds, 1e-9), beside);
    }
  }

  static void compare(const Requests& requests, ReuseMode mode, std::size_t capacity) {
    const std::vector<std::uint64_t>& keys = mode == ReuseMode::blocks ? requests.blocks : requests.contexts;
    std::unordered_map<std::uint64_t, std::uint32_t> catalog;
    for (const std::uint64_t key : keys) catalog.emplace(key, static_cast<std::uint32_t>(catalog.size()));
    std::uint64_t sum = 0, textbook_hits = 0;
    const double look_up = seconds_of([&] {
      for (const std::uint64_t key : keys) sum += catalog.find(key)->second;
    });
    const double textbook = seconds_of([&] {
      ListLru cache(capacity);
      textbook_hits = 0;
      if (mode == ReuseMode::contexts) {
        for (const std::uint64_t key : keys) textbook_hits += cache.touch(key) ? 1 : 0;
        return;
      }
      for (std::size_t i = 0; i < requests.size(); ++i) {
        bool unbroken = true;
        for (const std::uint64_t block : requests.blocks_of(i)) {
          unbroken = cache.touch(block) && unbroken;
          textbook_hits += unbroken ? 1 : 0;
        }
      }
    });
    qInfo("%zu requests, %zu touches, %zu keys, capacity %zu (sum %llu): look-up pass %.1f ms, textbook LRU %.1f ms",
          requests.size(), keys.size(), catalog.size(), capacity, static_cast<unsigned long long>(sum), look_up * 1e3,
          textbook * 1e3);
    Beside beside{look_up, textbook, 0};
    for (const std::string_view order : cache_orders()) {  // lru is the first
      const SimulatorSetup setup = timed(mode, std::string(order), capacity);
      std::uint64_t hits = 0;
      const double seconds = seconds_of([&] { hits = simulated(requests, setup); });
      if (order == "lru") beside.lru = seconds;
      QVERIFY(beside.lru > 0);
      print(std::string(order).c_str(), requests.size(), keys.size(), seconds, beside);
      if (order != "lru") continue;
      QCOMPARE(hits, textbook_hits);
      QVERIFY2(seconds < 3 * textbook,
               "the simulator, clock and all, takes more than three times as long as the textbook's LRU alone");
    }
    if (mode == ReuseMode::blocks) compare_trace_caches(requests, capacity, beside);
  }

 private slots:
  void contextsOfACatalogLikeMooncakes() { compare(popular_contexts(2'000'000, 180'000), ReuseMode::contexts, 30'000); }

  void blocksOfMooncakesConversations() {
    const auto file =
        std::filesystem::path(KVANTAGE_SOURCE_DIR) / "../shared/data/traces/mooncake/conversation_trace.jsonl";
    if (!std::filesystem::exists(file)) QSKIP("../shared/data/traces/mooncake is not there");
    auto trace = open_trace(file);
    QVERIFY(trace.has_value());
    Requests requests;
    for (;;) {
      auto request = (*trace)->next();
      QVERIFY(request.has_value());
      if (!*request) break;
      requests.arrivals.push_back((*request)->arrival_seconds);
      requests.tokens.push_back((*request)->input_tokens);
      requests.contexts.push_back((*request)->context);
      requests.blocks.insert(requests.blocks.end(), (*request)->blocks.begin(), (*request)->blocks.end());
      requests.ends.push_back(requests.blocks.size());
    }
    compare(requests, ReuseMode::blocks, 30'000);
    const Requests once = requests;
    for (int i = 1; i < 10; ++i) {
      requests.arrivals.insert(requests.arrivals.end(), once.arrivals.begin(), once.arrivals.end());
      requests.tokens.insert(requests.tokens.end(), once.tokens.begin(), once.tokens.end());
      requests.contexts.insert(requests.contexts.end(), once.contexts.begin(), once.contexts.end());
      requests.blocks.insert(requests.blocks.end(), once.blocks.begin(), once.blocks.end());
      for (const std::size_t end : once.ends)
        requests.ends.push_back(end + static_cast<std::size_t>(i) * once.blocks.size());
    }
    qInfo("ten times over: the same catalog");
    compare(requests, ReuseMode::blocks, 100'000);
  }
};

KV_TEST_GUILESS_MAIN(SimulatorBenchTest)

}  // namespace simulator_bench_test

#include "simulator_bench_test.moc"
