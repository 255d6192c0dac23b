#include "profiles/run_library.h"

#include "core/ports/run_calibration.h"
#include "profiles/connections.h"
#include "profiles/run_file.h"
#include "profiles/run_notes.h"
#include "profiles/run_owner.h"
#include "profiles/run_store.h"
#include "profiles/stores.h"

namespace kvantage::inline profiles {

namespace {

constexpr const char* metrics_name = "figures";

class SqliteRunLibrary final : public RunLibrary {
 public:
  SqliteRunLibrary(std::filesystem::path path, std::unique_ptr<Stores> stores, std::unique_ptr<DatabaseWriter> writer,
                   std::shared_ptr<const Clock> clock)
      : path_(path),
        owners_(path),
        stores_(std::move(stores)),
        connections_(std::move(path), DatabaseMode::read, std::move(writer), std::move(clock)) {}

  std::filesystem::path database() const override { return path_; }

  Expected<std::vector<ListedRun>> list(std::int64_t settings_after) override {
    KV_ASSIGN(auto reader, connections_.read());
    KV_ASSIGN(
        auto select,
        reader->prepare("SELECT r.id, r.run_id, r.started_utc_ns, r.finished_utc_ns, r.policy, r.outcome, r.requests, "
                        "CASE WHEN r.id > ?1 THEN r.settings END, n.value, f.value FROM runs AS r "
                        "LEFT JOIN results AS n ON n.run = r.id AND n.name = 'notes' "
                        "LEFT JOIN results AS f ON f.run = r.id AND f.name = 'figures' ORDER BY r.id"));
    select.bind(1, settings_after);
    std::vector<ListedRun> runs;
    for (;;) {
      KV_ASSIGN(auto row, select.step());
      if (!row) return runs;
      ListedRun run;
      run.row = select.integer(0);
      run.summary = {select.text(1), select.integer(2), select.integer(3),
                     select.text(4), select.text(5),    static_cast<std::uint64_t>(select.integer(6)),
                     Json()};
      if (run.summary.finished_utc_ns == 0 && owners_.is_held_elsewhere(run.row))
        run.summary.outcome = recording_outcome;
      const std::string name = "run " + run.summary.run_id;
      if (!select.is_null(7)) {
        KV_ASSIGN(auto settings, parse_json(select.text(7), name + ": settings"));
        run.summary.settings = std::move(settings);
      }
      if (!select.is_null(8)) {
        KV_ASSIGN(auto json, parse_json(select.text(8), name + ": notes"));
        KV_TRY(json_into(json, run.notes, name + ": notes"));
      }
      if (!select.is_null(9)) run.metrics = parse_json(select.text(9), name + ": figures").value_or(Json());
      runs.push_back(std::move(run));
    }
  }

  Expected<RecordsAfter> records_after(const std::string& run_id, std::int64_t place) override {
    KV_ASSIGN(auto reader, connections_.read());
    KV_ASSIGN(auto select, reader->prepare("SELECT e.id, e.body FROM events AS e WHERE e.run = (SELECT id FROM runs "
                                           "WHERE run_id = ?1) AND e.type = ?2 "
                                           "AND "
                                           "e.id > ?3 ORDER BY e.id"));
    select.bind(1, run_id).bind(2, event_type(events::RequestFinished{})).bind(3, place);
    RecordsAfter found{{}, place};
    for (;;) {
      KV_ASSIGN(auto row, select.step());
      if (!row) return found;
      found.place = select.integer(0);
      KV_ASSIGN(const auto body, parse_json(select.text(1), "run " + run_id + ": event"));
      KV_ASSIGN(auto event, event_from_json(body));
      if (auto* finished = std::get_if<events::RequestFinished>(&event.payload))
        found.records.push_back(std::move(finished->record));
    }
  }

  Expected<WholeRun> read(const std::string& run_id, const std::vector<std::string>& types,
                          const ShouldContinue& should_continue) override {
    KV_ASSIGN(auto summary, summary_of(run_id));
    KV_ASSIGN(auto events, journal_.watched_events(run_id, types, should_continue));
    KV_ASSIGN(auto calibration, read_calibration(stores_->runs(), run_id));
    return WholeRun{std::move(summary), std::move(events), std::move(calibration)};
  }

  Status save_notes(const std::string& run_id, const RunNotes& notes) override {
    RunNotes valid{valid_utf8(notes.text), {}};
    for (const std::string& tag : notes.tags) valid.tags.push_back(valid_utf8(tag));
    return stores_->runs().save_result(run_id, notes_result_name, json_from(valid));
  }
  Status save_metrics(const std::string& run_id, const Json& metrics) override {
    return stores_->runs().save_result(run_id, metrics_name, metrics);
  }

