// Which name a mistyped one means, for short words of the command line: there any four letters are near any others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvantage::cli {

/// The nearest of `known` (edit distance at most 2, and less than half of the longer name), or empty.
std::string near_name(std::string_view word, const std::vector<std::string>& known);

/// "did you mean 'lru'?" where one is near, or the only one that begins with `word`. Else "choose one of a, b, c":
/// those that begin with it, or all.
std::string name_meant(std::string_view word, const std::vector<std::string>& known);

}  // namespace kvantage::cli
