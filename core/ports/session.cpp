#include "core/ports/session.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/json_fields.h"
#include "core/base/names.h"
#include "core/base/units.h"
#include "core/policy/method_text.h"
#include "core/policy/policy.h"
#include "core/ports/fault_plan.h"
#include "core/workload/workload.h"

namespace kvantage {

template <>
struct JsonFields<TierSetting> {
  static constexpr auto list = std::tuple(
      json_member("name", &TierSetting::name), json_member("budget_bytes", &TierSetting::budget_bytes),
      json_member("shaped_bytes_per_second", &TierSetting::shaped_bytes_per_second),
      json_member("shaped_latency_seconds", &TierSetting::shaped_latency_seconds),
      json_member("url", &TierSetting::url), json_member("prefix", &TierSetting::prefix),
      json_member("faults", &TierSetting::faults), json_member("connect_seconds", &TierSetting::connect_seconds),
      json_member("timeout_seconds", &TierSetting::timeout_seconds));
};

template <>
struct JsonFields<SessionSettings> {
  static constexpr auto list = std::tuple(
      json_member("policy", &SessionSettings::policy), json_member("alpha", &SessionSettings::alpha),
      json_member("tiers", &SessionSettings::tiers), json_member("archive", &SessionSettings::archive),
      json_member("methods", &SessionSettings::methods),
      json_member("removed_fractions", &SessionSettings::removed_fractions),
      json_member("requests_per_second", &SessionSettings::requests_per_second),
      json_member("reprofile_threshold", &SessionSettings::reprofile_threshold),
      json_member("quality_metric", &SessionSettings::quality_metric),
      json_member("request_limit", &SessionSettings::request_limit),
      json_added("max_batch", &SessionSettings::max_batch), json_added("reprofile", &SessionSettings::reprofile),
      json_added("compute_or_load", &SessionSettings::compute_or_load),
      json_added("attend_coded", &SessionSettings::attend_coded));
};

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

Json to_json(const SessionSettings& settings) { return json_from(settings); }

namespace {

// Names and texts of a file stand in messages of one line, whoever refuses them later.
Status is_short_line(const std::string& text, const std::string& name) {
  constexpr std::size_t longest = 500;
  const bool plain = std::ranges::none_of(text, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; });
  if (plain && text.size() <= longest) return {};
  return fail(ErrorCode::rejected_input,
              name + ": '" + printable(text) + "' " +
                  (plain ? "is longer than 500 bytes; shorten it" : "holds a control character; take it out"));
}

Status texts_are_short_lines(const SessionSettings& settings, const std::string& name) {
  KV_TRY(is_short_line(settings.policy, name + ": policy"));
  KV_TRY(is_short_line(settings.quality_metric, name + ": quality_metric"));
  for (const std::string& method : settings.methods) KV_TRY(is_short_line(method, name + ": methods"));
  std::vector<const TierSetting*> tiers{&settings.archive};
  for (const TierSetting& tier : settings.tiers) tiers.push_back(&tier);
  for (const TierSetting* tier : tiers) {
    KV_TRY(check_name(tier->name, name + ": tiers"));
    for (const auto& [field, text] :
         {std::pair{"url", &tier->url}, {"prefix", &tier->prefix}, {"faults", &tier->faults}})
      KV_TRY(is_short_line(*text, name + ": tiers: " + field));
  }
  return {};
}

}  // namespace

Expected<SessionSettings> session_settings_from_json(const Json& json, const std::string& name) {
  SessionSettings settings;
  KV_TRY(json_into(json, settings, name, AbsentFields::keep_defaults));
  KV_TRY(texts_are_short_lines(settings, name));
  return settings;
}

