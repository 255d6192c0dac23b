#include "profiles/schema.h"

#include <algorithm>
#include <array>

namespace kvantage::inline profiles {
namespace {

constexpr std::int64_t full_check_limit_bytes = 64 << 20;

constexpr std::array<const char*, 3> steps{// 1: data on contexts and tiers.
                                           R"sql(
CREATE TABLE profile_scopes (
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,           -- digest, 32 hexadecimal digits
  workload TEXT NOT NULL,        -- digest
  quality_metric TEXT NOT NULL,
  UNIQUE (model, workload, quality_metric)
);
CREATE TABLE profile_cells (
  scope INTEGER NOT NULL REFERENCES profile_scopes (id),
  context TEXT NOT NULL,         -- digest
  context_id TEXT NOT NULL,      -- as in the workload
  family TEXT NOT NULL,
  method TEXT NOT NULL,
  removed_fraction REAL NOT NULL,
  quality REAL, quality_low REAL, quality_high REAL,
  n INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  kept_tokens INTEGER NOT NULL,
  scores TEXT NOT NULL,          -- JSON array, one number per profile question
  saved_utc_ns INTEGER NOT NULL,
  PRIMARY KEY (scope, context, method, removed_fraction)
);
CREATE TABLE tier_fits (
  id INTEGER PRIMARY KEY,        -- ascending in time: the newest of a signature counts
  signature TEXT NOT NULL,
  latency_seconds REAL NOT NULL,
  bytes_per_second REAL NOT NULL,
  decode_seconds_per_token REAL NOT NULL,
  residual_seconds REAL NOT NULL,
  samples INTEGER NOT NULL,
  saved_utc_ns INTEGER NOT NULL
);
CREATE INDEX tier_fits_by_signature ON tier_fits (signature);
CREATE TABLE named_values (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL            -- JSON
);
)sql",
                                           // 2: runs and their journal.
                                           R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  started_utc_ns INTEGER NOT NULL,
  finished_utc_ns INTEGER NOT NULL DEFAULT 0,  -- 0: still running or killed
  policy TEXT NOT NULL,
  outcome TEXT NOT NULL DEFAULT '',
  requests INTEGER NOT NULL DEFAULT 0,         -- finished ones in the journal
  settings TEXT NOT NULL                       -- JSON
);
CREATE TABLE events (
  id INTEGER PRIMARY KEY,        -- order of the journal
  run INTEGER NOT NULL REFERENCES runs (id),
  sequence INTEGER NOT NULL,     -- gap-free within a run
  type TEXT NOT NULL,            -- "request.finished", ...
  request INTEGER,               -- id of the request, if the event is about one
  utc_ns INTEGER NOT NULL,
  body TEXT NOT NULL             -- the whole event, JSON
);
CREATE INDEX events_by_run ON events (run);
CREATE INDEX events_by_type ON events (run, type);
CREATE INDEX events_by_request ON events (run, request) WHERE request IS NOT NULL;
)sql",
                                           // 3: results computed from a run.
                                           R"sql(
CREATE TABLE results (
  run INTEGER NOT NULL REFERENCES runs (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL,           -- JSON
  PRIMARY KEY (run, name)
);
)sql"};

tl::unexpected<Error> not_ours(const Database& database) {
  return fail(ErrorCode::rejected_input,
              database.name() + ": is a database of another program and is left as it is; choose another --db");
}

// SQLite's own page check stops at the first damage and reports its position.
Status check_pages(Database& database) {
  KV_ASSIGN(auto pages, database.integer("PRAGMA page_count"));
  KV_ASSIGN(auto page_bytes, database.integer("PRAGMA page_size"));
  if (pages > full_check_limit_bytes / page_bytes) return {};
  KV_ASSIGN(auto check, database.prepare("PRAGMA quick_check(1)"));
  KV_ASSIGN(auto row, check.step());
  if (std::string found = row ? check.text(0) : "no answer"; found != "ok") {
    std::ranges::replace(found, '\n', ' ');
    return fail(ErrorCode::corrupt, database.name() + ": damaged (" + found +
                                        "); it is left as it is: move it aside or restore a copy, then start again");
  }
  return {};
}

// Checks that every table and column of the steps exists, so that a file with a damaged or edited catalog is rejected
// up front.
Status check_tables(Database& database) {
  constexpr std::array<const char*, 6> probes{
      "SELECT id, model, workload, quality_metric FROM profile_scopes",
      "SELECT scope, context, context_id, family, method, removed_fraction, quality, quality_low, quality_high, n, "
      "bytes, "
      "kept_tokens, scores, saved_utc_ns FROM profile_cells",
      "SELECT id, signature, latency_seconds, bytes_per_second, decode_seconds_per_token, residual_seconds, samples, "
      "saved_utc_ns FROM tier_fits",
      "SELECT key, value FROM named_values",
      "SELECT r.id, run_id, started_utc_ns, finished_utc_ns, policy, outcome, requests, settings, e.id, e.run, "
      "sequence, "
      "type, request, utc_ns, body FROM runs AS r, events AS e",
      "SELECT run, name, value FROM results"};
  for (const char* probe : probes) {
    auto statement = database.prepare(probe);
    if (!statement)
      return fail(statement.error().code == ErrorCode::internal ? ErrorCode::corrupt : statement.error().code,
                  statement.error().message + "; the file is left as it is: move it aside, then start again");
  }
  return {};
}

}  // namespace

std::int64_t known_schema_version() { return static_cast<std::int64_t>(steps.size()); }

Expected<std::int64_t> check_schema(Database& database) {
  KV_ASSIGN(auto version, database.integer("PRAGMA user_version"));
  KV_ASSIGN(auto application, database.integer("PRAGMA application_id"));
  KV_ASSIGN(auto tables, database.integer("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0 && version == 0 && application == 0) return 0;
  if (application != application_id || version < 1) return not_ours(database);
  if (version > known_schema_version())
    return fail(ErrorCode::rejected_input,
                database.name() + ": was written by a newer version of this program (schema " +
                    std::to_string(version) + ", known up to " + std::to_string(known_schema_version()) +
                    "); use that version or choose another --db");
  KV_TRY(database.refuse_foreign_schema());  // before anything that a schema can make slow
  KV_TRY(check_pages(database));
  if (version == known_schema_version()) KV_TRY(check_tables(database));
  return version;
}

Status migrate_schema(Database& database) {
  KV_ASSIGN(auto transaction, Transaction::begin(database));
  // Read under the lock: another process may have been first.
  KV_ASSIGN(auto version, database.integer("PRAGMA user_version"));
  for (std::size_t step = static_cast<std::size_t>(version); step < steps.size(); ++step)
    KV_TRY(database.execute(steps[step]));
  KV_TRY(database.execute("PRAGMA application_id = " + std::to_string(application_id)));
  KV_TRY(database.execute("PRAGMA user_version = " + std::to_string(known_schema_version())));
  return transaction.commit();
}

}  // namespace kvantage::inline profiles
