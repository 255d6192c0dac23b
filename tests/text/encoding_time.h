// What the time of an encoder is compared with, measured in the same run: times of this machine alone say nothing of
// another one, or of a build with sanitizers.
#pragma once

#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace kvantage::test {

template <class Work>
double cpu_seconds(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// CPU seconds, the best of five: others may use the machine.
template <class Work>
double best_cpu_seconds(const Work& work) {
  double best = cpu_seconds(work);
  for (int run = 1; run < 5; ++run) best = std::min(best, cpu_seconds(work));
  return best;
}

/// CPU seconds of looking up every substring of at most 16 bytes in a std::map of the vocabulary of a tokenizer.json.
/// An encoder does a few lookups per token; one that searches the vocabulary for each takes longer than this.
inline double seconds_of_lookups(const Json& tokenizer, std::string_view text) {
  constexpr std::size_t longest = 16;
  std::map<std::string, int, std::less<>> ids;
  for (const auto& [token, id] : tokenizer.at("model").at("vocab").items()) ids.emplace(token, id.get<int>());
  std::size_t found = 0;
  const double seconds = best_cpu_seconds([&] {
    for (std::size_t from = 0; from + longest <= text.size(); ++from)
      for (std::size_t length = 1; length <= longest; ++length)
        found += ids.contains(text.substr(from, length)) ? 1 : 0;
  });
  return found > 0 ? seconds : 0;  // uses what was found, so that nothing of it is left out
}

}  // namespace kvantage::test
