// Prompts of a golden of make_kvpress_zoo_goldens.py, run through our own model in fp32.
#pragma once

#include <QTemporaryDir>
#include <deque>
#include <map>

#include "core/compress/observe.h"
#include "core/model/transformer.h"
#include "tests/parity/kvpress_golden.h"

namespace kvantage {

struct KvpressZoo {
  struct Prompt {
    KvCache cache;
    Observation observed;
  };
  Json golden;
  std::unique_ptr<Transformer> model;
  std::unique_ptr<BlockPool> pool;
  std::vector<std::string> methods;
  std::vector<double> fractions;
  std::deque<Prompt> prompts;
  QTemporaryDir folder;

  int layers() const { return pool->shape().layers; }
  int kv_heads() const { return pool->shape().kv_heads; }

  static std::filesystem::path file(const std::string& name) {
    return KvpressGolden::folder() / ("zoo_" + name + ".json");
  }
  static std::filesystem::path shipped_model() {
    return std::filesystem::path(KVANTAGE_SOURCE_DIR) / "resources" / "model";
  }

  /// A method with the files of the golden's formulas: "kvzap(weights=@kvzap)".
  std::string with_files(std::string text) const {
    const auto at = text.find('@');
    if (at == std::string::npos) return text;
    const auto end = text.find_first_of(",)", at);
    const std::string name = text.substr(at + 1, end - at - 1);
    return text.replace(at, end - at, path_of(name).string());
  }

  explicit KvpressZoo(const std::string& name) : golden(read_json_file(file(name)).value()) {
    methods = golden.at("methods").get<std::vector<std::string>>();
    fractions = golden.at("fractions").get<std::vector<double>>();
    std::filesystem::path checkpoint = shipped_model();
    write_files();
    if (golden.contains("tensors")) {
      checkpoint = folder.path().toStdString();
      KvpressGolden formula;
      formula.json = golden;
      formula.write_checkpoint(checkpoint);
    }
    LoadOptions options;
    options.compute = ComputeType::fp32;
    options.kv_type = KvType::fp32;
    auto loaded = Transformer::load(checkpoint, options);
    if (!loaded) qFatal("%s", loaded.error().message.c_str());
    model = std::move(*loaded);
    pool = std::make_unique<BlockPool>(model->kv_shape(), 32, std::size_t{256} << 20);
    for (const Json& prompt : golden.at("prompts")) run(prompt);
  }

  std::vector<std::int32_t> ids(const std::string& name) const {
    return golden.at("repeat").at(name).get<std::vector<std::int32_t>>();
  }
  static std::vector<std::int32_t> tokens_of(const Json& prompt, int vocabulary) {
    if (prompt.contains("ids")) return prompt.at("ids").get<std::vector<std::int32_t>>();
    Random random(prompt.at("seed").get<std::uint64_t>());
    std::vector<std::int32_t> tokens(prompt.at("tokens").get<std::size_t>());
    for (std::int32_t& token : tokens)
      token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary)));
    return tokens;
  }

 private:
  std::filesystem::path path_of(const std::string& name) const {
    const std::filesystem::path in = folder.path().toStdString();
    return name == "pattern" ? in / "pattern.tsv" : in / name;  // the others are folders
  }

  /// Published weights of the golden, from its formulas; a pattern of heads as the table that it is published as.
  void write_files() const {
    if (!golden.contains("files")) return;
    for (const auto& [name, tensors] : golden.at("files").items()) {
      const std::filesystem::path to = path_of(name);
      if (name != "pattern") {
        std::filesystem::create_directory(to);
        KvpressGolden formula;
        formula.json = {{"tensors", tensors}, {"config", Json::object()}};
        formula.write_checkpoint(to);
        continue;
      }
      const Json& heads = tensors.at(0);
      Random random(heads.at("seed").get<std::uint64_t>());
      std::string table;
      for (int l = 0; l < heads.at("shape").at(0).get<int>(); ++l)
        for (int h = 0, last = heads.at("shape").at(1).get<int>() - 1; h <= last; ++h) {
          const double number =
              heads.at("offset").get<double>() + heads.at("scale").get<double>() * (2 * random.uniform() - 1);
          char text[32];
          std::snprintf(text, sizeof text, "%.9f", number);
          table += std::string(text) + (h < last ? "\t" : "\n");
        }
      if (!write_text_file(to, table)) qFatal("cannot write %s", to.c_str());
    }
  }

  void run(const Json& golden_prompt) {
    const auto tokens = tokens_of(golden_prompt, model->config().vocab_size);
    Prompt& prompt = prompts.emplace_back(Prompt{KvCache(*pool), {}});
    PrefillTask task(*model, prompt.cache, tokens, 0,
                     {.window_queries = static_cast<int>(tokens.size()), .logits = PrefillLogits::none});
    if (!task.run()) qFatal("prefill");
    const ObserveTexts texts{ids("first"), ids("next"), ids("mark"), {}};
    const ObservationNeeds needs{.repeat_pass = true, .hidden_states = true, .output_norms = true};
    auto observed = observe(*model, prompt.cache, tokens, needs, texts, 256);
    if (!observed) qFatal("%s", observed.error().message.c_str());
    prompt.observed = std::move(*observed);
    prompt.observed.queries = task.take_window_queries();
  }
};

/// First half of the XXH3-64 of the kept indices of a layer, head after head, each list after its length.
inline std::string digest_of_heads(const KeptIndices& heads) {
  std::vector<std::int32_t> all;
  for (const auto& head : heads) {
    all.push_back(static_cast<std::int32_t>(head.size()));
    all.insert(all.end(), head.begin(), head.end());
  }
  char digest[17];
  std::snprintf(digest, sizeof digest, "%016llx",
                static_cast<unsigned long long>(checksum_of(std::as_bytes(std::span(all)))));
  return std::string(digest, 8);
}

}  // namespace kvantage
