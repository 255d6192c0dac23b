// Parts of urls of servers: their escapes, and how messages quote them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kvantage::inline tiers {

/// With %XX as the byte that it stands for. Nothing if a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

/// Decimal digits of a number from `least` (0 or more) to `most`, and nothing else.
std::optional<int> number_within(std::string_view text, int least, int most);

/// In quotes, printable and on one line; "..." after 60 bytes.
std::string quoted_part(std::string_view text);

}  // namespace kvantage::inline tiers
