// links: kv_runtime
// Eviction while decoding, on the real model: budgets hold at every step, choices equal those worked out in plain loops,
// and without an eviction nothing changes.
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "core/compress/decode/eviction_loop.h"
#include "core/compress/decode/quest.h"
#include "core/engine/observing.h"
#include "core/model/generate.h"
#include "tests/support/test_model.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int prompt_tokens = 300;

/// A prompt of the test model, prefilled, with all that evictors may ask for.
struct Prompt {
  std::unique_ptr<ModelRuntime> runtime;
  std::vector<std::int32_t> tokens;
  std::unique_ptr<KvCache> cache;
  Observation observed;
  EvictorSetting setting;

  explicit Prompt(int block_tokens = 16) {
    ModelRuntimeOptions options;
    options.block_tokens = block_tokens;
    runtime = ModelRuntime::load(model_directory(), options).value();
    Random random(5);
    for (int i = 0; i < prompt_tokens; ++i) tokens.push_back(static_cast<std::int32_t>(16 + random.below(1500)));
    cache = std::make_unique<KvCache>(*runtime->pool);
    PrefillTask prefill(*runtime->model, *cache, tokens, 0,
                        {.chunk_tokens = 64, .window_queries = prompt_tokens, .logits = PrefillLogits::none});
    if (!prefill.run()) qFatal("prefill");
    observed = observation_of(*runtime, prefill.take_window_queries());
    if (!complete_observation(*runtime, *cache, tokens, {.window_queries = 0, .repeat_pass = false, .calibration = true}, observed))
      qFatal("calibration");
    const ModelConfig& config = runtime->model->config();
    setting = {config.layers, config.kv_heads, config.heads, config.head_dim, false,
               {runtime->model->rope().begin(), runtime->model->rope().end()}};
  }

  /// Decodes `count` fixed tokens through the loop; what the cache holds afterwards is in `cache`.
  EvictionCounts decode(const std::string& text, const EvictionOptions& options, int count,
                        const std::function<void(const EvictionCounts&)>& each = {}) {
    auto evictor = make_evictor(text, setting);
    if (!evictor) qFatal("%s", evictor.error().message.c_str());
    if (const auto begun = (*evictor)->begin(*cache, observed); !begun) qFatal("%s", begun.error().message.c_str());
    EvictionLoop loop(std::move(*evictor), setting, options, clock);
    for (int i = 0; i < count; ++i) {
      DecodeTask task(*runtime->model, *cache, static_cast<std::int32_t>(20 + i), prompt_tokens + i, &loop);
      if (const auto ran = task.run(); !ran) qFatal("%s", ran.error().message.c_str());
      logits.assign(task.logits().begin(), task.logits().end());
      if (each) each(loop.counts());
    }
    return loop.counts();
  }
  std::vector<std::int32_t> positions(int layer, int head) const {
    std::vector<std::int32_t> found(static_cast<std::size_t>(cache->kept(layer, head)));
    cache->gather_head(layer, head, nullptr, nullptr, found.data());
    return found;
  }

  SystemClock clock;
  std::vector<float> logits;
};

}  // namespace

class DecodeEvictionTest : public QObject {
  Q_OBJECT

  static void everyEvictor() {
    QTest::addColumn<QString>("text");
    for (const EvictorInfo& info : known_evictors()) QTest::newRow(std::string(info.name).c_str()) << QString::fromStdString(std::string(info.name));
  }

