// links: kv_base
// Published traces, streamed: rows are all accounted for, and LRU gives the figures that an independent program gave.
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <list>
#include <set>

#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/trace/trace_summary.h"
#include "tests/support/test_program.h"
#include "tests/trace/samples.h"

namespace golden_traces_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

namespace {

const fs::path traces = fs::path(KVANTAGE_SOURCE_DIR) / "../shared/data/traces";

// The definition word for word, with a list that is searched.
class SlowLru {
 public:
  explicit SlowLru(std::size_t capacity) : capacity_(capacity) {}
  std::uint64_t touch(const std::vector<std::uint64_t>& blocks) {
    std::uint64_t hits = 0;
    bool all_before = true;
    for (const std::uint64_t block : blocks) {
      const auto found = std::find(held_.begin(), held_.end(), block);
      if (found == held_.end()) all_before = false;
      if (all_before) ++hits;
      if (found != held_.end()) held_.erase(found);
      held_.push_front(block);
      if (held_.size() > capacity_) held_.pop_back();
    }
    return hits;
  }

 private:
  std::size_t capacity_;
  std::list<std::uint64_t> held_;
};

std::uint64_t lines_of(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t lines = 0;
  for (std::string line; std::getline(stream, line);) ++lines;
  return lines;
}

}  // namespace

class GoldenTracesTest : public QObject {
  Q_OBJECT

