#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// Articles, each under a headline with a place and a day that no question asks about: "The news from Norfield on
// Monday. A bridge was opened by Ada Quill in Dover." Subjects are full names; cities and days repeat. Some sentences
// are about people that no question asks about, at a building and in a city like the others.
GeneratedContext generate_news(const FamilyParams& params, Random& random) {
  Page page("news", params);
  PairPicker people(first_names(), last_names(), params.split, params.neighbor_fraction);
  std::size_t left_in_article = 0;
  while (!page.full()) {
    if (left_in_article-- == 0) {
      left_in_article = 4 + random.below(5);
      page.add_sentence(fill_in("The news from {0} on {1}.", {pick(cities(), random), pick(days(), random)}));
    }
    page.maybe_filler(random);
    const auto person = people.next(random);
    if (!person) break;
    const std::string name = person->text();
    const NewsVerb verb = news_verbs()[random.below(news_verbs().size())];
    const std::string_view building = pick(buildings(), random);
    const std::string_view city = pick(cities(), random);
    const std::string_view day = pick(days(), random);
    if (random.uniform() < params.distractor_fraction) {
      page.add_sentence(vary({"{0} was at the {1} in {2} on {3}.", "Everyone saw {0} near the {1} in {2}."},
                             {name, building, city, day}, random));
      continue;
    }
    // The answer follows the name: the model cannot look up a key that comes after its value.
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

}  // namespace kvantage::inline text_families
