#include "app/session_socket/session_requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/did_you_mean.h"
#include "core/base/json_fields.h"
#include "core/ports/recorded_snapshot.h"

namespace kvantage::inline session_socket {
namespace {

constexpr std::array<std::string_view, 6> known_requests{"state", "snapshot", "settings", "decisions", "ask", "stop"};

std::string result_line(const Json& id, Json result) {
  std::string line = dump_json(Json{{"id", id}, {"result", std::move(result)}});
  if (line.size() <= SessionRequests::max_answer_bytes) return line;
  return dump_json(
      Json{{"id", id}, {"error", "the answer has more than 64 MiB; read the recorded run instead"}, {"exit_code", 1}});
}

std::string error_line(const Json& id, const Error& error) {
  return dump_json(Json{{"id", id}, {"error", error.message}, {"exit_code", exit_code(error)}});
}

/// "64MiB", "40%", "unlimited" or a number of bytes; percent of all contexts' uncompressed bytes.
Expected<TierBudget> budget_of(const Json& value, const std::string& tier, const Snapshot* snapshot) {
  const std::string name = "budgets: " + printable(tier) + ": ";
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > 0) return TierBudget(value.get<std::uint64_t>());
  if (!value.is_string())
    return fail(ErrorCode::usage, name + "is neither a number of bytes nor a text; write it like 67108864 or 64MiB");
  auto budget = parse_budget(value.get<std::string>());
  if (!budget) return fail(ErrorCode::usage, name + budget.error().message);
  if (!budget->is_percent()) return budget;
  std::uint64_t full = 0;
  if (snapshot != nullptr)
    for (const ContextState& context : snapshot->contexts) full += context.full_bytes;
  if (full == 0) return fail(ErrorCode::usage, name + "no context is known yet; give bytes, or wait until it is ready");
  return budget->of(full);
}

Status set_budgets(SessionSettings& settings, const Json& budgets, const Snapshot* snapshot) {
  if (!budgets.is_object()) return fail(ErrorCode::usage, "budgets: is no object; write it like {\"dram\": \"64MiB\"}");
  for (const auto& [name, value] : budgets.items()) {
    const auto tier = std::ranges::find(settings.tiers, name, &TierConfig::name);
    if (tier == settings.tiers.end())
      return fail(ErrorCode::usage, "budgets: the session has no tier '" + printable(name) + "'; " +
                                        did_you_mean(name, settings.tiers, "name one of its tiers", &TierConfig::name));
    KV_ASSIGN(tier->budget, budget_of(value, name, snapshot));
  }
  return {};
}

Expected<AskRequest> ask_request_of(const Json& request) {
  KV_TRY(refuse_unknown_fields(request, {"id", "do", "question", "context", "text", "columns"}, "ask"));
  AskRequest ask;
  KV_ASSIGN(ask.question, json_field<std::string>(request, "question", "ask"));
  KV_ASSIGN(ask.context, json_field_or<std::string>(request, "context", "ask", ""));
  KV_ASSIGN(ask.text, json_field_or<std::string>(request, "text", "ask", ""));
  if (!request.contains("columns")) {
    ask.columns.emplace_back();
    return ask;
  }
  const Json& columns = request.at("columns");
  if (!columns.is_array() || columns.empty() || columns.size() > max_ask_columns)
    return fail(ErrorCode::usage, "ask: columns: is no list of 1 to " + std::to_string(max_ask_columns) +
                                      " objects; write it like [{\"method\": \"knorm\", \"removed_fraction\": 0.5}]");
  for (const Json& column : columns) {
    KV_TRY(refuse_unknown_fields(column, {"method", "removed_fraction", "tier"}, "ask: columns"));
    AskColumn form;
    KV_ASSIGN(form.method, json_field_or<std::string>(column, "method", "ask: columns", "none"));
    KV_ASSIGN(form.removed_fraction, json_field_or<double>(column, "removed_fraction", "ask: columns", 0));
    KV_ASSIGN(form.tier, json_field_or<std::string>(column, "tier", "ask: columns", ""));
    ask.columns.push_back(std::move(form));
  }
  return ask;
}

Json answers_json(const AskResult& result) {
  Json answers = Json::array();
  for (const AskAnswer& answer : result.answers) {
    std::string text;
    for (const AskToken& token : answer.tokens) text += token.text;
    answers.push_back({{"method", answer.column.method},
                       {"removed_fraction", answer.column.removed_fraction},
                       {"tier", answer.column.tier},
                       {"text", text},
                       {"tokens", answer.tokens.size()},
                       {"ended", answer.ended},
                       {"ttft_seconds", answer.ttft_seconds},
                       {"text_seconds", answer.text_seconds},
                       {"bytes", answer.bytes},
                       {"bytes_read", answer.bytes_read},
                       {"parts_at", answer.parts_at ? Json(*answer.parts_at) : Json(nullptr)},
                       {"note", answer.note}});
  }
  return {{"answers", answers}, {"seconds", result.seconds}};
}

}  // namespace

std::string SessionRequests::greeting() const {
  return dump_json(Json{{"format", "kvantage-session"}, {"version", 1}, {"program", served_.program}});
}

std::optional<std::string> SessionRequests::answer(std::string_view line, int client) {
  const auto request = parse_json(line, "request");
  if (!request) return error_line(nullptr, Error{ErrorCode::usage, request.error().message});
  const Json id = request->is_object() && request->contains("id") ? request->at("id") : Json(nullptr);
  if (id.is_structured())
    return error_line(nullptr, Error{ErrorCode::usage, "id: is no number or text; write a number"});
  const auto what = json_field<std::string>(*request, "do", "request");
  if (!what) return error_line(id, Error{ErrorCode::usage, what.error().message});
  if (*what == "ask") {
    const Status begun = begin_question(*request, client);
    return begun ? std::nullopt : std::optional(error_line(id, begun.error()));
  }
  auto result = result_of(*what, *request);
  if (!result) {
    Error error = std::move(result).error();
    if (error.code == ErrorCode::rejected_input) error.code = ErrorCode::usage;  // of a request, not of a file
    return error_line(id, error);
  }
  return result_line(id, *std::move(result));
}

