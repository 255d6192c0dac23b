#include "core/runtime/catalog.h"

#include <algorithm>
#include <numeric>

#include "core/base/json.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline runtime {

Expected<std::unique_ptr<Catalog>> Catalog::build(const Workload& workload, const ModelRuntime& runtime) {
  struct Item {
    ContextState state;
    ContextDetails details;
  };
  std::vector<Item> items(workload.contexts.size());
  const int longest = runtime.model->config().max_positions;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const WorkloadContext& context = workload.contexts[i];
    Item& item = items[i];
    item.details.tokens = runtime.prompt->encode_context(context.text);
    item.details.family = context.family;
    const auto tokens = static_cast<int>(item.details.tokens.size());
    if (tokens + 256 > longest)
      return fail(ErrorCode::rejected_input, "context '" + context.id + "': " + std::to_string(tokens) +
                                                 " tokens leave no room for a question (the model has " +
                                                 std::to_string(longest) +
                                                 " positions); shorten it or use another model");
    item.state.key = context_key(runtime.identity, item.details.tokens).digest;
    item.state.id = context.id;
    item.state.family = context.family;
    item.state.tokens = tokens;
    const OriginalBytes bytes = original_bytes(runtime, item.details.tokens.size());
    item.state.full_bytes = bytes.entry;
    item.state.windowed_bytes = bytes.windowed;
  }
  for (const WorkloadQuestion& question : workload.questions) {
    CatalogQuestion known;
    known.text = question.question;
    known.gold = question.gold;
    known.other_golds = question.other_golds;
    known.max_answer_tokens = question.max_answer_tokens;
    known.held_out = question.split == QuestionSplit::held_out;
    known.tokens = runtime.prompt->encode_question(question.question);
    const std::size_t needed = items[question.context].details.tokens.size() + known.tokens.size() +
                               static_cast<std::size_t>(question.max_answer_tokens);
    if (needed > static_cast<std::size_t>(longest))
      return fail(ErrorCode::rejected_input, "context '" + printable(items[question.context].state.id) +
                                                 "': with a question and its longest answer " + std::to_string(needed) +
                                                 " tokens (the model has " + std::to_string(longest) +
                                                 " positions); shorten it or use another model");
    items[question.context].details.questions.push_back(std::move(known));
  }
  std::ranges::sort(items, {}, [](const Item& item) { return item.state.key; });
  auto catalog = std::make_unique<Catalog>();
  for (Item& item : items) {
    if (!catalog->policy_.snapshot.contexts.empty() && catalog->policy_.snapshot.contexts.back().key == item.state.key)
      return fail(ErrorCode::rejected_input, "context '" + item.state.id + "': has the same tokens as context '" +
                                                 catalog->policy_.snapshot.contexts.back().id + "'; remove one");
    catalog->by_id_[item.state.id] = catalog->details_.size();
    catalog->policy_.snapshot.contexts.push_back(std::move(item.state));
    catalog->details_.push_back(std::move(item.details));
  }
  for (std::size_t i = 0; i < catalog->size(); ++i)
    catalog->prefixes_.insert(catalog->state(i).key, catalog->details_[i].tokens);
  return catalog;
}

std::optional<std::size_t> Catalog::index_of(const Digest128& key) const {
  const auto& contexts = policy_.snapshot.contexts;
  const auto found = std::ranges::lower_bound(contexts, key, {}, &ContextState::key);
  if (found == contexts.end() || found->key != key) return std::nullopt;
  return static_cast<std::size_t>(found - contexts.begin());
}

std::optional<std::size_t> Catalog::index_of_id(const std::string& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

std::size_t Catalog::longest() const {
  std::size_t longest = 0;
  for (std::size_t c = 1; c < size(); ++c)
    if (state(c).tokens > state(longest).tokens) longest = c;
  return longest;
}

std::uint64_t Catalog::full_bytes() const {
  const auto& contexts = policy_.snapshot.contexts;
  return std::accumulate(contexts.begin(), contexts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ContextState& context) { return sum + context.full_bytes; });
}

std::map<std::string, std::uint64_t> Catalog::bytes_by_method(int tier) const {
  std::map<std::string, std::uint64_t> bytes;
  for (const ContextState& context : policy_.snapshot.contexts)
    if (context.placement.tier == tier) bytes[context.placement.method] += context.stored_bytes;
  return bytes;
}

void Catalog::clear_placement(std::size_t index) {
  state(index).placement = {};
  state(index).stored_bytes = 0;
  details(index).entry = {};
  details(index).forget_header();
}

}  // namespace kvantage::inline runtime
