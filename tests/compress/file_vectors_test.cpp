// links: kv_experiments
// Filters and statistics that somebody computed with transformers, on models whose channels or scores differ from it:
// partly rotated heads, factors of attention and of rotations. What they score is computed here in transformers' order
// of channels, from the weights as they are stored.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/compress/observe.h"
#include "tests/compress/random_context.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace file_vectors_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::size_t tokens = 20, sinks = 4;  // within every window

/// Rows of a matrix and their biases, in double.
struct Projection {
  std::size_t rows = 0, columns = 0;
  std::vector<double> weights, biases;

  double of(const float* input, std::size_t row) const {
    double sum = biases[row];
    for (std::size_t c = 0; c < columns; ++c) sum += weights[row * columns + c] * static_cast<double>(input[c]);
    return sum;
  }
};

/// A context of a checkpoint, and what is observed of it.
class Observed {
 public:
  explicit Observed(const std::string& name) : golden_(golden_of(name)), weights_(golden_.tensors()) {
    model_ = load_golden(golden_, folder_, false, {.compute = ComputeType::fp32, .kv_type = {}, .isa = {}});
    pool_ = std::make_unique<BlockPool>(model_->kv_shape(), 32, std::size_t{16} << 20);
    cache_ = std::make_unique<KvCache>(*pool_);
    const std::vector<std::int32_t> text(golden_.tokens.begin(), golden_.tokens.begin() + tokens);
    PrefillTask task(*model_, *cache_, text, 0, {.chunk_tokens = 256, .logits = PrefillLogits::none});
    if (const Status run = task.run(); !run) qFatal("%s", run.error().message.c_str());
    auto observed = observe(*model_, *cache_, text, {.window_queries = every_query, .hidden_states = true}, {}, 256);
    if (!observed) qFatal("%s", observed.error().message.c_str());
    observed_ = *std::move(observed);
  }

  const ModelConfig& config() const { return model_->config(); }
  std::size_t layers() const { return static_cast<std::size_t>(config().layers); }
  std::size_t heads() const { return static_cast<std::size_t>(config().heads); }
  std::size_t kv_heads() const { return static_cast<std::size_t>(config().kv_heads); }
  std::size_t head_dim() const { return static_cast<std::size_t>(config().head_dim); }
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  Expected<LayerScores> scores(const std::string& method) const {
    return method_of(method)->scores(*cache_, observed_);
  }

