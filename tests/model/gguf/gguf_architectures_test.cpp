// links: kv_experiments
// Architectures beyond Llama's in GGUF files: a file as converters write it is the same model as the folder it was made
// of, whose logits are transformers'; and what no key can say is refused.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <functional>

#include "core/model/rope.h"
#include "tests/model/gguf/converted_checkpoint.h"
#include "tests/model/gguf/model_file.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace gguf_architectures_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

// Products may be summed in another order where a matrix is at another address.
constexpr double rounding = 1e-5;

GoldenCase golden_case(const char* name) { return GoldenCase(name, GoldenCase::architectures()); }

/// With the first layers alone, and copies of the first one behind the last.
GoldenCase with_layers(GoldenCase golden, int layers) {
  const int present = golden.json["config"]["num_hidden_layers"];
  const Json all = golden.json["tensors"];
  Json& kept = golden.json["tensors"] = Json::array();
  const std::string first = "model.layers.0.";
  for (const Json& tensor : all) {
    const std::string name = tensor["name"];
    const bool in_layer = name.starts_with("model.layers.");
    if (!in_layer || std::stoi(name.substr(first.size() - 2)) < layers) kept.push_back(tensor);
    for (int copy = present; name.starts_with(first) && copy < layers; ++copy) {
      kept.push_back(tensor);
      kept.back()["name"] = "model.layers." + std::to_string(copy) + "." + name.substr(first.size());
    }
  }
  golden.json["config"]["num_hidden_layers"] = layers;
  golden.json["shards"] = 1;
  return golden;
}

struct ConvertedCase {
  GoldenCase golden;
  bool golden_logits = false;  // whether transformers' logits are of this configuration
  GgufWriter writer = GgufWriter();
};

/// A flag for each layer.
GgufWriter flags(const std::string& key, const std::vector<bool>& values) {
  std::string bytes = gguf_number(std::uint32_t{7}) + gguf_number<std::uint64_t>(values.size());
  for (const bool value : values) bytes += value ? '\1' : '\0';
  return GgufWriter().raw(key, 9, bytes);
}

ConvertedCase case_of(const std::string& name) {
  const auto changed = [](GoldenCase golden, const std::function<void(Json&)>& change) {
    change(golden.json["config"]);
    return golden;
  };
  // No key has the divisor of Gemma's scores, which is the size of a head in all published models but two.
  const auto gemma = [&](const char* which) {
    return changed(golden_case(which), [](Json& config) { config["query_pre_attn_scalar"] = config["head_dim"]; });
  };
  if (name == "gemma2") return {gemma("gemma2")};
  if (name == "gemma3_flags")
    return {gemma("gemma3"), false, flags("gemma3.attention.sliding_window_pattern", {true, true, false, true})};
  if (name == "gemma3_period")
    return {with_layers(changed(gemma("gemma3"), [](Json& config) { config.erase("layer_types"); }), 7)};
  if (name == "qwen3_moe") return {with_layers(golden_case("qwen3_moe"), 1)};
  if (name == "smollm3")
    return {with_layers(changed(golden_case("smollm3"), [](Json& config) { config.erase("no_rope_layers"); }), 4)};
  if (name == "gpt_neox_sequential")
    return {changed(golden_case("gpt_neox_sequential"), [](Json& config) { config["hidden_act"] = "gelu"; })};
  return {golden_case(name.c_str()), true};
}

}  // namespace

class GgufArchitecturesTest : public QObject, private ModelFile {
  Q_OBJECT

