// links: kv_experiments kv_tiers
// Sequences that are decoded from a slower tier side by side give what each gives alone, whichever order they take.
#include <QTemporaryDir>
#include <QtTest>

#include "tests/kvpr/plain_decode.h"
#include "tests/model/tiny_checkpoint.h"
#include "tests/support/test_program.h"

namespace offloaded_batch_test {

using namespace kvantage;
using namespace kvantage::test;

class OffloadedBatchTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::unique_ptr<Transformer> load(const GoldenCase& golden, bool bf16) { return load_golden(golden, folder_, bf16); }
  /// Three that end in the middle of a chunk, at its end, and before the first one's.
  static std::vector<std::vector<std::int32_t>> prompts_of(const GoldenCase& golden) {
    std::vector<std::vector<std::int32_t>> prompts;
    for (const auto& [first, tokens] : {std::pair{0, 45}, {3, 40}, {7, 21}})
      prompts.emplace_back(golden.tokens.begin() + first, golden.tokens.begin() + first + tokens);
    return prompts;
  }

 private slots:
  void theBitsOfEachAlone_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("order");
    QTest::addColumn<int>("weights");
    for (const char* name : {"opt", "llama_mha_linear"})
      for (const bool bf16 : {false, true})
        for (const int mode : {0, 1, 2})
          for (const int order : {0, 1})
            for (const int weights : {0, 2})
              QTest::addRow("%s, %s, mode %d, %s by %s, weights %s", name, bf16 ? "bf16" : "fp32", mode,
                            order == 0 ? "column" : "row", order == 0 ? "column" : "row",
                            weights == 0 ? "resident" : "streamed")
                  << QString(name) << bf16 << mode << order << weights;
  }
  void theBitsOfEachAlone() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(int, mode);
    QFETCH(int, order);
    QFETCH(int, weights);
    const GoldenCase golden(name.toStdString());
    const auto model = load(golden, bf16);
    const auto prompts = prompts_of(golden);
    std::vector<Decoded> alone;
    for (const auto& prompt : prompts) alone.push_back(plainly(*model, prompt));
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    OffloadedDecodeOptions options{
        .chunk_tokens = chunk, .mode = static_cast<SplitMode>(mode), .profile = half(*model), .frozen = true};
    options.order = static_cast<BatchOrder>(order);
    options.weights = static_cast<WeightLoading>(weights);
    if (mode == 0 && !check_recompute_pays(RecomputeSchedule::column, recompute_shape(*model)))
      QSKIP("layer inputs of this form are no shorter than keys and values");
    {
      auto decode = OffloadedDecode::begin(*model, *tier, buffers, prompts, options);
      QVERIFY2(decode.has_value(), decode ? "" : decode.error().message.c_str());
      for (int i = 0; i < decoded; ++i) {
        std::vector<std::int32_t> tokens;
        for (std::size_t s = 0; s < prompts.size(); ++s) {
          QVERIFY2(same_bits((*decode)->logits(s), alone[s].logits[static_cast<std::size_t>(i)]),
                   qPrintable(QString("sequence %1 before step %2").arg(s).arg(i)));
          tokens.push_back(alone[s].tokens[static_cast<std::size_t>(i)]);
        }
        const auto step = (*decode)->step(tokens);
        QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
        if (mode == 1) QCOMPARE(step->recomputed_tokens, 0);
        if (mode == 2)  // and decoded tokens, once their page is on the tier
          QCOMPARE(step->recomputed_tokens, reports_decoded_inputs(*model) ? step->streamed_tokens : 45 + 40 + 21);
        if (i == 0) QCOMPARE(step->streamed_tokens, 45 + 40 + 21);
      }
      for (std::size_t s = 0; s < prompts.size(); ++s) QVERIFY(same_bits((*decode)->logits(s), alone[s].logits.back()));
      QVERIFY((*decode)->steps().back().streamed_tokens > 45 + 40 + 21);  // pages of decoded tokens
      QVERIFY((*decode)->held_bytes() <= prompts.size() * 4 * chunk * model->kv_shape().bytes_per_token());
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }

  // Column by column the matrices come once per step, row by row once per sequence.
  void weightsComeOnceAColumn() {
    const auto model = load(GoldenCase("opt"), true);
    const auto prompts = prompts_of(GoldenCase("opt"));
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    std::uint64_t bytes[2] = {};
    for (const BatchOrder order : {BatchOrder::column, BatchOrder::row}) {
      OffloadedDecodeOptions options{.chunk_tokens = chunk,
                                     .mode = SplitMode::load_only,
                                     .profile = half(*model),
                                     .weights = WeightLoading::whole,
                                     .frozen = true,
                                     .order = order};
      auto decode = OffloadedDecode::begin(*model, *tier, buffers, prompts, options);
      QVERIFY(decode.has_value());
      for (int i = 0; i < 3; ++i) {
        const auto step = (*decode)->step(std::vector<std::int32_t>{1, 2, 3});
        QVERIFY(step.has_value());
        bytes[static_cast<int>(order)] = step->weight_bytes;
      }
    }
    QVERIFY(bytes[0] > 0);
    QCOMPARE(bytes[1], 3 * bytes[0]);
  }

  // Spans are in order, the link's one after the other, and no layer computes before its rows are there.
  void tellsWhatWasInFlightWhen() {
    const auto model = load(GoldenCase("opt"), true);
    const auto prompts = prompts_of(GoldenCase("opt"));
    const auto tier = memory_tier(2e6);
    BufferPool buffers(std::size_t{8} << 20);
    OffloadedDecodeOptions options{.chunk_tokens = chunk,
                                   .mode = SplitMode::recompute_only,
                                   .profile = half(*model),
                                   .weights = WeightLoading::keys_values_first,
                                   .frozen = true};
    options.spans = true;
    auto decode = OffloadedDecode::begin(*model, *tier, buffers, prompts, options);
    QVERIFY(decode.has_value());
    using What = OffloadedSpan::What;
    for (int i = 0; i < 2; ++i) {
      const auto step = (*decode)->step(std::vector<std::int32_t>{1, 2, 3});
      QVERIFY(step.has_value());
      std::map<What, int> seen;
      double computing_until = 0;
      std::map<std::pair<int, int>, double> arrived;
      for (const OffloadedSpan& span : step->spans) {
        ++seen[span.what];
        QVERIFY(span.end >= span.begin && span.end <= step->seconds + 1e-3);
        if (span.what == What::recomputation || span.what == What::layer) {
          QVERIFY(span.begin >= computing_until);
          computing_until = span.end;
        } else {
          double& last = arrived[{span.layer, span.sequence}];
          last = std::max(last, span.end);
        }
        if (span.what == What::layer) QVERIFY((span.begin >= arrived[{span.layer, span.sequence}]));
      }
      const int places = model->config().layers * 3;
      QCOMPARE(seen[What::layer], places);
      QCOMPARE(seen[What::weights], 2 * model->config().layers);
      QVERIFY(seen[What::recomputation] == seen[What::layer_inputs] && seen[What::recomputation] >= 3 * places);
    }
    QVERIFY((*decode)->step(std::vector<std::int32_t>{1, 2}).error().message.find("3 sequences") != std::string::npos);
    QVERIFY(
        !OffloadedDecode::begin(*model, *tier, buffers, std::vector<std::vector<std::int32_t>>{}, options).has_value());
  }
};

KV_TEST_GUILESS_MAIN(OffloadedBatchTest)

}  // namespace offloaded_batch_test

#include "offloaded_batch_test.moc"
