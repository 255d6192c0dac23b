#include <algorithm>

#include "core/workload/families/pieces.h"
#include "core/workload/families/writing.h"

namespace kvantage {

// "Mara Holt paid 372 to Ada Quill. Ada Quill paid 118 to Percy Cole." Each entry begins with whom the one before paid;
// asked is a stretch of entries, word for word. Every line of the answer depends on a place of its own in the text, and
// the answer is long: what eviction while decoding is judged by.
GeneratedContext generate_ledger(const FamilyParams& params, Random& random) {
  struct Entry {
    std::string payer, receiver, text;
    std::size_t tokens = 0;
  };
  Page page("ledger", params);
  PairPicker people(first_names(), last_names(), params.split, params.neighbour_fraction);
  std::vector<Entry> entries;
  const auto opening = people.next(random);
  std::string payer = opening ? opening->text() : "";
  while (opening && !page.full()) {
    page.maybe_filler(random);
    const auto person = people.next(random);
    if (!person) break;
    Entry entry{payer, person->text(), fill_in("{0} paid {1} to {2}.", {payer, number(3, random), person->text()})};
    entry.tokens = count_pieces(" " + entry.text);
    page.add_sentence(entry.text);
    payer = entry.receiver;
    entries.push_back(std::move(entry));
  }
  const std::size_t most_entries = std::max<std::size_t>(1, entries.size() * 3 / 4);
  for (std::size_t tries = entries.empty() ? 0 : 2 * params.question_limit; tries > 0; --tries) {
    const std::size_t first = random.below(entries.size() - most_entries + 1);
    std::size_t last = first, length = 0;
    std::string answer;
    for (; last < first + most_entries && length < params.answer_tokens; ++last) {
      answer += (last == first ? "" : " ") + entries[last].text;
      length += entries[last].tokens;
    }
    page.add_question(fill_in("Please list all from {0} to {1}.", {entries[first].payer, entries[last - 1].receiver}), answer);
  }
  return page.finish(random);
}

}  // namespace kvantage
