// links: kv_experiments
// Re-rotation: kept keys are what they would be, had the model seen them at their new positions.
#include "core/compress/rerotate.h"
#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace rerotate_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int tokens = 240, dim = 16;
constexpr KvShape shape{2, 2, dim, KvType::fp32};

/// RoPE as its paper has it: pair (c, c + dim/2) turned by position * frequency, in double.
std::vector<double> rope(const std::vector<double>& plain, int position, const std::vector<float>& frequencies) {
  std::vector<double> result(dim);
  for (std::size_t f = 0; f < dim / 2; ++f) {
    const double angle = position * static_cast<double>(frequencies[f]);
    result[f] = plain[f] * std::cos(angle) - plain[f + dim / 2] * std::sin(angle);
    result[f + dim / 2] = plain[f + dim / 2] * std::cos(angle) + plain[f] * std::sin(angle);
  }
  return result;
}

std::vector<float> rows_of(const KvCache& cache, int layer, int head, bool keys) {
  std::vector<float> rows(static_cast<std::size_t>(cache.kept(layer, head)) * dim);
  auto* bytes = reinterpret_cast<std::byte*>(rows.data());
  cache.gather_head(layer, head, keys ? bytes : nullptr, keys ? nullptr : bytes, nullptr);
  return rows;
}

std::vector<std::int32_t> positions_of(const KvCache& cache, int layer, int head) {
  std::vector<std::int32_t> positions(static_cast<std::size_t>(cache.kept(layer, head)));
  cache.gather_head(layer, head, nullptr, nullptr, positions.data());
  return positions;
}

}  // namespace

class RerotateTest : public QObject {
  Q_OBJECT

  BlockPool pool_{shape, 32, 4 << 20};
  KvCache cache_{pool_};
  std::vector<std::vector<double>> plain_;  // keys before RoPE, [layers * tokens * kv_heads]
  Observation observed_;

 private slots:
  void initTestCase() {
    Random random(1);
    for (int f = 0; f < dim / 2; ++f)
      observed_.frequencies.push_back(static_cast<float>(std::pow(1e4, -2.0 * f / dim)));
    std::vector<std::int32_t> positions(tokens);
    std::iota(positions.begin(), positions.end(), 0);
    for (int l = 0; l < shape.layers; ++l) {
      std::vector<float> keys;
      for (int t = 0; t < tokens; ++t)
        for (int h = 0; h < shape.kv_heads; ++h) {
          auto& plain = plain_.emplace_back(dim);
          for (double& value : plain) value = 0.5 * random.normal();
          for (const double value : rope(plain, t, observed_.frequencies)) keys.push_back(static_cast<float>(value));
        }
      QVERIFY(cache_.append(l, std::as_bytes(std::span(keys)), std::as_bytes(std::span(keys)), positions).has_value());
    }
  }

  void keptKeysStandAtTheirNewPositions_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"rerotate(streaming_llm)", "rerotate(knorm)", "rerotate(random)", "rerotate(chunkkv(knorm))"})
      QTest::newRow(text) << text;
  }
  void keptKeysStandAtTheirNewPositions() {
    QFETCH(QString, text);
    const auto method = method_of(text.toStdString());
    const auto scores = method->scores(cache_, observed_).value();
    const KvCache stored = compressed_copy(cache_, scores, *method, 0.6).value();
    const KvCache read = as_read(stored.share(), *method, observed_.frequencies).value();
    QCOMPARE(read.sequence_length(), stored.kept(0, 0));  // where the question continues
    double worst = 0;
    for (int l = 0; l < shape.layers; ++l)
      for (int h = 0; h < shape.kv_heads; ++h) {
        const auto from = positions_of(stored, l, h), to = positions_of(read, l, h);
        const auto keys = rows_of(read, l, h, true);
        for (std::size_t i = 0; i < from.size(); ++i) {
          QCOMPARE(to[i], static_cast<std::int32_t>(i));
          const auto& plain = plain_[static_cast<std::size_t>((l * tokens + from[i]) * shape.kv_heads + h)];
          const auto expected = rope(plain, to[i], observed_.frequencies);
          for (std::size_t c = 0; c < dim; ++c)
            worst = std::max(worst, std::abs(static_cast<double>(keys[i * dim + c]) - expected[c]));
        }
        QCOMPARE(rows_of(read, l, h, false), rows_of(stored, l, h, false));  // values do not turn
      }
    qInfo("largest difference %.1e", worst);
    QVERIFY(worst <= 1e-5);
  }

  void nothingTurnsWithoutGaps() {
    const auto method = method_of("rerotate(knorm)");
    const auto scores = method->scores(cache_, observed_).value();
    const KvCache read =
        as_read(compressed_copy(cache_, scores, *method, 0).value(), *method, observed_.frequencies).value();
    for (int l = 0; l < shape.layers; ++l)
      for (int h = 0; h < shape.kv_heads; ++h) QCOMPARE(rows_of(read, l, h, true), rows_of(cache_, l, h, true));
    QCOMPARE(read.sequence_length(), tokens);
  }

  void whatIsStoredKeepsItsPositions() {
    // Turned only when read: another method can still score what is stored.
    const auto method = method_of("rerotate(streaming_llm)"), plain = method_of("streaming_llm");
    const auto scores = method->scores(cache_, observed_).value();
    const KvCache stored = compressed_copy(cache_, scores, *method, 0.5).value();
    QCOMPARE(positions_of(stored, 0, 0), positions_of(compressed_copy(cache_, scores, *plain, 0.5).value(), 0, 0));
    QCOMPARE(stored.sequence_length(), tokens);
  }

  void headsOfDifferentLengthsAreRefused() {
    KvCache ragged = cache_.share();
    QVERIFY(ragged.keep(1, {{0, 3, 7}, {1}}).has_value());
    const auto result = rerotated(ragged, observed_.frequencies);
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().code, ErrorCode::rejected_input);
  }
};

KV_TEST_GUILESS_MAIN(RerotateTest)

}  // namespace rerotate_test

#include "rerotate_test.moc"
