// Which keys training may see. A key is a pair of words (first and last name, colour and object, module and
// setting); a hash of the pair puts one in ten aside for workloads and tests.
#pragma once

#include <string_view>

namespace kvantage {

enum class KeySplit { training, held_out };

/// The side that a pair of words belongs to, the same on every machine and for every seed.
KeySplit split_of_pair(std::string_view first, std::string_view second);

}  // namespace kvantage
