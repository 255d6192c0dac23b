// Names and settings of a run as the page of a shared run has them: short lines, whoever wrote them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace kvantage::inline share {

/// One line of valid UTF-8, cut behind `max_bytes`.
std::string share_line(std::string_view text, std::size_t max_bytes = 200);

/// Values by path: "tiers/0/budget_bytes".
using SettingTexts = std::map<std::string, std::string>;
/// Adds every value in `json`, which is at `path`.
void add_setting_texts(const Json& json, const std::string& path, SettingTexts& texts);

/// "alpha: 0.5 to 2.0": the values that differ, at most three.
std::string setting_change_text(const std::string& name, const Json& before, const Json& after);

}  // namespace kvantage::inline share
