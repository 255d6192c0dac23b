#include "app/wiring/serving_import.h"

namespace kvantage::inline wiring {

Expected<ServingConfig> import_serving(SessionOptions& options, const std::filesystem::path& file) {
  KV_ASSIGN(auto config, read_serving_config(file));
  options.imported_settings = config.session;
  options.imported_from = file;
  options.environment["settings_from"] = file.string();
  return config;
}

Expected<ServingConfig> replace_by_serving(SessionOptions& options, const std::filesystem::path& file) {
  KV_ASSIGN(auto config, import_serving(options, file));
  if (config.session.contains("tiers")) options.tiers.clear();
  if (config.session.contains("policy")) options.policy.reset();
  if (config.session.contains("max_batch")) options.max_batch.reset();
  options.last.reset();
  return config;
}

void forget_serving(SessionOptions& options) {
  options.imported_settings = nullptr;
  options.imported_from.clear();
  options.environment.erase("settings_from");
}

}  // namespace kvantage::inline wiring
