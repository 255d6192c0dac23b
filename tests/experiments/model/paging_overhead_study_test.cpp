// links: kv_experiments
// The two overheads of token eviction. Blocks: the published arithmetic of paged eviction. Scores: what reads no
// attention weights leaves the attention path and the peak of memory alone; what reads them says how much it holds.
#include "core/experiments/model/paging_overhead_study.h"

#include <QtTest>

#include "core/base/random.h"
#include "core/compress/decode/eviction_loop.h"
#include "core/experiments/model/online_softmax.h"
#include "core/runtime/observing.h"
#include "tests/support/heap_peak.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace wall_study_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int prompt_tokens = 600, steps = 40;
const SystemClock system_clock;

const std::vector<const char*> score_free_methods = {"random",        "knorm", "keydiff",
                                                     "streaming_llm", "lagkv", "paged_eviction"};
const std::vector<const char*> score_based_methods = {
    "snapkv", "tova", "observed_attention", "h2o", "scissorhands", "expected_attention", "kvzip", "r_kv"};
const std::vector<const char*> score_free_evictions = {"streaming_llm", "paged_eviction", "knorm", "keydiff"};
const std::vector<const char*> score_based_evictions = {"h2o", "scissorhands", "tova"};

struct Decoded {
  std::vector<float> logits;  // of all steps
  std::ptrdiff_t heap_peak = 0;
  std::size_t pool_peak = 0;
  EvictionCounts counts;
};

}  // namespace

class PagingOverheadStudyTest : public QObject {
  Q_OBJECT

  std::unique_ptr<ModelRuntime> runtime_;
  std::vector<std::int32_t> tokens_;
  std::unique_ptr<KvCache> prompt_;
  Observation observed_;

  EvictionSetting setting() const {
    const ModelConfig& config = runtime_->model->config();
    return {config.layers,
            config.kv_heads,
            config.heads,
            config.head_dim,
            {},
            {runtime_->model->rope().begin(), runtime_->model->rope().end()}};
  }

  /// Decodes fixed tokens after the prompt; `eviction_method` empty: without hooks.
  Decoded decode(const std::string& eviction_method, int budget) {
    KvCache cache = prompt_->share();
    std::unique_ptr<EvictionLoop> loop;
    if (!eviction_method.empty()) {
      auto made = make_eviction(eviction_method, setting());
      if (!made || !(*made)->begin(cache, observed_)) qFatal("eviction method");
      loop = std::make_unique<EvictionLoop>(std::move(*made), setting(), EvictionOptions{.budget_tokens = budget},
                                            system_clock);
    }
    Decoded result;
    result.logits.reserve(static_cast<std::size_t>(steps) *
                          static_cast<std::size_t>(runtime_->model->config().vocab_size));
    const std::size_t before = runtime_->pool->live_blocks();
    result.heap_peak = heap_peak_of([&] {
      for (int i = 0; i < steps; ++i) {
        DecodeTask task(*runtime_->model, cache, 20 + i, prompt_tokens + i, loop.get());
        if (!task.run()) qFatal("decode");
        result.logits.insert(result.logits.end(), task.logits().begin(), task.logits().end());
        result.pool_peak = std::max(result.pool_peak, runtime_->pool->live_blocks() - before);
      }
    });
    if (loop) result.counts = loop->counts();
    return result;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
    runtime_ = ModelRuntime::load(model_directory()).value();
    Random random(7);
    for (int i = 0; i < prompt_tokens; ++i) tokens_.push_back(static_cast<std::int32_t>(16 + random.below(1500)));
    prompt_ = std::make_unique<KvCache>(*runtime_->pool);
    PrefillTask prefill(*runtime_->model, *prompt_, tokens_, 0,
                        {.chunk_tokens = 128, .window_queries = prompt_tokens, .logits = PrefillLogits::none});
    QVERIFY(prefill.run().has_value());
    observed_ = observation_of(*runtime_, prefill.take_window_queries());
  }