  Status remove(const std::string& run_id) override {
    return connections_.write([this, run_id](Database& database) -> Status {
      KV_ASSIGN(auto select, database.prepare("SELECT id FROM runs WHERE run_id = ?1 AND finished_utc_ns = 0"));
      select.bind(1, run_id);
      KV_ASSIGN(auto open_run, select.step());
      if (open_run && owners_.is_held_elsewhere(select.integer(0)))
        return fail(ErrorCode::busy,
                    database.name() + ": run '" + run_id + "' is still being recorded; stop it first, then delete it");
      select.reset();
      for (const char* sql : {"DELETE FROM events WHERE run = (SELECT id FROM runs WHERE run_id = ?1)",
                              "DELETE FROM results WHERE run = (SELECT id FROM runs WHERE run_id = ?1)",
                              "DELETE FROM runs WHERE run_id = ?1"}) {
        KV_ASSIGN(auto erase, database.prepare(sql));
        erase.bind(1, run_id);
        KV_TRY(erase.run());
      }
      if (database.changed_rows() == 0)
        return fail(ErrorCode::not_found, database.name() + ": has no run '" + run_id + "'; it was deleted before");
      return {};
    });
  }

  // Reading is half of the work.
  Status export_file(const std::string& run_id, const std::filesystem::path& path,
                     const ShouldContinue& should_continue) override {
    return export_run(stores_->runs(), run_id, path, half_of(should_continue, 1),
                      [&] { return journal_.watched_events(run_id, {}, half_of(should_continue, 0)); });
  }
  Expected<std::string> import_file(const std::filesystem::path& path, const ShouldContinue& should_continue) override {
    KV_ASSIGN(const auto imported, journal_.import(path, should_continue));
    return imported.run_id;
  }
  Expected<WholeRun> read_file(const std::filesystem::path& path, const ShouldContinue& should_continue) override {
    std::vector<Event> events;
    KV_ASSIGN(auto file, read_run_file(
                             path,
                             [&events](const RunFile&, Event event) -> Status {
                               events.push_back(std::move(event));
                               return {};
                             },
                             should_continue));
    return WholeRun{std::move(file.summary), std::move(events)};
  }

 private:
  // Reports the first (0) or second (1) half of the work: one counts bytes, the other events.
  static ShouldContinue half_of(const ShouldContinue& should_continue, std::uint64_t half) {
    if (!should_continue) return {};
    constexpr std::uint64_t steps = 1000;
    return [&should_continue, half](std::uint64_t done, std::uint64_t total) {
      return should_continue(half * steps + (total > 0 ? done * steps / total : 0), 2 * steps);
    };
  }
  Expected<RunSummary> summary_of(const std::string& run_id) {
    KV_ASSIGN(auto reader, connections_.read());
    KV_ASSIGN(
        auto select,
        reader->prepare(
            "SELECT started_utc_ns, finished_utc_ns, policy, outcome, requests, settings FROM runs WHERE run_id = ?1"));
    select.bind(1, run_id);
    KV_ASSIGN(auto row, select.step());
    if (!row)
      return fail(ErrorCode::not_found, "run '" + run_id + "': is no longer in this database; choose another run");
    KV_ASSIGN(auto settings, parse_json(select.text(5), "run " + run_id + ": settings"));
    return RunSummary{run_id,
                      select.integer(0),
                      select.integer(1),
                      select.text(2),
                      select.text(3),
                      static_cast<std::uint64_t>(select.integer(4)),
                      std::move(settings)};
  }

  std::filesystem::path path_;
  RunOwner owners_;
  std::unique_ptr<Stores> stores_;
  Connections connections_;
  SqliteRunStore journal_{connections_};
};

}  // namespace

Expected<std::unique_ptr<RunLibrary>> open_run_library(const std::filesystem::path& database,
                                                       std::shared_ptr<const Clock> clock) {
  // Migrates the file to the current schema.
  KV_ASSIGN(auto stores, open_stores(database, StoreAccess::read_write, clock));
  KV_ASSIGN(auto connection, Database::open(database, DatabaseMode::create));
  KV_TRY(connection.execute("PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON"));
  return std::make_unique<SqliteRunLibrary>(database, std::move(stores),
                                            std::make_unique<DatabaseWriter>(std::move(connection)), std::move(clock));
}

}  // namespace kvantage::inline profiles
