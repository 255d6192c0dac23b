// links: kv_experiments
// Models whose weights stay packed: logits and tokens are those of a plain decoder in double precision that multiplies
// the same numbers with inputs rounded in the same way.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "core/model/batch_decode.h"
#include "core/model/generate.h"
#include "core/model/weight_plan.h"
#include "tests/model/gguf_quantized.h"
#include "tests/model/packed_blocks.h"
#include "tests/support/test_program.h"

namespace packed_model_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Numbers = std::vector<double>;

/// The model of gguf_quantized.h, a token at a time. Its q and k rows are in the file's order: pairs are neighbors.
class PlainLlama {
 public:
  PlainLlama(const WeightFiles& files, PackedType type) : type_(type) {
    for (const auto& [name, stored] : files.tensors()) {
      const auto rows = static_cast<std::size_t>(stored.shape[0]);
      if (stored.shape.size() == 1) {
        std::vector<float> numbers(rows);
        std::memcpy(numbers.data(), stored.bytes.data(), stored.bytes.size());
        vectors_[name].assign(numbers.begin(), numbers.end());
        continue;
      }
      const std::size_t bytes = stored.bytes.size() / rows;
      for (std::size_t row = 0; row < rows; ++row)
        matrices_[name].push_back(plain_row(type, stored.bytes.subspan(row * bytes, bytes)));
    }
  }

  /// Logits after this token.
  Numbers next(std::int32_t token) {
    Numbers x = matrices_.at("model.embed_tokens.weight")[static_cast<std::size_t>(token)];
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      const std::string name = "model.layers." + std::to_string(layer) + ".";
      add(x, attended(layer, normed(x, name + "input_layernorm.weight")));
      const Numbers input = normed(x, name + "post_attention_layernorm.weight");
      Numbers gate = product(name + "mlp.gate_proj", input);
      const Numbers up = product(name + "mlp.up_proj", input);
      for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
      add(x, product(name + "mlp.down_proj", gate));
    }
    ++position_;
    return product("lm_head", normed(x, "model.norm.weight"));
  }

 private:
  static constexpr std::size_t heads = 4, kv_heads = 2, dim = 64;
  struct Cache {
    std::vector<Numbers> keys, values;
  };

  static void add(Numbers& x, const Numbers& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }
  Numbers normed(const Numbers& x, const std::string& name) const {
    double squares = 0;
    for (const double number : x) squares += number * number;
    Numbers result = vectors_.at(name);
    for (std::size_t i = 0; i < x.size(); ++i)
      result[i] *= x[i] / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
    return result;
  }
  Numbers product(const std::string& name, const Numbers& input) const {
    const std::vector<float> narrow(input.begin(), input.end());
    const Numbers rounded = plain_rounded(type_, narrow);
    Numbers result;
    for (const Numbers& row : matrices_.at(name + ".weight")) {
      result.push_back(0);
      for (std::size_t c = 0; c < row.size(); ++c) result.back() += row[c] * rounded[c];
    }
    return result;
  }
  void rotate(Numbers& rows) const {
    for (std::size_t i = 0; i < rows.size(); i += 2) {
      const double angle = position_ * std::pow(10000.0, -static_cast<double>(i % dim) / dim), x = rows[i];
      rows[i] = x * std::cos(angle) - rows[i + 1] * std::sin(angle);
      rows[i + 1] = x * std::sin(angle) + rows[i + 1] * std::cos(angle);
    }
  }
  Numbers attended(std::size_t layer, const Numbers& input) {
    const std::string name = "model.layers." + std::to_string(layer) + ".self_attn.";
    Numbers query = product(name + "q_proj", input), key = product(name + "k_proj", input);
    rotate(query);
    rotate(key);
    Cache& cache = layers_[layer];
    cache.keys.push_back(key);
    cache.values.push_back(product(name + "v_proj", input));
    Numbers output(heads * dim);
    for (std::size_t head = 0; head < heads; ++head) {
      const std::size_t of = head / (heads / kv_heads) * dim;
      Numbers weights;
      double sum = 0;
      for (const Numbers& row : cache.keys) {
        double score = 0;
        for (std::size_t d = 0; d < dim; ++d) score += query[head * dim + d] * row[of + d];
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
        sum += weights.back();
      }
      for (std::size_t row = 0; row < weights.size(); ++row)
        for (std::size_t d = 0; d < dim; ++d) output[head * dim + d] += weights[row] / sum * cache.values[row][of + d];
    }
    return product(name + "o_proj", output);
  }

  PackedType type_;
  std::map<std::string, Numbers> vectors_;
  std::map<std::string, std::vector<Numbers>> matrices_;
  std::array<Cache, 2> layers_;
  int position_ = 0;
};

const QuantizedType& quantized_type(PackedType type) {
  return *std::ranges::find(quantized_types(), std::string_view(packed_form(type).name),
                            [](const QuantizedType& one) { return std::string_view(one.name); });
}

