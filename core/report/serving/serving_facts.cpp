#include "core/report/serving/serving_facts.h"

#include <algorithm>
#include <charconv>

#include "core/base/did_you_mean.h"
#include "core/base/form_text.h"
#include "core/base/json_fields.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/policy/plan_text.h"
#include "core/policy/policy_info.h"
#include "core/report/replay_source.h"

namespace kvantage::inline serving {
namespace {

std::string text_at(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  return json.is_object() && json.contains(place) && json.at(place).is_string() ? json.at(place).get<std::string>()
                                                                                : std::string();
}

std::string form_of(const Configuration& c) {
  if (c.removed_fraction == 0) return c.method == "none" ? "uncompressed" : c.method;
  return c.method + ", " + short_number(100 * c.removed_fraction) + " % removed";
}

// The eviction order of policies that have one; the parameter's default where the text names none.
std::string eviction_of(const PolicyInfo* info, const std::string& text) {
  if (info == nullptr) return {};
  const std::string& key = info->traits.eviction_parameter;
  if (key.empty()) return info->traits.eviction_order;
  if (const auto form = FormText::read(text, "policy")) {
    const auto named = std::ranges::find(form->arguments(), key, &FormText::Argument::key);
    if (named != form->arguments().end()) return std::string(named->value);
  }
  const auto parameter = std::ranges::find(info->parameters, key, &ParameterInfo::key);
  return parameter == info->parameters.end() ? std::string() : parameter->default_value;
}

// "adakv(snapkv)+kivi4+zstd" -> "kivi4", "zstd".
std::vector<std::string> codecs_of(std::string_view method) {
  std::vector<std::string> codecs;
  for (const std::string_view term : split_outside_parentheses(method, '+'))
    for (const char* family : {"kivi", "cachegen", "fp8", "zstd"})
      if (is_codec_of(term, family)) codecs.emplace_back(term);
  return codecs;
}

// Final placements of the contexts and their forms.
void say_placements(const Snapshot& snapshot, std::string_view system, ServingFacts& facts) {
  std::map<std::string, std::size_t> forms;
  for (const ContextState& context : snapshot.contexts) {
    facts.largest_context_bytes = std::max(facts.largest_context_bytes, context.full_bytes);
    if (!context.placement.stored() || static_cast<std::size_t>(context.placement.tier) >= snapshot.tiers.size())
      continue;
    ++forms[form_of(context.placement) + " in " +
            snapshot.tiers[static_cast<std::size_t>(context.placement.tier)].name];
  }
  if (forms.empty()) return;
  std::string list;
  for (const auto& [form, contexts] : forms) list += (list.empty() ? "" : ", ") + std::to_string(contexts) + " " + form;
  facts.unsaid.push_back("placement per context: " + std::string(system == "lmcache" ? "LMCache" : "vLLM") +
                         " applies one rule to all. At the end of the run: " + list);
}

void say_tiers(ServingFacts& facts) {
  for (const TierConfig& tier : facts.settings.tiers) {
    const TierMedium medium = kind_of(tier).medium;
    if (medium == TierMedium::device_memory) {  // the engine's own pool, sized by the engine
      facts.unsaid.push_back("tier '" + tier.name + "' (" + room_of(tier) +
                             ") was in GPU memory, where the serving engine sets the share for caches");
      continue;
    }
    std::optional<TierConfig>& place = medium == TierMedium::host_memory ? facts.memory
                                       : medium == TierMedium::server    ? facts.remote
                                                                         : facts.disk;
    if (place)
      facts.unsaid.push_back("tier '" + tier.name + "' (" + room_of(tier) +
                             ") is a second one of its kind, but only one is supported");
    else
      place = tier;
    if (tier.throttle.any())
      facts.unsaid.push_back("tier '" + tier.name + "' was throttled in the run; a real one has its own speed");
    if (!tier.faults.empty())
      facts.unsaid.push_back("faults were injected into tier '" + tier.name + "' in the run; none are set");
    if (!tier.option("prefix").empty()) facts.unsaid.push_back("the prefix of the keys of tier '" + tier.name + "'");
  }
}

/// Budgets that hold as many tokens of another model. Returns the factor.
Expected<double> scale_budgets(const RecordedRun& run, const ServedModel& model, ServingFacts& facts) {
  const Json& recorded = run.summary.settings;
  const Json own = recorded.is_object() ? recorded.value("kv_bytes_per_token", Json()) : Json();
  if (!own.is_number() || !(own.get<double>() > 0))
    return fail(ErrorCode::rejected_input,
                "run " + facts.run_id + ": does not say how many bytes a token of its model takes, which --for-model " +
                    "needs; choose a newer run, or leave --for-model out");
  const double factor = model.bytes_per_token / own.get<double>();
  const auto scaled = [factor](std::uint64_t bytes) {
    constexpr double largest = 9.0e18;
    return static_cast<std::uint64_t>(std::min(static_cast<double>(bytes) * factor, largest));
  };
  for (std::optional<TierConfig>* tier : {&facts.memory, &facts.disk, &facts.remote})
    if (*tier && !(*tier)->budget.is_unlimited()) (*tier)->budget = scaled((*tier)->budget.bytes());
  facts.largest_context_bytes = scaled(facts.largest_context_bytes);
  facts.budgets_text = "Budgets are those of the run times " + yaml_number(round_to_digits(factor, 6)) + ", for " +
                       model.name + ": a token takes " + yaml_number(model.bytes_per_token) + " bytes of KV there, " +
                       yaml_number(own.get<double>()) + " in the run.";
  return factor;
}

}  // namespace

std::string room_of(const TierConfig& tier) {
  return tier.budget.is_unlimited() ? "unlimited" : format_bytes(tier.budget.bytes());
}

std::uint64_t room_set_for(const TierConfig& tier, std::vector<std::string>& unsaid) {
  if (!tier.budget.is_unlimited()) return tier.budget.bytes();
  constexpr std::uint64_t large = std::uint64_t{1} << 40;
  unsaid.push_back("tier '" + tier.name + "' was unlimited; " + format_bytes(large) + " are set");
  return large;
}

bool is_codec_of(std::string_view codec, std::string_view family) {
  if (!codec.starts_with(family)) return false;
  const std::string_view rest = codec.substr(family.size());
  const std::size_t letter = rest.find_first_not_of("0123456789");
  return letter == std::string_view::npos || rest[letter] == '(';
}

Expected<ServingFacts> serving_facts(const RecordedRun& run, std::string_view system) {
  ServingFacts facts;
  facts.run_id = run.summary.run_id;
  const Json& recorded = run.summary.settings;
  facts.model = text_at(recorded, "/environment/model");
  facts.workload = text_at(recorded, "/environment/workload");
  const std::string name = "run " + facts.run_id;
  KV_ASSIGN(const auto source, ReplaySource::open(run));
  const ReplayState& end = source->seek(source->size());
  KV_ASSIGN(auto settings, session_settings_from_json(end.settings, name + ": settings"));
  facts.settings = std::move(settings);
  if (facts.settings.tiers.empty())
    return fail(ErrorCode::rejected_input,
                name + ": does not name its tiers, so there is nothing to set; choose another run");
  if (recorded.contains("prefill_chunk_tokens") && recorded.at("prefill_chunk_tokens").is_number_unsigned())
    facts.chunk_tokens = recorded.at("prefill_chunk_tokens").get<std::uint64_t>();

  facts.policy_name = FormText::name_of(facts.settings.policy);
  const PolicyInfo* info = find_policy_info(facts.policy_name);
  facts.stores = info == nullptr || info->traits.stores;
  const auto policy = make_policy(facts.settings.policy);
  facts.eviction = eviction_of(info, policy ? (*policy)->name() : facts.settings.policy);
  if (!policy) {
    facts.unsaid.push_back("policy " + facts.settings.policy + ", which is not known here");
  } else if (!facts.stores) {
    facts.unsaid.push_back("tiers: policy " + facts.policy_name +
                           " stored nothing in them, so caches below the GPU are off");
    return facts;
  } else if (!(*policy)->is_planner()) {
    const Configuration admitted = (*policy)->admission(ContextState{});
    if (admitted.method != "none") {
      facts.fixed_method = admitted.method;
      facts.fixed_removed_fraction = admitted.removed_fraction;
      facts.codecs = codecs_of(admitted.method);
    }
  } else {
    facts.unsaid.push_back("policy " + facts.settings.policy +
                           " weighs quality against time; there eviction depends only on age or use");
    if ((*policy)->uses_alpha())
      facts.unsaid.push_back("alpha, " + yaml_number(facts.settings.alpha) + " s for a unit of quality");
  }
  if (facts.fixed_removed_fraction > 0)
    facts.unsaid.push_back("method " + facts.fixed_method + ", which removes " +
                           yaml_number(facts.fixed_removed_fraction) +
                           " of the tokens: no tokens can be removed there");
  say_placements(end.snapshot, system, facts);
  say_tiers(facts);
  return facts;
}

std::string yaml_comment(std::string_view text) { return "# " + shown_line(text) + "\n"; }

std::string yaml_head(const ServingFacts& facts, std::string_view use, const std::vector<std::string>& unsaid) {
  std::string text = yaml_comment("From KVantage run " + facts.run_id + ": " + facts.settings.policy +
                                  (facts.workload.empty() ? "" : ", workload " + facts.workload) +
                                  (facts.model.empty() ? "" : ", model " + facts.model));
  text += yaml_comment(use);
  text += yaml_comment(facts.budgets_text);
  if (!unsaid.empty()) text += yaml_comment("No equivalent setting:");
  for (const std::string& one : unsaid) text += yaml_comment("- " + one);
  return text;
}

std::string yaml_number(double value) {
  char text[32];
  const auto [end, code] = std::to_chars(text, text + sizeof text, value);
  return code == std::errc() ? std::string(text, end) : std::string("0");
}

std::string yaml_text(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : valid_utf8(text)) quoted += letter == '\'' ? std::string("''") : std::string(1, letter);
  return quoted + "'";
}

std::vector<std::string> serving_systems() { return {"lmcache", "vllm"}; }

Status check_serving_system(std::string_view system) {
  const std::vector<std::string> systems = serving_systems();
  if (std::ranges::find(systems, system) != systems.end()) return {};
  return fail(ErrorCode::usage, "--for: unknown system '" + std::string(system) + "'; " +
                                    did_you_mean(system, systems, "give lmcache or vllm"));
}

Expected<ExportedSettings> serving_settings(const RecordedRun& run, std::string_view system,
                                            const ServingOptions& options) {
  KV_TRY(check_serving_system(system));
  KV_ASSIGN(auto facts, serving_facts(run, system));
  double factor = 1;
  if (options.for_model) {
    KV_ASSIGN(factor, scale_budgets(run, *options.for_model, facts));
  }
  KV_ASSIGN(auto settings, system == "lmcache" ? Expected<ExportedSettings>(lmcache_settings(facts, options))
                                               : vllm_settings(facts, options));
  settings.factor = factor;
  return settings;
}

}  // namespace kvantage::inline serving
