// Settings held against the registries of methods and metrics, which core/ports does not know.
#pragma once

#include <memory>

#include "core/policy/policy.h"
#include "core/ports/session.h"

namespace kvantage {

/// make_policy(), but only for policies whose method exists. usage error otherwise.
Expected<std::shared_ptr<const Policy>> make_servable_policy(const std::string& text);

/// The settings with methods in their canonical text (equal methods have equal text, and with it equal stored entries),
/// or a usage error that names the field.
Expected<SessionSettings> checked_settings(SessionSettings settings);

}  // namespace kvantage
