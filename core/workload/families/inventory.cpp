#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// "The price of the amber lantern is 340." Two attributes under one key: the question says which.
GeneratedContext generate_inventory(const FamilyParams& params, Random& random) {
  constexpr double both_attributes = 0.4;
  Page page("inventory", params);
  PairPicker items(colors(), objects(), params.split, params.neighbor_fraction);
  const auto add = [&](const std::string& item, bool price) {
    const std::string_view attribute = price ? "price" : "shelf";
    const std::string value = number(price ? 3 : 2, random);
    page.add_sentence(vary({"The {0} of the {1} is {2}.", "Records list the {0} of the {1} as {2}."},
                           {attribute, item, value}, random));
    page.add_question(fill_in("What is the {0} of the {1}?", {attribute, item}), value);
  };
  while (!page.full()) {
    page.maybe_filler(random);
    const auto pair = items.next(random);
    if (!pair) break;
    const bool price = random.below(2) == 0;
    add(pair->text(), price);
    if (random.uniform() < both_attributes) add(pair->text(), !price);
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