Expected<Json> SessionRequests::result_of(const std::string& what, const Json& request) {
  if (what == "state") return state_of(request);
  if (what == "snapshot") return snapshot_of_session(request);
  if (what == "settings") return settings_of(request);
  if (what == "decisions") return decisions_of(request);
  if (what == "stop") return stop_of(request);
  return fail(ErrorCode::usage, "do: '" + printable(what) + "' is unknown; " + did_you_mean(what, known_requests));
}

Expected<Json> SessionRequests::state_of(const Json& request) const {
  KV_TRY(refuse_unknown_fields(request, {"id", "do"}, "state"));
  const SessionInfo info = served_.session.info();
  return Json{{"state", to_string(served_.session.state())},
              {"run_id", info.run_id},
              {"model", info.model_name},
              {"workload", info.workload_name},
              {"device", info.device},
              {"contexts", info.contexts},
              {"questions", info.questions}};
}

Expected<Json> SessionRequests::snapshot_of_session(const Json& request) const {
  KV_TRY(refuse_unknown_fields(request, {"id", "do"}, "snapshot"));
  // One without costs is published while loading, one with them before the session is ready: state first.
  const bool is_loading = served_.session.state() == RunState::loading;
  const auto snapshot = served_.session.snapshot();
  if (snapshot == nullptr || is_loading)
    return fail(ErrorCode::busy, "snapshot: the session is still loading; ask for its state until it is ready");
  Event event;
  event.payload = recorded_snapshot(*snapshot, "socket");
  return to_json(event).at("data");
}

Expected<Json> SessionRequests::settings_of(const Json& request) {
  KV_TRY(refuse_unknown_fields(request, {"id", "do", "alpha", "policy", "budgets"}, "settings"));
  SessionSettings settings = served_.session.settings();
  const bool changes = request.contains("alpha") || request.contains("policy") || request.contains("budgets");
  if (changes) {
    if (!served_.settings_refusal.empty()) return fail(ErrorCode::usage, "settings: " + served_.settings_refusal);
    KV_ASSIGN(settings.alpha, json_field_or<double>(request, "alpha", "settings", settings.alpha));
    KV_ASSIGN(settings.policy, json_field_or<std::string>(request, "policy", "settings", settings.policy));
    const auto snapshot = served_.session.snapshot();
    if (request.contains("budgets")) KV_TRY(set_budgets(settings, request.at("budgets"), snapshot.get()));
    KV_TRY(served_.session.apply(settings));
  }
  return to_json(settings);
}

Expected<Json> SessionRequests::decisions_of(const Json& request) const {
  KV_TRY(refuse_unknown_fields(request, {"id", "do", "since"}, "decisions"));
  KV_ASSIGN(const auto since, json_field_or<std::uint64_t>(request, "since", "decisions", 0));
  DecisionLog::Page page = served_.decisions.since(since);
  return Json{{"events", std::move(page.events)}, {"next", page.next}, {"lost", page.lost}};
}

Expected<Json> SessionRequests::stop_of(const Json& request) {
  KV_TRY(refuse_unknown_fields(request, {"id", "do"}, "stop"));
  served_.stop();
  return Json{{"stopping", true}};
}

Status SessionRequests::begin_question(const Json& request, int client) {
  if (served_.asker == nullptr) return fail(ErrorCode::usage, "ask: this session has no model to ask");
  if (asked_) return fail(ErrorCode::busy, "ask: another question is being answered; ask again when it is");
  auto ask = ask_request_of(request);
  if (!ask) return fail(ErrorCode::usage, ask.error().message);
  const RunState state = served_.session.state();
  if (state == RunState::loading || state == RunState::failed || state == RunState::closed)
    return fail(ErrorCode::busy, std::string("ask: the session is ") + to_string(state) + "; ask when it is ready");
  asked_ = Asked{client, request.contains("id") ? request.at("id") : Json(nullptr), served_.asker->ask(*ask)};
  return {};
}

std::optional<SessionRequests::LateAnswer> SessionRequests::finished_question() {
  if (!asked_) return std::nullopt;
  const auto result = served_.asker->asked();
  const RunState state = served_.session.state();
  const bool over = state == RunState::failed || state == RunState::closed;
  if (!over && (result == nullptr || result->ticket < asked_->ticket)) return std::nullopt;
  if (!over && result->ticket == asked_->ticket && !result->complete) return std::nullopt;
  const Asked asked = *std::exchange(asked_, std::nullopt);
  if (over) return LateAnswer{asked.client, error_line(asked.id, Error{ErrorCode::io, "ask: the session has ended"})};
  if (result->ticket != asked.ticket)
    return LateAnswer{asked.client, error_line(asked.id, Error{ErrorCode::cancelled,
                                                               "ask: another question took its place; ask again"})};
  if (!result->error.empty())
    return LateAnswer{asked.client, error_line(asked.id, Error{ErrorCode::usage, result->error})};
  return LateAnswer{asked.client, result_line(asked.id, answers_json(*result))};
}

void SessionRequests::forget(int client) {
  if (!asked_ || asked_->client != client) return;
  const auto result = served_.asker->asked();
  if (result == nullptr || result->ticket <= asked_->ticket) served_.asker->stop_asking();  // not one of somebody else
  asked_.reset();
}

}  // namespace kvantage::inline session_socket
