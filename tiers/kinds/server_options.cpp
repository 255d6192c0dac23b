#include "tiers/kinds/server_options.h"

#include "core/base/duration.h"

namespace kvantage::inline kinds {

Status read_authorities(const TierConfig& config, bool tls, const std::string& without_tls, std::string& authorities) {
  if (!config.options.contains("ca")) return {};
  const std::string& file = config.option("ca");
  if (file.empty()) return fail(ErrorCode::usage, "ca is empty; write ca=FILE, a PEM file of certificates");
  if (!tls) return fail(ErrorCode::usage, without_tls);
  authorities = file;
  return {};
}

Status check_seal_key_file(const TierConfig& config) {
  if (!config.options.contains("seal_key_file") || !config.option("seal_key_file").empty()) return {};
  return fail(ErrorCode::usage, "seal_key_file is empty; write seal_key_file=FILE, a file with 64 hexadecimal digits");
}

Expected<std::shared_ptr<const SealKey>> read_seal_key(const TierConfig& config) {
  const std::string& file = config.option("seal_key_file");
  if (file.empty()) return std::shared_ptr<const SealKey>();
  auto key = SealKey::read(file);
  if (!key) return fail(key.error().code, "tier " + config.name + ": " + key.error().message);
  return key;
}

double option_seconds(const TierConfig& config, const char* key, double otherwise) {
  const double seconds = parse_duration(config.option(key)).value_or(0);
  return seconds > 0 ? seconds : otherwise;
}

}  // namespace kvantage::inline kinds