 private slots:
  void hitRatesOfTheConversationTraceAreTheGoldenOnes() {
    const fs::path file = traces / "mooncake/conversation_trace.jsonl";
    if (!fs::exists(file)) QSKIP("../shared/data/traces/mooncake is not there");
    const std::vector<std::uint64_t> capacities{1000, 5000, 10'000, 30'000, 50'000, LruCache::unlimited};
    const std::vector<double> golden{.0445, .1104, .2112, .3257, .3546, .3664};
    auto reader = open_trace(file);
    QVERIFY2(reader.has_value(), reader ? "" : reader.error().message.c_str());
    const auto summary = summarize_trace(**reader, capacities);
    QVERIFY2(summary.has_value(), summary ? "" : summary.error().message.c_str());
    for (std::size_t i = 0; i < capacities.size(); ++i)
      QCOMPARE(std::lround(summary->lru[i].prefix_blocks.hit_rate() * 1e4), std::lround(golden[i] * 1e4));
    QCOMPARE(summary->counts.emitted, 12'031u);
    QCOMPARE(std::lround(summary->input.mean), 12'035);  // both as its authors publish them
    QCOMPARE(std::lround(summary->output.mean), 343);
    QCOMPARE(summary->span_seconds, 3536.999);
  }

  void theAccountClosesOnEveryTrace() {
    if (!fs::exists(traces)) QSKIP("../shared/data/traces is not there");
    std::uint64_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(traces)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".jsonl" && extension != ".csv") continue;
      ++files;
      TraceOptions options;
      if (fs::file_size(entry.path()) == 0)
        options.format = "lmcache-agent";  // one session is empty: no rows, none lost
      auto reader = open_trace(entry.path(), options);
      QVERIFY2(reader.has_value(), reader ? "" : reader.error().message.c_str());
      const auto summary = summarize_trace(**reader, {});
      QVERIFY2(summary.has_value(), summary ? "" : summary.error().message.c_str());
      const TraceCounts& counts = summary->counts;
      QVERIFY(counts.balanced());
      QCOMPARE(counts.waiting, 0u);
      QCOMPARE(counts.rows_read, lines_of(entry.path()) - (extension == ".csv" ? 1 : 0));
      QVERIFY(counts.emitted > 0 || counts.rows_read == 0);
      for (const auto& [reason, number] : counts.dropped) QCOMPARE(reason, std::string("no input tokens"));
    }
    QVERIFY(files > 40);
  }

  void azureFilesAreReadAsTheirFirstAndLastLinesSay() {
    const fs::path file = traces / "azure/AzureLLMInferenceTrace_code.csv";
    if (!fs::exists(file)) QSKIP("../shared/data/traces/azure is not there");
    auto reader = open_trace(file);
    QVERIFY(reader.has_value());
    const auto summary = summarize_trace(**reader, {});
    QVERIFY(summary.has_value());
    QCOMPARE(summary->counts.emitted, 8819u);
    QCOMPARE(summary->span_seconds, 57 * 60 + 16 - 0.9799600 + 0.9280160);  // 18:17:03.9799600 to 19:14:19.9280160
    QCOMPARE(summary->context_reuse_share, 0.0);
  }

  void prefixHitsAreThoseOfTheDefinition() {
    Random random(3);
    for (int round = 0; round < 300; ++round) {
      const std::size_t capacity = random.below(40);
      PrefixLru lru(capacity);
      SlowLru slow(capacity);
      for (int request = 0; request < 60; ++request) {
        std::vector<std::uint64_t> blocks(random.below(12));
        const std::uint64_t tree = random.below(6);
        for (std::size_t i = 0; i < blocks.size(); ++i)
          blocks[i] = 100 * tree + (random.below(8) == 0 ? random.below(100) : i);
        QCOMPARE(lru.touch(blocks), slow.touch(blocks));
      }
    }
  }

  void aCacheNeverHoldsMoreThanItsCapacity() {
    Random random(5);
    for (int round = 0; round < 100; ++round) {
      const std::uint64_t capacity = random.below(50);
      LruCache cache(capacity);
      for (int i = 0; i < 300; ++i) {
        cache.touch(random.below(30), random.below(20));
        QVERIFY(cache.held() <= capacity);
      }
    }
  }

  void wholeContextsAreThereOrNot() {
    ContextLru lru(10);
    QCOMPARE(lru.touch(1, 6), 0u);
    QCOMPARE(lru.touch(1, 8), 6u);   // grown: what was held serves
    QCOMPARE(lru.touch(2, 3), 0u);   // 8 + 3 > 10: context 1 goes
    QCOMPARE(lru.touch(1, 11), 0u);  // too large to be held
    QCOMPARE(lru.touch(2, 2), 2u);   // no more than asked for
    QCOMPARE(lru.counts().all, 30u);
    QCOMPARE(lru.counts().hits, 8u);
  }

  void aSummaryAddsUp() {
    std::string text;
    std::vector<double> lengths;
    Random random(9);
    for (std::uint64_t i = 0; i < 500; ++i) {
      lengths.push_back(static_cast<double>(1 + random.below(90)));
      text += mooncake_line(i * 100, static_cast<std::uint64_t>(lengths.back()), std::to_string(i % 50));
    }
    const auto reader = open_trace(std::make_unique<std::istringstream>(text), "t");
    const auto summary = summarize_trace(**reader, std::vector<std::uint64_t>{0, 49, 50, LruCache::unlimited});
    QVERIFY(summary.has_value());
    QCOMPARE(summary->requests_per_second, 10.0);
    QCOMPARE(summary->input.p50, percentile(lengths, 0.5));
    QCOMPARE(summary->input.p90, percentile(lengths, 0.9));
    QCOMPARE(summary->input.p99, percentile(lengths, 0.99));
    QCOMPARE(summary->input.mean, mean_of(lengths));
    QCOMPARE(summary->distinct_blocks, 50u);
    QCOMPARE(summary->block_reuse_share, 0.9);
    QCOMPARE(summary->context_reuse_share, 0.9);
    for (std::size_t i = 0; i < 4; ++i) {  // a round of 50 defeats LRU with 49
      QCOMPARE(summary->lru[i].prefix_blocks.hit_rate(), i < 2 ? 0.0 : 0.9);
      QCOMPARE(summary->lru[i].contexts.hit_rate(), i < 2 ? 0.0 : 0.9);
    }
  }
};

KV_TEST_GUILESS_MAIN(GoldenTracesTest)

}  // namespace golden_traces_test

#include "golden_traces_test.moc"
