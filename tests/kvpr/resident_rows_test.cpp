// links: kv_experiments kv_tiers
// Decoding with the front of the prompt in memory gives the bits of a decode that reads all of it, and reads less.
#include "core/kvpr/resident_rows.h"

#include <QTemporaryDir>
#include <QtTest>

#include "tests/kvpr/plain_decode.h"
#include "tests/support/test_program.h"

namespace resident_rows_test {

using namespace kvantage;
using namespace kvantage::test;

class ResidentRowsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  // The front of the prompt in memory: as layer inputs, which any model may keep, or as keys and values.
  void residentRowsGiveTheSameBits_data() { add_recomputing_rows({"opt", "qwen3"}, "inputs", "inputs", "kv"); }
  void residentRowsGiveTheSameBits() {
    QFETCH(QString, name);
    QFETCH(bool, inputs);
    QFETCH(int, mode);
    const GoldenCase golden(name.toStdString());
    const auto model = load_golden(golden, folder_, true);
    constexpr int context = 45, front = 3 * chunk;  // five chunks and a part of one; three of them are resident
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + context);
    const PrefilledWithInputs prefilled(*model, prompt);
    const auto resident =
        std::make_shared<const ResidentRows>(inputs ? ResidentRows::of_inputs(*model, prefilled.inputs, front)
                                                    : ResidentRows::of_keys_values(prefilled.cache, front));
    QCOMPARE(resident->are_inputs(), inputs);
    const auto layers = static_cast<std::uint64_t>(model->config().layers);
    const std::size_t row = inputs ? layer_input_bytes(*model) : model->kv_shape().bytes_per_token() / layers;
    QCOMPARE(resident->bytes(), layers * front * row);
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    {
      const auto read = decode_over(*model, prefilled, *tier, buffers, SplitMode::load_only);
      const auto kept = decode_over(*model, prefilled, *tier, buffers, static_cast<SplitMode>(mode), resident);
      QCOMPARE(kept->held_bytes(), resident->bytes());
      std::int32_t token = prompt.back();
      for (int i = 0; i < decoded; ++i) {
        const auto all = read->step(token), rest = kept->step(token);
        QVERIFY(all && rest);
        QVERIFY2(same_bits(kept->logits(), read->logits()), qPrintable(QString("token %1").arg(i)));
        token = greedy({read->logits().begin(), read->logits().end()});
        // Nothing is read for the front.
        QCOMPARE(rest->input_bytes, std::uint64_t{0});
        QVERIFY(rest->kv_bytes < all->kv_bytes);
        QVERIFY(rest->recomputed_tokens <= front && rest->recomputed_tokens % chunk == 0);
        QCOMPARE(rest->recomputed_tokens > 0, inputs);
        if (inputs && mode == 2) QCOMPARE(rest->recomputed_tokens, front);
        QVERIFY(rest->predicted_seconds < all->predicted_seconds);
      }
    }
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(buffers.leased_bytes(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(ResidentRowsTest)

}  // namespace resident_rows_test

#include "resident_rows_test.moc"
