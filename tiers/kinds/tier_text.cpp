#include "tiers/kinds/tier_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/duration.h"
#include "core/base/units.h"
#include "core/ports/fault_plan.h"
#include "core/ports/known_tier_option.h"
#include "core/ports/session.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/remote/redis_url.h"

namespace kvantage::inline kinds {
namespace {

constexpr std::size_t max_text_bytes = 65'536;  // of the tiers after one option, or of one text of a sweep's plan
constexpr std::array<std::string_view, 4> common_options{"bandwidth", "latency", "faults", "kind"};

bool is_option(std::string_view key) {
  return std::ranges::find(common_options, key) != common_options.end() || find_tier_option(key) != nullptr;
}

tl::unexpected<Error> tier_usage(std::string_view text, const std::string& reason) {
  constexpr std::size_t max_bytes = 120;  // of a one-line message
  std::string shown = without_parameters(without_credentials(text));
  if (shown.size() > max_bytes) shown = shown.substr(0, max_bytes) + "...";
  return fail(ErrorCode::usage, "tier '" + shown + "': " + reason);
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(',', begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// The hosts of a cluster's or Sentinels' url are separated by commas too: what follows one without being an option of
// its own ("host:port", "host/NAME?ca=FILE") belongs to it.
bool continues_url(std::string_view before, std::string_view part) {
  const bool is_url = before.starts_with("url=") && (before.find("-cluster://") != std::string_view::npos ||
                                                     before.find("-sentinel://") != std::string_view::npos);
  const std::size_t sign = part.find('=');
  return is_url && !part.empty() && (sign == std::string_view::npos || part.find('?') < sign);
}

// Options and budgets of the tiers in `text`.
std::vector<std::string_view> tier_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split_at_commas(text))
    if (!parts.empty() && continues_url(parts.back(), part))
      parts.back() = std::string_view(parts.back().data(), parts.back().size() + 1 + part.size());
    else
      parts.push_back(part);
  return parts;
}

std::string_view key_of(std::string_view part) { return part.substr(0, part.find('=')); }
// After the first '='; empty if there is none.
std::string_view value_of(std::string_view part) {
  const std::size_t sign = part.find('=');
  return sign == std::string_view::npos ? std::string_view() : part.substr(sign + 1);
}

// "speed=3" is a misspelled option; "ssd=3MiB" is a tier.
bool begins_tier(std::string_view part) {
  if (part.find('=') == std::string_view::npos || is_option(key_of(part))) return false;
  const std::string_view value = value_of(part);
  const bool has_unit = !value.empty() && std::isdigit(static_cast<unsigned char>(value.back())) == 0;
  return has_unit && parse_budget(value).has_value();
}

// A comma in a password splits it, and no part of it may be quoted.
bool holds_cut_password(std::string_view text, const std::vector<std::string_view>& parts) {
  if (text.find(",url=") == std::string_view::npos) return false;
  return std::any_of(parts.begin() + 1, parts.end(), [](std::string_view part) {
    return part.find('@') != std::string_view::npos && !is_option(key_of(part));
  });
}

Status read_common(std::string_view key, std::string_view value, TierConfig& config) {
  const auto refuse = [](const std::string& reason) { return fail(ErrorCode::usage, reason); };
  if (key == "bandwidth" && value.starts_with("prefill")) {
    const auto ratio = parse_load_per_prefill(value);
    if (!ratio) return refuse("bandwidth: " + ratio.error().message);
    config.throttle = {
        .bytes_per_second = 0, .latency_seconds = config.throttle.latency_seconds, .load_per_prefill = *ratio};
    return {};
  }
  if (key == "bandwidth") {
    if (!value.ends_with("/s")) return refuse("bandwidth needs a unit per second; write it like 200MB/s");
    const auto bytes = parse_bytes(value.substr(0, value.size() - 2));
    if (!bytes) return refuse("bandwidth: " + bytes.error().message);
    if (*bytes == 0) return refuse("bandwidth is zero; leave it out for full speed");
    config.throttle.bytes_per_second = static_cast<double>(*bytes);
    config.throttle.load_per_prefill = 0;  // of two, the last counts
    return {};
  }
  if (key == "latency") {
    const auto seconds = parse_duration(value);
    if (!seconds)
      return refuse("latency '" + std::string(value) + "': " + seconds.error().message + "; write it like 1ms");
    config.throttle.latency_seconds = *seconds;
    return {};
  }
  if (key == "kind") {
    if (value.empty()) return refuse("kind is empty; write it like kind=ssd");
    config.kind = value;
    return {};
  }
  KV_ASSIGN(const auto faults, parse_faults(value));
  if (!faults.plan.any())
    return refuse("faults is empty; write it like faults=flip_on_read:0.01+seed:7, or leave it out");
  config.faults = to_string(faults);
  return {};
}

Status read_option(std::string_view part, TierConfig& config) {
  if (part.find('=') == std::string_view::npos)
    return fail(ErrorCode::usage, std::string(1, '\'').append(part) + "' is not an option; write OPTION=VALUE with " +
                                      known_tier_options());
  const std::string key(key_of(part));
  const std::string_view value = value_of(part);
  if (std::ranges::find(common_options, key) != common_options.end()) return read_common(key, value, config);
  const TierOption* option = find_tier_option(key);
  if (option == nullptr) return fail(ErrorCode::usage, "unknown option '" + key + "'; " + known_tier_option(key));
  std::string text(value);
  if (const auto seconds = option->is_time ? parse_duration(value) : Expected<double>(0.0); option->is_time && seconds)
    text = shortest_number(*seconds) + "s";  // one text per time
  config.options[key] = std::move(text);
  return {};
}

// `parts` of one tier, the budget first.
Expected<TierConfig> read_tier(const std::vector<std::string_view>& parts) {
  const std::string_view head = parts.front();
  if (head.find('=') == std::string_view::npos)
    return fail(ErrorCode::usage, "no size; write NAME=BUDGET, like dram=64MiB");
  TierConfig config;
  config.name = key_of(head);
  KV_TRY(check_tier_name(config.name));
  KV_ASSIGN(config.budget, parse_budget(value_of(head)));
  for (std::size_t i = 1; i < parts.size(); ++i) KV_TRY(read_option(parts[i], config));
  KV_TRY(check_place(config));
  // An implied kind equals a written one.
  if (config.kind == implied_kind(config.name, config.options).id) config.kind.clear();
  return config;
}

}  // namespace

Status check_tier_name(std::string_view name) {
  constexpr std::size_t max_bytes = 32;
  const bool plain =
      std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  if (name.empty() || !plain || name.size() > max_bytes)
    return fail(ErrorCode::usage, "a name is up to 32 letters, digits, - and _; like dram, ssd or archive");
  return {};
}

Expected<std::vector<TierConfig>> parse_tiers(std::string_view text) {
  if (text.size() > max_text_bytes)
    return tier_usage(text, "is longer than " + std::to_string(max_text_bytes) + " bytes; shorten it");
  const std::vector<std::string_view> parts = tier_parts(text);
  if (holds_cut_password(text, parts))
    return tier_usage(text, "a comma ends an option; write one in a user or password as %2C");
  std::vector<TierConfig> tiers;
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto end = std::find_if(begin + 1, parts.end(), begins_tier);
    auto tier = read_tier({begin, end});
    if (!tier) return tier_usage(text, tier.error().message);
    if (tiers.size() == max_tiers + 1)  // the archive, too
      return tier_usage(text, "these are more than " + std::to_string(tiers.size()) + " tiers; leave some out");
    tiers.push_back(std::move(*tier));
    begin = end;
  }
  return tiers;
}

Expected<std::vector<TierConfig>> parse_tiers(const std::vector<std::string>& texts) {
  std::vector<TierConfig> tiers;
  for (const std::string& text : texts) {
    KV_ASSIGN(auto some, parse_tiers(text));
    tiers.insert(tiers.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return tiers;
}

Expected<TierConfig> parse_tier_option(std::string_view text) {
  KV_ASSIGN(auto tiers, parse_tiers(text));
  if (tiers.size() > 1) return tier_usage(text, "these are several tiers; give one");
  return std::move(tiers.front());
}

}  // namespace kvantage::inline kinds
