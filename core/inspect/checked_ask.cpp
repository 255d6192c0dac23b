#include "core/inspect/checked_ask.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/workload/workload.h"

namespace kvantage::inline inspection {
namespace {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

Expected<std::size_t> tier_named(const std::string& name, const Snapshot& snapshot) {
  const auto at = std::ranges::find(snapshot.tiers, name, &TierState::name);
  if (at != snapshot.tiers.end()) return static_cast<std::size_t>(at - snapshot.tiers.begin());
  std::string names;
  for (const TierState& tier : snapshot.tiers) names += (names.empty() ? "" : ", ") + tier.name;
  return fail(ErrorCode::usage, "ask: this session has no tier '" + name + "'; choose one of " + names);
}

Expected<AskForm> form_of(const AskColumn& column, const Snapshot& snapshot) {
  AskForm form{.method = nullptr, .column = column, .tier = std::nullopt};
  KV_ASSIGN(form.method, parse_method(column.method));
  if (!(column.removed_fraction >= 0 && column.removed_fraction < 1))
    return fail(ErrorCode::usage, "ask: removed fraction " + std::to_string(column.removed_fraction) +
                                      ": not in [0, 1); give the share of tokens to remove");
  form.column.method = form.method->text();
  if (!form.method->info().removes_tokens) form.column.removed_fraction = 0;
  if (column.tier.empty()) return form;
  KV_ASSIGN(form.tier, tier_named(column.tier, snapshot));
  return form;
}

/// As Catalog::build, of one context. A text that exceeds the tokenizer's budget throws there.
Expected<std::shared_ptr<const Catalog>> catalog_of(const std::string& text, const ModelRuntime& runtime) {
  Workload workload;
  workload.contexts.push_back({.id = "text", .family = {}, .text = text});
  const auto refused = [](const Error& error) { return fail(ErrorCode::usage, "ask: " + error.message); };
  try {
    auto catalog = Catalog::build(workload, runtime);
    if (!catalog) return refused(catalog.error());
    return std::shared_ptr<const Catalog>(std::move(*catalog));
  } catch (const EncodingError& error) {
    return refused(error.error());
  }
}

}  // namespace

Expected<CheckedAsk> checked_ask(const AskRequest& request, const EngineServices& services) {
  const ModelRuntime& runtime = services.runtime;
  CheckedAsk checked;
  if (request.columns.empty() || request.columns.size() > max_ask_columns)
    return fail(ErrorCode::usage, "ask: " + std::to_string(request.columns.size()) + " columns; choose 1 to " +
                                      std::to_string(max_ask_columns));
  if (is_blank(request.question)) return fail(ErrorCode::usage, "ask: the question is empty; type one");
  checked.forms.reserve(request.columns.size());
  for (const AskColumn& column : request.columns) {
    KV_ASSIGN(auto form, form_of(column, services.catalog.snapshot()));
    checked.forms.push_back(std::move(form));
  }
  if (request.context.empty()) {
    if (is_blank(request.text))
      return fail(ErrorCode::usage, "ask: there is no text; choose a context of the workload or enter a text");
    KV_ASSIGN(checked.own, catalog_of(request.text, runtime));
  } else if (const auto context = services.catalog.index_of_id(request.context)) {
    checked.context = *context;
  } else {
    return fail(ErrorCode::usage,
                "ask: context '" + request.context + "' is not in this workload; choose one of its contexts");
  }
  auto question = runtime.prompt->try_encode_question(request.question);
  if (!question) return fail(ErrorCode::usage, "ask: the question: " + question.error().message);
  checked.question = std::move(*question);
  const std::size_t tokens = checked.catalog(services).details(checked.context).tokens.size() + checked.question.size();
  const auto positions = static_cast<std::size_t>(runtime.model->config().max_positions);
  if (tokens > positions)
    return fail(ErrorCode::usage, "ask: text and question have " + std::to_string(tokens) + " tokens, more than the " +
                                      std::to_string(positions) + " positions of the model; shorten them");
  return checked;
}

}  // namespace kvantage::inline inspection
