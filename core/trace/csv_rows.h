// Tables, separated by commas, tabs, semicolons or blanks: columns are located by the names in their header, or by
// number ("#2") where there is none; rows are streamed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/trace/line_source.h"

namespace kvantage::inline trace {

struct TraceRow;

/// Fields of a line (RFC 4180 without line breaks in quotes). A blank as the separator stands for any number of blanks
/// and tabs. rejected_input, without the line's place, for unbalanced quotes and for more than 10,000 fields.
Expected<std::vector<std::string>> split_csv(std::string_view line, char separator = ',');
/// What a header or a row is separated by: a comma, else a tab, else a semicolon, else blanks.
char separator_of(std::string_view header);
/// The columns of a header that is separated by any of them; empty where it cannot be read.
std::vector<std::string> header_columns(std::string_view line);
/// "#1", "#2", ..., as many as there are columns.
std::vector<std::string> numbered_columns(std::size_t count);
/// Position of a column, ignoring case, blanks and underscores.
std::optional<std::size_t> csv_column(const std::vector<std::string>& header, std::string_view name);

class CsvRows {
 public:
  /// Reads the header. Without one the first line is the first row, and its columns are "#1", "#2", ... rejected_input
  /// for an empty file or an unreadable first line.
  static Expected<CsvRows> open(std::unique_ptr<std::istream> stream, const std::string& name, bool has_header = true);

  /// rejected_input that lists the available columns.
  Expected<std::size_t> column(std::string_view name) const;
  std::optional<std::size_t> optional_column(std::string_view name) const { return csv_column(header_, name); }

  /// The next row, false at the end. rejected_input when the number of fields differs from the first line's.
  Expected<bool> next();
  const std::string& field(std::size_t column) const { return fields_[column]; }
  const std::vector<std::string>& header() const { return header_; }
  /// A whole number of tokens, 0 up to 2^32 - 1, also as "17.0". rejected_input names line and column.
  Expected<std::uint64_t> tokens(std::size_t column) const;
  std::string where() const { return lines_.where(); }
  /// "file:12: TIMESTAMP '...' <reason>" as an error.
  tl::unexpected<Error> refuse(std::size_t column, const std::string& reason_and_mend) const;
  std::uint64_t row() const { return row_; }

 private:
  explicit CsvRows(LineSource lines) : lines_(std::move(lines)) {}

  LineSource lines_;
  std::vector<std::string> header_, fields_;
  char separator_ = ',';
  bool has_header_ = true, is_read_ahead_ = false;  // the first row, of a table without a header
  std::uint64_t row_ = 0;
};

/// Number, lengths and a context of its own for the row that `rows` is at; without input tokens it is dropped. `input`
/// and `output`: columns. Errors as CsvRows::tokens().
Status read_lengths(const CsvRows& rows, std::size_t input, std::size_t output, TraceRow& row);

}  // namespace kvantage::inline trace
