// What the readers of LMCache's and vLLM's settings share. Private to core/imported/serving.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/imported/serving/serving_config.h"

namespace kvantage::inline serving_files {

/// The values of a file, by key; a key that was asked for is known.
class ServingKeys {
 public:
  ServingKeys(const Json& values, const std::string& name) : values_(values), name_(name) {}

  /// Null where the key is missing or without a value.
  const Json& at(std::string_view key) const;
  /// As their programs convert: "5" and 5 are 5. rejected_input names key and value.
  Expected<double> number(std::string_view key, double fallback) const;
  /// True for true, 1 and the texts "true" and "1", as LMCache has it; false for all else.
  bool flag(std::string_view key, bool fallback) const;
  /// rejected_input where it is a list or an object.
  Expected<std::string> text(std::string_view key, const std::string& fallback) const;
  /// Bytes of a number of GiB (or of bytes, with `unit` 1). rejected_input below 0 or above 2^60 bytes.
  Expected<std::uint64_t> bytes(std::string_view key, double fallback, double unit) const;

  const std::string& name() const { return name_; }
  const Json& values() const { return values_; }

 private:
  const Json& values_;
  const std::string& name_;
};

/// Of ServingConfig::unsaid; one more says how many others there are.
inline constexpr std::size_t max_unsaid = 200;

inline constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

/// Whether a value switches something off or leaves it alone: null, false, "", an empty list or object.
bool is_off(const Json& value);

/// Appends a tier, fastest first; a budget of nothing is unlimited. `of`: the key that says so.
void add_tier(ServingConfig& config, const std::string& name, std::optional<std::uint64_t> budget,
              const std::string& of, const std::string& url = {});

/// `values`: of LMCache's file, or what "lmcache.KEY" sets in vLLM's.
Expected<ServingConfig> lmcache_config(const ServingKeys& keys);
Expected<ServingConfig> vllm_config(const ServingKeys& keys);

/// Whether `key` is one of LMCache's.
bool is_lmcache_key(std::string_view key);
/// Whether `key`, with - for _, is one that only vLLM has.
bool is_vllm_key(std::string_view key);
/// The options of vLLM use - and _ alike.
std::string with_dashes(std::string_view key);

}  // namespace kvantage::inline serving_files
