// Reads tests/goldens/kvpress (made by make_kvpress_goldens.py) and compares kept indices with them.
#pragma once

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/compress/method.h"

namespace kvantage {

struct KvpressGolden {
  Json json;
  std::vector<float> keys;     // [layers, kv_heads, tokens, head_dim]
  std::vector<float> queries;  // [layers, heads, window, head_dim]
  int layers = 0, heads = 0, kv_heads = 0, head_dim = 0, tokens = 0, window = 0;

  static std::filesystem::path folder() {
    return std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests" / "goldens" / "kvpress";
  }

  static KvpressGolden read(const std::string& name) {
    KvpressGolden golden;
    golden.json = read_json_file(folder() / (name + ".json")).value();
    const Json& shape = golden.json.at("shape");
    golden.layers = shape.at("layers");
    golden.heads = shape.at("heads");
    golden.kv_heads = shape.at("kv_heads");
    golden.head_dim = shape.at("head_dim");
    golden.tokens = shape.at("tokens");
    golden.window = shape.at("window");
    const std::string bytes = read_text_file(folder() / (name + ".bin")).value();
    const auto rows = [&](int a, int b) { return static_cast<std::size_t>(golden.layers * a * b * golden.head_dim); };
    golden.keys.resize(rows(golden.kv_heads, golden.tokens));
    golden.queries.resize(rows(golden.heads, golden.window));
    if (bytes.size() != (golden.keys.size() + golden.queries.size()) * sizeof(float)) qFatal("%s.bin", name.c_str());
    std::memcpy(golden.keys.data(), bytes.data(), golden.keys.size() * sizeof(float));
    std::memcpy(golden.queries.data(), bytes.data() + golden.keys.size() * sizeof(float),
                golden.queries.size() * sizeof(float));
    return golden;
  }

  /// Writes config.json and model.safetensors of the model that kvpress was run on, from the golden's formula
  /// (uniform() of make_kvpress_goldens.py).
  void write_checkpoint(const std::filesystem::path& to) const {
    OrderedJson table;
    std::string data;
    for (const Json& tensor : json.at("tensors")) {
      std::size_t count = 1;
      for (const Json& size : tensor.at("shape")) count *= size.get<std::size_t>();
      Random random(tensor.at("seed").get<std::uint64_t>());
      const double offset = tensor.at("offset"), scale = tensor.at("scale");
      const std::size_t begin = data.size();
      for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<float>(offset + scale * (2 * random.uniform() - 1));
        data.append(reinterpret_cast<const char*>(&value), sizeof value);
      }
      table[tensor.at("name").get<std::string>()] = {
          {"dtype", "F32"}, {"shape", tensor.at("shape")}, {"data_offsets", {begin, data.size()}}};
    }
    const std::string header = table.dump();
    const std::uint64_t length = header.size();
    std::string file(reinterpret_cast<const char*>(&length), sizeof length);
    if (!write_text_file(to / "model.safetensors", file + header + data) ||
        !write_text_file(to / "config.json", json.at("config").dump()))
      qFatal("cannot write %s", to.c_str());
  }

  KvShape shape() const { return {layers, kv_heads, head_dim, KvType::fp32}; }

  WindowQueries window_queries() const {
    WindowQueries result{heads, window, {}};
    const auto size = static_cast<std::ptrdiff_t>(heads * window * head_dim);
    for (int l = 0; l < layers; ++l)
      result.layers.emplace_back(queries.begin() + l * size, queries.begin() + (l + 1) * size);
    return result;
  }
};

struct ParityCount {
  int compared = 0;
  int ties = 0;   // margin 0: kvpress chose among equals
  int close = 0;  // margin too small for fp32 to decide
  int different = 0;
};

/// Compares every cut of the golden with what our methods keep of `cache`. A cut is skipped when its margin is below
/// 1e-5, or below 1e-5 of the spread of its scores where that is the smaller: attention scores are far below 1.
inline ParityCount compare_with_kvpress(const KvpressGolden& golden, const KvCache& cache,
                                        const Observation& observed) {
  ParityCount count;
  std::string text;
  std::shared_ptr<const Method> method;
  LayerScores scores;
  for (const Json& cut : golden.json.at("cuts")) {
    if (cut.at("method") != text) {
      text = cut.at("method");
      method = parse_method(text).value();
      scores = method->scores(cache, observed).value();
    }
    const double margin = cut.at("margin"), spread = cut.at("spread");
    if (margin < 1e-5 * std::min(1.0, spread) || margin == 0) {
      ++(margin == 0 ? count.ties : count.close);
      continue;
    }
    const auto kept = method->keep_for(scores, cut.at("removed_fraction"));
    const auto& indices = kept[cut.at("layer").get<std::size_t>()][cut.at("head").get<std::size_t>()];
    char digest[17];
    std::snprintf(digest, sizeof digest, "%016llx",
                  static_cast<unsigned long long>(checksum_of(std::as_bytes(std::span(indices)))));
    ++count.compared;
    if (indices.size() != cut.at("kept").get<std::size_t>() || cut.at("digest") != digest) {
      ++count.different;
      qWarning("%s", cut.dump().c_str());
    }
  }
  return count;
}

}  // namespace kvantage