 private slots:
  void budgetsHoldAtEveryStep_data() { everyEvictor(); }
  void budgetsHoldAtEveryStep() {
    QFETCH(QString, text);
    Prompt prompt;
    const int budget = 128, page = 16;
    const EvictionOptions options{.budget_tokens = budget, .cadence = 1, .compaction = CompactionKind::repack, .compact_every = 16};
    const bool pages = text == "paged_eviction";
    int step = 0;
    const auto counts = prompt.decode(text.toStdString(), options, 48, [&](const EvictionCounts&) {
      ++step;
      if (pages && step < page) return;  // the first page boundary comes with the first full page
      for (int l = 0; l < prompt.setting.layers; ++l)
        for (int h = 0; h < prompt.setting.kv_heads; ++h) {
          QVERIFY(prompt.cache->kept(l, h) <= budget + (pages ? page : 0));
          const auto positions = prompt.positions(l, h);
          QVERIFY(std::ranges::adjacent_find(positions, std::greater_equal<>{}) == positions.end());
          QCOMPARE(positions.back(), prompt_tokens + step - 1);  // the newest token is never dropped
        }
    });
    // What came in is held or was evicted.
    const auto heads = static_cast<std::int64_t>(prompt.setting.layers * prompt.setting.kv_heads);
    QCOMPARE(counts.tokens_evicted + static_cast<std::int64_t>(prompt.cache->kept_rows()), heads * (prompt_tokens + 48));
    QCOMPARE(counts.steps, std::int64_t{48});
    // After the last pass no block is held in vain.
    const auto blocks_needed = heads * ((prompt.cache->kept(0, 0) + page - 1) / page);
    QCOMPARE(static_cast<std::int64_t>(prompt.runtime->pool->live_blocks()), blocks_needed);
    const bool scores = std::ranges::any_of(known_evictors(), [&](const EvictorInfo& info) { return info.name == text.toStdString() && info.needs_attention; });
    QCOMPARE(counts.score_buffer_bytes > 0, scores);
  }

  void withRoomEnoughNothingChanges_data() { everyEvictor(); }
  void withRoomEnoughNothingChanges() {
    QFETCH(QString, text);
    Prompt with, without;
    with.decode(text.toStdString(), {.budget_tokens = 4096}, 8);
    for (int i = 0; i < 8; ++i) {
      DecodeTask task(*without.runtime->model, *without.cache, 20 + i, prompt_tokens + i);
      QVERIFY(task.run().has_value());
      without.logits.assign(task.logits().begin(), task.logits().end());
    }
    QCOMPARE(with.logits, without.logits);  // bit for bit
  }

