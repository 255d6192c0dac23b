#include "core/workload/families/writing.h"

namespace kvantage {

// "In Norfield, a bridge was opened by Ada Quill on Monday." Subjects are full names; cities and days repeat.
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
    // What is asked for follows the name: a key that comes after its value cannot be looked up by what stands before.
    if (random.below(2) == 0) {
      page.add_sentence(vary({"A {1} was {2} by {0} in {3}.", "On {4}, a {1} was {2} by {0} in {3}."},
                             {name, building, verb.past, city, day}, random));
      page.add_question(fill_in("Where was a {1} {2} by {0}?", {name, building, verb.past}), std::string(city));
    } else {
      page.add_sentence(vary({"A {1} was {2} by {0} on {4}.", "In {3}, a {1} was {2} by {0} on {4}."},
                             {name, building, verb.past, city, day}, random));
      page.add_question(fill_in("When was a {1} {2} by {0}?", {name, building, verb.past}), std::string(day));
    }
  }
  return page.finish(random);
}

}  // namespace kvantage
