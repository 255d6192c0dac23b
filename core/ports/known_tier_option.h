// What to write in place of an option of a tier that no kind has.
#pragma once

#include <string>
#include <string_view>

namespace kvantage::inline ports {

/// The option nearest to `key`, else all of them.
std::string known_tier_option(std::string_view key);

}  // namespace kvantage::inline ports
