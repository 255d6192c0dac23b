// The default model with sliding windows written into its configuration.
#pragma once

#include <QString>

#include <filesystem>
#include <fstream>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

/// Why there is no such model; empty: there is.
inline QString lacks_windowed_model() {
  if (model_directory().empty()) return "no model: neither resources/model nor the trial checkpoint is there";
  if (read_json_file(model_directory() / "config.json")->value("model_type", "") != "qwen2")
    return "the model there has no configuration with windows";
  return {};
}

/// Written into `target`, a folder that is not there yet. All of its six layers but the first two see 64 tokens.
inline std::filesystem::path windowed_model(const std::filesystem::path& target) {
  if (!std::filesystem::create_directory(target)) return target;
  for (const auto& entry : std::filesystem::directory_iterator(model_directory()))
    if (entry.path().filename() != "config.json")
      std::filesystem::create_symlink(std::filesystem::absolute(entry.path()), target / entry.path().filename());
  Json config = *read_json_file(model_directory() / "config.json");
  config["use_sliding_window"] = true;
  config["sliding_window"] = 64;
  config["max_window_layers"] = 2;
  std::ofstream(target / "config.json") << config.dump();
  return target;
}

}  // namespace kvantage::test
