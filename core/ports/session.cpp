#include "core/ports/session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/base/did_you_mean.h"
#include "core/base/duration.h"
#include "core/base/json_fields.h"
#include "core/base/names.h"
#include "core/base/units.h"
#include "core/policy/compute_or_load.h"
#include "core/policy/method_text.h"
#include "core/policy/policy.h"
#include "core/policy/types_json.h"
#include "core/ports/decode_eviction.h"
#include "core/ports/decode_offload.h"
#include "core/ports/speculation.h"
#include "core/workload/workload.h"

namespace kvantage::inline ports {

// A tier in session.json and in recorded runs. Fields that predate tier kinds are written for every tier; the options
// of other kinds are in `options`.
struct TierFile {
  std::string name;
  std::uint64_t budget_bytes = 0;
  std::optional<std::string> budget = {};  // unless it is a number of bytes: "40%", "unlimited"
  double throttled_bytes_per_second = 0, throttled_latency_seconds = 0;
  std::optional<std::string> bandwidth = {};  // relative to prefill: "prefill/0.45"
  std::string url, prefix, faults;
  double connect_seconds = 0, timeout_seconds = 0;
  std::optional<std::string> kind = {};
  std::optional<std::map<std::string, std::string>> options = {};
};

}  // namespace kvantage::inline ports

namespace kvantage {

template <>
struct JsonFields<TierFile> {
  static constexpr auto list =
      std::tuple(json_member("name", &TierFile::name), json_member("budget_bytes", &TierFile::budget_bytes),
                 json_added("budget", &TierFile::budget),
                 json_member("shaped_bytes_per_second", &TierFile::throttled_bytes_per_second),
                 json_member("shaped_latency_seconds", &TierFile::throttled_latency_seconds),
                 json_added("bandwidth", &TierFile::bandwidth), json_member("url", &TierFile::url),
                 json_member("prefix", &TierFile::prefix), json_member("faults", &TierFile::faults),
                 json_member("connect_seconds", &TierFile::connect_seconds),
                 json_member("timeout_seconds", &TierFile::timeout_seconds), json_added("kind", &TierFile::kind),
                 json_added("options", &TierFile::options));
};

template <>
struct JsonProxy<TierConfig> {
  using File = TierFile;

  static File to_file(const TierConfig& config) {
    File file{.name = config.name,
              .budget_bytes = config.budget.capacity_bytes(),
              .throttled_bytes_per_second = config.throttle.bytes_per_second,
              .throttled_latency_seconds = config.throttle.latency_seconds,
              .url = config.option("url"),
              .prefix = config.option("prefix"),
              .faults = config.faults,
              .connect_seconds = seconds_of(config.option("connect")),
              .timeout_seconds = seconds_of(config.option("timeout"))};
    if (config.budget.is_percent() || config.budget.is_unlimited()) file.budget = to_string(config.budget);
    if (config.throttle.is_relative()) file.bandwidth = load_per_prefill_text(config.throttle.load_per_prefill);
    if (!config.kind.empty()) file.kind = config.kind;
    for (const auto& [key, value] : config.options) {
      const TierOption* option = find_tier_option(key);
      if (!has_own_field(key) && (option == nullptr || !option->is_local))
        (file.options ? *file.options : file.options.emplace())[key] = value;
    }
    return file;
  }

