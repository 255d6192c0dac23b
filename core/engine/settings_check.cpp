#include "core/engine/settings_check.h"

#include <algorithm>

#include "core/base/duration.h"
#include "core/base/json.h"
#include "core/compress/decode/eviction_method.h"
#include "core/compress/method.h"
#include "core/model/bert_encoder.h"
#include "core/policy/policy_info.h"
#include "core/ports/decode_offload.h"
#include "core/ports/fault_plan.h"
#include "core/ports/speculation.h"
#include "core/request/offloaded_decode_stage.h"
#include "core/text/code/code_bleu.h"
#include "core/text/quality.h"

namespace kvantage::inline engine {

namespace {

std::string keep_all_tokens_hint(const std::string& policy, std::string_view method) {
  constexpr std::string_view placeholder = "METHOD";
  const PolicyInfo* info = find_policy_info(FormText::name_of(policy));
  std::string hint = info == nullptr ? PolicyTraits{}.keep_all_tokens_hint : info->traits.keep_all_tokens_hint;
  if (const auto at = hint.find(placeholder); at != std::string::npos) hint.replace(at, placeholder.size(), method);
  return hint;
}

/// In canonical form, its method's own parameters included.
Expected<std::string> checked_decode_eviction(const std::string& text) {
  KV_ASSIGN(const auto eviction, parse_decode_eviction(text));
  if (!eviction) return "none";
  KV_TRY(check_decode_eviction(*eviction));
  return eviction->text();
}

}  // namespace

std::vector<std::string> stored_methods(const SessionSettings& settings) {
  std::vector<std::string> methods = settings.methods;
  const auto policy = make_policy(settings.policy);
  const std::string admitted = policy ? (*policy)->admission(ContextState{}).method : "none";
  if (admitted != "none" && std::ranges::find(methods, admitted) == methods.end()) methods.push_back(admitted);
  return methods;
}

Expected<std::shared_ptr<const Policy>> make_servable_policy(const std::string& text) {
  KV_ASSIGN(auto policy, make_policy(text));
  const Configuration admitted = policy->admission(ContextState{});
  const auto method = parse_method(admitted.method);
  if (!method) return fail(ErrorCode::usage, "policy '" + text + "': " + method.error().message);
  if (admitted.removed_fraction > 0 && !(*method)->info().removes_tokens)
    return fail(ErrorCode::usage, "policy '" + printable(text) + "': method '" + admitted.method +
                                      "' removes no tokens, so no context can be stored with " +
                                      shortest_number(admitted.removed_fraction) + " of them removed; " +
                                      keep_all_tokens_hint(text, admitted.method) +
                                      ", or give a method that removes some, like knorm");
  if (admitted.removed_fraction >= 1)
    return fail(
        ErrorCode::usage,
        "policy '" + text + "': keeps no token of a context; keep more of them, e.g. important_fraction(kept=0.5)");
  return policy;
}

Expected<std::vector<std::string>> fixed_forms(const std::vector<std::string>& methods,
                                               const std::vector<double>& removed_fractions) {
  std::vector<std::string> forms;
  for (const std::string& text : methods) {
    KV_ASSIGN(const auto method, parse_method(text));
    for (const double fraction : method->fractions_of(removed_fractions))
      forms.push_back("fixed(" + method->text() + "," + shortest_number(fraction) + ")");
  }
  return forms;
}

Expected<SessionSettings> checked_settings(SessionSettings settings) {
  KV_TRY(validate(settings));
  KV_TRY(make_servable_policy(settings.policy));
  for (std::string& method : settings.methods) {
    KV_ASSIGN(const auto parsed, parse_method(method));
    method = parsed->text();
  }
  for (TierConfig& tier : settings.tiers)
    if (const auto faults = parse_faults(tier.faults)) tier.faults = to_string(*faults);
  if (settings.decode_eviction != planned_decode_eviction) {
    KV_ASSIGN(settings.decode_eviction, checked_decode_eviction(settings.decode_eviction));
  }
  for (std::string& option : settings.decode_options) {
    KV_ASSIGN(option, checked_decode_eviction(option));
  }
  KV_ASSIGN(const auto offload, parse_decode_offload(settings.decode_offload));
  if (offload) KV_TRY(offload_codec(*offload));
  settings.decode_offload = offload ? offload->text() : "none";
  KV_ASSIGN(const auto speculation, parse_speculation(settings.speculation));
  settings.speculation = speculation.text();
  KV_ASSIGN(const auto metric, require_quality_metric(settings.quality_metric));
  if (metric->basis == QualityBasis::logits && !settings.decode_options.empty())
    return fail(ErrorCode::usage, "decode_options: are measured by answers, and '" + settings.quality_metric +
                                      "' compares predictions; choose another metric, like token_f1, or empty the "
                                      "list");
  if (metric->basis == QualityBasis::embeddings) KV_TRY(embedding_model_is_there());
  if (metric->basis == QualityBasis::code) KV_TRY(code_parser_is_there());
  return settings;
}

Status check_split(const SessionSettings& settings, const std::string& split_refusal) {
  const auto offload = parse_decode_offload(settings.decode_offload);
  if (split_refusal.empty() || !offload || !*offload || (*offload)->split != SplitMode::solved ||
      !(*offload)->reads_inputs())
    return {};
  const std::string& tier = (*offload)->tier;
  // Without its advice: this setting has its own, and a line of an error has max_message_characters.
  const std::string why = split_refusal.substr(0, split_refusal.find("; "));
  return fail(ErrorCode::usage,
              "decode_offload: " + why + "; write " + tier + "(resident=inputs) or " + tier + "(split=load_only)");
}

Status check_products(const SessionSettings& wanted, const SessionSettings& loaded) {
  if (wanted.products == loaded.products) return {};
  return fail(ErrorCode::usage, "products: this session's model was loaded with " + loaded.products +
                                    "; start a session with --products " + wanted.products);
}

Status check_layer_inputs(const SessionSettings& settings, const std::string& refusal) {
  const bool candidate = std::ranges::any_of(settings.methods, names_layer_inputs);
  if (refusal.empty() || !(candidate || names_layer_inputs(settings.policy))) return {};
  return fail(ErrorCode::usage, (candidate ? "methods" : "policy") + (": layer_inputs: " + refusal));
}

}  // namespace kvantage::inline engine
