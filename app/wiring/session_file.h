// A workload's session.json: the initial settings of a session.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/json.h"
#include "core/workload/presets.h"

namespace kvantage::inline wiring {

/// Empty when there are no tiers. usage error that names the field of an invalid setting.
Expected<OrderedJson> session_file(const SessionStart& start);
/// Sessions on an imported workload score answers as its authors do. What else session.json has stays. Nothing for an
/// empty metric and the default one.
Status write_quality_metric(const std::string& metric, const std::filesystem::path& folder);
Status write_session_file(const OrderedJson& session, const std::filesystem::path& folder);

}  // namespace kvantage::inline wiring