  static Expected<TierConfig> from_file(const File& file, const std::string& name) {
    TierConfig config{.name = file.name,
                      .budget = file.budget_bytes,
                      .throttle = {.bytes_per_second = file.throttled_bytes_per_second,
                                   .latency_seconds = file.throttled_latency_seconds},
                      .options = file.options.value_or(std::map<std::string, std::string>{}),
                      .faults = file.faults,
                      .kind = file.kind.value_or("")};
    const auto refuse = [&name](const std::string& reason) {
      return fail(ErrorCode::rejected_input, name + ": " + reason);
    };
    constexpr std::size_t longest = 100;  // an error repeats it
    if (file.budget) {
      if (file.budget_bytes != 0) return refuse("has a budget and budget_bytes; leave one out");
      if (file.budget->size() > longest) return refuse("budget: is longer than 100 bytes; shorten it");
      const auto budget = parse_budget(*file.budget);
      if (!budget) return refuse("budget: " + budget.error().message);
      config.budget = *budget;
    }
    if (file.bandwidth) {
      if (file.bandwidth->size() > longest) return refuse("bandwidth: is longer than 100 bytes; shorten it");
      const auto load_per_prefill = parse_load_per_prefill(*file.bandwidth);
      if (!load_per_prefill) return refuse("bandwidth: " + load_per_prefill.error().message);
      if (file.throttled_bytes_per_second != 0)
        return refuse("has a bandwidth and shaped_bytes_per_second; leave one out");
      config.throttle.load_per_prefill = *load_per_prefill;
    }
    for (const auto& [key, value] : config.options) {
      if (const TierOption* option = find_tier_option(key); option != nullptr && option->is_local)
        return refuse("options: " + key + " means nothing on another machine; leave it out");
      if (has_own_field(key)) return refuse("options: " + key + " has a field of its own; write it there");
    }
    if (!file.url.empty()) config.options["url"] = file.url;
    if (!file.prefix.empty()) config.options["prefix"] = file.prefix;
    if (file.connect_seconds != 0) config.options["connect"] = shortest_number(file.connect_seconds) + "s";
    if (file.timeout_seconds != 0) config.options["timeout"] = shortest_number(file.timeout_seconds) + "s";
    // Without one, as in older files, url and name imply it. An implied kind equals a written one.
    if (config.kind == implied_kind(config.name, config.options).id) config.kind.clear();
    return config;
  }

 private:
  static bool has_own_field(std::string_view key) {
    return key == "url" || key == "prefix" || key == "connect" || key == "timeout";
  }
  static double seconds_of(const std::string& text) {
    return text.empty() ? 0 : parse_duration(text).value_or(std::numeric_limits<double>::quiet_NaN());
  }
};

template <>
struct JsonProxy<ReprofileRule> {
  using File = std::string;

  static File to_file(const ReprofileRule& rule) { return rule.text(); }
  static Expected<ReprofileRule> from_file(const File& file, const std::string& name) {
    auto rule = parse_reprofile_rule(file);
    if (!rule) return fail(ErrorCode::rejected_input, name + ": " + rule.error().message);
    return rule;
  }
};

template <>
struct JsonNames<ProfileGridKind> {
  static constexpr std::array<std::pair<ProfileGridKind, std::string_view>, 2> list{
      {{ProfileGridKind::full, "full"}, {ProfileGridKind::racing, "racing"}}};
};

template <>
struct JsonFields<SessionSettings> {
  static constexpr auto list = std::tuple(
      json_member("policy", &SessionSettings::policy), json_member("alpha", &SessionSettings::alpha),
      json_member("tiers", &SessionSettings::tiers), json_member("archive", &SessionSettings::archive),
      json_member("methods", &SessionSettings::methods),
      json_member("removed_fractions", &SessionSettings::removed_fractions),
      json_member("requests_per_second", &SessionSettings::requests_per_second),
      json_member("quality_metric", &SessionSettings::quality_metric),
      json_member("request_limit", &SessionSettings::request_limit),
      json_added("max_batch", &SessionSettings::max_batch),
      json_added("prefill_batch_tokens", &SessionSettings::prefill_batch_tokens),
      json_added("reprofile", &SessionSettings::reprofile),
      json_added("reprofile_when", &SessionSettings::reprofile_when),
      json_added("assume_loss", &SessionSettings::assume_loss),
      json_added("reprofile_share", &SessionSettings::reprofile_share),
      json_added("quality_bound", &SessionSettings::quality_bound),
      json_added("profile_grid", &SessionSettings::profile_grid),
      json_added("good_enough", &SessionSettings::good_enough),
      json_added("compute_or_load", &SessionSettings::compute_or_load),
      json_added("attend_coded", &SessionSettings::attend_quantized),
      json_added("decode_eviction", &SessionSettings::decode_eviction),
      json_added("decode_options", &SessionSettings::decode_options),
      json_added("decode_offload", &SessionSettings::decode_offload),
      json_added("speculation", &SessionSettings::speculation), json_added("products", &SessionSettings::products));
};

}  // namespace kvantage

