#include "profiles/run_store.h"

#include <algorithm>

#include "core/base/shown_text.h"
#include "profiles/run_file.h"
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

/// Inserts events of one run. They are serialized to JSON here, on the writer's thread, not on the serving thread.
class EventInserts {
 public:
  static Expected<EventInserts> prepare(Database& database, std::int64_t run) {
    KV_ASSIGN(auto insert,
              database.prepare(
                  "INSERT INTO events (run, sequence, type, request, utc_ns, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
    return EventInserts(run, std::move(insert));
  }
  Status add(const Event& event) {
    insert_.bind(1, run_).bind(2, static_cast<std::int64_t>(event.sequence)).bind(3, event_type(event.payload));
    if (const auto request = std::visit(RequestOf{}, event.payload))
      insert_.bind(4, static_cast<std::int64_t>(*request));
    else
      insert_.bind_null(4);
    insert_.bind(5, event.utc_ns).bind(6, dump_json(to_json(event)));
    KV_TRY(insert_.run());
    if (std::holds_alternative<events::RequestFinished>(event.payload)) ++finished_;
    return {};
  }
  std::int64_t run() const { return run_; }
  /// Counts the finished requests of what was added.
  Status count_requests(Database& database) const {
    if (finished_ == 0) return {};
    return database.execute("UPDATE runs SET requests = requests + " + std::to_string(finished_) +
                            " WHERE id = " + std::to_string(run_));
  }

 private:
  EventInserts(std::int64_t run, Statement insert) : run_(run), insert_(std::move(insert)) {}
  std::int64_t run_;
  Statement insert_;
  std::uint64_t finished_ = 0;
};

DatabaseChange insert_event(std::int64_t run, const Event& event) {
  return [run, event](Database& database) -> Status {
    KV_ASSIGN(auto inserts, EventInserts::prepare(database, run));
    KV_TRY(inserts.add(event));
    return inserts.count_requests(database);
  };
}

/// The new row of a run that was recorded elsewhere.
Expected<std::int64_t> insert_imported(Database& database, const RunSummary& summary) {
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
  return database.last_insert_id();
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

constexpr const char* summary_columns =
    "SELECT run_id, started_utc_ns, finished_utc_ns, policy, outcome, requests, settings";

Expected<RunSummary> summary_in(const Statement& row, const std::string& name) {
  auto settings = parse_json(row.text(6), "settings");
  if (!settings) return damaged(name, settings.error().message);
  return RunSummary{row.text(0),         row.integer(1), row.integer(2),
                    row.text(3),         row.text(4),    static_cast<std::uint64_t>(row.integer(5)),
                    *std::move(settings)};
}

/// What tells runs apart in a list: whole settings of many runs fill the memory.
Json what_lists_show(const Json& settings) {
  Json shown = Json::object();
  for (const char* place : {"/group", "/environment/workload"}) {
    const Json::json_pointer pointer(place);
    if (settings.contains(pointer) && settings.at(pointer).is_string())
      shown[pointer] = shortened(settings.at(pointer).get_ref<const std::string&>());
  }
  return shown;
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
    KV_ASSIGN(const auto run, insert_imported(database, summary));
    KV_ASSIGN(auto inserts, EventInserts::prepare(database, run));
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (should_continue && i % cancel_check_rows == 0 && !should_continue(i, events.size()))
        return import_given_up(summary.run_id);
      KV_TRY(inserts.add(events[i]));
    }
    KV_TRY(inserts.count_requests(database));
    if (should_continue && !should_continue(events.size(), events.size())) return import_given_up(summary.run_id);
    return notes == RunNotes{} ? Status{} : insert_result(database, run, notes_result_name, json_from(notes));
  });
}

Expected<Stores::ImportedRun> SqliteRunStore::import(const std::filesystem::path& file,
                                                     const ShouldContinue& should_continue) {
  Stores::ImportedRun imported;
  KV_TRY(connections_.write([&](Database& database) -> Status {  // an error takes everything back
    imported = {};
    std::optional<EventInserts> inserts;
    const auto begin = [&](const RunFile& head) -> Status {
      KV_ASSIGN(const auto run, insert_imported(database, head.summary));
      KV_ASSIGN(inserts, EventInserts::prepare(database, run));
      return {};
    };
    KV_ASSIGN(const auto head, read_run_file(
                                   file,
                                   [&](const RunFile& of, const Event& event) -> Status {
                                     if (!inserts) KV_TRY(begin(of));
                                     ++imported.events;
                                     return inserts->add(event);
                                   },
                                   should_continue));
    if (!inserts) KV_TRY(begin(head));  // a run without events
    KV_TRY(inserts->count_requests(database));
    imported.run_id = head.summary.run_id;
    if (head.notes == RunNotes{}) return {};
    return insert_result(database, inserts->run(), notes_result_name, json_from(head.notes));
  }));
  return imported;
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
  constexpr std::int64_t most_settings_bytes = 32 << 20;
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(const auto settings_bytes, reader->integer("SELECT total(length(settings)) FROM runs"));
  KV_ASSIGN(auto select, reader->prepare(summary_columns + std::string(" FROM runs ORDER BY id")));
  std::vector<RunSummary> runs;
  for (;;) {
    KV_ASSIGN(auto row, select.step());
    if (!row) return runs;
    KV_ASSIGN(auto run, summary_in(select, connections_.name()));
    if (settings_bytes > most_settings_bytes) run.settings = what_lists_show(run.settings);
    runs.push_back(std::move(run));
  }
}

Expected<RunSummary> SqliteRunStore::run(const std::string& run_id) {
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(auto select, reader->prepare(summary_columns + std::string(" FROM runs WHERE run_id = ?1")));
  select.bind(1, run_id);
  KV_ASSIGN(auto row, select.step());
  if (!row) return fail(ErrorCode::not_found, "no recorded run '" + run_id + "'; choose another run");
  return summary_in(select, connections_.name());
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