  void blocksComeBackAsThePageCountsThem() {
    const auto overheads = measure_block_overheads(system_clock).value();
    const auto of = [&](const char* eviction, const char* compaction) {
      for (const BlockOverhead& overhead : overheads)
        if (overhead.eviction == eviction && overhead.compaction == compaction) return overhead;
      qFatal("no such case");
    };
    const BlockOverhead scattered = of("scattered, 9 of 10", "repack");
    QCOMPARE(scattered.blocks, std::size_t{1000});
    QCOMPARE(scattered.evicted_rows, std::size_t{14400});
    QCOMPARE(scattered.freed_by_eviction, std::size_t{0});
    QCOMPARE(scattered.freed_by_pass, std::size_t{900});
    QCOMPARE(of("scattered, 9 of 10", "none").freed_by_pass, std::size_t{0});
    QCOMPARE(of("one aligned block", "none").freed_by_eviction, std::size_t{1});
    QCOMPARE(of("all but one per block", "none").freed_by_eviction, std::size_t{0});
    QCOMPARE(of("all but one per block", "none").fragmentation, 0.9375);
    QCOMPARE(of("toy: 4 of 24", "repack").slot_copies, std::size_t{18});
    QCOMPARE(of("toy: 4 of 24", "hole filling").slot_copies, std::size_t{3});
    QCOMPARE(of("toy: 4 of 24", "repack").freed_by_pass, of("toy: 4 of 24", "hole filling").freed_by_pass);
  }

  void tilesHoldFewerScores() {
    const SoftmaxComparison softmax = compare_softmax();
    QCOMPARE(softmax.full_scores, std::size_t{512 * 512});
    QCOMPARE(softmax.tiled_scores, std::size_t{512 * 32});
    QVERIFY(softmax.output_difference > 0 && softmax.output_difference < 1e-12);
    QVERIFY(softmax.swapped_output_difference < 1e-12);
    QVERIFY(softmax.swapped_score_difference > 1e-3);
    QCOMPARE(softmax.hot.overflows, std::size_t{512});
    QCOMPARE(softmax.hot.finite, std::size_t{512});
    QVERIFY(softmax.hot.output_difference < 1e-12);
  }

  // Logits that leave exact sums: weights of 0, 1 and 1/2.
  void aRunningMaximumStaysFinite() {
    const double half = std::log(2.0), hot = 800;
    TiledSoftmax softmax;
    std::vector<double> first{0, 0}, second{hot, 0, hot}, third{hot, -hot};
    QCOMPARE(softmax.add(first), 0.0);  // nothing was summed before
    QCOMPARE(first, (std::vector<double>{1, 1}));
    QCOMPARE(softmax.denominator, 2.0);
    QCOMPARE(softmax.add(second), 0.0);  // exp(-800) is 0: the first tile has no weight left
    QCOMPARE(second, (std::vector<double>{1, 0, 1}));
    QCOMPARE(softmax.add(third), 1.0);  // the maximum stays
    QCOMPARE(third, (std::vector<double>{1, 0}));
    QCOMPARE(softmax.maximum, hot);
    QCOMPARE(softmax.denominator, 3.0);
    TiledSoftmax rescaled;
    std::vector<double> low{-half}, high{0};
    rescaled.add(low);
    QVERIFY(std::abs(rescaled.add(high) - 0.5) < 1e-15);
    QVERIFY(std::abs(rescaled.denominator - 1.5) < 1e-15);
    // Without a maximum the same logits overflow, as soon as one is above 709.
    QCOMPARE(denominator_without_maximum(std::vector<double>{0, 0, -hot}), 2.0);
    QVERIFY(std::isfinite(denominator_without_maximum(std::vector<double>{709})));
    QVERIFY(std::isinf(denominator_without_maximum(std::vector<double>{0, 710})));
  }

