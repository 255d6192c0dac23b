#include <algorithm>

#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// A few numbers in a long unrelated text: almost all of it can be evicted, if the right part stays.
GeneratedContext generate_needle(const FamilyParams& params, Random& random) {
  constexpr double min_filler = 0.8;
  FamilyParams sparse = params;
  sparse.filler_fraction = std::max(params.filler_fraction, min_filler);
  Page page("needle", sparse);
  PairPicker people(first_names(), last_names(), params.split, params.neighbor_fraction);
  PairPicker things(colors(), objects(), params.split, params.neighbor_fraction);
  while (!page.full()) {
    page.maybe_filler(random);
    const std::string value = number(4, random);
    if (random.below(2) == 0) {
      const auto person = people.next(random);
      if (!person) break;
      const std::string name = person->text();
      page.add_sentence(vary({"The secret number of {0} is {1}.", "Remember that the secret number of {0} is {1}."},
                             {name, value}, random));
      page.add_question(fill_in("What is the secret number of {0}?", {name}), value);
    } else {
      const auto item = things.next(random);
      if (!item) break;
      const std::string thing = item->text();
      page.add_sentence(vary({"The password for the {0} is {1}.", "Note that the password for the {0} is {1}."},
                             {thing, value}, random));
      page.add_question(fill_in("What is the password for the {0}?", {thing}), value);
    }
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
