#include "core/imported/serving/serving_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/files.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/imported/serving/serving_keys.h"
#include "core/imported/serving/yaml_json.h"

namespace kvantage::inline serving_files {
namespace {

constexpr double max_tier_bytes = 1152921504606846976.0;  // 2^60

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : dump_json(value); }

tl::unexpected<Error> refuse_value(const ServingKeys& keys, std::string_view key, const Json& value,
                                   const std::string& wanted) {
  return fail(ErrorCode::rejected_input, keys.name() + ": " + std::string(key) + ": '" +
                                             printable(shortened(value_text(value), 60)) + "' is not " + wanted +
                                             "; correct it");
}

/// As Python's float(): nothing but the number.
std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

const Json& ServingKeys::at(std::string_view key) const {
  static const Json nothing;
  if (!values_.is_object()) return nothing;
  const auto found = values_.find(std::string(key));
  return found == values_.end() ? nothing : *found;
}

Expected<double> ServingKeys::number(std::string_view key, double fallback) const {
  const Json& value = at(key);
  if (value.is_null()) return fallback;
  const auto number = number_of(value);
  if (!number || !std::isfinite(*number)) return refuse_value(*this, key, value, "a number");
  return *number;
}

bool ServingKeys::flag(std::string_view key, bool fallback) const {
  const Json& value = at(key);
  if (value.is_null()) return fallback;
  std::string word = value_text(value);
  std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return word == "true" || word == "1";
}

Expected<std::string> ServingKeys::text(std::string_view key, const std::string& fallback) const {
  const Json& value = at(key);
  if (value.is_null()) return fallback;
  if (value.is_structured()) return refuse_value(*this, key, value, "a text");
  return value_text(value);
}

Expected<std::uint64_t> ServingKeys::bytes(std::string_view key, double fallback, double unit) const {
  KV_ASSIGN(const double size, number(key, fallback));
  if (!(size >= 0 && size * unit <= max_tier_bytes))
    return refuse_value(*this, key, at(key), unit == 1 ? "a number of bytes" : "a size in GiB");
  return static_cast<std::uint64_t>(size * unit);
}

bool is_off(const Json& value) {
  return value.is_null() || value == Json(false) || (value.is_structured() && value.empty()) || value == Json("");
}

void add_tier(ServingConfig& config, const std::string& name, std::optional<std::uint64_t> budget,
              const std::string& of, const std::string& url) {
  Json tier{{"name", name}};
  if (budget)
    tier["budget_bytes"] = *budget;
  else
    tier["budget"] = "unlimited";
  if (!url.empty()) tier["url"] = url;
  config.session["tiers"].push_back(std::move(tier));
  config.taken.push_back("tier " + name + ": " + (budget ? format_bytes(*budget) : std::string("unlimited")) +
                         (url.empty() ? "" : " at " + shortened(url, 100)) + ", of " + of);
}

std::string with_dashes(std::string_view key) {
  std::string dashed(key);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

Expected<ServingConfig> serving_config(const Json& values, const std::string& name) {
  const auto no_settings = [&name] {
    return fail(ErrorCode::rejected_input,
                name +
                    ": has no setting of LMCache or vLLM; give LMCache's file, or vLLM's --config or "
                    "--kv-transfer-config");
  };
  if (!values.is_object()) return no_settings();
  bool of_lmcache = false, of_vllm = values.contains("kv_connector");
  for (const auto& [key, ignored] : values.items()) {
    of_vllm = of_vllm || is_vllm_key(with_dashes(key));
    of_lmcache = of_lmcache || is_lmcache_key(key);
  }
  const ServingKeys keys(values, name);
  if (!of_vllm && !of_lmcache) return no_settings();
  KV_ASSIGN(auto config, of_vllm ? vllm_config(keys) : lmcache_config(keys));
  if (!config.session.contains("tiers") && !config.session.contains("policy"))
    return fail(ErrorCode::rejected_input, name + ": names no tier that KVantage has" +
                                               (config.unsaid.empty() ? "" : " (" + config.unsaid.front() + ")") +
                                               "; give tiers with --tier");
  if (config.unsaid.size() > max_unsaid) {
    const std::size_t more = config.unsaid.size() - max_unsaid;
    config.unsaid.resize(max_unsaid);
    config.unsaid.push_back("and " + std::to_string(more) + " more");
  }
  return config;
}

Expected<ServingConfig> read_serving_config(const std::filesystem::path& file) {
  KV_ASSIGN(const auto text, read_text_file(file, max_yaml_bytes));
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string::npos && text[begin] == '{';
  KV_ASSIGN(const auto values, is_json ? parse_json(text, file.string()) : json_of_yaml(text, file.string()));
  return serving_config(values, file.string());
}

bool looks_like_serving_config(std::string_view beginning) {
  constexpr std::array<std::string_view, 3> words{"\"kv_connector\"", "\"kv-transfer-config\"",
                                                  "\"kv_transfer_config\""};
  const std::size_t begin = beginning.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && beginning[begin] == '{' &&
         std::ranges::any_of(words, [&](std::string_view word) { return beginning.find(word) != beginning.npos; });
}

}  // namespace kvantage::inline serving_files