  /// Of a layer's query or key, as stored: an own tensor, or the first or second part of one for all (Phi-3).
  Projection projection(std::size_t layer, bool of_keys) const {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".self_attn.";
    const bool fused = weights_.contains(prefix + "qkv_proj.weight");
    const std::string name = prefix + (fused ? "qkv_proj" : of_keys ? "k_proj" : "q_proj");
    Projection part;
    part.columns = static_cast<std::size_t>(config().hidden);
    part.rows = (of_keys ? kv_heads() : heads()) * head_dim();
    const std::size_t first = fused && of_keys ? heads() * head_dim() : 0;
    const auto numbers_of = [&](const std::string& tensor, std::size_t width) {
      const auto& all = weights_.at(tensor).numbers;
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * width);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(part.rows * width));
    };
    part.weights = numbers_of(name + ".weight", part.columns);
    part.biases = weights_.contains(name + ".bias") ? numbers_of(name + ".bias", 1) : std::vector<double>(part.rows);
    return part;
  }
  /// The input of a layer's attention.
  const float* input(std::size_t layer, std::size_t token) const {
    return &observed_.hidden_states.layers[layer][token * static_cast<std::size_t>(config().hidden)];
  }
  /// A key as transformers rotates it: the first channels of its head, in pairs that are half of them apart.
  std::vector<double> key(const Projection& projection, std::size_t layer, std::size_t head, std::size_t token) const {
    std::vector<double> key(head_dim());
    for (std::size_t c = 0; c < key.size(); ++c) key[c] = projection.of(input(layer, token), head * head_dim() + c);
    const auto pairs = static_cast<std::size_t>(config().rotated_channels() / 2);
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(token) * static_cast<double>(model_->rope()[i]);
      const double scale = config().rope.stretch.attention_factor, x = key[i], y = key[i + pairs];
      key[i] = (x * std::cos(angle) - y * std::sin(angle)) * scale;
      key[i + pairs] = (y * std::cos(angle) + x * std::sin(angle)) * scale;
    }
    return key;
  }

  /// Means and covariances of the queries before RoPE behind the sinks, as kvpress computes them.
  NamedTensors statistics() const {
    const auto count = [](std::size_t size) { return static_cast<std::int64_t>(size); };
    NamedTensor mean{{count(layers()), count(heads()), count(head_dim())}, {}};
    NamedTensor covariance{{count(layers()), count(heads()), count(head_dim()), count(head_dim())}, {}};
    for (std::size_t l = 0; l < layers(); ++l) {
      const Projection queries = projection(l, false);
      for (std::size_t h = 0; h < heads(); ++h) add_moments(queries, l, h, mean.numbers, covariance.numbers);
    }
    return {{"query_mean", mean}, {"query_cov", covariance}};
  }

 private:
  void add_moments(const Projection& queries, std::size_t layer, std::size_t head, std::vector<float>& means,
                   std::vector<float>& covariances) const {
    std::vector<std::vector<double>> rows;
    std::vector<double> mean(head_dim());
    for (std::size_t t = sinks; t < tokens; ++t) {
      auto& row = rows.emplace_back(head_dim());
      for (std::size_t c = 0; c < row.size(); ++c) {
        row[c] = queries.of(input(layer, t), head * head_dim() + c);
        mean[c] += row[c] / static_cast<double>(tokens - sinks);
      }
    }
    for (const double number : mean) means.push_back(static_cast<float>(number));
    for (std::size_t a = 0; a < mean.size(); ++a)
      for (std::size_t b = 0; b < mean.size(); ++b) {
        double sum = 0;
        for (const auto& row : rows) sum += (row[a] - mean[a]) * (row[b] - mean[b]);
        covariances.push_back(static_cast<float>(sum / static_cast<double>(tokens - sinks)));
      }
  }

  GoldenCase golden_;
  NamedTensors weights_;
  QTemporaryDir folder_;
  std::unique_ptr<Transformer> model_;
  std::unique_ptr<BlockPool> pool_;
  std::unique_ptr<KvCache> cache_;
  Observation observed_;
};

NamedTensor random_numbers(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  NamedTensor tensor{shape, {}};
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  Random random(seed);
  for (std::int64_t i = 0; i < count; ++i) tensor.numbers.push_back(static_cast<float>(2 * random.uniform() - 1));
  return tensor;
}

}  // namespace

class FileVectorsTest : public QObject {
  Q_OBJECT

