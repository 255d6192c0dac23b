#include "profiles/run_store.h"

#include <algorithm>

#include "profiles/run_notes.h"

namespace kvantage::inline profiles {
namespace {

struct RequestOf {
  template <class T>
  std::optional<std::uint64_t> operator()(const T& payload) const {
    if constexpr (requires { payload.record.id; })
      return payload.record.id;
    else if constexpr (requires { payload.request; })
      return payload.request;
    else if constexpr (std::is_same_v<T, events::RequestStarted>)
      return payload.id;
    else
      return std::nullopt;
  }
};

// The event is serialized to JSON here, on the writer's thread, not on the serving thread.
DatabaseChange insert_event(std::int64_t run, const Event& event) {
  return [run, event](Database& database) -> Status {
    KV_ASSIGN(auto insert,
              database.prepare(
                  "INSERT INTO events (run, sequence, type, request, utc_ns, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    insert.bind(1, run).bind(2, static_cast<std::int64_t>(event.sequence)).bind(3, event_type(event.payload));
    if (const auto request = std::visit(RequestOf{}, event.payload))
      insert.bind(4, static_cast<std::int64_t>(*request));
    else
      insert.bind_null(4);
    insert.bind(5, event.utc_ns).bind(6, dump_json(to_json(event)));
    KV_TRY(insert.run());
    if (!std::holds_alternative<events::RequestFinished>(event.payload)) return {};
    return database.execute("UPDATE runs SET requests = requests + 1 WHERE id = " + std::to_string(run));
  };
}

Expected<std::int64_t> row_of_run(Database& database, const std::string& run_id) {
  KV_ASSIGN(auto select, database.prepare("SELECT id FROM runs WHERE run_id = ?1"));
  select.bind(1, run_id);
  KV_ASSIGN(auto row, select.step());
  if (!row) return fail(ErrorCode::not_found, database.name() + ": has no run '" + run_id + "'; check the run's name");
  const std::int64_t id = select.integer(0);
  select.reset();
  return id;
}

Status insert_result(Database& database, std::int64_t run, const std::string& name, const Json& value) {
  KV_ASSIGN(auto insert, database.prepare("INSERT OR REPLACE INTO results (run, name, value) VALUES (?1, ?2, ?3)"));
  insert.bind(1, run).bind(2, name).bind(3, dump_json(value));
  return insert.run();
}

// At the top level or within the session's settings.
std::string policy_of(const Json& settings) {
  for (const char* place : {"/policy", "/settings/policy"}) {
    const Json::json_pointer pointer(place);
    if (settings.contains(pointer) && settings.at(pointer).is_string()) return settings.at(pointer).get<std::string>();
  }
  return {};
}

tl::unexpected<Error> damaged(const std::string& name, const std::string& reason) {
  return fail(ErrorCode::corrupt,
              name + ": damaged entry (" + reason + "); it is left as it is: move the file aside, then start again");
}

// the check costs more than an event
constexpr std::size_t cancel_check_rows = 256;

tl::unexpected<Error> import_given_up(const std::string& run_id) {
  return fail(ErrorCode::cancelled, "run '" + run_id + "': canceled; start it again");
}

}  // namespace

Status SqliteRunStore::import(const RunSummary& summary, const std::vector<Event>& events, const RunNotes& notes,
                              const ShouldContinue& should_continue) {
  return connections_.write([&](Database& database) -> Status {
    KV_ASSIGN(auto insert, database.prepare("INSERT INTO runs (run_id, started_utc_ns, finished_utc_ns, policy, "
                                            "outcome, settings) VALUES (?1, ?2, ?3, ?4, "
                                            "?5, ?6) "
                                            "ON CONFLICT DO NOTHING"));
    insert.bind(1, summary.run_id).bind(2, summary.started_utc_ns).bind(3, summary.finished_utc_ns);
    insert.bind(4, valid_utf8(summary.policy)).bind(5, summary.outcome).bind(6, dump_json(summary.settings));
    KV_TRY(insert.run());
    if (database.changed_rows() == 0)
      return fail(ErrorCode::rejected_input, database.name() + ": has run '" + summary.run_id +
                                                 "' already; nothing was imported: choose another --db");
    const std::int64_t run = database.last_insert_id();
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (should_continue && i % cancel_check_rows == 0 && !should_continue(i, events.size()))
        return import_given_up(summary.run_id);
      KV_TRY(insert_event(run, events[i])(database));
    }
    if (should_continue && !should_continue(events.size(), events.size())) return import_given_up(summary.run_id);
    return notes == RunNotes{} ? Status{} : insert_result(database, run, notes_result_name, json_from(notes));
  });
}

Status SqliteRunStore::begin_run(const std::string& run_id, const Json& settings) {
  const std::string policy_name = valid_utf8(policy_of(settings));
  std::int64_t run = 0;
  const Status begun = connections_.write([&, now = connections_.utc_ns()](Database& database) -> Status {
    KV_ASSIGN(auto insert, database.prepare("INSERT INTO runs (run_id, started_utc_ns, policy, settings) VALUES (?1, "
                                            "?2, ?3, ?4) ON CONFLICT DO NOTHING"));
    insert.bind(1, run_id).bind(2, now).bind(3, policy_name).bind(4, dump_json(settings));
    KV_TRY(insert.run());
    if (database.changed_rows() == 0)
      return fail(ErrorCode::rejected_input,
                  database.name() + ": has a run '" + run_id + "' already; give the new run another name");
    run = database.last_insert_id();
    owner_.hold(run);  // before the run becomes visible
    return {};
  });
  if (!begun) return begun;
  const std::lock_guard lock(mutex_);
  current_run_ = run;
  for (const Event& event : std::exchange(early_, {})) connections_.writer()->post(insert_event(run, event));
  return {};
}

void SqliteRunStore::append(const Event& event) {
  if (connections_.writer() == nullptr) return;  // no run can have begun
  const std::lock_guard lock(mutex_);
  if (current_run_ == 0)
    early_.push_back(event);
  else
    connections_.writer()->post(insert_event(current_run_, event));
}

Status SqliteRunStore::flush() { return connections_.writer() == nullptr ? Status{} : connections_.writer()->flush(); }

std::optional<Error> SqliteRunStore::take_trouble() {
  return connections_.writer() == nullptr ? std::nullopt : connections_.writer()->take_trouble();
}

Status SqliteRunStore::finish_run(const std::string& run_id, const std::string& outcome) {
  std::int64_t ended = 0;
  const Status finished = connections_.write([&, now = connections_.utc_ns()](Database& database) -> Status {
    KV_ASSIGN(auto run, row_of_run(database, run_id));
    KV_ASSIGN(auto update, database.prepare("UPDATE runs SET finished_utc_ns = ?2, outcome = ?3 WHERE id = ?1"));
    ended = run;
    update.bind(1, run).bind(2, now).bind(3, outcome);
    return update.run();
  });
  if (finished) owner_.release(ended);
  return finished ? flush() : finished;
}

Expected<std::vector<RunSummary>> SqliteRunStore::runs() {
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(
      auto select,
      reader->prepare(
          "SELECT run_id, started_utc_ns, finished_utc_ns, policy, outcome, requests, settings FROM runs ORDER BY id"));
  std::vector<RunSummary> runs;
  for (;;) {
    KV_ASSIGN(auto row, select.step());
    if (!row) return runs;
    auto settings = parse_json(select.text(6), "settings");
    if (!settings) return damaged(connections_.name(), settings.error().message);
    runs.push_back({select.text(0), select.integer(1), select.integer(2), select.text(3), select.text(4),
                    static_cast<std::uint64_t>(select.integer(5)), *std::move(settings)});
  }
}

Expected<std::vector<Event>> SqliteRunStore::events(const std::string& run_id, const std::vector<std::string>& types) {
  return watched_events(run_id, types, {});
}

Expected<std::vector<Event>> SqliteRunStore::watched_events(const std::string& run_id,
                                                            const std::vector<std::string>& types,
                                                            const ShouldContinue& should_continue) {
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(auto run, row_of_run(*reader.operator->(), run_id));
  std::string where = " FROM events WHERE run = ?1";
  for (std::size_t i = 0; i < types.size(); ++i) where += (i == 0 ? " AND type IN (?" : ", ?") + std::to_string(i + 2);
  if (!types.empty()) where += ")";
  const auto bind = [&](Statement& statement) {
    statement.bind(1, run);
    for (std::size_t i = 0; i < types.size(); ++i) statement.bind(static_cast<int>(i) + 2, types[i]);
  };
  std::uint64_t total = 0;
  if (should_continue) {
    KV_ASSIGN(auto count, reader->prepare("SELECT COUNT(*)" + where));
    bind(count);
    KV_TRY(count.step());
    total = static_cast<std::uint64_t>(count.integer(0));
  }
  KV_ASSIGN(auto select, reader->prepare("SELECT body" + where + " ORDER BY id"));
  bind(select);
  std::vector<Event> found;
  for (;;) {
    if (should_continue && found.size() % cancel_check_rows == 0 &&
        !should_continue(std::min<std::uint64_t>(found.size(), total), total))
      return import_given_up(run_id);
    KV_ASSIGN(auto row, select.step());
    if (!row) return found;
    auto body = parse_json(select.text(0), "event");
    if (!body) return damaged(connections_.name(), body.error().message);
    auto event = event_from_json(*body);
    if (!event) return damaged(connections_.name(), event.error().message);
    found.push_back(*std::move(event));
  }
}

Status SqliteRunStore::save_result(const std::string& run_id, const std::string& name, const Json& value) {
  return connections_.write([&](Database& database) -> Status {
    KV_ASSIGN(auto run, row_of_run(database, run_id));
    return insert_result(database, run, name, value);
  });
}

Expected<std::optional<Json>> SqliteRunStore::load_result(const std::string& run_id, const std::string& name) {
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(auto select,
            reader->prepare("SELECT value FROM results JOIN runs ON runs.id = run WHERE run_id = ?1 AND name = ?2"));
  select.bind(1, run_id).bind(2, name);
  KV_ASSIGN(auto row, select.step());
  if (!row) return std::nullopt;
  auto value = parse_json(select.text(0), "result '" + name + "'");
  if (!value) return damaged(connections_.name(), value.error().message);
  return *std::move(value);
}

}  // namespace kvantage::inline profiles
