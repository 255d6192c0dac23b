// Which keys training may use. A key is a pair of words (first and last name, color and object, module and setting); a
// hash of the pair reserves one in ten for workloads and tests.
#pragma once

#include <string_view>

namespace kvantage::inline text_families {

enum class KeySplit { training, held_out };

/// The split of a pair of words, the same on every machine and for every seed.
KeySplit split_of_pair(std::string_view first, std::string_view second);

}  // namespace kvantage::inline text_families
