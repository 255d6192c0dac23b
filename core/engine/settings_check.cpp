#include "core/engine/settings_check.h"

#include "core/compress/method.h"
#include "core/model/bert_encoder.h"
#include "core/ports/fault_plan.h"
#include "core/text/quality.h"

namespace kvantage {

Expected<std::shared_ptr<const Policy>> make_servable_policy(const std::string& text) {
  auto policy = make_policy(text);
  if (!policy) return policy;
  const auto method = parse_method((*policy)->admission(ContextState{}).method);
  if (!method) return fail(ErrorCode::usage, "policy '" + text + "': " + method.error().message);
  return policy;
}

Expected<SessionSettings> checked_settings(SessionSettings settings) {
  KV_TRY(validate(settings));
  if (const auto policy = make_servable_policy(settings.policy); !policy) return tl::unexpected(policy.error());
  for (std::string& method : settings.methods) {
    const auto parsed = parse_method(method);
    if (!parsed) return tl::unexpected(parsed.error());
    method = (*parsed)->text();
  }
  for (TierSetting& tier : settings.tiers)
    if (const auto faults = parse_faults(tier.faults)) tier.faults = to_string(*faults);
  const auto metric = require_quality_metric(settings.quality_metric);
  if (!metric) return tl::unexpected(metric.error());
  if ((*metric)->basis == QualityBasis::embeddings) KV_TRY(embedding_model_is_there());
  return settings;
}

}  // namespace kvantage
