// links: kv_experiments
// Logits of a model with packed weights, against those that ggml computes with the very same file. ggml multiplies
// packed weights by activations packed to eight bits, so its logits differ from those of the widened weights: that
// distance, ggml's own, is the error of the type. Ours widen the weights and have to be within it.
//     gguf_logits_test --write FOLDER     writes the models that tests/parity/make_gguf_logits.py asks ggml about
#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "core/base/files.h"
#include "core/model/generate.h"
#include "core/model/kernels/packed.h"
#include "tests/model/gguf_quantized.h"
#include "tests/support/test_program.h"

namespace gguf_logits_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

Json goldens() {
  return Json::parse(
      read_text_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/gguf_logits.json").value());
}

std::vector<float> floats_of(const Json& hex) {
  const QByteArray bytes = QByteArray::fromHex(QByteArray::fromStdString(hex.get<std::string>()));
  std::vector<float> numbers(static_cast<std::size_t>(bytes.size()) / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

/// Root mean square of the difference over that of `b`.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size() || a.empty()) return INFINITY;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace

class GgufLogitsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::vector<float> logits(const std::filesystem::path& file, const LoadOptions& options,
                            const std::vector<std::int32_t>& tokens) const {
    auto model = Transformer::load(file, options);
    if (!model) qFatal("%s", model.error().message.c_str());
    BlockPool pool((*model)->kv_shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    PrefillTask task(**model, cache, tokens, 0,
                     {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::all});
    if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
    return {task.logits().begin(), task.logits().end()};
  }

  /// As logits(), a token at a time.
  std::vector<float> decoded(const std::filesystem::path& file, const LoadOptions& options,
                             const std::vector<std::int32_t>& tokens) const {
    auto model = Transformer::load(file, options);
    if (!model) qFatal("%s", model.error().message.c_str());
    BlockPool pool((*model)->kv_shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    std::vector<float> all(tokens.size() * quantized_vocabulary);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto status = (*model)->decode(cache, tokens[i], static_cast<std::int32_t>(i),
                                           std::span(all).subspan(i * quantized_vocabulary, quantized_vocabulary));
      if (!status) qFatal("%s", status.error().message.c_str());
    }
    return all;
  }

 private slots:
  void liesWithinTheErrorOfTheType_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < quantized_types().size(); ++i)
      QTest::newRow(quantized_types()[i].name) << static_cast<int>(i);
  }
  void liesWithinTheErrorOfTheType() {
    QFETCH(int, index);
    const QuantizedType& type = quantized_types()[static_cast<std::size_t>(index)];
    const Json all = goldens();
    const Json& golden = all.at("types").at(type.name);
    const std::filesystem::path file =
        std::filesystem::path(folder_.path().toStdString()) / (std::string(type.name) + ".gguf");
    const std::string bytes = quantized_model(type);
    QVERIFY2(QCryptographicHash::hash(QByteArray::fromStdString(bytes), QCryptographicHash::Sha256).toHex() ==
                 QByteArray::fromStdString(golden.at("sha256")),
             "the model is not the one that ggml was asked about; run tests/parity/make_gguf_logits.py");
    write_file(file, bytes);
    const auto tokens = all.at("tokens").get<std::vector<std::int32_t>>();
    const auto packed = floats_of(golden.at("packed")), wide = floats_of(golden.at("wide"));
    const auto ours = logits(file, {.compute = ComputeType::fp32, .kv_type = {}, .isa = {}}, tokens),
               by_default = logits(file, {}, tokens);
    const double error = distance(packed, wide);
    qInfo(
        "%s: ggml packed against wide %.2e; ours against ggml wide %.2e, packed %.2e; by default (bf16) against wide "
        "%.2e, packed %.2e",
        type.name, error, distance(ours, wide), distance(ours, packed), distance(by_default, wide),
        distance(by_default, packed));
    // The same numbers, added up in another order.
    QVERIFY(distance(ours, wide) < 2e-5);
    if (type.block_numbers > 1) {
      QVERIFY(error > 1e-4 && error < 0.05);
      QVERIFY(distance(ours, packed) <= error * 1.01);
      QVERIFY(distance(by_default, packed) <= 2 * error);
      // Single tokens are multiplied with Q8_0 as it is packed: the very numbers, whatever prefill widens them to.
      LoadOptions wide_products;
      wide_products.packed_products = false;
      const double apart =
          distance(decoded(file, {.compute = ComputeType::fp32, .kv_type = {}, .isa = {}}, tokens), wide);
      const double bf16 = distance(decoded(file, {}, tokens), wide),
                   widened_bf16 = distance(decoded(file, wide_products, tokens), wide);
      qInfo("    a token at a time, against ggml wide: fp32 %.2e, by default %.2e, with widened weights %.2e", apart,
            bf16, widened_bf16);
      QVERIFY(apart < 2e-5);
      // With matrices that stay packed inputs are rounded as ggml rounds them. What is left is where a number is so
      // near the middle between two that other sums round it otherwise.
      if (packed_type(type.name, quantized_hidden)) {
        const double rounded_alike =
            distance(decoded(file, {.compute = {}, .kv_type = KvType::fp32, .isa = {}}, tokens), packed);
        qInfo("    kept packed, against ggml packed: %.2e", rounded_alike);
        QVERIFY(rounded_alike < error / 2);
      }
      if (std::string(type.name) == "Q8_0") QVERIFY(bf16 <= widened_bf16 || widened_bf16 < 1e-4);
    } else {
      QVERIFY(distance(by_default, wide) < 0.02);
    }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  if (argc == 3 && std::strcmp(argv[1], "--write") == 0) {
    for (const QuantizedType& type : quantized_types())
      write_file(std::filesystem::path(argv[2]) / (std::string(type.name) + ".gguf"), quantized_model(type));
    return 0;
  }
  QCoreApplication app(argc, argv);
  GgufLogitsTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace gguf_logits_test

#include "gguf_logits_test.moc"