namespace kvantage::inline ports {

const char* to_string(RunState state) {
  switch (state) {
    case RunState::loading:
      return "loading";
    case RunState::ready:
      return "ready";
    case RunState::running:
      return "running";
    case RunState::paused:
      return "paused";
    case RunState::finished:
      return "finished";
    case RunState::failed:
      return "failed";
    case RunState::closed:
      return "closed";
  }
  return "closed";
}

// The kind, too, where url and name imply it: they may imply another one to a later program. Not in to_file(), from
// which fields that a file lacks are taken: an older file's url and name imply its kinds.
Json to_json(const TierConfig& config) {
  Json json = json_from(config);
  json["kind"] = config.kind.empty() ? kind_of(config).id : config.kind;
  return json;
}

Json to_json(const SessionSettings& settings) {
  Json json = json_from(settings);
  for (std::size_t t = 0; t < settings.tiers.size(); ++t) json["tiers"][t] = to_json(settings.tiers[t]);
  json["archive"] = to_json(settings.archive);
  return json;
}

namespace {

constexpr std::array<std::pair<const char*, std::size_t>, 4> list_limits{{{"tiers", max_tiers},
                                                                          {"methods", max_methods},
                                                                          {"removed_fractions", max_removed_fractions},
                                                                          {"decode_options", max_decode_options}}};

// Names and texts from files appear in one-line messages, whichever check rejects them later.
Status is_short_line(const std::string& text, const std::string& name) {
  constexpr std::size_t longest = 500;
  const bool plain = std::ranges::none_of(text, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; });
  if (plain && text.size() <= longest) return {};
  return fail(ErrorCode::rejected_input,
              name + ": '" + printable(text) + "' " +
                  (plain ? "is longer than 500 bytes; shorten it" : "holds a control character; remove it"));
}

Status texts_are_short_lines(const SessionSettings& settings, const std::string& name) {
  KV_TRY(is_short_line(settings.policy, name + ": policy"));
  KV_TRY(is_short_line(settings.quality_metric, name + ": quality_metric"));
  KV_TRY(is_short_line(settings.decode_eviction, name + ": decode_eviction"));
  for (const std::string& option : settings.decode_options) KV_TRY(is_short_line(option, name + ": decode_options"));
  KV_TRY(is_short_line(settings.decode_offload, name + ": decode_offload"));
  KV_TRY(is_short_line(settings.speculation, name + ": speculation"));
  KV_TRY(is_short_line(settings.compute_or_load, name + ": compute_or_load"));
  KV_TRY(is_short_line(settings.products, name + ": products"));
  for (const std::string& method : settings.methods) KV_TRY(is_short_line(method, name + ": methods"));
  const std::string where = name + ": tiers";
  std::vector<const TierConfig*> tiers{&settings.archive};
  for (const TierConfig& tier : settings.tiers) tiers.push_back(&tier);
  for (const TierConfig* tier : tiers) {
    KV_TRY(check_name(tier->name, where));
    for (const auto& [key, text] : tier->options) {
      KV_TRY(is_short_line(key, where + ": options"));
      KV_TRY(is_short_line(text, std::string(where).append(": ").append(key)));
    }
    KV_TRY(is_short_line(tier->faults, where + ": faults"));
    KV_TRY(is_short_line(tier->kind, where + ": kind"));
  }
  return {};
}

// Earlier versions wrote the share of relative() as a number. They took any number above 1, and then nothing drifts.
constexpr const char* former_threshold = "reprofile_threshold";

Expected<Json> without_former_threshold(Json json, const std::string& name) {
  const std::string path = name + ": " + former_threshold;
  if (json.contains("reprofile_when"))
    return fail(ErrorCode::rejected_input,
                name + ": has reprofile_when and " + former_threshold + "; leave " + former_threshold + " out");
  double share = 0;
  KV_TRY(json_into(json[former_threshold], share, path));
  if (!(share >= 0))
    return fail(ErrorCode::rejected_input, path + ": must be 0 or greater; it is " + shortest_number(share));
  json.erase(former_threshold);
  json["reprofile_when"] = ReprofileRule::relative(std::min(share, 1.0)).text();
  return json;
}

}  // namespace

Expected<SessionSettings> session_settings_from_json(const Json& json, const std::string& name) {
  for (const auto& [field, most] : list_limits) KV_TRY(check_length(json, field, most, name));
  SessionSettings settings;
  if (json.is_object() && json.contains(former_threshold)) {
    KV_ASSIGN(const auto present, without_former_threshold(json, name));
    KV_TRY(json_into(present, settings, name, AbsentFields::keep_defaults));
  } else {
    KV_TRY(json_into(json, settings, name, AbsentFields::keep_defaults));
  }
  KV_TRY(texts_are_short_lines(settings, name));
  return settings;
}