 private slots:
  void aFileIsTheSameModelAsAFolder_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gemma", "gemma2", "gemma3_flags", "gemma3_period", "qwen3_moe", "mixtral", "olmo2",
                             "granite", "smollm3", "gpt_neox", "gpt_neox_sequential", "gpt_oss", "gpt_oss_mxfp4"})
      QTest::newRow(name) << name;
  }
  void aFileIsTheSameModelAsAFolder() {
    QFETCH(QString, name);
    const ConvertedCase one = case_of(name.toStdString());
    QTemporaryDir folder;
    one.golden.write(folder.path().toStdString(), false);
    write_file(path(), converted_bytes(one.golden, one.writer));
    const auto from_folder = Transformer::load(folder.path().toStdString()), from_file = Transformer::load(path());
    QVERIFY2(from_folder.has_value(), from_folder ? "" : from_folder.error().message.c_str());
    QVERIFY2(from_file.has_value(), from_file ? "" : from_file.error().message.c_str());
    const ModelConfig &wanted = (*from_folder)->config(), &config = (*from_file)->config();
    QCOMPARE((*from_file)->compute(), ComputeType::fp32);
    QCOMPARE(config.windows(), wanted.windows());
    QCOMPARE(config.max_positions, wanted.max_positions);
    QCOMPARE(rope_frequencies(config), rope_frequencies(wanted));
    QCOMPARE(frequencies_of_layers(config), frequencies_of_layers(wanted));
    QCOMPARE(config.parameters(), wanted.parameters());
    auto logits = logits_of(**from_file, one.golden.tokens);
    const double difference = largest_difference(logits, logits_of(**from_folder, one.golden.tokens));
    qInfo("file against folder: %.2e", difference);
    QVERIFY(difference <= rounding);
    if (!one.golden_logits) return;
    logits.erase(logits.begin(), logits.end() - static_cast<std::ptrdiff_t>(one.golden.logits.size()));
    QVERIFY(largest_difference(logits, one.golden.logits) <= 1e-4);  // transformers'
  }

  // Fused rows are taken one by one, and so are their biases, of whatever type.
  void aBiasOfFusedRowsMayBePacked() {
    GoldenCase golden = golden_case("gpt_neox");
    const std::string in_folder = "gpt_neox.layers.0.attention.query_key_value.bias";
    const std::vector<float> numbers = golden.tensors().at(in_folder).numbers;
    Json& tensors = golden.json["tensors"];
    tensors.erase(std::find_if(tensors.begin(), tensors.end(),
                               [&](const Json& tensor) { return tensor["name"].get<std::string>() == in_folder; }));
    const auto with_bias = [&](const auto&... type_and_numbers) {
      GgufWriter writer;
      writer.tensor("blk.0.attn_qkv.bias", {numbers.size()}, type_and_numbers...);
      write_file(path(), converted_bytes(golden, writer));
      const auto model = Transformer::load(path());
      if (!model) qFatal("%s", model.error().message.c_str());
      return logits_of(**model, golden.tokens);
    };
    std::vector<float> kept;
    const std::string blocks = packed_q8(numbers, kept);
    const auto packed = with_bias(std::uint32_t{8}, blocks);
    QVERIFY(largest_difference(packed, with_bias(kept)) <= rounding);
    QVERIFY(largest_difference(packed, with_bias(std::vector<float>(numbers.size()))) > 1e-3);  // it has an effect
  }

  void whatNoKeyCanSayIsRefused() {
    const auto with = [](const char* name, const GgufWriter& writer) {
      return converted_bytes(case_of(name).golden, writer);
    };
    refused(gguf_bytes(GoldenCase("qwen2"), Packing::none, nullptr, GgufWriter().u32("qwen2.expert_count", 8)),
            "'qwen2.expert_count' is 8, but mixtures of experts are not supported");
    refused(with("olmo2", GgufWriter().u32("olmo2.attention.sliding_window", 24)), "as of OLMo 3");
    refused(with("granite", GgufWriter().flag("granite.rope.scaling.finetuned", false)),
            "'granite.rope.scaling.finetuned' is false");
    refused(with("gemma2", flags("gemma2.attention.sliding_window_pattern", {true, false})),
            "must be a number, or a flag for each of the 3 layers");
    refused(with("gemma", GgufWriter().tensor("blk.0.post_ffw_norm.weight", {60}, std::vector<float>(60))),
            "tensor 'blk.0.post_ffw_norm.weight' belongs to no model");
    refused(with("gpt_oss", GgufWriter().tensor("blk.0.ffn_norm.weight", {64}, std::vector<float>(64))),
            "tensor 'blk.0.ffn_norm.weight' belongs to no model");
    refused(with("gpt_neox", GgufWriter().tensor("blk.0.attn_q.weight", {64, 64}, std::vector<float>(4096))),
            "tensor 'blk.0.attn_q.weight' belongs to no model");
    GoldenCase mixtral = golden_case("mixtral");
    mixtral.json["config"]["num_local_experts"] = 4;
    refused(converted_bytes(mixtral), "but holds 4 experts by its keys");
    mixtral.json["config"]["num_experts_per_tok"] = 5;
    refused(converted_bytes(mixtral), "(5 of 4 experts) cannot be chosen");
    refused(with("gpt_neox", GgufWriter().u32("gptneox.attention.head_count_kv", 4)),
            "(8) must divide embedding_length");
  }
};

KV_TEST_GUILESS_MAIN(GgufArchitecturesTest)

}  // namespace gguf_architectures_test

#include "gguf_architectures_test.moc"
