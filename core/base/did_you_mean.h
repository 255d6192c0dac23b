// What to do about a name that is not known. Every message about one ends with this.
#pragma once

#include <concepts>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage {

/// "did you mean 'lru'?" where one of `known` is near (edit distance at most 3, and less than half of the longer name;
/// two letters swapped count once), or is the only one that begins with `word`. Else `otherwise`; without one "choose
/// one of a, b, c": those that begin with it, or all.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::string_view otherwise = {});

/// As above, for a range of anything that a string view can be made of, or of rows with `name`.
template <std::ranges::input_range Rows, class Name = std::identity>
requires(!std::convertible_to<Rows, std::span<const std::string_view>>) std::string
    did_you_mean(std::string_view word, const Rows& known, std::string_view otherwise = {}, Name name = {}) {
  std::vector<std::string_view> names;
  if constexpr (std::ranges::sized_range<Rows>) names.reserve(std::ranges::size(known));
  for (const auto& row : known) names.emplace_back(std::invoke(name, row));
  return did_you_mean(word, std::span<const std::string_view>(names), otherwise);
}

}  // namespace kvantage
