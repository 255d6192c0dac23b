#include "core/base/did_you_mean.h"

#include "core/base/json.h"

namespace kvantage {

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known, std::string_view otherwise) {
  if (const std::string near = near_miss(word, known); !near.empty()) return "did you mean '" + near + "'?";
  if (!otherwise.empty()) return std::string(otherwise);
  std::string text = "choose one of";
  for (std::size_t i = 0; i < known.size(); ++i) text.append(i == 0 ? " " : ", ").append(known[i]);
  return text;
}

}  // namespace kvantage