namespace {

constexpr double largest_alpha = 1e9;  // utilities of a whole workload stay exact enough to compare

tl::unexpected<Error> refuse_setting(const std::string& field, const std::string& reason) {
  return fail(ErrorCode::usage, field + ": " + reason);
}

Status not_negative(double value, const std::string& field) {
  if (std::isfinite(value) && value >= 0) return {};
  return refuse_setting(field, format_fixed(value, 6) + " is not a number of 0 or more; correct it");
}

constexpr double longest_wait_seconds = 3600;

Status waits_make_sense(const TierSetting& tier, const std::string& field) {
  for (const auto& [name, seconds] :
       {std::pair{"connect_seconds", tier.connect_seconds}, {"timeout_seconds", tier.timeout_seconds}}) {
    KV_TRY(not_negative(seconds, field + ": " + name));
    if (seconds > longest_wait_seconds)
      return refuse_setting(field + ": " + name, "is above an hour; choose a shorter wait");
    if (seconds > 0 && tier.url.empty())
      return refuse_setting(field + ": " + name, "belongs to a remote store; add its url, or leave it out");
  }
  return {};
}

// It keeps every original, serves no request, and is no part of a plan.
Status validate_archive(const TierSetting& archive) {
  if (archive.name != "archive") return refuse_setting("archive", "its name is 'archive'; leave the name out");
  if (archive.budget_bytes != 0)
    return refuse_setting("archive", "keeps every original and has no budget; leave budget_bytes out");
  if (archive.shaped_bytes_per_second != 0 || archive.shaped_latency_seconds != 0)
    return refuse_setting("archive", "serves no request, so a shape would show nowhere; leave it out");
  if (!archive.faults.empty())
    return refuse_setting("archive",
                          "is what every other entry is made from, and no faults are put there; leave them out");
  return waits_make_sense(archive, "archive");
}

Status validate(const std::vector<TierSetting>& tiers) {
  if (tiers.empty()) return refuse_setting("tiers", "the list is empty; name at least one, fastest first");
  std::set<std::string> names;
  for (const TierSetting& tier : tiers) {
    if (tier.name.empty()) return refuse_setting("tiers", "a tier has no name; give it one");
    if (!names.insert(tier.name).second)
      return refuse_setting("tiers", "'" + tier.name + "' is there twice; remove one");
    // Policies plan with a budget, and to a tier 0 means no limit: neither would do what the other says.
    if (tier.budget_bytes == 0)
      return refuse_setting(
          "tiers",
          "'" + tier.name + "' has no budget (budget_bytes 0); give the bytes it may hold, or leave the tier out");
    KV_TRY(not_negative(tier.shaped_bytes_per_second, "tiers: " + tier.name + ": shaped_bytes_per_second"));
    KV_TRY(not_negative(tier.shaped_latency_seconds, "tiers: " + tier.name + ": shaped_latency_seconds"));
    const auto faults = parse_faults(tier.faults);
    if (!faults) return refuse_setting("tiers: " + tier.name, faults.error().message);
    if (faults->plan.any() && !tier.in_folder())
      return refuse_setting("tiers: " + tier.name, std::string("faults strike files, and ") +
                                                       (tier.in_device()   ? "device memory"
                                                        : tier.url.empty() ? "host memory"
                                                                           : "a remote store") +
                                                       " has none; give them to a tier in a folder, like ssd");
    KV_TRY(waits_make_sense(tier, "tiers: " + tier.name));
  }
  return {};
}

}  // namespace

Status validate(const SessionSettings& settings) {
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
    if (!methods.insert(method).second) return refuse_setting("methods", "'" + method + "' is there twice; remove one");
  }
  if (settings.removed_fractions.empty())
    return refuse_setting("removed_fractions", "the list is empty; give at least one, e.g. 0.5");
  std::set<double> fractions;
  for (const double fraction : settings.removed_fractions) {
    if (!(fraction >= 0 && fraction < 1))
      return refuse_setting("removed_fractions",
                            format_fixed(fraction, 6) + " is not from 0 up to but not including 1; correct it");
    if (!fractions.insert(fraction).second)
      return refuse_setting("removed_fractions", format_fixed(fraction, 6) + " is there twice; remove one");
  }
  KV_TRY(not_negative(settings.requests_per_second, "requests_per_second"));
  KV_TRY(not_negative(settings.reprofile_threshold, "reprofile_threshold"));
  if (settings.max_batch < 1 || settings.max_batch > most_batch)
    return refuse_setting("max_batch", std::to_string(settings.max_batch) + " is not from 1 to " +
                                           std::to_string(most_batch) + "; correct it");
  if (settings.compute_or_load != "auto" && settings.compute_or_load != "off")
    return refuse_setting("compute_or_load",
                          "'" + settings.compute_or_load + "' is neither auto nor off; write one of them");
  if (settings.request_limit > most_requests)
    return refuse_setting("request_limit", std::to_string(settings.request_limit) +
                                               " is more than a run can have; give at most " +
                                               std::to_string(most_requests));
  if (settings.quality_metric.empty()) return refuse_setting("quality_metric", "is empty; name one, e.g. token_f1");
  return {};
}

}  // namespace kvantage
