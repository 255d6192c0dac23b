// links: kv_experiments kv_tiers
// Decoding from a slower tier whose keys and values are encoded there: what is loaded is what the codec gives back.
#include "core/kvpr/row_codec.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/kvpr/plain_decode.h"
#include "tests/support/test_program.h"

namespace row_codec_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// The cache of a plain prefill whose rows from `exact` tokens on went through the codec, chunk by chunk, all heads
/// side by side.
void encode_rows(const Transformer& model, const KvCache& plain, const Codec& codec, int exact, KvCache& encoded) {
  const KvShape shape = model.kv_shape();
  const auto heads = static_cast<std::size_t>(shape.kv_heads),
             row = static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type);
  for (int layer = 0; layer < shape.layers; ++layer) {
    const auto tokens = static_cast<std::size_t>(plain.kept(layer, 0));
    std::vector<std::byte> wide[2], head[2];
    for (int kind = 0; kind < 2; ++kind) wide[kind].resize(tokens * heads * row), head[kind].resize(tokens * row);
    std::vector<std::int32_t> positions(tokens);
    for (std::size_t h = 0; h < heads; ++h) {
      plain.gather_head(layer, static_cast<int>(h), head[0].data(), head[1].data(), positions.data());
      for (int kind = 0; kind < 2; ++kind)
        for (std::size_t t = 0; t < tokens; ++t)
          std::memcpy(&wide[kind][(t * heads + h) * row], &head[kind][t * row], row);
    }
    for (std::size_t first = 0; first < tokens; first += chunk)
      for (int kind = 0; kind < 2; ++kind) {
        if (static_cast<int>(first) < exact) continue;
        const std::size_t count = std::min<std::size_t>(chunk, tokens - first);
        const CodecRows rows{{shape.layers, 1, shape.kv_heads * shape.head_dim, shape.type},
                             layer,
                             kind == 0 ? ExtentKind::keys : ExtentKind::values,
                             static_cast<int>(count)};
        const std::span<std::byte> part = std::span(wide[kind]).subspan(first * heads * row, count * heads * row);
        std::vector<std::byte> bytes;
        if (!codec.encode(rows, part, bytes) || !codec.decode(rows, bytes, part)) qFatal("the codec refuses");
      }
    if (const auto status = encoded.append(layer, wide[0], wide[1], positions); !status)
      qFatal("%s", status.error().message.c_str());
  }
  encoded.set_sequence_length(plain.kept(0, 0));
}

}  // namespace

class RowCodecTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  // What is loaded is what the codec gives back, what is recomputed loses nothing; the rows were encoded a second
  // time by hand here.
  void fourBitsANumber_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<int>("mode");
    for (const char* name : {"opt", "qwen3"})
      for (const bool bf16 : {false, true})
        for (const int mode : {0, 1, 2})
          QTest::addRow("%s, %s, %d", name, bf16 ? "bf16" : "fp32", mode) << QString(name) << bf16 << mode;
  }
  void fourBitsANumber() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(int, mode);
    const GoldenCase golden(name.toStdString());
    const auto model = load_golden(golden, folder_, bf16);
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + 45);
    const auto codec = *parse_codec("kivi4(residual=0,group=8)");
    const auto tier = memory_tier();
    BufferPool buffers(std::size_t{8} << 20);
    RecomputeProfile profile = half(*model);
    const RowCodec rows = *RowCodec::make(model->kv_shape(), codec);
    const RecomputeShape shape = recompute_shape(*model, rows, chunk);
    profile.link.bytes_per_second = shape.kv_bytes_per_token() / 1e-5;
    const OffloadedDecodeOptions options{.chunk_tokens = chunk,
                                         .mode = static_cast<SplitMode>(mode),
                                         .profile = profile,
                                         .codec = codec,
                                         .frozen = true};
    auto decode = OffloadedDecode::begin(*model, *tier, buffers, prompt, options);
    if (mode == 0 &&
        !check_recompute_pays(RecomputeSchedule::column, shape)) {  // layer inputs are longer than the codes
      QVERIFY(!decode.has_value());
      return;
    }
    QVERIFY2(decode.has_value(), decode ? "" : decode.error().message.c_str());

    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    KvCache plain(pool), encoded(pool);
    PrefillTask task(*model, plain, prompt, 0, {.chunk_tokens = chunk});
    QVERIFY(task.run().has_value());
    std::vector<float> logits((*decode)->logits().size());
    for (int i = 0; i + 1 < chunk; ++i) {  // until a page of decoded tokens is encoded
      const auto step = (*decode)->step(5 + i);
      QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
      if (i == 0) encode_rows(*model, plain, *codec, step->recomputed_tokens, encoded);
      QVERIFY(model->decode(encoded, 5 + i, 45 + i, logits).has_value());
      QVERIFY2(same_bits((*decode)->logits(), logits), qPrintable(QString("logits behind step %1").arg(i)));
    }
    for (int i = chunk - 1; i < decoded; ++i) QVERIFY((*decode)->step(5 + i).has_value());  // pages are encoded, too
    QVERIFY((*decode)->steps().back().streamed_tokens > 45);
    // A number takes little more than 4 bits, blocks are padded.
    QVERIFY(shape.kv_bytes < 0.5 + 4.0 / 8 + 0.01);
    QVERIFY(mode == 2 || (*decode)->steps().front().kv_bytes > 0);
  }
};

KV_TEST_GUILESS_MAIN(RowCodecTest)

}  // namespace row_codec_test

#include "row_codec_test.moc"
