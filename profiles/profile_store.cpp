#include "profiles/profile_store.h"

#include <cmath>
#include <limits>

#include "core/base/json_fields.h"

namespace kvantage::inline profiles {
namespace {

constexpr const char* insert_cell =
    "INSERT OR REPLACE INTO profile_cells (scope, context, context_id, family, method, removed_fraction, quality, "
    "quality_low, quality_high, n, bytes, kept_tokens, scores, saved_utc_ns) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
constexpr const char* select_cells =
    "SELECT context, context_id, family, method, removed_fraction, quality, quality_low, quality_high, n, bytes, "
    "kept_tokens, scores FROM profile_cells JOIN profile_scopes ON profile_scopes.id = scope "
    "WHERE model = ?1 AND workload = ?2 AND quality_metric = ?3 ORDER BY context_id, context, method, removed_fraction";

Expected<std::int64_t> scope_row(Database& database, const ProfileScope& scope) {
  KV_ASSIGN(
      auto insert,
      database.prepare(
          "INSERT INTO profile_scopes (model, workload, quality_metric) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING"));
  insert.bind(1, scope.model.hex()).bind(2, scope.workload.hex()).bind(3, scope.quality_metric);
  KV_TRY(insert.run());
  KV_ASSIGN(
      auto select,
      database.prepare("SELECT id FROM profile_scopes WHERE model = ?1 AND workload = ?2 AND quality_metric = ?3"));
  select.bind(1, scope.model.hex()).bind(2, scope.workload.hex()).bind(3, scope.quality_metric);
  KV_TRY(select.step());
  return select.integer(0);
}

// Bytes are stored as SQLite's signed integers: larger values are impossible.
Status check_stored_cell(const ProfileCell& cell) {
  const ProfilePoint& point = cell.point;
  const auto reject = [&](const char* reason) {
    return fail(ErrorCode::rejected_input, "profile of context '" + cell.context_id + "', " + point.method + ": " +
                                               reason + "; nothing was saved");
  };
  if (!std::isfinite(point.removed_fraction) || point.removed_fraction < 0 || point.removed_fraction > 1)
    return reject("removed_fraction is not within 0 and 1");
  if (!std::isfinite(point.quality) || !std::isfinite(point.quality_low) || !std::isfinite(point.quality_high))
    return reject("quality is not a finite number");
  for (const double score : cell.scores)
    if (!std::isfinite(score)) return reject("a score is not a finite number");
  if (point.bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return reject("bytes are out of range");
  return {};
}

Expected<ProfileCell> cell_of(const Statement& row, const std::string& name) {
  const auto damaged = [&](const std::string& reason) {
    return fail(ErrorCode::corrupt, name + ": damaged profile cell (" + reason +
                                        "); it is left as it is: move the file aside, then start again");
  };
  auto context = Digest128::from_hex(row.text(0));
  if (!context) return damaged(context.error().message);
  ProfileCell cell{*context, row.text(1), row.text(2), {}, {}};
  ProfilePoint& point = cell.point;
  point.method = row.text(3);
  point.removed_fraction = row.real(4);
  point.quality = row.real(5);
  point.quality_low = row.real(6);
  point.quality_high = row.real(7);
  point.n = static_cast<int>(row.integer(8));
  point.bytes = static_cast<std::uint64_t>(row.integer(9));
  point.kept_tokens = static_cast<int>(row.integer(10));
  auto scores = parse_json(row.text(11), "scores");
  if (!scores) return damaged(scores.error().message);
  if (Status read = json_into(*scores, cell.scores, "scores"); !read) return damaged(read.error().message);
  if (Status valid = check_stored_cell(cell); !valid) return damaged(valid.error().message);
  return cell;
}

}  // namespace

Expected<std::vector<ProfileCell>> SqliteProfileStore::load_profiles(const ProfileScope& scope) {
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(auto select, reader->prepare(select_cells));
  select.bind(1, scope.model.hex()).bind(2, scope.workload.hex()).bind(3, scope.quality_metric);
  std::vector<ProfileCell> cells;
  for (;;) {
    KV_ASSIGN(auto row, select.step());
    if (!row) return cells;
    KV_ASSIGN(auto cell, cell_of(select, connections_.name()));
    cells.push_back(std::move(cell));
  }
}

Status SqliteProfileStore::save_profile(const ProfileScope& scope, const std::vector<ProfileCell>& cells) {
  for (const ProfileCell& cell : cells) KV_TRY(check_stored_cell(cell));
  return connections_.write([&, now = connections_.utc_ns()](Database& database) -> Status {
    KV_ASSIGN(auto row, scope_row(database, scope));
    KV_ASSIGN(auto insert, database.prepare(insert_cell));
    for (const ProfileCell& cell : cells) {
      const ProfilePoint& point = cell.point;
      insert.bind(1, row).bind(2, cell.context.hex()).bind(3, cell.context_id).bind(4, cell.family);
      insert.bind(5, point.method).bind(6, point.removed_fraction).bind(7, point.quality);
      insert.bind(8, point.quality_low).bind(9, point.quality_high).bind(10, std::int64_t{point.n});
      insert.bind(11, static_cast<std::int64_t>(point.bytes)).bind(12, std::int64_t{point.kept_tokens});
      insert.bind(13, dump_json(json_from(cell.scores))).bind(14, now);
      KV_TRY(insert.run());
    }
    return {};
  });
}

Expected<std::optional<ProfileStore::TierFit>> SqliteProfileStore::load_tier_fit(const std::string& signature) {
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(auto select, reader->prepare("SELECT latency_seconds, bytes_per_second, decode_seconds_per_token, "
                                         "residual_seconds, samples FROM tier_fits "
                                         "WHERE signature = ?1 ORDER BY id DESC LIMIT 1"));
  select.bind(1, signature);
  KV_ASSIGN(auto row, select.step());
  if (!row) return std::nullopt;
  return TierFit{
      signature, {select.real(0), select.real(1), select.real(2), select.real(3)}, static_cast<int>(select.integer(4))};
}

Status SqliteProfileStore::save_tier_fit(const TierFit& fit) {
  for (const double value : {fit.model.latency_seconds, fit.model.bytes_per_second, fit.model.decode_seconds_per_token,
                             fit.model.residual_seconds})
    if (!std::isfinite(value))
      return fail(ErrorCode::rejected_input,
                  "tier fit '" + fit.signature + "': not a finite number; nothing was saved");
  return connections_.write([&, now = connections_.utc_ns()](Database& database) -> Status {
    KV_ASSIGN(auto insert,
              database.prepare(
                  "INSERT INTO tier_fits (signature, latency_seconds, bytes_per_second, decode_seconds_per_token, "
                  "residual_seconds, samples, saved_utc_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
    insert.bind(1, fit.signature).bind(2, fit.model.latency_seconds).bind(3, fit.model.bytes_per_second);
    insert.bind(4, fit.model.decode_seconds_per_token).bind(5, fit.model.residual_seconds);
    insert.bind(6, std::int64_t{fit.samples}).bind(7, now);
    return insert.run();
  });
}

Expected<std::optional<Json>> SqliteProfileStore::load_value(const std::string& key) {
  KV_ASSIGN(auto reader, connections_.read());
  KV_ASSIGN(auto select, reader->prepare("SELECT value FROM named_values WHERE key = ?1"));
  select.bind(1, key);
  KV_ASSIGN(auto row, select.step());
  if (!row) return std::nullopt;
  auto value = parse_json(select.text(0), connections_.name() + ": value '" + key + "'");
  if (!value) return fail(ErrorCode::corrupt, value.error().message);
  return *std::move(value);
}

Status SqliteProfileStore::save_value(const std::string& key, const Json& value) {
  return connections_.write([&](Database& database) -> Status {
    KV_ASSIGN(auto insert, database.prepare("INSERT OR REPLACE INTO named_values (key, value) VALUES (?1, ?2)"));
    insert.bind(1, key).bind(2, dump_json(value));
    return insert.run();
  });
}

}  // namespace kvantage::inline profiles
