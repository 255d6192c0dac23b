#include <algorithm>

#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// Few facts, each stated about five times in different words: compression can drop most of them without loss.
GeneratedContext generate_story(const FamilyParams& params, Random& random) {
  constexpr std::size_t tokens_per_telling = 13;
  constexpr std::size_t tellings = 5;
  struct Fact {
    std::string name;
    std::string_view object;
    std::string_view room;
  };
  Page page("story", params);
  PairPicker people(first_names(), last_names(), params.split, params.neighbor_fraction);
  const double fact_share = 1.0 - params.filler_fraction;
  const auto wanted = static_cast<std::size_t>(static_cast<double>(params.target_tokens) * fact_share) /
                      (tokens_per_telling * tellings);
  std::vector<Fact> facts(std::max<std::size_t>(2, wanted));
  for (Fact& fact : facts) {
    const auto person = people.next(random);
    if (!person) break;
    fact = {person->text(), pick(objects(), random), pick(rooms(), random)};
  }
  std::erase_if(facts, [](const Fact& fact) { return fact.name.empty(); });
  // Rounds over all facts in a new order each time, so that the statements of one fact are far apart.
  std::size_t statements = 0;
  std::set<std::size_t> stated;
  std::vector<std::size_t> order(facts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  while (!page.full()) {
    if (statements % order.size() == 0) random.shuffle(std::span(order));
    const std::size_t index = order[statements++ % order.size()];
    const Fact& fact = facts[index];
    page.maybe_filler(random);
    page.add_sentence(vary({"{0} keeps the {1} in the {2}.", "Every day {0} hides the {1} in the {2}.",
                            "They say that {0} left the {1} in the {2}.", "Once more {0} puts the {1} in the {2}.",
                            "Everyone knew that {0} keeps the {1} in the {2}."},
                           {fact.name, fact.object, fact.room}, random));
    stated.insert(index);
  }
  for (std::size_t index : stated) {
    const Fact& fact = facts[index];
    page.add_question(fill_in("Where does {0} keep the {1}?", {fact.name, fact.object}), std::string(fact.room));
    page.add_question(fill_in("What does {0} keep in the {1}?", {fact.name, fact.room}), std::string(fact.object));
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
