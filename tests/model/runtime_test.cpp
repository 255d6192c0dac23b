// links: kv_experiments
// Steps, cancelling, ragged caches, window queries: what the engine relies on.
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <map>

#include "core/model/generate.h"
#include "tests/model/cache_contents.h"
#include "tests/model/tiny_checkpoint.h"
#include "tests/support/test_program.h"

namespace runtime_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::vector<float> last_logits(Transformer& model, KvCache& cache, const std::vector<std::int32_t>& tokens,
                               std::int32_t first, int chunk_tokens = 256) {
  PrefillTask task(model, cache, tokens, first,
                   {.chunk_tokens = chunk_tokens, .window_queries = 0, .logits = PrefillLogits::last});
  if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
  return {task.logits().begin(), task.logits().end()};
}

}  // namespace

class RuntimeTest : public QObject {
  Q_OBJECT
  QTemporaryDir folders_[2];  // fp32, bf16
  std::unique_ptr<Transformer> models_[2];
  std::vector<std::int32_t> tokens_;  // 300 of them

  static BlockPool pool_for(const Transformer& model, int block_tokens = 32) {
    return BlockPool(model.kv_shape(), block_tokens, std::size_t{64} << 20);
  }
  Transformer& model_of_row() {
    QFETCH_GLOBAL(bool, bf16);
    return *models_[bf16 ? 1 : 0];
  }
  std::vector<std::int32_t> tokens(int first, int last) const {
    return {tokens_.begin() + first, tokens_.begin() + last};
  }

 private slots:
  void initTestCase_data() {
    QTest::addColumn<bool>("bf16");
    QTest::newRow("fp32") << false;
    QTest::newRow("bf16") << true;
  }
  void initTestCase() {
    const GoldenCase golden("qwen2");
    for (int bf16 = 0; bf16 < 2; ++bf16) {
      if (models_[bf16]) continue;
      golden.write(folders_[bf16].path().toStdString(), bf16 == 1);
      auto model = Transformer::load(folders_[bf16].path().toStdString());
      QVERIFY(model.has_value());
      models_[bf16] = std::move(*model);
    }
    Random random(5);
    tokens_.clear();
    for (int i = 0; i < 300; ++i) tokens_.push_back(static_cast<std::int32_t>(random.below(256)));
  }

