// links: kv_experiments kv_tiers
// Keys and values of decoded tokens follow from the inputs of their layers, so a split may go beyond the prompt: with
// the bits of a plain decode, and with bytes and predictions that count it.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "core/kvpr/layer_rows.h"
#include "tests/kvpr/plain_decode.h"
#include "tests/model/cache_contents.h"
#include "tests/model/gguf_quantized.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace decoded_inputs_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// The inputs of each layer, one token after the other.
struct InputRows final : LayerInputSink {
  explicit InputRows(const Transformer& model) : layers(static_cast<std::size_t>(model.config().layers)) {}
  void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) override {
    std::vector<std::byte>& all = layers[static_cast<std::size_t>(layer)];
    all.insert(all.end(), rows.begin(), rows.end());
    if (tokens != 1 || first_position < last) qFatal("not one token after the other");
    last = first_position;
  }
  std::vector<std::vector<std::byte>> layers;
  std::int32_t last = 0;
};

std::unique_ptr<Transformer> loaded(const GoldenCase& golden, const QTemporaryDir& folder, bool bf16, bool invariant) {
  LoadOptions options;
  options.batch_invariant = invariant;
  return load_golden(golden, folder, bf16, options);
}

std::vector<std::int32_t> some_tokens(const Transformer& model, int count) {
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((7 * i + 3) % model.config().vocab_size);
  return tokens;
}

/// What steps report, and what follows from it in runs of any length. Sessions recompute pages of 64 tokens.
void check_runs_give_the_bits_of_steps(Transformer& model) {
  constexpr int before = 9, steps = 69;
  const auto tokens = some_tokens(model, before + steps);
  BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
  const auto prefilled = [&](KvCache& cache) {
    PrefillTask task(model, cache, {tokens.begin(), tokens.begin() + before}, 0, {.chunk_tokens = chunk});
    QVERIFY(task.run().has_value());
  };
  KvCache cache(pool);
  prefilled(cache);
  InputRows inputs(model);
  std::vector<float> logits(static_cast<std::size_t>(model.config().vocab_size));
  {
    const CaptureLayerInputs capture(model, inputs);
    for (int i = before; i < before + steps; ++i)
      QVERIFY(model.decode(cache, tokens[static_cast<std::size_t>(i)], i, logits).has_value());
  }
  const std::size_t row = layer_input_bytes(model);
  for (const auto& layer : inputs.layers) QCOMPARE(layer.size(), reports_decoded_inputs(model) ? steps * row : 0);
  if (!reports_decoded_inputs(model)) return;
  KvRecompute recompute(model, steps);
  for (const int run : {1, 4, 7, 21, 64, steps}) {
    KvCache again(pool);
    prefilled(again);
    for (int layer = 0; layer < model.config().layers; ++layer)
      for (int at = 0; at < steps; at += run) {
        const int count = std::min(run, steps - at);
        const auto rows = std::span(inputs.layers[static_cast<std::size_t>(layer)])
                              .subspan(static_cast<std::size_t>(at) * row, static_cast<std::size_t>(count) * row);
        QVERIFY(recompute.run_decoded(layer, rows, before + at, count).has_value());
        QVERIFY(append_rows(again, layer, recompute.keys(), recompute.values(), before + at, count).has_value());
      }
    QVERIFY2(contents(again) == contents(cache), qPrintable(QString("in runs of %1").arg(run)));
  }
  const auto wrong = recompute.run_decoded(0, std::span(inputs.layers[0]).first(row), before, 2);
  QVERIFY(!wrong && wrong.error().code == ErrorCode::internal);
}

}  // namespace

class DecodedInputsTest : public QObject {
  Q_OBJECT

