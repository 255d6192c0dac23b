#include "app/cli/base/near_name.h"

#include <algorithm>
#include <iterator>

#include "core/base/json.h"

namespace kvantage::cli {

std::string near_name(std::string_view word, const std::vector<std::string>& known) {
  return near_miss(word, std::vector<std::string_view>(known.begin(), known.end()));
}

std::string name_meant(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> begun;
  std::ranges::copy_if(known, std::back_inserter(begun),
                       [&](const std::string& name) { return name.starts_with(word); });
  std::string near = near_name(word, known);
  if (near.empty() && begun.size() == 1) near = begun.front();
  if (!near.empty()) return "did you mean '" + near + "'?";
  std::string text;
  for (const std::string& name : begun.empty() ? known : begun) text += (text.empty() ? "choose one of " : ", ") + name;
  return text;
}

}  // namespace kvantage::cli