  void aTaskStepsThroughLayersOfChunks() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache cache(pool);
    PrefillTask task(model, cache, tokens(0, 100), 0,
                     {.chunk_tokens = 40, .window_queries = 0, .logits = PrefillLogits::last});
    QCOMPARE(task.chunks(), 3);
    QCOMPARE(task.steps_left(), 9);
    for (int step = 0; step < 9; ++step) {
      QVERIFY(!task.done());
      QCOMPARE(task.next_chunk(), step / 3);
      QCOMPARE(task.next_layer(), step % 3);
      QVERIFY(task.step().has_value());
      QCOMPARE(task.steps_left(), 8 - step);
      QCOMPARE(cache.kept(step % 3, 0), std::min(100, 40 * (step / 3 + 1)));
    }
    QVERIFY(task.done());
    QCOMPARE(cache.sequence_length(), 100);
    QCOMPARE(task.end_position(), 100);
  }

  void tasksMayBeInterleaved() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache alone_a(pool), alone_b(pool), together_a(pool), together_b(pool);
    const auto a = last_logits(model, alone_a, tokens(0, 130), 0, 64);
    const auto b = last_logits(model, alone_b, tokens(50, 90), 0, 64);
    const PrefillOptions options{.chunk_tokens = 64, .window_queries = 0, .logits = PrefillLogits::last};
    PrefillTask task_a(model, together_a, tokens(0, 130), 0, options),
        task_b(model, together_b, tokens(50, 90), 0, options);
    while (!task_a.done() || !task_b.done()) {
      QVERIFY(task_a.step().has_value());
      QVERIFY(task_b.step().has_value());
    }
    QVERIFY(same_bits(a, task_a.logits()));
    QVERIFY(same_bits(b, task_b.logits()));
  }

  void aCancelledTaskIsUndoneWithoutATrace() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache cache(pool), untouched(pool);
    last_logits(model, untouched, tokens(0, 90), 0);
    const auto expected = last_logits(model, untouched, tokens(90, 120), 90);
    last_logits(model, cache, tokens(0, 90), 0);
    const std::size_t blocks = pool.live_blocks();
    for (int steps = 1; steps < 6; ++steps) {
      PrefillTask task(model, cache, tokens(200, 260), 90,
                       {.chunk_tokens = 25, .window_queries = 0, .logits = PrefillLogits::last});
      for (int i = 0; i < steps; ++i) QVERIFY(task.step().has_value());
      cache.truncate(task.first_position());
    }
    QCOMPARE(pool.live_blocks(), blocks);
    QCOMPARE(cache.sequence_length(), 90);
    QVERIFY(same_bits(expected, last_logits(model, cache, tokens(90, 120), 90)));
  }

  void blockSizeAndThreadsChangeNoBit() {
    Transformer& model = model_of_row();
    struct Numbers {
      std::vector<float> logits;
      std::vector<std::byte> cache;
    };
    std::map<int, Numbers> firsts;  // by numerics version: some fp32 products round differently with other threads
    const int threads_before = compute_threads();
    for (const int threads : {1, 2, 3, 8})  // 8: more than KV heads, which share query heads then
      for (const int block_tokens : {32, 64, 128}) {
        set_compute_threads(threads);
        BlockPool pool = pool_for(model, block_tokens);
        KvCache cache(pool);
        last_logits(model, cache, tokens(0, 270), 0, 128);
        std::vector<float> logits = last_logits(model, cache, tokens(270, 285), 270, 128);
        std::vector<float> next(logits.size());
        QVERIFY(model.decode(cache, 7, 285, next).has_value());
        logits.insert(logits.end(), next.begin(), next.end());
        const auto& first =
            firsts.try_emplace(model.numerics_version(), Numbers{logits, contents(cache)}).first->second;
        QVERIFY(same_bits(first.logits, logits));
        QVERIFY(first.cache == contents(cache));
      }
    QCOMPARE(firsts.size(), std::size_t{model.compute() == ComputeType::bf16 ? 1U : 4U});
    set_compute_threads(threads_before);
  }

  void removingNothingIsExact() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache cache(pool);
    last_logits(model, cache, tokens(0, 200), 0);
    KvCache kept = cache.share();
    KeptIndices all(static_cast<std::size_t>(model.config().kv_heads));
    for (auto& list : all)
      for (std::int32_t i = 0; i < 200; ++i) list.push_back(i);
    for (int layer = 0; layer < model.config().layers; ++layer) QVERIFY(kept.keep(layer, all).has_value());
    QVERIFY(
        same_bits(last_logits(model, cache, tokens(200, 220), 200), last_logits(model, kept, tokens(200, 220), 200)));
  }

  /// A token that is not kept must not be seen: the answer over a ragged cache equals the one where dropped rows were
  /// never near it, and prefill agrees with token-by-token decoding over the same rows.
  void raggedHeadsAreSeenByTheirOwnRows() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache cache(pool);
    last_logits(model, cache, tokens(0, 200), 0);
    Random random(9);
    for (int layer = 0; layer < model.config().layers; ++layer) {
      KeptIndices kept(static_cast<std::size_t>(model.config().kv_heads));
      for (std::size_t h = 0; h < kept.size(); ++h)
        for (std::int32_t i = 0; i < 200; ++i)
          if (random.uniform() < 0.2 + 0.2 * static_cast<double>(h)) kept[h].push_back(i);
      QVERIFY(cache.keep(layer, kept).has_value());
    }
    QVERIFY(cache.kept(0, 0) != cache.kept(0, 3));
    KvCache stepwise = cache.share();
    const auto whole = last_logits(model, cache, tokens(200, 220), 200);
    std::vector<float> decoded(whole.size());
    for (std::int32_t t = 200; t < 220; ++t)
      QVERIFY(model.decode(stepwise, tokens_[static_cast<std::size_t>(t)], t, decoded).has_value());
    double difference = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
      difference = std::max(difference, std::abs(static_cast<double>(whole[i]) - static_cast<double>(decoded[i])));
    QVERIFY2(difference < (model.compute() == ComputeType::fp32 && model.kv_shape().type == KvType::fp32 ? 1e-4 : 0.4),
             qPrintable(QString::number(difference)));
  }

  void logitsOfAllTokensEndWithTheLast() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache a(pool), b(pool);
    PrefillTask all(model, a, tokens(0, 100), 0,
                    {.chunk_tokens = 64, .window_queries = 0, .logits = PrefillLogits::all});
    QVERIFY(all.run().has_value());
    const auto vocab = static_cast<std::size_t>(model.config().vocab_size);
    QCOMPARE(all.logits().size(), 100 * vocab);
    QVERIFY(same_bits(all.logits().last(vocab), last_logits(model, b, tokens(0, 100), 0, 64)));
    QVERIFY(contents(a) == contents(b));
  }

  void aPrefillWithoutLogitsLeavesTheSameCache() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache a(pool), b(pool);
    PrefillTask silent(model, a, tokens(0, 150), 0,
                       {.chunk_tokens = 64, .window_queries = 20, .logits = PrefillLogits::none});
    QVERIFY(silent.run().has_value());
    QVERIFY(silent.logits().empty());
    last_logits(model, b, tokens(0, 150), 0, 64);
    QVERIFY(contents(a) == contents(b));
  }

  /// The window's queries, multiplied with the cached keys, must give what attention computed: with them the last
  /// token's context vector is found again... checked through scores: same chunk or across chunks, same queries.
  void windowQueriesDoNotDependOnChunks() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    std::vector<WindowQueries> found;
    for (const int chunk : {256, 50, 45}) {
      KvCache cache(pool);
      PrefillTask task(model, cache, tokens(0, 100), 0,
                       {.chunk_tokens = chunk, .window_queries = 32, .logits = PrefillLogits::none});
      QVERIFY(task.run().has_value());
      found.push_back(task.take_window_queries());
      QCOMPARE(found.back().heads, model.config().heads);
      QCOMPARE(found.back().window, 32);
      QCOMPARE(found.back().layers.size(), static_cast<std::size_t>(model.config().layers));
      QCOMPARE(found.back().layers[0].size(),
               static_cast<std::size_t>(32 * model.config().heads * model.config().head_dim));
    }
    for (const WindowQueries& other : found)
      for (std::size_t layer = 0; layer < other.layers.size(); ++layer)
        for (std::size_t i = 0; i < other.layers[layer].size(); ++i)
          QVERIFY(std::abs(other.layers[layer][i] - found[0].layers[layer][i]) <
                  (model.compute() == ComputeType::fp32 ? 1e-4F : 0.1F));
    // longer than the run: as many as there are
    KvCache cache(pool);
    PrefillTask task(model, cache, tokens(0, 10), 0,
                     {.chunk_tokens = 256, .window_queries = 64, .logits = PrefillLogits::none});
    QVERIFY(task.run().has_value());
    QCOMPARE(task.take_window_queries().window, 10);
  }

  void decodeStepsEqualDecode() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache cache(pool);
    last_logits(model, cache, tokens(0, 40), 0);
    KvCache other = cache.share();
    std::vector<float> whole(static_cast<std::size_t>(model.config().vocab_size));
    QVERIFY(model.decode(cache, 3, 40, whole).has_value());
    DecodeTask task(model, other, 3, 40);
    for (int layer = 0; layer < model.config().layers; ++layer) {
      QCOMPARE(task.next_layer(), layer);
      QVERIFY(task.step().has_value());
    }
    QVERIFY(task.done());
    QVERIFY(same_bits(whole, task.logits()));
  }

  void aFullPoolIsAnErrorThatCanBeUndone() {
    Transformer& model = model_of_row();
    BlockPool pool(model.kv_shape(), 32, 10 * BlockPool(model.kv_shape(), 32, 1 << 20).block_bytes());
    KvCache cache(pool);
    PrefillTask task(model, cache, tokens(0, 100), 0,
                     {.chunk_tokens = 64, .window_queries = 0, .logits = PrefillLogits::last});
    const auto status = task.run();
    QVERIFY(!status.has_value());
    QCOMPARE(status.error().code, ErrorCode::no_space);
    cache.truncate(0);
    QCOMPARE(pool.live_blocks(), std::size_t{0});
  }

  void badRequestsAreRefusedBeforeAnythingIsComputed() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    KvCache cache(pool);
    const auto refused = [&](std::vector<std::int32_t> ids, std::int32_t first) {
      PrefillTask task(model, cache, std::move(ids), first, {});
      const auto status = task.run();
      return !status && status.error().code == ErrorCode::rejected_input && cache.kept_rows() == 0;
    };
    QVERIFY(refused({1, 256}, 0));
    QVERIFY(refused({-1}, 0));
    QVERIFY(refused({}, 0));
    QVERIFY(refused({1, 2}, 511));
    QVERIFY(refused({1}, -1));
    std::vector<float> logits(256);
    QVERIFY(!model.decode(cache, 1, 512, logits).has_value());
  }

  void generationStopsWhenToldTo() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    GenerateOptions options;
    options.max_tokens = 12;
    KvCache first(pool);
    const auto all = generate(model, first, tokens(0, 60), options);
    QVERIFY(all.has_value());
    QCOMPARE(all->tokens.size(), std::size_t{12});
    QCOMPARE(all->reason, FinishReason::length);
    QCOMPARE(first.sequence_length(), 60 + 11);

    options.stop_tokens = {all->tokens[5]};
    KvCache second(pool);
    const auto stopped = generate(model, second, tokens(0, 60), options);
    QCOMPARE(stopped->reason, FinishReason::stop);
    QVERIFY(stopped->tokens.size() <= 5);
    QVERIFY(std::equal(stopped->tokens.begin(), stopped->tokens.end(), all->tokens.begin()));

    options.stop_tokens = {};
    for (int patience = 0; patience < 20; ++patience) {  // cancel at any layer of prefill or decode
      KvCache third(pool);
      int calls = 0;
      const auto cancelled =
          generate(model, third, tokens(0, 60), options, [&](std::int32_t) { return calls++ < patience; });
      QVERIFY(cancelled.has_value());
      QCOMPARE(cancelled->reason, FinishReason::cancelled);
      QCOMPARE(calls, patience + 1);
      for (int layer = 0; layer < model.config().layers; ++layer)
        QCOMPARE(third.kept(layer, 0), third.sequence_length());
    }
    QCOMPARE(pool.live_blocks(), pool.live_blocks());
  }

  void seededSamplingRepeats() {
    Transformer& model = model_of_row();
    BlockPool pool = pool_for(model);
    GenerateOptions options;
    options.max_tokens = 20;
    options.sampling = {.temperature = 1.0, .top_k = 50, .top_p = 0.95, .seed = 3};
    const auto run = [&] {
      KvCache cache(pool);
      return generate(model, cache, tokens(0, 30), options)->tokens;
    };
    const auto once = run();
    QCOMPARE(run(), once);
    options.sampling.seed = 4;
    QVERIFY(run() != once);
  }
};

KV_TEST_GUILESS_MAIN(RuntimeTest)

}  // namespace runtime_test

#include "runtime_test.moc"
