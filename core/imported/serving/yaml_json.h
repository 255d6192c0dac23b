// One YAML document as JSON, for settings files of serving systems: read by libyaml as YAML 1.1, with the types that
// PyYAML's safe_load gives plain words (yes is true, 1e9 is a text). Files come from anybody: what grows beyond its
// length or needs code (anchors, aliases, tags) is refused.
#pragma once

#include <string>
#include <string_view>

#include "core/base/json.h"

namespace kvantage::inline serving_files {

inline constexpr std::size_t max_yaml_bytes = std::size_t{256} << 10;
inline constexpr std::size_t max_yaml_depth = 32;

/// false: this build has no libyaml, and json_of_yaml() refuses everything.
bool has_yaml();

/// `name`: of the file, for messages. Numbers that JSON does not have (.inf, .nan), base 60 and dates remain texts; of
/// a key that is there twice the last value counts, as in PyYAML. rejected_input names line and reason: a syntax error,
/// an anchor or alias, a tag, a key that is no text, a second document, more than max_yaml_bytes or max_yaml_depth.
Expected<Json> json_of_yaml(std::string_view text, const std::string& name);

}  // namespace kvantage::inline serving_files