  void methodsSayWhatTheyHold() {
    std::vector<std::shared_ptr<const Method>> methods;
    for (const char* name : score_free_methods) methods.push_back(parse_method(name).value());
    for (const char* name : score_based_methods) methods.push_back(parse_method(name).value());
    Calibration machine(system_clock, [] {});
    std::vector<std::string> begun;
    const auto overheads =
        measure_score_overheads(
            *runtime_, tokens_, methods,
            {.blocks = 2, .begin_cell = [&](const std::string& method, int) { begun.push_back(method); }},
            ExperimentRunner(machine, {.rounds = 1, .repeats = 0}), system_clock)
            .value();
    QCOMPARE(begun.size(), 2 * (methods.size() + 1));
    QCOMPARE(std::ranges::count(begun, std::string()), 2);  // the prefill without a method
    QCOMPARE(overheads.size(), methods.size());
    for (std::size_t m = 0; m < overheads.size(); ++m) {
      const bool free = m < score_free_methods.size();
      QVERIFY2((overheads[m].score_buffer_bytes == 0) == free, overheads[m].method.c_str());
      QVERIFY2((overheads[m].observation_bytes == 0) == free, overheads[m].method.c_str());
      QCOMPARE(overheads[m].attention_weights, !free);
      QVERIFY(overheads[m].slow_downs.size() == 2 && overheads[m].slow_downs.front() > 0);
    }
  }

  // Whoever can evict without weights must leave the numbers of a step alone until it evicts.
  void scoreFreeMethodsLeaveTheAttentionPathAlone() {
    const Decoded plain = decode("", 0);
    for (const char* name : score_free_evictions) {
      const Decoded hooked = decode(name, prompt_tokens + 2 * steps);
      QCOMPARE(hooked.counts.tokens_evicted, std::int64_t{0});
      QVERIFY2(hooked.logits == plain.logits, name);
      QCOMPARE(hooked.counts.score_buffer_bytes, std::size_t{0});
      QCOMPARE(hooked.pool_peak, plain.pool_peak);
    }
  }

  void scoreFreeMethodsLeaveThePeakOfMemoryAlone() {
    if (!KVANTAGE_COUNTS_HEAP) QSKIP("the heap is not counted under sanitizers");
    const int budget = prompt_tokens + steps / 2;  // evicts in the second half
    const std::ptrdiff_t plain = decode("", 0).heap_peak;
    // A score and an index a row of one layer while it evicts, the slots of all layers' rows behind holes.
    const auto rows = static_cast<std::ptrdiff_t>(prompt_tokens + steps) * runtime_->model->config().kv_heads;
    for (const char* name : score_free_evictions) {
      const Decoded evicting = decode(name, budget);
      QVERIFY2(evicting.counts.tokens_evicted > 0, name);
      QCOMPARE(evicting.counts.score_buffer_bytes, std::size_t{0});
      const std::ptrdiff_t row_slots = rows * runtime_->model->config().layers * 8, more = evicting.heap_peak - plain;
      QVERIFY2(more <= rows * 16 + row_slots, qPrintable(QString("%1: %2 bytes more").arg(name).arg(more)));
    }
    for (const char* name : score_based_evictions) {
      const Decoded evicting = decode(name, prompt_tokens + 2 * steps);  // never evicts: what is more are weights
      QVERIFY2(evicting.counts.score_buffer_bytes > 0, name);
      const std::ptrdiff_t more = evicting.heap_peak - plain;
      QVERIFY2(
          more >= static_cast<std::ptrdiff_t>(evicting.counts.score_buffer_bytes),
          qPrintable(
              QString("%1: %2 bytes more, %3 reported").arg(name).arg(more).arg(evicting.counts.score_buffer_bytes)));
    }
  }
};

KV_TEST_GUILESS_MAIN(PagingOverheadStudyTest)

}  // namespace wall_study_test

#include "paging_overhead_study_test.moc"
