#include "core/workload/families/writing.h"

namespace kvantage {

// "Item amber lantern: shelf 27, price 340." Two attributes under one key: the question says which.
GeneratedContext generate_inventory(const FamilyParams& params, Random& random) {
  Page page("inventory", params);
  PairPicker items(colours(), objects(), params.split);
  while (!page.full()) {
    page.maybe_filler(random);
    const auto pair = items.next(random);
    if (!pair) break;
    const std::string item = pair->text();
    const std::string shelf = number(2, random);
    const std::string price = number(3, random);
    page.add_sentence(vary({"Item {0}: shelf {1}, price {2}.", "The {0} lies on shelf {1} and costs {2}."},
                           {item, shelf, price}, random));
    page.add_question(vary({"What is the price of the {0}?", "The {0} costs what?"}, {item}, random), price);
    page.add_question(vary({"What is the shelf of the {0}?", "On which shelf is the {0}?"}, {item}, random), shelf);
  }
  return page.finish(random);
}

}  // namespace kvantage
