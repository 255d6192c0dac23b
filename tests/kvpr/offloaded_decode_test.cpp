// links: kv_experiments kv_tiers
// Decoding from a slower tier gives the bits of a plain decode, whatever is recomputed and whatever is loaded.
#include <QTemporaryDir>
#include <QtTest>

#include "core/kvpr/context_load.h"
#include "core/kvpr/recompute_estimate.h"
#include "core/kvpr/recompute_profile.h"
#include "tests/kvpr/plain_decode.h"
#include "tests/model/tiny_checkpoint.h"
#include "tests/support/test_program.h"

namespace offloaded_decode_test {

using namespace kvantage;
using namespace kvantage::test;

class OffloadedDecodeTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::unique_ptr<Transformer> load(const GoldenCase& golden, bool bf16) { return load_golden(golden, folder_, bf16); }

 private slots:
  void theBitsOfAPlainDecode_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<int>("mode");
    QTest::addColumn<bool>("on_disk");
    for (const char* name : {"opt", "opt_norm_after", "llama_mha_linear", "qwen3", "mistral_sharded"})
      for (const bool bf16 : {false, true})
        for (const int mode : {0, 1, 2})
          QTest::addRow("%s, %s, %s", name, bf16 ? "bf16" : "fp32",
                        std::array{"solved", "load only", "recompute only"}[static_cast<std::size_t>(mode)])
              << QString(name) << bf16 << mode << (mode == 0);
  }
  void theBitsOfAPlainDecode() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(int, mode);
    QFETCH(bool, on_disk);
    const GoldenCase golden(name.toStdString());
    const auto model = load(golden, bf16);
    const std::vector<std::int32_t> prompt(golden.tokens.begin(),
                                           golden.tokens.begin() + 45);  // five chunks and a part of one
    const Decoded plain = plainly(*model, prompt);

    QTemporaryDir disk;
    TierConfig config{.name = on_disk ? "ssd" : "dram"};
    if (on_disk) config.options["path"] = disk.path().toStdString();
    const auto tier = open_or_fail(config);
    BufferPool buffers(std::size_t{8} << 20);
    const OffloadedDecodeOptions options{.chunk_tokens = chunk,
                                         .mode = static_cast<SplitMode>(mode),
                                         .profile = half(*model),
                                         .name = "test",
                                         .frozen = true};
    if (mode == 0 && !check_recompute_pays(RecomputeSchedule::column,
                                           recompute_shape(*model))) {  // without products of bf16, inputs are fp32
      QVERIFY(!OffloadedDecode::begin(*model, *tier, buffers, prompt, options).has_value());
      return;
    }
    {
      auto decode = OffloadedDecode::begin(*model, *tier, buffers, prompt, options);
      QVERIFY2(decode.has_value(), decode ? "" : decode.error().message.c_str());
      int least = 1 << 20, most = 0;
      for (int i = 0; i < decoded; ++i) {
        QVERIFY2(same_bits((*decode)->logits(), plain.logits[static_cast<std::size_t>(i)]),
                 qPrintable(QString("logits before step %1").arg(i)));
        const auto step = (*decode)->step(plain.tokens[static_cast<std::size_t>(i)]);
        QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
        least = std::min(least, step->recomputed_tokens);
        most = std::max(most, step->recomputed_tokens);
      }
      QVERIFY(same_bits((*decode)->logits(), plain.logits.back()));
      const OffloadedStep& first = (*decode)->steps().front();
      const OffloadedStep& last = (*decode)->steps().back();
      QCOMPARE(first.streamed_tokens, 45);
      QVERIFY(last.streamed_tokens >= 45 + chunk &&
              (last.streamed_tokens - 45) % chunk == 0);  // pages of decoded tokens
      if (mode == 1) QCOMPARE(most, 0);
      if (mode == 2) QCOMPARE(least, 45);
      if (mode == 0) QVERIFY2(least > 0 && most < 45, qPrintable(QString("%1 to %2").arg(least).arg(most)));
      QVERIFY(mode == 1 ? last.input_bytes == 0 : last.input_bytes > 0);
      // What is held besides is a page that is being filled, and those being written.
      QVERIFY((*decode)->held_bytes() <= 4 * chunk * model->kv_shape().bytes_per_token());
      QVERIFY((*decode)->offloaded_bytes() > 45 * model->kv_shape().bytes_per_token());
      QVERIFY(tier->used_bytes() > 0);
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});  // nothing is left behind
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }

  // Matrices come over the link with each layer; the model has none of its own meanwhile.
  void weightsComeWithTheirLayers_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<bool>("first");
    for (const char* name : {"opt", "qwen3", "llama_mha_linear"})
      for (const bool bf16 : {false, true})
        for (const bool first : {false, true})
          QTest::addRow("%s, %s, %s", name, bf16 ? "bf16" : "fp32", first ? "W_K and W_V first" : "whole")
              << QString(name) << bf16 << first;
  }
  void weightsComeWithTheirLayers() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(bool, first);
    const GoldenCase golden(name.toStdString());
    const auto model = load(golden, bf16);
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + 45);
    const Decoded plain = plainly(*model, prompt);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    for (const SplitMode mode : {SplitMode::recompute_only, SplitMode::load_only}) {
      OffloadedDecodeOptions options{.chunk_tokens = chunk, .mode = mode, .profile = half(*model), .frozen = true};
      options.weights = first ? WeightLoading::keys_values_first : WeightLoading::whole;
      auto decode = OffloadedDecode::begin(*model, *tier, buffers, prompt, options);
      QVERIFY2(decode.has_value(), decode ? "" : decode.error().message.c_str());
      std::uint64_t bytes = 0;
      for (int i = 0; i < decoded; ++i) {
        QVERIFY2(same_bits((*decode)->logits(), plain.logits[static_cast<std::size_t>(i)]),
                 qPrintable(QString("logits before step %1").arg(i)));
        const auto step = (*decode)->step(plain.tokens[static_cast<std::size_t>(i)]);
        QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
        QVERIFY(bytes == 0 || step->weight_bytes == bytes);  // the same matrices each step
        bytes = step->weight_bytes;
      }
      QVERIFY(same_bits((*decode)->logits(), plain.logits.back()));
      // All but embeddings, head and norms: the seven or six matrices of every layer.
      QVERIFY2(bytes > model->weight_bytes() / 8 && bytes < model->weight_bytes() * 2,
               qPrintable(QString("%1 of %2").arg(bytes).arg(model->weight_bytes())));
      BlockPool pool(model->kv_shape(), 32, std::size_t{16} << 20);
      KvCache cache(pool);
      std::vector<float> logits(plain.logits.back().size());
      QVERIFY(!model->decode(cache, 1, 0, logits).has_value());  // nothing is left in the model to compute with
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
    QVERIFY(plainly(*model, prompt).logits == plain.logits);  // the model is as it was
  }

  // Bytes of a step follow from l: the padding of a block is its share of 4 KiB.
  void bytesAreCounted() {
    const auto model = load(GoldenCase("opt"), false);
    const std::vector<std::int32_t> all = GoldenCase("opt").tokens, prompt(all.begin(), all.begin() + 40);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    auto decode = OffloadedDecode::begin(
        *model, *tier, buffers, prompt,
        {.chunk_tokens = chunk, .mode = SplitMode::solved, .profile = half(*model), .frozen = true});
    QVERIFY(decode.has_value());
    for (int i = 0; i < 5; ++i) QVERIFY((*decode)->step(3).has_value());
    const OffloadedStep& step = (*decode)->steps()[2];
    const std::uint64_t blocks = static_cast<std::uint64_t>(step.recomputed_tokens / chunk), layers = 3;
    QCOMPARE(step.recomputed_tokens % chunk, 0);
    // hidden 64, fp32: 8 tokens x 64 x 4 = 2 KiB of inputs, padded to 4; keys and values: 4 KiB.
    QCOMPARE(step.input_bytes, layers * blocks * 4096);
    QCOMPARE(step.kv_bytes, layers * (5 - blocks) * 4096);
  }

  // A profile under which nothing is worth recomputing does not hold for good: steps measure it again.
  void theRateIsMeasuredAgain() {
    const GoldenCase golden("opt");
    const auto model = load(golden, true);
    if (!check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)))
      QSKIP("layer inputs of this form are no shorter than keys and values");
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + 45);
    const Decoded plain = plainly(*model, prompt);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    RecomputeProfile profile = half(*model);
    profile.recompute.seconds_per_token = 1;
    auto decode = OffloadedDecode::begin(*model, *tier, buffers, prompt,
                                         {.chunk_tokens = chunk, .mode = SplitMode::solved, .profile = profile});
    QVERIFY2(decode.has_value(), decode ? "" : decode.error().message.c_str());
    for (int i = 0; i < 10; ++i) {
      QVERIFY(same_bits((*decode)->logits(), plain.logits[static_cast<std::size_t>(i)]));
      const auto step = (*decode)->step(plain.tokens[static_cast<std::size_t>(i)]);
      QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
      if (i < RecomputeEstimate::newest) QCOMPARE(step->recomputed_tokens, 0);
    }
    QCOMPARE((*decode)->steps()[RecomputeEstimate::newest + 1].recomputed_tokens, chunk);
  }

  void contextLoadGivesTheCacheBack() {
    for (const char* name : {"opt", "qwen3"})
      for (const bool bf16 : {false, true})
        for (const SplitMode mode : {SplitMode::solved, SplitMode::load_only, SplitMode::recompute_only}) {
          const GoldenCase golden(name);
          const auto model = load(golden, bf16);
          if (mode == SplitMode::solved && !check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)))
            continue;
          const auto tier = memory_tier();
          BufferPool buffers(std::size_t{8} << 20);
          const auto prefilled = prefill_offloaded(*model, *tier, golden.tokens, chunk, "context");
          QVERIFY(prefilled.has_value());
          BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
          KvCache cache(pool), plain(pool);
          const auto loaded = load_offloaded(*model, *prefilled->prompt, buffers, cache, mode, half(*model));
          QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
          PrefillTask task(*model, plain, golden.tokens, 0, {.chunk_tokens = chunk});
          QVERIFY(task.run().has_value());
          QCOMPARE(cache.sequence_length(), plain.sequence_length());
          const std::size_t rows = golden.tokens.size(), bytes = rows *
                                                                 static_cast<std::size_t>(model->kv_shape().head_dim) *
                                                                 bytes_of(model->kv_shape().type);
          for (int layer = 0; layer < model->kv_shape().layers; ++layer)
            for (int h = 0; h < model->kv_shape().kv_heads; ++h) {
              QCOMPARE(cache.kept(layer, h), static_cast<int>(rows));
              std::vector<std::byte> keys[2], values[2];
              std::vector<std::int32_t> positions[2];
              const KvCache* caches[] = {&cache, &plain};
              for (int which = 0; which < 2; ++which) {
                keys[which].resize(bytes);
                values[which].resize(bytes);
                positions[which].resize(rows);
                caches[which]->gather_head(layer, h, keys[which].data(), values[which].data(), positions[which].data());
              }
              QVERIFY(keys[0] == keys[1]);
              QVERIFY(values[0] == values[1]);
              QVERIFY(positions[0] == positions[1]);
            }
          QCOMPARE(loaded->recomputed_tokens, mode == SplitMode::load_only        ? 0
                                              : mode == SplitMode::recompute_only ? static_cast<int>(rows)
                                                                                  : loaded->recomputed_tokens);
          if (mode == SplitMode::solved)
            QVERIFY(loaded->recomputed_tokens > 0 && loaded->recomputed_tokens < static_cast<int>(rows));
        }
  }

  // A question is fed over the prompt on the tier: the bits of its prefill over the cache in memory, and of the answer.
  void aQuestionIsFed_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("asked");
    for (const char* name : {"opt", "llama_mha_linear", "qwen3"})
      for (const bool bf16 : {false, true})
        for (const int mode : {0, 1, 2})
          for (const int asked : {1, 5, 19})  // less than a chunk, and two chunks and a part of one
            QTest::addRow("%s, %s, mode %d, %d tokens", name, bf16 ? "bf16" : "fp32", mode, asked)
                << QString(name) << bf16 << mode << asked;
  }
  void aQuestionIsFed() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(int, mode);
    QFETCH(int, asked);
    const GoldenCase golden(name.toStdString());
    const auto model = load(golden, bf16);
    if (mode == 0 && !check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)))
      QSKIP("layer inputs of this form are no shorter than keys and values");
    constexpr int context = 21;
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + context),
        question(golden.tokens.begin() + context, golden.tokens.begin() + context + asked);
    PrefilledWithInputs prefilled(*model, prompt);
    KvCache& cache = prefilled.cache;
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    {
      const auto decode = decode_over(*model, prefilled, *tier, buffers, static_cast<SplitMode>(mode));
      QVERIFY(decode->logits().empty());

      PrefillTask ask(*model, cache, question, context, {.chunk_tokens = chunk});
      QVERIFY(ask.run().has_value());
      std::vector<float> logits(ask.logits().begin(), ask.logits().end());
      const Status fed = decode->feed(question);
      QVERIFY2(fed.has_value(), fed ? "" : fed.error().message.c_str());
      QCOMPARE(decode->steps().size(), static_cast<std::size_t>((asked + chunk - 1) / chunk));
      for (int i = 0; i < decoded; ++i) {
        QVERIFY2(same_bits(decode->logits(), logits), qPrintable(QString("before token %1").arg(i)));
        const std::int32_t token = greedy(logits);
        QVERIFY(model->decode(cache, token, context + asked + i, logits).has_value());
        // Layer by layer, as others may compute in between.
        QVERIFY(decode->begin_pass(std::span(&token, 1), OffloadedDecode::Pass::decode).has_value());
        QVERIFY(!decode->begin_pass(std::span(&token, 1), OffloadedDecode::Pass::decode).has_value());
        int layers = 0;
        for (; decode->in_pass(); ++layers) {
          while (!decode->layer_arrived(0.1)) {
          }
          QVERIFY(decode->step_layer().has_value());
        }
        QCOMPARE(layers, model->config().layers);
        QVERIFY(!decode->step_layer().has_value());
      }
      QVERIFY(same_bits(decode->logits(), logits));
      // What was fed and decoded is on the tier but for the page that is being filled.
      const OffloadedStep& last = decode->steps().back();
      QVERIFY2(last.streamed_tokens > context + asked, qPrintable(QString::number(last.streamed_tokens)));
      QCOMPARE(last.recomputed_tokens > 0, mode != 1);
      QVERIFY(decode->held_bytes() <= 8 * model->kv_shape().bytes_per_token());
      QVERIFY(last.busy_seconds > 0 && last.busy_seconds <= last.seconds);
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }

  // A prompt that is given up while layers are being written leaves nothing on its tier.
  void aPromptGivenUpLeavesNothing() {
    const auto model = load(GoldenCase("opt"), false);
    const std::vector<std::int32_t> all = GoldenCase("opt").tokens, prompt(all.begin(), all.begin() + 40);
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    LayerInputs inputs(*model, 40);
    PrefillTask task(*model, cache, prompt, 0, {.chunk_tokens = chunk});
    {
      const CaptureLayerInputs capture(*model, inputs);
      QVERIFY(task.run().has_value());
    }
    const auto tier = memory_tier(1e5, 0.02);
    {
      OffloadedPrompt written(*tier, 40, chunk, *RowCodec::make(model->kv_shape(), nullptr), "given up");
      for (int layer = 0; layer < model->config().layers; ++layer)
        QVERIFY(written.add_layer(*model, cache, inputs).has_value());
      QVERIFY(written.writes_left() > 0);
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
  }

  void refusals() {
    const GoldenCase golden("llama");  // hidden 64, 4 KV heads x 8: inputs as large as keys and values
    const auto model = load(golden, false);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    const auto refused =
        OffloadedDecode::begin(*model, *tier, buffers, golden.tokens,
                               {.chunk_tokens = chunk, .mode = SplitMode::solved, .profile = half(*model)});
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.find("cannot pay; ") != std::string::npos);
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    // Blocks are placed beforehand.
    const auto unknown = OffloadedDecode::begin(
        *model, *tier, buffers, golden.tokens,
        {.chunk_tokens = chunk, .mode = SplitMode::load_only, .profile = {}, .codec = *parse_codec("cachegen")});
    QVERIFY(!unknown.has_value() && unknown.error().code == ErrorCode::usage);
    // Loading alone does not need it.
    QVERIFY(OffloadedDecode::begin(*model, *tier, buffers, golden.tokens,
                                   {.chunk_tokens = chunk, .mode = SplitMode::load_only, .profile = {}})
                .has_value());
    // Tokens are fed to one sequence, at least one.
    auto fed = OffloadedDecode::begin(*model, *tier, buffers, golden.tokens,
                                      {.chunk_tokens = chunk, .mode = SplitMode::load_only, .profile = {}});
    QVERIFY(fed.has_value());
    QVERIFY((*fed)->feed({}).error().message.find("give 1 to 8 to one sequence") != std::string::npos);
    // A lender that cannot hold two layers says so.
    BufferPool small(std::size_t{8} << 10);
    QVERIFY(!OffloadedDecode::begin(*model, *tier, small, golden.tokens,
                                    {.chunk_tokens = chunk, .mode = SplitMode::load_only, .profile = {}})
                 .has_value());
    QCOMPARE(small.leased_bytes(), std::size_t{0});
  }

  // The profiler finds the shape of a tier that is slower than the machine, and rates that are rates.
  void profiles() {
    const auto model = load(GoldenCase("opt"), false);
    const auto tier = memory_tier(20e6, 0.004);
    BufferPool buffers(std::size_t{8} << 20);
    const auto link = profile_link(*tier, buffers, 400000);
    QVERIFY(link.has_value());
    QVERIFY2(link->bytes_per_second > 14e6 && link->bytes_per_second < 22e6,
             qPrintable(QString::number(link->bytes_per_second)));
    QVERIFY2(link->latency_seconds > 0.001, qPrintable(QString::number(link->latency_seconds)));
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    const auto rate = profile_recompute(*model, chunk, system_executor().clock());
    QVERIFY(rate.has_value() && rate->seconds_per_token > 0 && rate->fixed_seconds >= 0);
    const auto rest = profile_rest(*model, 64, chunk, system_executor().clock());
    QVERIFY(rest.has_value() && *rest > 0);
  }
};

KV_TEST_GUILESS_MAIN(OffloadedDecodeTest)

}  // namespace offloaded_decode_test

#include "offloaded_decode_test.moc"
