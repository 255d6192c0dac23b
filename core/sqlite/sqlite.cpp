#include "core/sqlite/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <limits>

#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/mapped_file.h"
#include "core/base/unique_fd.h"

namespace kvantage::inline sqlite {
namespace {

constexpr int busy_timeout_milliseconds = 5000;

// SQLite quotes whole statements in some messages; ours are one line.
std::string one_line(std::string_view reason) {
  constexpr std::size_t longest = 160;
  std::string line(reason.substr(0, longest));
  for (char& letter : line)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  return reason.size() > longest ? line + " ..." : line;
}

Error error_of(int result, std::string_view reason, const std::string& name) {
  const std::string start = name + ": " + one_line(reason);
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::busy, start + "; another process is writing to it: wait for it or choose another --db"};
    case SQLITE_CORRUPT:
      return {ErrorCode::corrupt, start + "; it is left as it is: move it aside or restore a copy, then start again"};
    case SQLITE_NOTADB:
      return {ErrorCode::rejected_input, start + "; it is left as it is: choose another --db"};
    case SQLITE_FULL:
      return {ErrorCode::no_space, start + "; free some space on this device"};
    case SQLITE_IOERR:
      return {ErrorCode::io, start + "; check the device"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::rejected_input, start + "; make it writable or choose another --db"};
    case SQLITE_CANTOPEN:
      return {ErrorCode::rejected_input, start + "; check the path and its permissions or choose another --db"};
    case SQLITE_TOOBIG:
      return {ErrorCode::rejected_input, start + "; a value is larger than the database takes"};
    default:
      return {ErrorCode::internal, start};
  }
}

tl::unexpected<Error> error_of(sqlite3* connection, const std::string& name) {
  return tl::unexpected(error_of(sqlite3_extended_errcode(connection), sqlite3_errmsg(connection), name));
}

// A path as a URI, for open parameters: everything but letters, digits and "/._-" is escaped.
std::string uri_of(const std::filesystem::path& path, const char* parameters) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char letter : path.string()) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
                       byte == '/' || byte == '.' || byte == '_' || byte == '-';
    if (plain)
      uri += letter;
    else
      uri.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return uri + parameters;
}

// A file may come from anybody: its schema runs no code and calls no function with side effects, and values are short
// enough to be held with what is read from them.
void distrust(sqlite3* connection) {
  constexpr int max_value_bytes = 128 << 20;
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER})
    sqlite3_db_config(connection, off, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, max_value_bytes);
}

