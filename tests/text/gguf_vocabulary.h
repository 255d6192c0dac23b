// Vocabularies of GGUF files as tokenizer.json, so that the tokenizer can be checked against texts with published ids.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"

namespace kvantage::test {

/// The key-value pairs of a GGUF v3 file (well-formed ones: test data).
inline Json read_gguf_metadata(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path).value();
  std::size_t at = 0;
  const auto number = [&]<class T>(T) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    at += sizeof(T);
    return value;
  };
  const auto text = [&] {
    const auto size = static_cast<std::size_t>(number(std::uint64_t{}));
    at += size;
    return bytes.substr(at - size, size);
  };
  const auto scalar = [&](std::uint32_t type) -> Json {
    switch (type) {
      case 0:
        return number(std::uint8_t{});
      case 1:
        return number(std::int8_t{});
      case 2:
        return number(std::uint16_t{});
      case 3:
        return number(std::int16_t{});
      case 4:
        return number(std::uint32_t{});
      case 5:
        return number(std::int32_t{});
      case 6:
        return number(float{});
      case 7:
        return number(std::uint8_t{}) != 0;
      case 8:
        return text();
      case 10:
        return number(std::uint64_t{});
      case 11:
        return number(std::int64_t{});
      default:
        return number(double{});
    }
  };
  at = 16;  // magic, version, number of tensors
  Json metadata = Json::object();
  for (auto left = number(std::uint64_t{}); left > 0; --left) {
    const std::string key = text();
    const auto type = number(std::uint32_t{});
    if (type != 9) {
      metadata[key] = scalar(type);
      continue;
    }
    const auto element_type = number(std::uint32_t{});
    Json list = Json::array();
    for (auto n = number(std::uint64_t{}); n > 0; --n) list.push_back(scalar(element_type));
    metadata[key] = std::move(list);
  }
  return metadata;
}

/// The merges behind a SentencePiece vocabulary: every way to cut a piece into two pieces, best score first.
inline Json merges_of_scores(const std::map<std::string, std::size_t>& ids, const std::vector<std::string>& tokens,
                             const Json& scores) {
  struct Cut {
    double score;
    std::size_t left, right;
  };
  std::vector<Cut> cuts;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    std::vector<Cut> own;
    for (std::size_t cut = 1; cut < tokens[id].size(); ++cut) {
      const auto left = ids.find(tokens[id].substr(0, cut));
      const auto right = ids.find(tokens[id].substr(cut));
      if (left != ids.end() && right != ids.end())
        own.push_back({scores[id].get<double>(), left->second, right->second});
    }
    std::sort(own.begin(), own.end(),
              [](const Cut& a, const Cut& b) { return std::pair(a.left, a.right) < std::pair(b.left, b.right); });
    cuts.insert(cuts.end(), own.begin(), own.end());
  }
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.score > b.score; });
  Json merges = Json::array();
  for (const Cut& cut : cuts) merges.push_back({tokens[cut.left], tokens[cut.right]});
  return merges;
}

/// As Hugging Face folders of the same models describe it. `pre_tokenizer` is for byte-level vocabularies.
inline Json tokenizer_json_of_gguf(const Json& metadata, const Json& pre_tokenizer) {
  enum TokenType { normal = 1, unknown = 2, control = 3, user_defined = 4, byte = 6 };
  const auto tokens = metadata.at("tokenizer.ggml.tokens").get<std::vector<std::string>>();
  const auto types = metadata.at("tokenizer.ggml.token_type").get<std::vector<int>>();
  Json vocabulary = Json::object();
  Json added = Json::array();
  std::map<std::string, std::size_t> ids;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    vocabulary[tokens[id]] = id;
    ids[tokens[id]] = id;
    if (types[id] == control || types[id] == user_defined)
      added.push_back({{"id", id}, {"content", tokens[id]}, {"special", types[id] == control}, {"normalized", false}});
  }
  Json model = {{"type", "BPE"}, {"vocab", vocabulary}};
  if (metadata.at("tokenizer.ggml.model") == "gpt2") {
    model["merges"] = metadata.at("tokenizer.ggml.merges");
    return {{"model", model},
            {"added_tokens", added},
            {"pre_tokenizer", pre_tokenizer},
            {"decoder", {{"type", "ByteLevel"}}}};
  }
  model["merges"] = merges_of_scores(ids, tokens, metadata.at("tokenizer.ggml.scores"));
  model["byte_fallback"] = true;
  model["fuse_unk"] = true;
  model["unk_token"] = tokens.at(0);
  const Json space_to_sign = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  const Json sign_to_space = {{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}};
  const Json normalizers = Json::array({Json{{"type", "Prepend"}, {"prepend", "▁"}}, space_to_sign});
  const Json decoders = Json::array({sign_to_space, Json{{"type", "ByteFallback"}}, Json{{"type", "Fuse"}},
                                     Json{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}});
  return {{"model", model},
          {"added_tokens", added},
          {"normalizer", {{"type", "Sequence"}, {"normalizers", normalizers}}},
          {"decoder", {{"type", "Sequence"}, {"decoders", decoders}}}};
}

}  // namespace kvantage::test
