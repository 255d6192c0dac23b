#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// "cache.port = 7392;" Dotted keys; values are numbers or, one in four, words.
GeneratedContext generate_config(const FamilyParams& params, Random& random) {
  constexpr double word_values = 0.25;
  Page page("config", params);
  PairPicker keys(modules(), settings(), params.split, params.neighbor_fraction);
  while (!page.full()) {
    page.maybe_filler(random);
    const auto pair = keys.next(random);
    if (!pair) break;
    const std::string key = std::string(pair->first) + "." + std::string(pair->second);
    const std::string value = random.uniform() < word_values ? std::string(pick(colors(), random)) : number(4, random);
    page.add_sentence(vary({"{0} = {1};", "set {0} to {1};"}, {key, value}, random));
    page.add_question(vary({"What is {0}?", "What is the value of {0}?"}, {key}, random), value);
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
