#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// "The report of Mara Holt is promised for Friday." Answers are days or full names.
GeneratedContext generate_meeting(const FamilyParams& params, Random& random) {
  Page page("meeting", params);
  PairPicker people(first_names(), last_names(), params.split, params.neighbor_fraction);
  while (!page.full()) {
    page.maybe_filler(random);
    const auto giver = people.next(random);
    const auto taker = people.next(random);
    if (!giver || !taker) break;
    const std::string name = giver->text();
    const std::string receiver = taker->text();
    const std::string_view thing = pick(deliverables(), random);
    const std::string_view day = pick(days(), random);
    if (random.below(2) == 0) {
      page.add_sentence(
          vary({"The {1} of {0} is promised for {2}.", "They agreed that the {1} of {0} is promised for {2}."},
               {name, thing, day}, random));
      page.add_question(fill_in("When is the {1} of {0} promised?", {name, thing}), std::string(day));
    } else {
      page.add_sentence(vary({"The {1} of {0} is for {2}.", "At the meeting, the {1} of {0} was for {2}."},
                             {name, thing, receiver}, random));
      page.add_question(fill_in("Who is the {1} of {0} for?", {name, thing}), receiver);
    }
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
