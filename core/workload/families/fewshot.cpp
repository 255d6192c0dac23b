#include <algorithm>

#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {

// "Input: amber lantern. Label: beta." Each text gives every class of objects its own label; the questions ask about
// unseen objects. Any example of the class suffices: the least fragile family.
GeneratedContext generate_fewshot(const FamilyParams& params, Random& random) {
  constexpr std::size_t max_classes = 5;
  constexpr std::size_t max_pairs = 40;  // per class, examples and questions: a split holds some sixty
  Page page("fewshot", params);
  std::vector<std::size_t> classes(object_classes);
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = i;
  random.shuffle(std::span(classes));
  classes.resize(2 + random.below(max_classes - 1));
  std::vector<std::string_view> names(labels().begin(), labels().end());
  random.shuffle(std::span(names));

  std::set<std::string_view> shown;
  std::set<std::size_t> shown_classes;
  std::vector<PairPicker> pickers;
  for (std::size_t c : classes) pickers.emplace_back(colors(), objects_of_class(c), params.split, 0.0);
  while (!page.full()) {
    page.maybe_filler(random);
    const std::size_t which = random.below(classes.size());
    // A class holds some sixty held-out pairs, and the questions need unused ones: from here on examples repeat.
    const auto& given = pickers[which].given();
    const auto item =
        given.size() < 24 ? pickers[which].next(random) : std::optional(given[random.below(given.size())]);
    if (!item) break;
    page.add_sentence(fill_in("Input: {0}. Label: {1}.", {item->text(), names[which]}));
    shown_classes.insert(which);
  }
  constexpr std::size_t tries_per_question = 3;
  for (std::size_t i = 0; i < std::min<std::size_t>(params.question_limit, 400) * tries_per_question; ++i) {
    const std::size_t which = random.below(classes.size());
    if (!shown_classes.contains(which)) continue;
    if (pickers[which].given().size() >= max_pairs) continue;
    const auto item = pickers[which].next(random);
    if (item) page.add_question(fill_in("Which label fits {0}?", {item->text()}), std::string(names[which]));
  }
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
