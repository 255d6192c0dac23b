#include "core/workload/families/writing.h"

namespace kvantage {

// "Mara Holt will send the report to Ada Quill by Friday." Answers are days, things or full names.
GeneratedContext generate_meeting(const FamilyParams& params, Random& random) {
  Page page("meeting", params);
  PairPicker people(first_names(), last_names(), params.split);
  while (!page.full()) {
    page.maybe_filler(random);
    const auto giver = people.next(random);
    const auto taker = people.next(random);
    if (!giver || !taker) break;
    const std::string name = giver->text();
    const std::string receiver = taker->text();
    const std::string_view thing = pick(deliverables(), random);
    const std::string_view day = pick(days(), random);
    page.add_sentence(vary({"{0} will send the {1} to {2} by {3}.", "{0} promised to send the {1} to {2} by {3}.",
                            "At the meeting {0} agreed to send the {1} to {2} by {3}."},
                           {name, thing, receiver, day}, random));
    page.add_question(fill_in("When will {0} send the {1}?", {name, thing}), std::string(day));
    page.add_question(fill_in("To whom will {0} send the {1}?", {name, thing}), receiver);
    page.add_question(fill_in("What will {0} send?", {name}), std::string(thing));
  }
  return page.finish(random);
}

}  // namespace kvantage
