// RAII wrappers for the SQLite C API. A connection belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kvantage::inline sqlite {

/// A prepared statement. Parameters count from 1, columns from 0. Text and blobs are copied in.
class Statement {
 public:
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);  // NaN becomes NULL
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_null(int parameter);

  /// True: a row is available. False: done; the statement may be bound and run again. Errors of bind() surface here.
  Expected<bool> step();
  /// Runs a statement without result rows (rows are skipped).
  Status run();
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;  // NULL reads as NaN
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, std::string name) : statement_(statement), name_(std::move(name)) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string name_;
  int bind_result_ = 0;
};

enum class DatabaseMode {
  create,     // read and write, created when absent
  read,       // read only
  immutable,  // read only, on a medium without write access for locks or logs
};

class Database {
 public:
  /// `vfs`: name of a registered SQLite VFS, null for the default.
  static Expected<Database> open(const std::filesystem::path& path, DatabaseMode mode, const char* vfs = nullptr);

  Expected<Statement> prepare(std::string_view sql);
  /// Runs one or more statements without parameters or rows.
  Status execute(const std::string& sql);
  /// First column of the first row as an integer, e.g. of "PRAGMA user_version". not_found without a row.
  Expected<std::int64_t> integer(std::string_view sql);
  std::int64_t last_insert_id() const;
  std::int64_t changed_rows() const;
  /// Whether the file system makes this connection read-only.
  bool read_only() const;
  /// rejected_input where the file has a view, a trigger or a virtual table: this program makes none, and one that
  /// somebody else made could compute without end. Opening already keeps views and triggers from running.
  Status refuse_foreign_schema();
  bool in_transaction() const;
  /// Whether the file was removed or replaced since it was opened: what is written to it is lost.
  bool file_is_gone() const;
  const std::string& name() const { return name_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  Database(sqlite3* connection, std::string name) : connection_(connection), name_(std::move(name)) {}

  std::unique_ptr<sqlite3, Close> connection_;
  std::string name_;
};

/// Rolls back everything since begin() unless commit() succeeded.
class Transaction {
 public:
  /// Takes the write lock at the start, so that it cannot fail to get it midway.
  static Expected<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace kvantage::inline sqlite
