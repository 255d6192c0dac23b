// Recorded settings as text: the one form of a changed, a differing and a held one. They are stored with the run, so
// they are in no language of the window. Any thread.
#pragma once

#include <QString>
#include <cstddef>
#include <string>

#include "core/base/json.h"

namespace kvantage {

/// "dram budget"; `owner`: a tier, or empty.
QString setting_name(const QString& owner, std::string field);
/// The owner of what is set for the tier at `index`: its name, or "tier 1" where it has none.
QString tier_owner(const Json& tier, std::size_t index);
/// "6.0 MiB", "full speed", "on", "none, snapkv".
QString setting_value(const std::string& field, const Json& value);

}  // namespace kvantage
