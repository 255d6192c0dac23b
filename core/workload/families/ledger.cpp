#include <algorithm>

#include "core/workload/families/pieces.h"
#include "core/workload/families/writing.h"

namespace kvantage::inline text_families {
namespace {

struct LedgerEntry {
  std::string payer, text;
  std::size_t tokens = 0;
};
using Chain = std::vector<LedgerEntry>;

std::size_t tokens_of(std::span<const LedgerEntry> entries) {
  std::size_t tokens = 0;
  for (const LedgerEntry& entry : entries) tokens += entry.tokens;
  return tokens;
}

// Adds entries until the chain is long enough or the page is full; the last one pays into the vault.
Chain write_chain(Page& page, PairPicker& people, const FamilyParams& params, Random& random) {
  const std::size_t wanted = params.answer_tokens + params.answer_tokens / 4;  // margin for several starting points
  Chain chain;
  const auto opening = people.next(random);
  if (!opening) return chain;
  std::string payer = opening->text();
  std::size_t tokens = 0;
  for (bool last = false; !last;) {
    page.maybe_filler(random);
    const auto person = people.next(random);
    last = !person || page.full() || tokens >= wanted;
    const std::string receiver = last ? "the vault" : person->text();
    LedgerEntry entry{payer, fill_in("{0} paid {1} to {2}.", {payer, number(3, random), receiver})};
    entry.tokens = count_pieces(" " + entry.text);
    tokens += entry.tokens;
    page.add_sentence(entry.text);
    chain.push_back(std::move(entry));
    payer = receiver;
  }
  return chain;
}

}  // namespace

// "Mara Holt paid 372 to Ada Quill. Ada Quill paid 118 to the vault." Each payer is the previous payee, until the money
// reaches the vault. The question asks for everything that follows from a name, verbatim. Each line of the answer
// depends on its own position in the text, and the answer is long: the benchmark for decode-time eviction.
GeneratedContext generate_ledger(const FamilyParams& params, Random& random) {
  Page page("ledger", params);
  PairPicker people(first_names(), last_names(), params.split, params.neighbor_fraction);
  std::vector<Chain> chains;
  while (!page.full()) {
    chains.push_back(write_chain(page, people, params, random));
    if (chains.back().empty()) break;
  }
  const auto ask = [&page](std::span<const LedgerEntry> entries) {
    std::string answer;
    for (const LedgerEntry& entry : entries) answer += (answer.empty() ? "" : " ") + entry.text;
    page.add_question(fill_in("Please list all from {0}.", {entries.front().payer}), std::move(answer));
  };
  bool asked = false;
  for (const Chain& chain : chains)
    for (std::span<const LedgerEntry> rest = chain; tokens_of(rest) >= params.answer_tokens && !rest.empty();
         rest = rest.subspan(1)) {
      ask(rest);
      asked = true;
    }
  if (asked) return page.finish(random);
  // No chain is long enough: use the longest one, from its first quarter on.
  const Chain& longest = *std::ranges::max_element(chains, {}, [](const Chain& chain) { return chain.size(); });
  for (std::size_t i = 0; i < (longest.size() + 3) / 4; ++i) ask(std::span(longest).subspan(i));
  return page.finish(random);
}

}  // namespace kvantage::inline text_families
