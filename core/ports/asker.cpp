#include "core/ports/asker.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kvantage::inline ports {

std::size_t final_tokens(const AskAnswer& answer) {
  const std::size_t count = answer.first + answer.tokens.size();
  return answer.stage == AskStage::done || count == 0 ? count : count - 1;
}

AskSeen seen_of(const AskResult& result) {
  AskSeen seen{.ticket = result.ticket, .revision = result.revision};
  seen.tokens.reserve(result.answers.size());
  for (const AskAnswer& answer : result.answers) seen.tokens.push_back(final_tokens(answer));
  return seen;
}

AskAnswer answer_from(const AskAnswer& whole, std::size_t first) {
  AskAnswer part;
  static_cast<AskProgress&>(part) = whole;
  part.first = std::min(first, whole.tokens.size());
  part.tokens.assign(whole.tokens.begin() + static_cast<std::ptrdiff_t>(part.first), whole.tokens.end());
  return part;
}

std::optional<AskResult> change_since(const AskResult& whole, const AskSeen& seen) {
  const bool same = seen.ticket == whole.ticket && seen.revision >= whole.begun;
  if (same && seen.revision == whole.revision) return {};
  AskResult change;
  static_cast<AskOutcome&>(change) = whole;
  change.answers.reserve(whole.answers.size());
  for (std::size_t c = 0; c < whole.answers.size(); ++c)
    change.answers.push_back(answer_from(whole.answers[c], same && c < seen.tokens.size() ? seen.tokens[c] : 0));
  return change;
}

bool continues(const AskOutcome& held, const AskOutcome& change) {
  return held.ticket == change.ticket && held.revision >= change.begun;
}

void add_change(AskResult& held, AskResult change) {
  const bool is_next = continues(held, change);
  for (std::size_t c = 0; is_next && c < std::min(held.answers.size(), change.answers.size()); ++c) {
    std::vector<AskToken>& tokens = held.answers[c].tokens;
    AskAnswer& added = change.answers[c];
    tokens.resize(std::min(tokens.size(), std::exchange(added.first, 0)));
    tokens.insert(tokens.end(), std::move_iterator(added.tokens.begin()), std::move_iterator(added.tokens.end()));
    added.tokens = std::move(tokens);
  }
  held = std::move(change);
}

std::shared_ptr<const AskResult> Asker::asked() const {
  auto whole = asked_since({});
  return whole ? std::make_shared<const AskResult>(*std::move(whole)) : nullptr;
}

}  // namespace kvantage::inline ports
