#include "core/base/did_you_mean.h"

#include <algorithm>
#include <iterator>

#include "core/base/json.h"

namespace kvantage {

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known, std::string_view otherwise) {
  std::vector<std::string_view> begun;  // a beginning counts too: zh for zh_CN
  std::ranges::copy_if(known, std::back_inserter(begun), [&](std::string_view name) { return name.starts_with(word); });
  std::string near = near_miss(word, known);
  if (near.empty() && begun.size() == 1 && !word.empty()) near = begun.front();
  if (!near.empty()) return "did you mean '" + near + "'?";
  if (!otherwise.empty()) return std::string(otherwise);
  std::string text = "choose one of";
  const std::span<const std::string_view> choices = begun.empty() ? known : std::span<const std::string_view>(begun);
  for (std::size_t i = 0; i < choices.size(); ++i) text.append(i == 0 ? " " : ", ").append(choices[i]);
  return text;
}

}  // namespace kvantage
