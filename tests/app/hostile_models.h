// Hostile model folders and GGUF files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/app/hostile_inputs.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_model.h"

namespace kvantage::test::hostile {

inline void copy_config(const path& folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(model_directory() / "config.json", folder / "config.json");
}

inline std::string header_length(std::uint64_t length) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes;
}

inline void add_models(Rows& rows) {
  const QStringList info{"model", "info", "@"};
  rows.push_back(
      {"safetensors: 150,000 tensors of nothing",
       [](const path& folder) {
         copy_config(folder);
         const std::string header =
             "{" +
             joined(150'000, ",",
                    [](auto i) { return quoted(number(i)) + R"(:{"dtype":"F32","shape":[0],"data_offsets":[0,0]})"; }) +
             "}";
         save(folder / "model.safetensors", header_length(header.size()) + header);
       },
       info,
       {0, 3}});
  rows.push_back({"safetensors: small values",
                  [](const path& folder) {
                    copy_config(folder);
                    const std::string header = "{\"a\":[" + repeated("[],", 7'000'000) + "0]}";
                    save(folder / "model.safetensors", header_length(header.size()) + header);
                  },
                  info,
                  {3}});
  rows.push_back({"safetensors: a header of 100 MB",
                  [](const path& folder) {
                    copy_config(folder);
                    save_sparse(folder / "model.safetensors", header_length(100'000'000), 4 * gib);
                  },
                  info,
                  {3}});
  rows.push_back({"config.json: 3,000,000 ends",
                  [](const path& folder) {
                    const std::string config = read_text_file(model_directory() / "config.json").value();
                    Json json = *parse_json(config, "config.json");
                    json["eos_token_id"] = Json(std::size_t{3'000'000}, 1);
                    save(folder / "config.json", json.dump());
                    save(folder / "model.safetensors", header_length(2) + "{}");
                  },
                  info,
                  {3}});
  rows.push_back({"config.json of 4 GiB",
                  [](const path& folder) { save_sparse(folder / "config.json", "{", 4 * gib); },
                  info,
                  {3}});
}

inline void add_gguf(Rows& rows) {
  const auto file = [](const std::string& bytes) {
    return [=](const path& folder) { save(folder / "m.gguf", bytes); };
  };
  const QStringList info{"model", "info", "@/m.gguf"};
  rows.push_back({"GGUF: 60,000 keys",
                  [=](const path& folder) {
                    GgufWriter writer;
                    for (std::size_t i = 0; i < 60'000; ++i) writer.flag("key " + number(i), true);
                    file(writer.bytes())(folder);
                  },
                  info,
                  {3}});
  rows.push_back({"GGUF: counts that are not there", file(gguf_header(1ULL << 60, 1ULL << 60)), info, {3}});
  rows.push_back({"GGUF: 10^9 flags",
                  [](const path& folder) {
                    save_sparse(folder / "m.gguf",
                                gguf_header(0, 1) + gguf_key("general.architecture", 9) +
                                    gguf_number(std::uint32_t{7}) + gguf_number(3 * gib),
                                4 * gib);
                  },
                  info,
                  {3}});
  rows.push_back({"GGUF: 10^9 texts of nothing",
                  [](const path& folder) {
                    save_sparse(folder / "m.gguf",
                                gguf_header(0, 1) + gguf_key("general.architecture", 9) +
                                    gguf_number(std::uint32_t{8}) + gguf_number(std::uint64_t{400'000'000}),
                                4 * gib);
                  },
                  info,
                  {3}});
  rows.push_back({"GGUF: a million tokens",
                  [=](const path& folder) {
                    std::vector<std::string> tokens;
                    for (std::size_t i = 0; i < 1'000'000; ++i) tokens.push_back("a" + number(i));
                    file(GgufWriter()
                             .text("tokenizer.ggml.model", "llama")
                             .texts("tokenizer.ggml.tokens", tokens)
                             .floats("tokenizer.ggml.scores", std::vector<float>(tokens.size()))
                             .bytes())(folder);
                    save(folder / "text", letters(1000));
                  },
                  {"tokenize", "@/m.gguf", "--text-file", "@/text"},
                  {0}});
}

}  // namespace kvantage::test::hostile