std::int32_t best_of(std::span<const double> logits) {
  return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
}

/// By how much the best one is ahead of the next.
double margin_of(Numbers logits) {
  std::ranges::sort(logits, std::greater());
  return logits[0] - logits[1];
}

/// Phi-3's: rows of q, k and v, and of gate and up, are in one tensor, and half of each head is rotated.
std::string fused_model(const QuantizedType& type) {
  constexpr std::size_t hidden = quantized_hidden, kv = 128, inner = 512;
  GgufWriter writer;
  writer.text("general.architecture", "phi3").text("tokenizer.ggml.model", "no_vocab");
  writer.u32("phi3.embedding_length", hidden).u32("phi3.block_count", 1).u32("phi3.feed_forward_length", inner);
  writer.u32("phi3.attention.head_count", 4).u32("phi3.attention.head_count_kv", 2).u32("phi3.context_length", 512);
  writer.u32("phi3.attention.key_length", 64).u32("phi3.attention.value_length", 64);
  writer.u32("phi3.rope.dimension_count", 32).f32("phi3.rope.freq_base", 10000);
  writer.f32("phi3.attention.layer_norm_rms_epsilon", 1e-5F);
  std::uint64_t seed = 1;
  const auto matrix = [&](const std::string& name, std::size_t rows, std::size_t columns) {
    writer.tensor(name + ".weight", {columns, rows}, type.number,
                  random_packed(type, rows, columns, 1 / std::sqrt(static_cast<double>(columns)), seed++));
  };
  matrix("token_embd", quantized_vocabulary, hidden);
  matrix("blk.0.attn_qkv", hidden + 2 * kv, hidden);
  matrix("blk.0.attn_output", hidden, hidden);
  matrix("blk.0.ffn_up", 2 * inner, hidden);
  matrix("blk.0.ffn_down", hidden, inner);
  matrix("output", quantized_vocabulary, hidden);
  for (const char* norm : {"blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"})
    writer.tensor(std::string(norm) + ".weight", {hidden}, std::vector<float>(hidden, 1.0F));
  return writer.bytes();
}

double relative_distance(const Numbers& a, const Numbers& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

}  // namespace

class PackedModelTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::filesystem::path file_of(PackedType type) const {
    const auto path =
        std::filesystem::path(folder_.path().toStdString()) / (std::string(packed_form(type).name) + ".gguf");
    if (!std::filesystem::exists(path)) write_file(path, quantized_model(quantized_type(type)));
    return path;
  }
  static std::unique_ptr<Transformer> load(const std::filesystem::path& file, const LoadOptions& options) {
    auto model = Transformer::load(file, options);
    if (!model) qFatal("%s", model.error().message.c_str());
    return std::move(*model);
  }
  static Numbers logits_of(Transformer& model, const std::vector<std::int32_t>& tokens, int chunk) {
    BlockPool pool(model.kv_shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    PrefillTask task(model, cache, tokens, 0, {.chunk_tokens = chunk, .logits = PrefillLogits::all});
    if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
    return Numbers(task.logits().begin(), task.logits().end());
  }
  static LoadOptions exact(Isa isa) {
    LoadOptions options;
    options.kv_type = KvType::fp32;
    options.isa = isa;
    return options;
  }

 private slots:
  void tokensAreThoseOfAPlainDecoder_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("isa");
    for (const PackedType type : packed_all)
      for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
        QTest::addRow("%s %s", packed_form(type).name, to_string(static_cast<Isa>(isa)))
            << static_cast<int>(type) << isa;
  }
  void tokensAreThoseOfAPlainDecoder() {
    QFETCH(int, type);
    QFETCH(int, isa);
    const auto file = file_of(static_cast<PackedType>(type));
    const auto model = load(file, exact(static_cast<Isa>(isa)));
    const auto files = WeightFiles::open(file);
    QVERIFY(files);
    PlainLlama plain(*files, static_cast<PackedType>(type));
    BlockPool pool(model->kv_shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    std::vector<float> logits(quantized_vocabulary);
    const std::array<std::int32_t, 6> prompt{1, 17, 60, 5, 33, 42};
    std::int32_t token = prompt[0];
    int clear = 0;
    std::vector<double> distances;
    for (std::int32_t position = 0; position < 24; ++position) {
      const auto status = model->decode(cache, token, position, logits);
      QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
      const Numbers wanted = plain.next(token), got(logits.begin(), logits.end());
      // An input near the middle of two steps may be rounded to either: a step of the largest of its block apart, and
      // what follows with it.
      distances.push_back(relative_distance(got, wanted));
      QVERIFY2(distances.back() < 0.03,
               qPrintable(QString("position %1: %2 apart").arg(position).arg(distances.back())));
      if (margin_of(wanted) > 0.05) {
        ++clear;
        QCOMPARE(best_of(got), best_of(wanted));
      }
      const auto next = static_cast<std::size_t>(position) + 1;
      token = next < prompt.size() ? prompt[next] : best_of(wanted);
    }
    QVERIFY(clear >= 12);
    std::ranges::sort(distances);  // equal but for the order of sums before the first such input
    QVERIFY2(distances[2] < 1e-6, qPrintable(QString("third of all: %1 apart").arg(distances[2])));
  }

  void prefillIsAsCloseAsItsRounding() {
    for (const PackedType type : packed_all) {
      const auto model = load(file_of(type), exact(best_isa()));
      LoadOptions widened = exact(best_isa());
      widened.packed_products = false;
      const auto wide = load(file_of(type), widened);
      std::vector<std::int32_t> tokens;
      for (std::int32_t i = 0; i < 70; ++i) tokens.push_back(i * 11 % 64);
      const Numbers whole = logits_of(*model, tokens, 256);
      QVERIFY(relative_distance(whole, logits_of(*wide, tokens, 256)) < 0.05);
      QVERIFY(relative_distance(whole, logits_of(*model, tokens, 7)) < 0.03);  // attention is in other chunks
    }
  }

  // With rows of another matrix or channel, logits would have nothing in common.
  void rowsOfFusedTensorsAreTheirOwn() {
    const std::vector<std::int32_t> tokens{1, 17, 60, 5, 33, 42, 8, 21};
    for (const PackedType type : packed_all) {
      const auto file = std::filesystem::path(folder_.path().toStdString()) / "fused.gguf";
      write_file(file, fused_model(quantized_type(type)));
      LoadOptions widened = exact(best_isa());
      widened.packed_products = false;
      const auto model = load(file, exact(best_isa())), wide = load(file, widened);
      QVERIFY(model->weight_bytes() < wide->weight_bytes() / 2);
      const double apart = relative_distance(logits_of(*model, tokens, 256), logits_of(*wide, tokens, 256));
      QVERIFY2(apart < 0.05, qPrintable(QString("%1: %2 apart").arg(packed_form(type).name).arg(apart)));
    }
  }

  void aBatchGetsWhatEachGetsAlone() {
    for (const PackedType type : packed_all) {
      const auto model = load(file_of(type), {});
      BlockPool pool(model->kv_shape(), 32, std::size_t{16} << 20);
      std::vector<KvCache> together, alone;
      together.reserve(9);
      alone.reserve(9);
      for (int s = 0; s < 9; ++s) {
        together.emplace_back(pool);
        alone.emplace_back(pool);
      }
      for (std::int32_t position = 0; position < 4; ++position) {
        std::vector<DecodeSequence> sequences;
        for (std::size_t s = 0; s < together.size(); ++s)
          sequences.push_back({&together[s], static_cast<std::int32_t>(s * 7 % 64) + position, position, nullptr});
        BatchDecodeTask batch(*model, sequences);
        QVERIFY(batch.run().has_value());
        for (std::size_t s = 0; s < alone.size(); ++s) {
          std::vector<float> logits(quantized_vocabulary);
          QVERIFY(model->decode(alone[s], sequences[s].token, position, logits).has_value());
          QVERIFY(std::ranges::equal(logits, batch.logits(s)));
        }
      }
    }
  }

  // All rows are in whole tiles of 16, which are padded to 64 bytes.
  void memoryIsThatOfTheBlocks() {
    for (const PackedType type : packed_all) {
      const auto file = file_of(type);
      const auto config = read_model_config(file);
      const auto files = WeightFiles::open(file);
      QVERIFY(config && files);
      const WeightPlan plan = plan_weights(*config, *files);
      const auto model = load(file, {});
      QCOMPARE(plan.weight_bytes, model->weight_bytes());
      std::uint64_t stored = 0, tiles = 0, norms = 0;
      for (const auto& [name, tensor] : files->tensors()) {
        if (tensor.shape.size() == 1) {
          norms += tensor.bytes.size();
          continue;
        }
        const std::uint64_t rows = static_cast<std::uint64_t>(tensor.shape[0]);
        stored += tensor.bytes.size();
        tiles += rows / 16 * ((tensor.bytes.size() / rows * 16 + 63) / 64 * 64);
      }
      QCOMPARE(plan.weight_bytes, tiles + norms / (plan.compute == ComputeType::bf16 ? 2 : 1));
      QVERIFY(tiles >= stored && tiles < stored + stored / 50);
      QVERIFY(stored * 8 / (config->parameters() - norms / 4) < 7);
      LoadOptions widened;
      widened.packed_products = false;
      QCOMPARE(plan_weights(*config, *files, widened).weight_bytes,
               config->parameters() * (plan.compute == ComputeType::bf16 ? 2 : 4));
    }
  }

  void fp32IsWidened() {
    LoadOptions options;
    options.compute = ComputeType::fp32;
    const auto model = load(file_of(PackedType::q4_0), options);
    QCOMPARE(model->weight_bytes(), model->config().parameters() * 4);
  }
};

KV_TEST_GUILESS_MAIN(PackedModelTest)

}  // namespace packed_model_test

#include "packed_model_test.moc"
