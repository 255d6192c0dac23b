#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// "The badge of Mara Holt is 7392." A person may have several documents, so the document is part of the key.
GeneratedContext generate_registry(const FamilyParams& params, Random& random) {
  constexpr double same_person = 0.15;
  Page page("registry", params);
  PairPicker people(share_of(first_names(), params.name_share), share_of(last_names(), params.name_share), params.split,
                    params.neighbor_fraction);
  std::set<std::string> keys;
  while (!page.full()) {
    page.maybe_filler(random);
    const bool again = !people.given().empty() && random.uniform() < same_person;
    const auto person =
        again ? std::optional(people.given()[random.below(people.given().size())]) : people.next(random);
    if (!person) break;
    const std::string name = person->text();
    const std::string_view document = pick(documents(), random);
    if (!keys.insert(name + std::string(document)).second) continue;
    const std::string value = number(4, random);
    page.add_sentence(
        vary({"The {0} of {1} is {2}.", "Records list the {0} of {1} as {2}."}, {document, name, value}, random));
    page.add_question(fill_in("What is the {0} of {1}?", {document, name}), value);
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
