#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {
namespace {

/// Four digits, as Python writes them: none begins with 0.
std::string plain_number(Random& random) { return std::to_string(1000 + random.below(9000)); }

}  // namespace

// "cache.port = 7392; queue.depth = amber;" A module of Python: each setting gets a number or, one in four, a name. A
// question is a statement, its answer the next one, as data sets of code ask for the next line. The statements are
// those of config, the questions continue the text as in training. There is no filler: sentences are no code.
GeneratedContext generate_code(const FamilyParams& params, Random& random) {
  constexpr double names = 0.25;
  Page page("code", params);
  PairPicker keys(modules(), settings(), params.split, params.neighbor_fraction);
  std::string before;
  while (!page.full()) {
    const auto pair = keys.next(random);
    if (!pair) break;
    const std::string key = std::string(pair->first) + "." + std::string(pair->second);
    const std::string value = random.uniform() < names ? std::string(pick(colors(), random)) : plain_number(random);
    std::string statement = fill_in("{0} = {1};", {key, value});
    page.add_sentence(statement);
    if (!before.empty()) page.add_question(before, statement);
    before = std::move(statement);
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
