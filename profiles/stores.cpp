#include "profiles/stores.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "profiles/connections.h"
#include "profiles/profile_store.h"
#include "profiles/run_store.h"
#include "profiles/schema.h"

namespace kvantage::inline profiles {
namespace {

class SqliteStores final : public Stores {
 public:
  SqliteStores(std::filesystem::path path, DatabaseMode read_mode, std::unique_ptr<DatabaseWriter> writer,
               std::shared_ptr<const Clock> clock)
      : connections_(std::move(path), read_mode, std::move(writer), std::move(clock)),
        profiles_(connections_),
        runs_(connections_) {}
  ProfileStore& profiles() override { return profiles_; }
  RunStore& runs() override { return runs_; }
  Status import_run(const RunSummary& summary, const std::vector<Event>& events, const RunNotes& notes) override {
    return runs_.import(summary, events, notes);
  }
  Expected<ImportedRun> import_run(const std::filesystem::path& file) override { return runs_.import(file); }

 private:
  Connections connections_;
  SqliteProfileStore profiles_;
  SqliteRunStore runs_;
};

/// In /proc or /sys: such a file says that it is regular, and reading it may wait for more for ever. Not asked by
/// opening it: closing a second descriptor of a database would release the locks of the first.
bool is_of_the_system(const std::filesystem::path& path) {
  struct statfs facts {};
  if (::statfs(path.c_str(), &facts) != 0) return false;
  constexpr std::array kinds{PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC};
  return std::ranges::any_of(kinds,
                             [&](auto kind) { return facts.f_type == static_cast<decltype(facts.f_type)>(kind); });
}

/// As segments and index, a database is a file of its folder: SQLite would put its logs beside the file that a link
/// leads to, and make that one where there is none.
Status check_no_link(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_symlink(path, code)) return {};
  const std::filesystem::path target = path.parent_path() / std::filesystem::read_symlink(path, code);
  return fail(ErrorCode::rejected_input, path.string() + ": is a link to " + target.lexically_normal().string() +
                                             " in place of a database; give that file with --db, or put the file "
                                             "itself there");
}

// On a read-only medium the write-ahead log of a database cannot be opened; without a log the file alone is complete.
Expected<std::pair<Database, DatabaseMode>> open_for_reading(const std::filesystem::path& path) {
  KV_ASSIGN(auto database, Database::open(path, DatabaseMode::read));
  DatabaseMode mode = DatabaseMode::read;
  if (auto version = database.integer("PRAGMA user_version"); !version) {
    const auto is_beside = [&path](const char* suffix) {
      std::error_code absent;
      return std::filesystem::file_size(path.string() + suffix, absent) > 0 && !absent;
    };
    if (version.error().code != ErrorCode::rejected_input || is_beside("-wal"))
      return tl::unexpected(std::move(version).error());
    if (is_beside("-journal"))  // the file alone is half of a change
      return fail(ErrorCode::rejected_input, path.string() + ": a change of it was cut off; a run with --db undoes it");
    mode = DatabaseMode::immutable;
    KV_ASSIGN(database, Database::open(path, mode));
  }
  return std::pair(std::move(database), mode);
}

Expected<std::unique_ptr<Stores>> open_read_only(const std::filesystem::path& path,
                                                 std::shared_ptr<const Clock> clock) {
  KV_ASSIGN(auto opened, open_for_reading(path));
  KV_ASSIGN(auto version, check_schema(opened.first));
  if (version == 0)
    return fail(ErrorCode::rejected_input,
                path.string() + ": is empty; create it with a run (--db " + path.string() + ")");
  if (version < known_schema_version())
    return fail(ErrorCode::rejected_input,
                path.string() + ": was written by an older version of this program (schema " + std::to_string(version) +
                    " of " + std::to_string(known_schema_version()) + "); a run with --db updates it");
  return std::make_unique<SqliteStores>(path, opened.second, nullptr, std::move(clock));
}

Expected<std::unique_ptr<Stores>> open_read_write(const std::filesystem::path& path,
                                                  std::shared_ptr<const Clock> clock) {
  if (path.has_parent_path()) {
    if (const std::error_code code = make_private_folders(path.parent_path()))
      return fail(ErrorCode::rejected_input,
                  path.string() + ": its folder cannot be created (" + code.message() + "); choose another --db");
  }
  KV_ASSIGN(auto database, Database::open(path, DatabaseMode::create));
  if (database.read_only())
    return fail(ErrorCode::rejected_input, path.string() + ": is read-only; make it writable or choose another --db");
  KV_ASSIGN(auto version, check_schema(database));
  // Readers and the writer do not wait for each other. EXTRA: a commit is on the device when it returns, as flush()
  // guarantees, also where SQLite can keep no log and removes a journal instead. The writer commits in groups, so this
  // costs a few syncs per second.
  KV_TRY(database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON"));
  if (version < known_schema_version()) {
    KV_TRY(migrate_schema(database));
    KV_TRY(check_schema(database));
  }
  // Takes the write lock once, so that a folder without write access for logs fails here and not at the first event.
  KV_ASSIGN(auto probe, Transaction::begin(database));
  KV_TRY(probe.commit());
  return std::make_unique<SqliteStores>(path, DatabaseMode::read, std::make_unique<DatabaseWriter>(std::move(database)),
                                        std::move(clock));
}

}  // namespace

Expected<std::unique_ptr<Stores>> open_stores(const std::filesystem::path& path, StoreAccess access,
                                              std::shared_ptr<const Clock> clock) {
  std::error_code code;
  if (path.empty()) return fail(ErrorCode::usage, "database: the path is empty; give a file");
  KV_TRY(check_cache_path(path));
  KV_TRY(check_no_link(path));
  if (std::filesystem::is_directory(path, code))
    return fail(ErrorCode::rejected_input, path.string() + ": is a folder; give a file in it");
  using std::filesystem::file_type;
  const file_type there = std::filesystem::status(path, code).type();
  if (there != file_type::regular && there != file_type::not_found && there != file_type::none)
    return fail(ErrorCode::rejected_input,
                path.string() + ": is a pipe, device or socket, not a database; choose another --db");
  if (is_of_the_system(path))
    return fail(ErrorCode::rejected_input,
                path.string() + ": is a file of the system, not a database; choose another --db");
  if (access == StoreAccess::read_write) return open_read_write(path, std::move(clock));
  if (!std::filesystem::exists(path, code))
    return fail(ErrorCode::rejected_input,
                path.string() +
                    ": no such database: no run was recorded there; start one with `kvantage-cli run`, "
                    "or check --db");
  return open_read_only(path, std::move(clock));
}

}  // namespace kvantage::inline profiles