/// SQLite deletes the file that the end of a journal names, where a transaction was over several databases. This
/// program has no such transactions. The last eight bytes are the mark of a journal, and only of this kind.
bool names_another_file(const UniqueFd& journal) {
  constexpr std::array<unsigned char, 8> mark{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  std::array<unsigned char, mark.size()> end{};
  struct stat about {};
  if (::fstat(journal.get(), &about) != 0 || about.st_size < static_cast<off_t>(end.size())) return false;
  return ::pread(journal.get(), end.data(), end.size(), about.st_size - static_cast<off_t>(end.size())) ==
             static_cast<ssize_t>(end.size()) &&
         end == mark;
}

/// What lies beside a database comes from whoever made it: SQLite opens a pipe and waits for its other end.
Status check_side_files(const std::filesystem::path& database) {
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    const std::filesystem::path path = database.string() + suffix;
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0) continue;
    if (!S_ISREG(about.st_mode))
      return fail(ErrorCode::rejected_input, path.string() +
                                                 ": is no regular file, as it is beside a database; move it "
                                                 "away, or choose another --db");
    if (std::string_view(suffix) != "-journal") continue;
    const UniqueFd journal(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (journal.get() >= 0 && names_another_file(journal))
      return fail(
          ErrorCode::rejected_input,
          path.string() + ": names another file to delete, which no journal of this program does; move it away");
  }
  return {};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int result = sqlite3_bind_int64(statement_.get(), parameter, value);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  const int result = sqlite3_bind_double(statement_.get(), parameter, value);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL: an empty text must stay a text.
  const int result = sqlite3_bind_text64(statement_.get(), parameter, text.data() == nullptr ? "" : text.data(),
                                         text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  const int result = sqlite3_bind_null(statement_.get(), parameter);
  if (bind_result_ == SQLITE_OK) bind_result_ = result;
  return *this;
}

Expected<bool> Statement::step() {
  sqlite3* connection = sqlite3_db_handle(statement_.get());
  if (const int bound = std::exchange(bind_result_, SQLITE_OK); bound != SQLITE_OK)
    return tl::unexpected(error_of(bound, sqlite3_errstr(bound), name_));
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  auto error = error_of(connection, name_);
  sqlite3_reset(statement_.get());
  return error;
}

Status Statement::run() {
  for (;;) {
    KV_ASSIGN(auto row, step());
    if (!row) return {};
  }
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Expected<Database> Database::open(const std::filesystem::path& path, DatabaseMode mode, const char* vfs) {
  const std::filesystem::path full_path = absolute_or_given(path);
  KV_TRY(check_side_files(full_path));
  watch_lost_pages();  // SQLite maps the -shm file
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  flags |= mode == DatabaseMode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  // SQLite would create it for everybody; its logs get the mode of the file. O_EXCL: closing a second descriptor of a
  // database would release the locks of the first.
  if (mode == DatabaseMode::create && vfs == nullptr)
    UniqueFd(::open(full_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  sqlite3* connection = nullptr;
  const std::string uri = uri_of(full_path, mode == DatabaseMode::immutable ? "?immutable=1" : "");
  const int result = sqlite3_open_v2(uri.c_str(), &connection, flags, vfs);
  Database database(connection, path.string());
  if (result != SQLITE_OK)
    return tl::unexpected(
        error_of(result, connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(result), path.string()));
  distrust(connection);
  sqlite3_busy_timeout(connection, busy_timeout_milliseconds);
  return database;
}

Expected<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int result =
      sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()), 0, &statement, nullptr);
  if (result != SQLITE_OK) return error_of(connection_.get(), name_);
  return Statement(statement, name_);
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error_of(connection_.get(), name_);
  return {};
}

Expected<std::int64_t> Database::integer(std::string_view sql) {
  KV_ASSIGN(auto statement, prepare(sql));
  KV_ASSIGN(auto row, statement.step());
  if (!row) return fail(ErrorCode::not_found, name_ + ": no row for " + std::string(sql));
  return statement.integer(0);
}

Status Database::refuse_foreign_schema() {
  // By its text, which decides what SQLite makes of an entry, not by its type, which anybody can write. SQLite itself
  // begins each with these words.
  KV_ASSIGN(auto select,
            prepare("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND sql NOT GLOB 'CREATE TABLE *'"
                    " AND sql NOT GLOB 'CREATE INDEX *' AND sql NOT GLOB 'CREATE UNIQUE INDEX *' LIMIT 1"));
  KV_ASSIGN(const auto found, select.step());
  if (!found) return {};
  return fail(ErrorCode::rejected_input, name_ + ": has a view, a trigger or a virtual table ('" +
                                             printable(select.text(0)) +
                                             "'), which no database of this program has; choose another --db");
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
std::int64_t Database::changed_rows() const { return sqlite3_changes64(connection_.get()); }
bool Database::read_only() const { return sqlite3_db_readonly(connection_.get(), "main") == 1; }
bool Database::file_is_gone() const {
  int moved = 0;
  return sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}
bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }

Expected<Transaction> Transaction::begin(Database& database) {
  KV_TRY(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // Some failures (a full disk) have already ended the transaction; then there is nothing to report.
  if (database_ != nullptr && database_->in_transaction()) static_cast<void>(database_->execute("ROLLBACK"));
}

Status Transaction::commit() {
  KV_TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace kvantage::inline sqlite
