// The content of a part of an entry.
#pragma once

#include <cstdint>

namespace kvantage::inline codecs {

enum class ExtentKind : std::uint8_t { keys = 0, values = 1, window_queries = 2 };

}  // namespace kvantage::inline codecs
