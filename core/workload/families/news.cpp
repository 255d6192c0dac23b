#include "core/workload/families/writing.h"

namespace kvantage {

// "In Norfield, Ada Quill opened a bridge on Monday." Subjects are full names; cities and days repeat.
GeneratedContext generate_news(const FamilyParams& params, Random& random) {
  Page page("news", params);
  PairPicker people(first_names(), last_names(), params.split);
  while (!page.full()) {
    page.maybe_filler(random);
    const auto person = people.next(random);
    if (!person) break;
    const std::string name = person->text();
    const NewsVerb verb = news_verbs()[random.below(news_verbs().size())];
    const std::string_view building = pick(buildings(), random);
    const std::string_view city = pick(cities(), random);
    const std::string_view day = pick(days(), random);
    // Only where the city follows the name is it asked for: what stands before a key is not found by looking ahead.
    if (random.uniform() < 0.3) {
      page.add_sentence(fill_in("In {0}, {1} {2} a {3} on {4}.", {city, name, verb.past, building, day}));
    } else {
      page.add_sentence(fill_in("{1} {2} a {3} in {0} on {4}.", {city, name, verb.past, building, day}));
      page.add_question(fill_in("Where did {0} {1} a {2}?", {name, verb.base, building}), std::string(city));
    }
    page.add_question(fill_in("When did {0} {1} a {2}?", {name, verb.base, building}), std::string(day));
    page.add_question(fill_in("What did {0} {1}?", {name, verb.base}), std::string(building));
  }
  return page.finish(random);
}

}  // namespace kvantage
