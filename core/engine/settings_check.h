// Validates settings against the registries of methods and metrics, which core/ports does not know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/policy/policy.h"
#include "core/ports/session.h"

namespace kvantage::inline engine {

/// make_policy(), and checks that its method exists and can remove the policy's fraction. usage error otherwise.
Expected<std::shared_ptr<const Policy>> make_servable_policy(const std::string& text);

/// "fixed(METHOD,REMOVED_FRACTION)" for every method at its effective fractions (Method::fractions_of): a codec alone
/// once, at 0. usage error for an unknown method.
Expected<std::vector<std::string>> fixed_forms(const std::vector<std::string>& methods,
                                               const std::vector<double>& removed_fractions);

/// Methods that entries may have: the candidates, and what the policy admits.
std::vector<std::string> stored_methods(const SessionSettings& settings);

/// The settings with methods in canonical text, so that equal methods have equal stored entries; or a usage error that
/// names the field.
Expected<SessionSettings> checked_settings(SessionSettings settings);

/// usage error where decode_offload splits and `split_refusal` (SessionInfo) says why this model cannot.
Status check_split(const SessionSettings& settings, const std::string& split_refusal);
/// usage error where `wanted` asks for other products than `loaded`, the settings that the model was loaded with.
Status check_products(const SessionSettings& wanted, const SessionSettings& loaded);
/// usage error where a candidate method or the policy stores layer inputs and `refusal` (SessionInfo) says why this
/// session cannot.
Status check_layer_inputs(const SessionSettings& settings, const std::string& refusal);

}  // namespace kvantage::inline engine