namespace {

constexpr double largest_alpha = 1e9;  // keeps utilities of a whole workload exact enough to compare

tl::unexpected<Error> refuse_setting(const std::string& field, const std::string& reason) {
  return fail(ErrorCode::usage, field + ": " + reason);
}

Status not_negative(double value, const std::string& field) {
  if (std::isfinite(value) && value >= 0) return {};
  return refuse_setting(field, "must be 0 or greater; it is " + shortest_number(value));
}

// Before anything is done with each element.
Status validate_lengths(const SessionSettings& settings) {
  const std::map<std::string_view, std::size_t> lengths{{"tiers", settings.tiers.size()},
                                                        {"methods", settings.methods.size()},
                                                        {"removed_fractions", settings.removed_fractions.size()},
                                                        {"decode_options", settings.decode_options.size()}};
  for (const auto& [field, most] : list_limits)
    if (const std::size_t length = lengths.at(field); length > most)
      return refuse_setting(field, too_long(length, most));
  return {};
}

// Checks one tier; errors name its field.
Status sound_tier(const TierConfig& tier, const std::string& field) {
  const Status sound = check_tier(tier);
  return sound ? sound : refuse_setting(field, sound.error().message);
}

// It keeps every original, serves no request, and is not part of a plan.
Status validate_archive(const TierConfig& archive) {
  if (!archive.is_archive()) return refuse_setting("archive", "its name is 'archive'; leave the name out");
  if (archive.budget.is_given())
    return refuse_setting("archive", "keeps every original and has no budget; leave budget_bytes out");
  if (archive.throttle != TierThrottle{})
    return refuse_setting("archive", "serves no requests, so throttling has no effect; leave it out");
  if (!archive.faults.empty())
    return refuse_setting("archive",
                          "holds the originals of all entries, so faults cannot be injected there; leave them out");
  return sound_tier(archive, "archive");
}

Status validate(const std::vector<TierConfig>& tiers) {
  if (tiers.empty()) return refuse_setting("tiers", "the list is empty; name at least one, fastest first");
  std::set<std::string> names;
  for (const TierConfig& tier : tiers) {
    if (tier.name.empty()) return refuse_setting("tiers", "a tier has no name; give it one");
    if (!names.insert(tier.name).second)
      return refuse_setting("tiers", "'" + tier.name + "' is given twice; remove one");
    // Policies plan with a budget: a missing one would count as zero.
    if (!tier.budget.is_given())
      return refuse_setting(
          "tiers",
          "'" + tier.name + "' has no budget (budget_bytes 0); give the bytes it may hold, or leave the tier out");
    if (tier.budget.is_unlimited() && &tier != &tiers.back())
      return refuse_setting("tiers", "'" + tier.name + "' is unlimited, so nothing would reach the tiers after it; " +
                                         "give it a budget, or make it the last");
    KV_TRY(sound_tier(tier, "tiers: " + tier.name));
  }
  return {};
}

Status validate_batch(const BatchSettings& batch) {
  if (batch.max_batch < 1 || batch.max_batch > max_batch)
    return refuse_setting("max_batch", std::to_string(batch.max_batch) + " is not from 1 to " +
                                           std::to_string(max_batch) + "; correct it");
  if (batch.prefill_batch_tokens < 0 || batch.prefill_batch_tokens > max_prefill_batch_tokens)
    return refuse_setting("prefill_batch_tokens", std::to_string(batch.prefill_batch_tokens) + " is not from 0 to " +
                                                      std::to_string(max_prefill_batch_tokens) + "; correct it");
  return {};
}

Status validate_decoding(const SessionSettings& settings) {
  std::set<std::string> options;
  for (const std::string& text : settings.decode_options) {
    const auto option = parse_decode_eviction(text);
    if (!option) return refuse_setting("decode_options", option.error().message);
    if (!*option) return refuse_setting("decode_options", "'none' is always an option; leave it out");
    if (!options.insert((*option)->text()).second)
      return refuse_setting("decode_options", "'" + text + "' is given twice; remove one");
  }
  const bool planned = settings.decode_eviction == planned_decode_eviction;
  if (planned && options.empty())
    return refuse_setting("decode_eviction",
                          "planned chooses from decode_options, which is empty; give it a list such "
                          "as paged_eviction(budget=25%)");
  if (const auto eviction = parse_decode_eviction(settings.decode_eviction); !planned && !eviction)
    return refuse_setting("decode_eviction", eviction.error().message);
  if (settings.attend_quantized && settings.decode_eviction != "none")
    return refuse_setting("decode_eviction",
                          "needs dequantized KV; turn off --attend-quantized (Attend on quantized KV), or set this to "
                          "none");
  return {};
}

// A server's other users would remove entries that they do not know.
Status validate_offload(const SessionSettings& settings) {
  const auto offload = parse_decode_offload(settings.decode_offload);
  if (!offload) return refuse_setting("decode_offload", offload.error().message);
  if (!*offload) return {};
  const std::string& name = (*offload)->tier;
  const auto tier = std::ranges::find(settings.tiers, name, &TierConfig::name);
  if (tier == settings.tiers.end())
    return refuse_setting("decode_offload", "no tier is named '" + printable(name) + "'; " +
                                                did_you_mean(name, settings.tiers, {}, &TierConfig::name));
  if (kind_of(*tier).is_shared)
    return refuse_setting("decode_offload", "other programs use '" + printable(name) +
                                                "' too and would remove its entries; name a tier of this machine");
  if (settings.decode_eviction != "none")
    return refuse_setting("decode_offload", "keeps every KV entry; set decode_eviction to none, or this");
  return {};
}

}  // namespace

