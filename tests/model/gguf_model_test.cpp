// links: kv_experiments
// Models in GGUF files: the same checkpoints as folders give the same logits but for rounding in fp32, packed ones
// those of the numbers that the packing keeps, a trained model tells its stories, and what does not fit is refused.
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <functional>

#include "core/model/generate.h"
#include "core/text/tokenizer.h"
#include "tests/model/gguf/model_file.h"
#include "tests/model/gguf_checkpoint.h"
#include "tests/model/golden_model.h"
#include "tests/model/llama2c.h"
#include "tests/support/test_program.h"

namespace gguf_model_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

// Products may be summed in another order where a matrix is at another address.
constexpr double rounding = 1e-5;

const std::filesystem::path models = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "../shared/data/models";

std::unique_ptr<Transformer> load(const std::filesystem::path& path, const LoadOptions& options = {}) {
  auto model = Transformer::load(path, options);
  if (!model) qFatal("%s", model.error().message.c_str());
  return std::move(*model);
}

}  // namespace

class GgufModelTest : public QObject, private ModelFile {
  Q_OBJECT

 private slots:
  void aFileIsTheSameModelAsAFolder_data() {
    QTest::addColumn<QString>("name");
    for (const auto& name : GoldenCase::names())  // Mistral's files are of the architecture llama, OPT has none
      if (!name.starts_with("mistral") && !name.starts_with("opt"))
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void aFileIsTheSameModelAsAFolder() {
    QFETCH(QString, name);
    const GoldenCase golden(name.toStdString());
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), false);
    write_file(path(), gguf_bytes(golden, Packing::none));
    const auto from_folder = load(folder.path().toStdString()), from_file = load(path());
    QCOMPARE(from_file->compute(), ComputeType::fp32);
    QCOMPARE(from_file->config().canonical_text(), from_folder->config().canonical_text());
    QCOMPARE(from_file->config().eos_ids, from_folder->config().eos_ids);
    QCOMPARE(from_file->config().bos_id, from_folder->config().bos_id);
    const auto logits = logits_of(*from_file, golden.tokens);
    QVERIFY(largest_difference(logits, golden.logits) <= 1e-4);  // transformers'
    QVERIFY(largest_difference(logits, logits_of(*from_folder, golden.tokens)) <= rounding);
  }

  // YaRN, longrope and Phi-3's fused weights and partly rotated heads.
  void scaledRotationsAreTransformers_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama_yarn", "phi3", "phi3_longrope", "phi3_longrope_long"}) QTest::newRow(name) << name;
  }
  void scaledRotationsAreTransformers() {
    QFETCH(QString, name);
    const GoldenCase golden(name.toStdString(), GoldenCase::architectures());
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), false);
    write_file(path(), gguf_bytes(golden, Packing::none));
    LoadOptions options;
    options.max_model_len = golden.json.value("max_model_len", 0);
    const auto from_folder = load(folder.path().toStdString(), options), from_file = load(path(), options);
    const ModelConfig &wanted = from_folder->config(), &config = from_file->config();
    QCOMPARE(to_string(config.rope.kind), to_string(wanted.rope.kind));
    QCOMPARE(config.max_positions, wanted.max_positions);
    QCOMPARE(config.windows(), wanted.windows());
    QCOMPARE(rope_frequencies(config), rope_frequencies(wanted));
    QVERIFY(std::abs(config.rope.stretch.attention_factor - wanted.rope.stretch.attention_factor) < 1e-7);
    auto logits = logits_of(*from_file, golden.tokens);
    QVERIFY(largest_difference(logits, logits_of(*from_folder, golden.tokens)) <= rounding);
    logits.erase(logits.begin(), logits.end() - static_cast<std::ptrdiff_t>(golden.logits.size()));
    QVERIFY(largest_difference(logits, golden.logits) <= 1e-4);  // transformers'
  }

  void packedWeightsAreTheNumbersThatTheyStandFor_data() { aFileIsTheSameModelAsAFolder_data(); }
  void packedWeightsAreTheNumbersThatTheyStandFor() {
    QFETCH(QString, name);
    const GoldenCase golden(name.toStdString());
    NamedTensors kept;
    write_file(path(), gguf_bytes(golden, Packing::tight, &kept));
    QTemporaryDir folder;
    GoldenCase whole = golden;
    whole.json["shards"] = 1;
    whole.write(folder.path().toStdString(), false);
    write_file(std::filesystem::path(folder.path().toStdString()) / "model.safetensors",
               safetensors_bytes(kept, false));
    const auto wide = load(folder.path().toStdString(), {.compute = ComputeType::fp32, .kv_type = {}, .isa = {}});
    const auto packed = load(path(), {.compute = ComputeType::fp32, .kv_type = {}, .isa = {}});
    const auto logits = logits_of(*packed, golden.tokens);
    QVERIFY(largest_difference(logits, logits_of(*wide, golden.tokens)) <= rounding);
    // The packing costs little, but it costs; halves alone (rows that are no whole blocks) hold these numbers exactly.
    const double difference = largest_difference(logits, golden.logits);
    qInfo("Q8_0 and F16 against fp32: %.3f (bf16 differs by %.3f)", difference, golden.bf16_difference);
    const bool blocks = golden.json["config"]["hidden_size"].get<int>() % 32 == 0;
    QVERIFY((difference > 1e-4) == blocks && difference < 4 * golden.bf16_difference);
    // Where nothing is said, packed weights become bf16, as far as the processor multiplies that.
    const auto as_shipped = load(path());
    QCOMPARE(as_shipped->config().dtype, WeightType::bf16);
    QCOMPARE(as_shipped->kv_shape().type, KvType::bf16);
    QCOMPARE(as_shipped->compute(), best_isa() == Isa::avx512bf16 ? ComputeType::bf16 : ComputeType::fp32);
    QVERIFY(largest_difference(logits_of(*as_shipped, golden.tokens), golden.logits) < 4 * golden.bf16_difference);
    QVERIFY(as_shipped->digest() != wide->digest());
  }

  void storiesAreToldAsExpected_data() {
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("prompt");
    QTest::addColumn<int>("steps");
    QTest::newRow("once") << "stories260K_greedy256_once.txt"
                          << "Once upon a time" << 256;
    QTest::newRow("lily") << "stories260K_greedy500_lily.txt"
                          << "Lily and Tom went to the park. They saw a big dog." << 500;
  }
  void storiesAreToldAsExpected() {
    QFETCH(QString, expected);
    QFETCH(QString, prompt);
    QFETCH(int, steps);
    const auto file = models / "stories260K/stories260K.gguf";
    if (!std::filesystem::exists(file)) QSKIP("../shared/data/models is absent: trained models are not checked");
    const auto model = load(file);
    const auto tokenizer = Tokenizer::load(file);
    QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().message.c_str());
    const auto ids = (*tokenizer)->encode(prompt.toStdString(), true);
    QCOMPARE(ids, Llama2cTokenizer(models / "stories260K/tok512.bin").encode(prompt.toStdString()));
    BlockPool pool(model->kv_shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    GenerateOptions options;
    options.max_tokens = steps - static_cast<int>(ids.size()) + 1;
    options.stop_tokens = {1, 2};
    const auto generation = generate(*model, cache, ids, options);
    QVERIFY(generation.has_value());
    std::vector<std::int32_t> all = ids;
    all.insert(all.end(), generation->tokens.begin(), generation->tokens.end());
    const QString want =
        QString::fromStdString(*read_text_file(models / "expected" / expected.toStdString())).trimmed();
    QCOMPARE(QString::fromStdString((*tokenizer)->decode(all)).trimmed(), want);
  }

  void twoFormsOfTheSameWeightsGiveTheSameLogits() {
    if (!std::filesystem::exists(models)) QSKIP("../shared/data/models is absent: trained models are not checked");
    const QTemporaryDir folder;
    convert_llama2c(models / "stories260K/stories260K.bin", folder.path().toStdString());
    const auto from_bin = load(folder.path().toStdString()), from_gguf = load(models / "stories260K/stories260K.gguf");
    std::vector<std::int32_t> tokens{1};
    for (std::int32_t i = 0; i < 200; ++i) tokens.push_back(259 + i * 37 % 253);
    const double difference = largest_difference(logits_of(*from_gguf, tokens), logits_of(*from_bin, tokens));
    qInfo("stories260K, .gguf against .bin: %.2e", difference);
    QVERIFY(difference <= 1e-4);
  }

  void whatDoesNotFitIsRefused() {
    const GoldenCase llama("llama"), qwen("qwen2");
    const auto with = [](const GoldenCase& golden, const std::function<void(Json&)>& change) {
      GoldenCase changed = golden;
      change(changed.json["config"]);
      return gguf_bytes(changed, Packing::none);
    };
    const auto plus = [&](const GgufWriter& writer) { return gguf_bytes(llama, Packing::none, nullptr, writer); };
    refused("text", "does not begin with GGUF");
    refused(GgufWriter().bytes(), "key 'general.architecture' (text) is missing");
    refused(GgufWriter().text("general.architecture", "phi2").bytes(), "architecture 'phi2'");
    refused(GgufWriter().text("general.architecture", "llama").bytes(),
            "key 'llama.embedding_length' (a whole number) is missing");
    refused(plus(GgufWriter().u32("split.count", 3)), "one of 3 parts");
    refused(plus(GgufWriter().u32("llama.expert_count", 8)),
            "key 'llama.expert_used_count' (a whole number) is missing");
    refused(plus(GgufWriter().text("llama.rope.scaling.type", "ntk")), "'llama.rope.scaling.type' is 'ntk'");
    const auto yarn = GgufWriter().text("llama.rope.scaling.type", "yarn");
    refused(plus(GgufWriter(yarn).f32("llama.rope.scaling.yarn_ext_factor", 0.5F)),
            "'llama.rope.scaling.yarn_ext_factor' is 0.5");
    refused(plus(GgufWriter(yarn).tensor("rope_factors_long.weight", {4}, {1, 1, 2, 7})),
            "'llama.rope.scaling.type' is 'yarn' beside longrope's tensor");
    refused(plus(GgufWriter().text("llama.rope.scaling.type", "longrope")),
            "tensor 'rope_factors_short.weight' is missing");
    refused(plus(GgufWriter().tensor("rope_factors_short.weight", {4}, {1, 1, 2, 7})),
            "tensor 'rope_factors_long.weight' is missing");
    refused(plus(GgufWriter()
                     .tensor("rope_factors_short.weight", {4}, {1, 1, 2, 7})
                     .tensor("rope_factors_long.weight", {4}, {1, 1, 0, 7})),
            "must hold positive numbers");
    refused(plus(GgufWriter()
                     .tensor("rope_factors_short.weight", {4}, {1, 1, 2, 7})
                     .tensor("rope_freqs.weight", {4}, {1, 1, 2, 7})),
            "which scale the rotation twice");
    refused(
        plus(GgufWriter().f32("llama.rope.scaling.factor", 2).tensor("rope_factors_short.weight", {4}, {1, 1, 2, 7})),
        "'llama.rope.scaling.factor' is 2");
    refused(plus(GgufWriter().tensor("blk.0.ffn_gate_inp.weight", {64, 4}, std::vector<float>(256))),
            "tensor 'blk.0.ffn_gate_inp.weight' belongs to no model");
    refused(plus(GgufWriter().tensor("blk.0.attn_norm.bias", {64}, std::vector<float>(64))),
            "tensor 'model.layers.0.input_layernorm.bias' has no place");
    refused(plus(GgufWriter().tensor("blk.3.attn_norm.weight", {64}, std::vector<float>(64))),
            "tensor 'model.layers.3.input_layernorm.weight' has no place");
    refused(plus(GgufWriter().tensor("blk.0.attn_q.bias", {64}, std::vector<float>(64))),
            "self_attn.k_proj.bias' is missing; the checkpoint does not fit its keys");
    refused(plus(GgufWriter().tensor("rope_freqs.weight", {4}, {1, 1, 2, 7})), "in another way than Llama 3");
    refused(plus(GgufWriter().tensor("rope_freqs.weight", {3}, {1, 1, 2})), "must be 4 numbers of F32");
    refused(plus(GgufWriter().tensor("blk.9.attn_v.weight", {256, 2}, 16, std::string(132, 'x'))),
            "has type IQ2_XXS, but F32, F16, BF16, Q8_0");
    refused(with(llama, [](Json& config) { config["num_hidden_layers"] = 4; }),
            "'model.layers.3.input_layernorm.weight' is missing");
    refused(with(llama, [](Json& config) { config["intermediate_size"] = 111; }), "but its keys ask for [111, 64] F32");
    refused(with(qwen, [](Json& config) { config["num_key_value_heads"] = 3; }),
            "is not a multiple of attention.head_count_kv (3)");
    refused(with(llama, [](Json& config) { config["head_dim"] = 7; }), "must be even and at most 1024");
    refused(with(llama, [](Json& config) { config["rms_norm_eps"] = 0; }),
            "'llama.attention.layer_norm_rms_epsilon' must be between 0 and 1");
    refused(with(llama, [](Json& config) { config["num_hidden_layers"] = 1001; }),
            "sizes are larger than those of any supported model");
    refused(with(llama, [](Json& config) { config["num_hidden_layers"] = 0; }),
            "'llama.block_count' must be from 1 to 1e9");
    refused(with(qwen,
                 [](Json& config) {
                   config["model_type"] = "llama";
                   config["rope_theta"] = -1;
                 }),
            "'llama.rope.freq_base' must be a positive number");
    const std::string whole = gguf_bytes(llama, Packing::none);
    for (const double part : {0.001, 0.1, 0.5, 0.999})
      refused(whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))),
              "; fetch the file again");
  }

  void aModelLargerThanMemoryIsRefused() {
    write_file(path(), gguf_bytes(GoldenCase("llama"), Packing::tight));
    const auto model =
        Transformer::load(path(), {.compute = {}, .kv_type = {}, .memory_limit_bytes = 100000, .isa = {}});
    QVERIFY(!model && model.error().message.find("of memory are available; ") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(GgufModelTest)

}  // namespace gguf_model_test

#include "gguf_model_test.moc"