  void compactionChangesNoNumber_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"h2o", "keydiff", "paged_eviction", "streaming_llm"}) QTest::newRow(text) << text;
  }
  void compactionChangesNoNumber() {
    QFETCH(QString, text);
    std::map<CompactionKind, std::vector<float>> logits;
    std::map<CompactionKind, std::size_t> blocks;
    for (const CompactionKind kind : {CompactionKind::none, CompactionKind::repack, CompactionKind::hole_fill}) {
      Prompt prompt;
      prompt.decode(text.toStdString(), {.budget_tokens = 100, .cadence = 1, .compaction = kind, .compact_every = 16}, 48);
      logits[kind] = prompt.logits;
      blocks[kind] = prompt.runtime->pool->live_blocks();
    }
    QCOMPARE(logits[CompactionKind::repack], logits[CompactionKind::none]);
    QCOMPARE(logits[CompactionKind::hole_fill], logits[CompactionKind::none]);
    QVERIFY(blocks[CompactionKind::repack] <= blocks[CompactionKind::hole_fill]);
    QVERIFY(blocks[CompactionKind::hole_fill] <= blocks[CompactionKind::none]);
  }

  void scatteredEvictionFreesNoBlockWithoutCompaction() {
    Prompt scattered, together;
    const EvictionOptions none{.budget_tokens = 290, .cadence = 1, .compaction = CompactionKind::none};
    const auto a = scattered.decode("keydiff", none, 16);
    const auto b = together.decode("streaming_llm(sinks=0)", none, 16);
    QVERIFY(a.tokens_evicted == b.tokens_evicted);
    QVERIFY2(a.blocks_freed_by_eviction < b.blocks_freed_by_eviction,
             qPrintable(QStringLiteral("%1 against %2").arg(a.blocks_freed_by_eviction).arg(b.blocks_freed_by_eviction)));
  }

  void streamingKeepsSinksAndTheNewest() {
    Prompt prompt;
    prompt.decode("streaming_llm(sinks=4)", {.budget_tokens = 64}, 5);
    const auto positions = prompt.positions(1, 0);
    std::vector<std::int32_t> expected{0, 1, 2, 3};
    for (int p = prompt_tokens + 5 - 60; p < prompt_tokens + 5; ++p) expected.push_back(p);
    QCOMPARE(positions, expected);
  }

  void tovaDropsWhatTheNewestTokenAttendsToLeast() {
    Prompt prompt;
    struct Watch final : DecodeHooks {
      std::vector<float> queries;
      Status after_layer(KvCache&, int layer, std::span<const float> q) override {
        if (layer == 1) queries.assign(q.begin(), q.end());
        return {};
      }
    } watch;
    KvCache copy = prompt.cache->share();
    DecodeTask task(*prompt.runtime->model, copy, 20, prompt_tokens, &watch);
    QVERIFY(task.run().has_value());
    // Plain loops over the cache's rows, in double.
    const int dim = prompt.setting.head_dim, group = prompt.setting.heads / prompt.setting.kv_heads;
    std::vector<double> sums(prompt_tokens + 1, 0.0);
    for (int h = 0; h < prompt.setting.kv_heads; ++h) {
      std::vector<std::byte> bytes(static_cast<std::size_t>((prompt_tokens + 1) * dim) * bytes_of(copy.shape().type));
      copy.gather_head(1, h, bytes.data(), nullptr, nullptr);
      for (int g = 0; g < group; ++g) {
        std::vector<double> logits(sums.size(), 0.0);
        for (std::size_t t = 0; t < logits.size(); ++t)
          for (int d = 0; d < dim; ++d) {
            const std::size_t i = t * static_cast<std::size_t>(dim) + static_cast<std::size_t>(d);
            float key = 0;
            if (copy.shape().type == KvType::fp32) {
              std::memcpy(&key, &bytes[i * 4], 4);
            } else {
              std::uint32_t bits = 0;
              std::memcpy(reinterpret_cast<char*>(&bits) + 2, &bytes[i * 2], 2);
              std::memcpy(&key, &bits, 4);
            }
            logits[t] += double(key) * double(watch.queries[static_cast<std::size_t>((h * group + g) * dim + d)]) / std::sqrt(double(dim));
          }
        double total = 0;
        for (double& logit : logits) total += logit = std::exp(logit);
        for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += logits[t] / total;
      }
    }
    const double least = *std::ranges::min_element(sums.begin(), sums.end() - 1);
    prompt.decode("tova", {.budget_tokens = prompt_tokens, .compaction = CompactionKind::none}, 1);
    const auto held = prompt.positions(1, 0);
    QCOMPARE(held.size(), std::size_t{prompt_tokens});
    std::int32_t dropped = 0;
    while (static_cast<std::size_t>(dropped) < held.size() && held[static_cast<std::size_t>(dropped)] == dropped) ++dropped;
    // fp32 knows no smaller weights than 1e-38: among those any may go.
    const double weight = sums[static_cast<std::size_t>(dropped)];
    QVERIFY2(weight <= least * 1.001 + 1e-37, qPrintable(QStringLiteral("dropped %1 at %2, the least is %3").arg(dropped).arg(weight).arg(least)));
  }

  void pagesGoWholeAndNeverTheNewest() {
    for (const int page : {8, 16, 32, 64, 128}) {
      Prompt prompt(page);
      prompt.setting.shared_heads = true;
      const auto counts = prompt.decode("paged_eviction", {.budget_tokens = 256, .compaction = CompactionKind::none}, 2 * page);
      QVERIFY(counts.tokens_evicted > 0);
      QCOMPARE(prompt.cache->dead_slots(), std::size_t{0});  // no page is left with holes
      QVERIFY(prompt.cache->kept(0, 0) <= 256 + page);
      for (int h = 1; h < prompt.setting.kv_heads; ++h) QCOMPARE(prompt.positions(2, h), prompt.positions(2, 0));
    }
  }

  void questReadsFewerRowsAndEvictsNone() {
    Prompt prompt;
    QuestSelector all({.page_tokens = 16, .budget_tokens = 4096, .dense_layers = 2}), few({.page_tokens = 16, .budget_tokens = 64, .dense_layers = 2});
    const auto logits = [&](DecodeHooks* hooks) {
      KvCache copy = prompt.cache->share();
      DecodeTask task(*prompt.runtime->model, copy, 20, prompt_tokens, hooks);
      if (!task.run()) qFatal("decode");
      if (copy.kept_rows() != prompt.cache->kept_rows() + static_cast<std::size_t>(prompt.setting.layers * prompt.setting.kv_heads)) qFatal("rows");
      return std::vector<float>(task.logits().begin(), task.logits().end());
    };
    const int group = prompt.setting.heads / prompt.setting.kv_heads;
    all.set_group(group);
    few.set_group(group);
    QCOMPARE(logits(&all), logits(nullptr));  // every page chosen: the same numbers
    (void)logits(&few);
    QVERIFY(few.rows_read() > 0);
    QVERIFY(few.rows_read() * 4 < few.rows_held());
    QCOMPARE(all.rows_read(), all.rows_held());
  }

  void questChoosesThePagesOfTheHighestBounds() {
    Prompt prompt;
    QuestSelector quest({.page_tokens = 16, .budget_tokens = 48, .dense_layers = 0});
    quest.set_group(1);
    const int dim = prompt.setting.head_dim;
    std::vector<std::byte> bytes(static_cast<std::size_t>(prompt_tokens * dim) * bytes_of(prompt.cache->shape().type));
    prompt.cache->gather_head(1, 1, bytes.data(), nullptr, nullptr);
    if (prompt.cache->shape().type != KvType::bf16) QSKIP("the shipped model holds bf16");
    const auto key = [&](int t, int d) {
      std::uint32_t bits = 0;
      std::memcpy(reinterpret_cast<char*>(&bits) + 2, &bytes[static_cast<std::size_t>(t * dim + d) * 2], 2);
      return std::bit_cast<float>(bits);
    };
    Random random(3);
    std::vector<float> query;
    for (int d = 0; d < dim; ++d) query.push_back(static_cast<float>(random.normal()));
    std::vector<std::pair<double, int>> bounds;
    for (int page = 0; page * 16 < prompt_tokens; ++page) {
      double bound = 0;
      for (int d = 0; d < dim; ++d) {
        double best = -1e30;
        for (int t = page * 16; t < std::min(prompt_tokens, page * 16 + 16); ++t)
          best = std::max(best, double(key(t, d)) * double(query[static_cast<std::size_t>(d)]));
        bound += best;  // the largest product over the page, channel by channel
      }
      bounds.emplace_back(-bound, page);
    }
    std::ranges::sort(bounds);
    std::vector<std::int32_t> expected;
    std::vector<int> pages{bounds[0].second, bounds[1].second, bounds[2].second};
    std::ranges::sort(pages);
    for (const int page : pages)
      for (int t = page * 16; t < std::min(prompt_tokens, page * 16 + 16); ++t) expected.push_back(t);
    const auto chosen = quest.rows(*prompt.cache, 1, 1, query);
    QCOMPARE(std::vector<std::int32_t>(chosen.begin(), chosen.end()), expected);
  }

  void unknownNamesGetAHint() {
    const auto wrong = make_evictor("h20", {});
    QVERIFY(!wrong);
    QVERIFY(QString::fromStdString(wrong.error().message).contains("did you mean 'h2o'"));
    QVERIFY(!make_evictor("knorm(keep=middle)", {}));
  }
};

QTEST_GUILESS_MAIN(DecodeEvictionTest)
#include "decode_eviction_test.moc"