Status validate(const SessionSettings& settings) {
  KV_TRY(validate_lengths(settings));
  if (auto policy = make_policy(settings.policy); !policy) return refuse_setting("policy", policy.error().message);
  KV_TRY(not_negative(settings.alpha, "alpha"));
  if (settings.alpha > largest_alpha)
    return refuse_setting("alpha", "is above a billion seconds per unit of quality; choose a smaller one");
  KV_TRY(validate(settings.tiers));
  KV_TRY(validate_archive(settings.archive));
  if (settings.methods.empty()) return refuse_setting("methods", "the list is empty; name at least one, e.g. none");
  std::set<std::string> methods;
  for (const std::string& method : settings.methods) {
    if (auto status = check_method_text(method); !status) return refuse_setting("methods", status.error().message);
    if (!methods.insert(method).second) return refuse_setting("methods", "'" + method + "' is given twice; remove one");
  }
  if (settings.removed_fractions.empty())
    return refuse_setting("removed_fractions", "the list is empty; give at least one, e.g. 0.5");
  std::set<double> fractions;
  for (const double fraction : settings.removed_fractions) {
    if (!(fraction >= 0 && fraction < 1))
      return refuse_setting("removed_fractions",
                            format_fixed(fraction, 6) + " is not from 0 up to but not including 1; correct it");
    if (!fractions.insert(fraction).second)
      return refuse_setting("removed_fractions", format_fixed(fraction, 6) + " is given twice; remove one");
  }
  KV_TRY(not_negative(settings.requests_per_second, "requests_per_second"));
  if (settings.requests_per_second > 0 && settings.requests_per_second < min_requests_per_second)
    return refuse_setting("requests_per_second",
                          "must be 0 or at least 1e-9; it is " + shortest_number(settings.requests_per_second));
  if (!settings.reprofile_when.is_valid())
    return refuse_setting("reprofile_when", settings.reprofile_when.text() +
                                                " has no number from 0 to 1; write one such as relative(0.3)");
  if (!(settings.reprofile_share >= 0 && settings.reprofile_share <= 1))
    return refuse_setting("reprofile_share", shortest_number(settings.reprofile_share) +
                                                 " is not a share from 0 to 1; write one such as 0.05");
  if (!(settings.good_enough >= 0 && settings.good_enough <= 1))
    return refuse_setting(
        "good_enough", shortest_number(settings.good_enough) + " is not a share from 0 to 1; write one such as 0.01");
  KV_TRY(validate_batch(settings));
  if (!serving_ways(settings.compute_or_load))
    return refuse_setting("compute_or_load", "'" + settings.compute_or_load +
                                                 "' is not a way of serving; write auto, hybrid, prefill or off");
  KV_TRY(validate_decoding(settings));
  KV_TRY(validate_offload(settings));
  if (const auto speculation = parse_speculation(settings.speculation); !speculation)
    return refuse_setting("speculation", speculation.error().message);
  if (settings.products != library_products && settings.products != batch_invariant_products)
    return refuse_setting("products", "'" + settings.products + "' is not known; write " +
                                          std::string(library_products) + " or " +
                                          std::string(batch_invariant_products));
  if (settings.request_limit > max_requests)
    return refuse_setting("request_limit", std::to_string(settings.request_limit) +
                                               " is more than a run can have; give at most " +
                                               std::to_string(max_requests));
  if (settings.quality_metric.empty()) return refuse_setting("quality_metric", "is empty; name one, e.g. token_f1");
  return {};
}

}  // namespace kvantage::inline ports