  static void models() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"phi3_longrope", "granite", "llama_yarn", "llama"}) QTest::newRow(name) << name;
  }

 private slots:
  void theModelsAreOfEverySort() {
    const Observed part("phi3_longrope"), factor("granite"), stretched("llama_yarn");
    QVERIFY(part.config().rope.rotated > 0 && part.config().rope.rotated < part.config().head_dim);
    QVERIFY(part.config().rope.stretch.attention_factor != 1 && stretched.config().rope.stretch.attention_factor != 1);
    QVERIFY(factor.config().observed_scale() != 1.0F);
  }

  // The statistics are of the context itself, so scores equal those without a file.
  void statisticsOfTheContextScoreAsTheContext_data() { models(); }
  void statisticsOfTheContextScoreAsTheContext() {
    QFETCH(const QString, name);
    const Observed observed(name.toStdString());
    const std::string file = observed.path("stats.safetensors");
    write_file(file, safetensors_bytes(observed.statistics(), false));
    const auto own = observed.scores("expected_attention");
    const auto by_file = observed.scores("expected_attention(stats=" + file + ")");
    QVERIFY2(own && by_file, by_file ? "" : by_file.error().message.c_str());
    for (std::size_t l = 0; l < observed.layers(); ++l)
      for (std::size_t h = 0; h < observed.kv_heads(); ++h) {
        const auto &wanted = own->layers[l][h].scores, &found = by_file->layers[l][h].scores;
        QCOMPARE(found.size(), tokens);
        const float largest = *std::max_element(wanted.begin() + sinks, wanted.end());
        for (std::size_t t = sinks; t < tokens; ++t)
          QVERIFY2(std::abs(found[t] - wanted[t]) <= 1e-3F * largest,
                   qPrintable(QStringLiteral("layer %1, head %2, token %3: %4 and %5")
                                  .arg(l)
                                  .arg(h)
                                  .arg(t)
                                  .arg(static_cast<double>(found[t]))
                                  .arg(static_cast<double>(wanted[t]))));
      }
  }

  void filtersMultiplyKeysInTheirOrder_data() { models(); }
  void filtersMultiplyKeysInTheirOrder() {
    QFETCH(const QString, name);
    const Observed observed(name.toStdString());
    const NamedTensor filters =
        random_numbers({observed.config().layers, observed.config().kv_heads, observed.config().head_dim}, 7);
    const std::string file = observed.path("filters.safetensors");
    write_file(file, safetensors_bytes({{"q_filters", filters}}, false));
    const auto scores = observed.scores("qfilter(filters=" + file + ")");
    QVERIFY2(scores.has_value(), scores ? "" : scores.error().message.c_str());
    for (std::size_t l = 0; l < observed.layers(); ++l) {
      const Projection keys = observed.projection(l, true);
      for (std::size_t h = 0; h < observed.kv_heads(); ++h)
        for (std::size_t t = 0; t < tokens; ++t) {
          const std::vector<double> key = observed.key(keys, l, h, t);
          double wanted = 0, size = 0;
          for (std::size_t c = 0; c < key.size(); ++c) {
            const double part =
                key[c] * static_cast<double>(filters.numbers[(l * observed.kv_heads() + h) * key.size() + c]);
            wanted -= part;
            size += std::abs(part);
          }
          const auto found = static_cast<double>(scores->layers[l][h].scores[t]);
          QVERIFY2(std::abs(found - wanted) <= 1e-4 * size, qPrintable(QString::number(found - wanted)));
        }
    }
  }

  // What a file says of keys that come from a latent vector nobody has defined.
  void latentAttentionRefusesFiles() {
    const Observed observed("deepseek_v2_lite");
    const std::int64_t layers = observed.config().layers, heads = observed.config().heads,
                       dim = observed.config().head_dim;
    const std::string file = observed.path("vectors.safetensors");
    write_file(file, safetensors_bytes({{"q_filters", random_numbers({layers, heads, dim}, 1)},
                                        {"query_mean", random_numbers({layers, heads, dim}, 2)},
                                        {"query_cov", random_numbers({layers, heads, dim, dim}, 3)}},
                                       false));
    for (const std::string method : {"qfilter(filters=", "expected_attention(stats="}) {
      const auto refused = observed.scores(method + file + ")");
      QVERIFY(!refused);
      const std::string& message = refused.error().message;
      QVERIFY2(message.starts_with("method '" + method.substr(0, method.find('(')) + "': ") &&
                   message.find("DeepseekV2ForCausalLM") != std::string::npos,
               message.c_str());
    }
    for (const char* method : {"qfilter", "expected_attention"}) QVERIFY(observed.scores(method).has_value());
  }
};

KV_TEST_GUILESS_MAIN(FileVectorsTest)

}  // namespace file_vectors_test

#include "file_vectors_test.moc"