 private slots:
  // Biases, norms of heads and of all of them, rotations, latent projections.
  void runsGiveTheBitsOfSteps_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<bool>("invariant");
    for (const char* name : {"opt", "opt_norm_after", "qwen2", "qwen3", "llama_mha_linear", "olmo2", "gemma2"})
      for (const bool bf16 : {false, true})
        for (const bool invariant : {false, true})
          QTest::addRow("%s, %s, %s", name, bf16 ? "bf16" : "fp32", invariant ? "batch-invariant" : "library")
              << QString(name) << bf16 << invariant;
  }
  void runsGiveTheBitsOfSteps() {
    QFETCH(const QString, name);
    QFETCH(const bool, bf16);
    QFETCH(const bool, invariant);
    const QTemporaryDir folder;
    const auto model = loaded(golden_of(name.toStdString()), folder, bf16, invariant);
    QCOMPARE(reports_decoded_inputs(*model), invariant || model->compute() == ComputeType::fp32);
    check_runs_give_the_bits_of_steps(*model);
  }

  // Where an older CPU computes in fp32, packed matrices multiply the same rows.
  void packedMatricesGiveTheBitsOfSteps_data() {
    QTest::addColumn<QString>("type");
    for (const char* type : {"Q8_0", "Q4_0", "Q5_0", "Q4_K", "Q6_K"}) QTest::newRow(type) << QString(type);
  }
  void packedMatricesGiveTheBitsOfSteps() {
    QFETCH(const QString, type);
    const QTemporaryDir folder;
    const auto file = std::filesystem::path(folder.path().toStdString()) / "model.gguf";
    const auto packed =
        std::ranges::find_if(quantized_types(), [&](const QuantizedType& one) { return type == one.name; });
    QVERIFY(packed != quantized_types().end());
    write_file(file, quantized_model(*packed));
    LoadOptions options;
    options.isa = std::min(best_isa(), Isa::avx512);
    const auto model = Transformer::load(file, options);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    QCOMPARE((*model)->compute(), ComputeType::fp32);
    if (type != "Q8_0") QVERIFY((*model)->path_description().find("packed") != std::string::npos);
    QVERIFY(reports_decoded_inputs(**model));
    check_runs_give_the_bits_of_steps(**model);
  }

  void aSplitGoesBeyondThePrompt_data() { add_recomputing_rows({"opt", "llama_mha_linear"}, "bf16", "bf16", "fp32"); }
  void aSplitGoesBeyondThePrompt() {
    QFETCH(const QString, name);
    QFETCH(const bool, bf16);
    QFETCH(const int, mode);
    const GoldenCase golden(name.toStdString());
    const QTemporaryDir folder;
    const auto model = loaded(golden, folder, bf16, true);
    if (mode == 0 && !check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)))
      QSKIP("without products of bf16, layer inputs are fp32");
    constexpr int context = chunk + 4;
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + context);
    const Decoded plain = plainly(*model, prompt);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    RecomputeProfile slow_bus = half(*model);
    slow_bus.recompute.seconds_per_token = 1e-9;
    const auto options = [&](SplitMode split, const char* entries) {
      return OffloadedDecodeOptions{
          .chunk_tokens = chunk, .mode = split, .profile = slow_bus, .name = entries, .frozen = true};
    };
    {
      auto decode = *OffloadedDecode::begin(*model, *tier, buffers, prompt, options(static_cast<SplitMode>(mode), "a"));
      auto loads = *OffloadedDecode::begin(*model, *tier, buffers, prompt, options(SplitMode::load_only, "b"));
      for (int i = 0; i < decoded; ++i) {
        const auto at = static_cast<std::size_t>(i);
        QVERIFY2(same_bits(decode->logits(), plain.logits[at]), qPrintable(QString("before step %1").arg(i)));
        const auto step = decode->step(plain.tokens[at]), loaded_step = loads->step(plain.tokens[at]);
        QVERIFY(step && loaded_step);
        QCOMPARE(step->recomputed_tokens, step->streamed_tokens);
        QCOMPARE(step->streamed_tokens, loaded_step->streamed_tokens);
        QVERIFY(same_bits(decode->logits(), loads->logits()));
      }
      QVERIFY(same_bits(decode->logits(), plain.logits.back()));
      const std::vector<OffloadedStep>& steps = decode->steps();
      QCOMPARE(steps.front().recomputed_tokens, context);
      QVERIFY(steps.back().recomputed_tokens >= context + 2 * chunk);

      const auto layers = static_cast<std::uint64_t>(model->config().layers);
      const std::uint64_t row = layer_input_bytes(*model);
      for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        const OffloadedStep& step = steps[i];
        const double predicted =
            static_cast<double>(layers * row) / slow_bus.link.bytes_per_second * step.streamed_tokens;
        QVERIFY(std::abs(step.predicted_seconds / predicted - 1) < 1e-9);
        if (step.streamed_tokens != steps[i + 1].streamed_tokens) continue;  // whose first layers it requests
        const auto pages = static_cast<std::uint64_t>((step.streamed_tokens - context) / chunk);
        QCOMPARE(step.input_bytes,
                 layers * ((1 + pages) * padded_block(chunk * row) + padded_block((context - chunk) * row)));
        QCOMPARE(step.kv_bytes, std::uint64_t{0});
      }
      const std::uint64_t pages = decoded / chunk;
      QCOMPARE(decode->offloaded_bytes(), loads->offloaded_bytes() + pages * layers * padded_block(chunk * row));
      QCOMPARE(decode->resident_bytes(), std::uint64_t{0});
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }

  // On a fast bus nothing is recomputed, though it could be; in between, a part.
  void theBusDecides() {
    const GoldenCase golden("opt");
    const QTemporaryDir folder;
    const auto model = loaded(golden, folder, true, true);
    if (!check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)))
      QSKIP("without products of bf16, layer inputs are fp32");
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + chunk);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    for (const double faster : {1.0, 1000.0}) {
      RecomputeProfile profile = half(*model);
      profile.link.bytes_per_second *= faster;
      if (faster > 1) profile.rest_seconds = 1;
      auto decode = *OffloadedDecode::begin(
          *model, *tier, buffers, prompt,
          {.chunk_tokens = chunk, .mode = SplitMode::solved, .profile = profile, .frozen = true});
      int most = 0;
      for (int i = 0; i < 3 * chunk; ++i) {
        const auto step = decode->step(5);
        QVERIFY(step.has_value());
        most = std::max(most, step->recomputed_tokens);
        QVERIFY(step->recomputed_tokens == 0 || step->recomputed_tokens < step->streamed_tokens ||
                step->streamed_tokens == chunk);
      }
      // Half of what is streamed: chunks of the prompt and, from four chunks on, one of decoded tokens.
      QCOMPARE(most, faster > 1 ? 0 : chunk);
      for (int i = 0; i < 3 * chunk && faster == 1.0; ++i) {
        const auto step = decode->step(5);
        QVERIFY(step.has_value());
        most = std::max(most, step->recomputed_tokens);
      }
      if (faster == 1.0) QVERIFY2(most > chunk, qPrintable(QString::number(most)));
    }
  }

  // Row schedule: with the inputs of the whole prompt in memory, those of later tokens stay there.
  void residentInputsGrowWithTheAnswer() {
    const GoldenCase golden("opt");
    const QTemporaryDir folder;
    const auto model = loaded(golden, folder, true, true);
    constexpr int context = 21;
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + context);
    const PrefilledWithInputs prefilled(*model, prompt);
    const auto front = std::make_shared<const ResidentRows>(ResidentRows::of_inputs(*model, prefilled.inputs, context));
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    {
      const auto loads = decode_over(*model, prefilled, *tier, buffers, SplitMode::load_only);
      const auto keeps = decode_over(*model, prefilled, *tier, buffers, SplitMode::recompute_only, front);
      const std::vector<std::int32_t> question{golden.tokens[25], golden.tokens[26], golden.tokens[27]};
      QVERIFY(loads->feed(question).has_value() && keeps->feed(question).has_value());
      const std::uint64_t token = front->bytes() / context;
      for (int i = 0; i < decoded; ++i) {
        QVERIFY2(same_bits(keeps->logits(), loads->logits()), qPrintable(QString("token %1").arg(i)));
        QCOMPARE(keeps->resident_bytes(), token * static_cast<std::uint64_t>(context + 3 + i));
        const std::int32_t next = greedy({loads->logits().begin(), loads->logits().end()});
        const auto all = loads->step(next), rest = keeps->step(next);
        QVERIFY(all && rest);
        QCOMPARE(rest->input_bytes + rest->kv_bytes, std::uint64_t{0});
        QCOMPARE(rest->recomputed_tokens, rest->streamed_tokens);
        QVERIFY(keeps->held_bytes() >= keeps->resident_bytes());
      }
      QVERIFY(keeps->steps().back().recomputed_tokens > context + 3 + chunk);
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }

  // What a question's pass fed is recomputed as a whole, whatever the products; what is decoded, where it can be.
  void aQuestionIsRecomputedAsItWasFed_data() {
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<bool>("invariant");
    for (const bool bf16 : {false, true})
      for (const bool invariant : {false, true})
        QTest::addRow("%s, %s", bf16 ? "bf16" : "fp32", invariant ? "batch-invariant" : "library") << bf16 << invariant;
  }
  void aQuestionIsRecomputedAsItWasFed() {
    QFETCH(const bool, bf16);
    QFETCH(const bool, invariant);
    const GoldenCase golden("opt");
    const QTemporaryDir folder;
    const auto model = loaded(golden, folder, bf16, invariant);
    constexpr int context = 21, asked = chunk + 5;
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + context),
        question(golden.tokens.begin() + context, golden.tokens.begin() + context + asked);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    const auto begun = [&](SplitMode split, const char* entries) {
      auto decode = *OffloadedDecode::begin(
          *model, *tier, buffers, prompt,
          {.chunk_tokens = chunk, .mode = split, .profile = half(*model), .name = entries, .frozen = true});
      if (!decode->feed(question)) qFatal("the question is refused");
      return decode;
    };
    const auto loads = begun(SplitMode::load_only, "a"), recomputes = begun(SplitMode::recompute_only, "b");
    for (int i = 0; i < decoded; ++i) {
      QVERIFY2(same_bits(recomputes->logits(), loads->logits()), qPrintable(QString("token %1").arg(i)));
      const std::int32_t next = greedy(loads->logits());
      const auto all = loads->step(next), none = recomputes->step(next);
      QVERIFY(all && none);
      // What the pass before the last one has left on the tier. Where nothing is recomputed, what is fed and what is
      // decoded share pages.
      QCOMPARE(all->streamed_tokens, context + (asked - 1 + i) / chunk * chunk);
      QCOMPARE(none->streamed_tokens, context + (i == 0 ? chunk : asked + (i - 1) / chunk * chunk));
      QCOMPARE(none->recomputed_tokens, reports_decoded_inputs(*model)
                                            ? none->streamed_tokens
                                            : std::min(none->streamed_tokens, context + asked));
    }
    QVERIFY(recomputes->steps().back().streamed_tokens > context + asked);
  }
};

KV_TEST_GUILESS_MAIN(DecodedInputsTest)

}  // namespace decoded_inputs_test

#include "decoded_inputs_test.moc"
