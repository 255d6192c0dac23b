#include <algorithm>

#include "core/workload/families/pieces.h"
#include "core/workload/families/writing.h"

namespace kvantage {

// "In entry 17, Mara Holt paid 372." Numbered from 1; asked is a stretch of entries, word for word. Every line of the
// answer depends on a place of its own in the text, and the answer is long: what eviction while decoding is judged by.
GeneratedContext generate_ledger(const FamilyParams& params, Random& random) {
  Page page("ledger", params);
  PairPicker people(first_names(), last_names(), params.split, params.neighbour_fraction);
  std::vector<std::string> entries;
  std::vector<std::size_t> tokens;
  while (!page.full()) {
    page.maybe_filler(random);
    const auto person = people.next(random);
    if (!person) break;
    entries.push_back(vary({"In entry {0}, {1} paid {2}.", "In entry {0}, {1} received {2}.", "In entry {0}, {1} spent {2}."},
                           {std::to_string(entries.size() + 1), person->text(), number(3, random)}, random));
    tokens.push_back(count_pieces(" " + entries.back()));
    page.add_sentence(entries.back());
  }
  const std::size_t most_entries = std::max<std::size_t>(1, entries.size() * 3 / 4);
  for (std::size_t tries = entries.empty() ? 0 : 2 * params.question_limit; tries > 0; --tries) {
    const std::size_t first = random.below(entries.size() - most_entries + 1);
    std::size_t last = first, length = 0;
    std::string answer;
    for (; last < first + most_entries && length < params.answer_tokens; ++last) {
      answer += (last == first ? "" : " ") + entries[last];
      length += tokens[last];
    }
    page.add_question(fill_in("Please list all from entry {0} to entry {1}.", {std::to_string(first + 1), std::to_string(last)}),
                      answer);
  }
  return page.finish(random);
}

}  // namespace kvantage
