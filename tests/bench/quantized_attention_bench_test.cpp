// links: kv_experiments kv_tiers
// Decoding over a context that stays in KIVI's codes beside decoding over its rows unpacked: steps in turns, and the
// bytes that either holds. Asserted are the tokens; no time ever.
#include <QtTest>

#include <cstdio>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "tests/load/stored_contexts.h"
#include "tests/support/test_program.h"

namespace quantized_attention_bench_test {

using namespace kvantage;
using namespace kvantage::test;

class QuantizedAttentionBench : public QObject {
  Q_OBJECT
  std::unique_ptr<StoredContexts> contexts_;

  KvCache loaded(const StoredForm& form, bool leave_encoded, double& seconds) {
    const SystemClock clock;
    const double start = clock.seconds();
    KvCache cache(*contexts_->runtime->pool);
    for (int layer = 0; layer < form.header->shape.layers; ++layer) {
      const auto [begin, end] = form.header->layer_range(layer);
      if (const auto status = restore_layer(*form.header, layer, std::span(*form.entry).subspan(begin, end - begin),
                                            false, cache, leave_encoded);
          !status)
        qFatal("%s", status.error().message.c_str());
    }
    seconds = clock.seconds() - start;
    return cache;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to measure with");
    contexts_ = std::make_unique<StoredContexts>(860, 256, 4000);
  }
  void stepsInTurns_data() {
    QTest::addColumn<QString>("codec");
    for (const char* codec : {"kivi8", "kivi4", "kivi2"}) QTest::newRow(codec) << QString(codec);
  }
  void stepsInTurns() {
    QFETCH(QString, codec);
    constexpr int steps = 16, rounds = 9;
    const StoredForm form = contexts_->store(codec.toStdString(), 0);
    const SystemClock clock;
    std::vector<double> took[2], unpacking[2], asking[2];
    std::size_t held[2] = {};
    std::vector<std::int32_t> tokens[2];
    for (int round = 0; round < rounds; ++round)
      for (const bool encoded : {false, true}) {
        double seconds = 0;
        KvCache cache = loaded(form, encoded, seconds);
        unpacking[encoded].push_back(seconds);
        held[encoded] = cache.held_bytes();
        double start = clock.seconds();
        PrefillTask question(*contexts_->runtime->model, cache, contexts_->questions.front(), cache.sequence_length(),
                             {.chunk_tokens = 256});
        QVERIFY(question.run().has_value());
        asking[encoded].push_back(clock.seconds() - start);
        std::vector<float> logits(question.logits().begin(), question.logits().end());
        tokens[encoded].clear();
        start = clock.seconds();
        for (int step = 0; step < steps; ++step) {
          tokens[encoded].push_back(greedy(logits));
          QVERIFY(contexts_->runtime->model->decode(cache, tokens[encoded].back(), cache.sequence_length(), logits)
                      .has_value());
        }
        took[encoded].push_back((clock.seconds() - start) / steps);
      }
    QCOMPARE(tokens[0], tokens[1]);
    const auto ms = [](std::vector<double> seconds) { return 1e3 * percentile(std::move(seconds), 0.5); };
    std::printf(
        "%s, %zu tokens: unpacked %.2f MB, unpacking %.2f ms, question %.2f ms, step %.3f ms; left encoded %.2f MB "
        "(%.2f), loading %.2f ms, question %.2f ms, step %.3f ms (%.2f times)\n",
        qPrintable(codec), contexts_->tokens.size(), static_cast<double>(held[0]) / 1e6, ms(unpacking[0]),
        ms(asking[0]), ms(took[0]), static_cast<double>(held[1]) / 1e6,
        static_cast<double>(held[1]) / static_cast<double>(held[0]), ms(unpacking[1]), ms(asking[1]), ms(took[1]),
        ms(took[1]) / ms(took[0]));
    QVERIFY(held[1] < held[0]);
  }
};

KV_TEST_GUILESS_MAIN(QuantizedAttentionBench)

}  // namespace quantized_attention_bench_test

#include "quantized_attention_bench_test.moc"
