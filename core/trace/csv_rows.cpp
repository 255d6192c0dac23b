#include "core/trace/csv_rows.h"

#include <charconv>

#include "core/base/json.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '_') continue;
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

std::string trimmed_cell(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  return "'" + printable(text.substr(0, most)) + (text.size() > most ? "..." : "") + "'";
}

}  // namespace

char separator_of(std::string_view header) {
  if (header.find(',') != std::string_view::npos) return ',';
  if (header.find('\t') != std::string_view::npos) return '\t';
  if (header.find(';') != std::string_view::npos) return ';';
  return trimmed_cell(header).find(' ') != std::string::npos ? ' ' : ',';
}

std::vector<std::string> header_columns(std::string_view line) {
  auto columns = split_csv(line, separator_of(line));
  return columns ? *std::move(columns) : std::vector<std::string>();
}

std::vector<std::string> numbered_columns(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 1; i <= count; ++i) names.push_back("#" + std::to_string(i));
  return names;
}

Expected<std::vector<std::string>> split_csv(std::string_view line, char separator) {
  constexpr std::size_t most = 10'000;  // a field of one byte takes 32 in memory
  const auto open_quotes = [] { return fail(ErrorCode::rejected_input, "quotes do not close; correct the line"); };
  const bool by_blanks = separator == ' ';
  const std::string_view separators = by_blanks ? std::string_view(" \t") : std::string_view(&separator, 1);
  if (by_blanks) {
    line.remove_prefix(std::min(line.find_first_not_of(separators), line.size()));
    line = line.substr(0, line.find_last_not_of(separators) + 1);
  }
  std::vector<std::string> fields;
  for (std::size_t i = 0;;) {
    if (fields.size() == most)
      return fail(ErrorCode::rejected_input, "has more than " + std::to_string(most) + " fields; leave columns out");
    std::string field;
    if (i < line.size() && line[i] == '"') {
      for (++i;; ++i) {
        if (i >= line.size()) return open_quotes();
        if (line[i] != '"') {
          field += line[i];
        } else if (i + 1 < line.size() && line[i + 1] == '"') {
          field += line[i++];
        } else {
          break;
        }
      }
      if (++i < line.size() && separators.find(line[i]) == std::string_view::npos) return open_quotes();
    } else {
      const std::size_t end = std::min(line.find_first_of(separators, i), line.size());
      field = trimmed_cell(line.substr(i, end - i));
      i = end;
    }
    fields.push_back(std::move(field));
    if (i >= line.size()) return fields;
    i = by_blanks ? line.find_first_not_of(separators, i) : i + 1;  // no blank ends the line: there is one
  }
}

std::optional<std::size_t> csv_column(const std::vector<std::string>& header, std::string_view name) {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (folded(header[i]) == folded(name)) return i;
  return std::nullopt;
}

Expected<CsvRows> CsvRows::open(std::unique_ptr<std::istream> stream, const std::string& name, bool has_header) {
  CsvRows rows{LineSource(std::move(stream), name)};
  std::string_view line;
  KV_ASSIGN(const auto there, rows.lines_.next(line));
  if (!there) return fail(ErrorCode::rejected_input, name + ":1: the file is empty; give a trace");
  rows.separator_ = separator_of(line);
  auto header = split_csv(line, rows.separator_);
  if (!header) return fail(ErrorCode::rejected_input, rows.lines_.where() + ": " + header.error().message);
  rows.has_header_ = has_header;
  if (has_header) {
    rows.header_ = std::move(*header);
  } else {
    rows.header_ = numbered_columns(header->size());
    rows.fields_ = std::move(*header);
    rows.is_read_ahead_ = true;
  }
  return rows;
}

Expected<std::size_t> CsvRows::column(std::string_view name) const {
  if (const auto found = csv_column(header_, name)) return *found;
  std::string names;
  for (const std::string& one : header_) {
    if (names.size() > 200) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "" : ", ") + shown(one);
  }
  return fail(ErrorCode::rejected_input, lines_.where() + ": there is no column '" + std::string(name) +
                                             "' in the header (" + names + "); add it or name another format");
}

Expected<bool> CsvRows::next() {
  if (is_read_ahead_) {
    is_read_ahead_ = false;
    ++row_;
    return true;
  }
  std::string_view line;
  const auto there = lines_.next(line);
  if (!there || !*there) return there;
  auto fields = split_csv(line, separator_);
  if (!fields) return fail(ErrorCode::rejected_input, lines_.where() + ": " + fields.error().message);
  if (fields->size() != header_.size())
    return fail(ErrorCode::rejected_input, lines_.where() + ": has " + std::to_string(fields->size()) +
                                               " fields where the " + (has_header_ ? "header" : "first line") +
                                               " has " + std::to_string(header_.size()) + "; correct the line");
  fields_ = std::move(*fields);
  ++row_;
  return true;
}

tl::unexpected<Error> CsvRows::refuse(std::size_t column, const std::string& reason_and_mend) const {
  return fail(ErrorCode::rejected_input, lines_.where() + ": " + printable(header_[column]) + " " +
                                             shown(fields_[column]) + " " + reason_and_mend);
}

Expected<std::uint64_t> CsvRows::tokens(std::size_t column) const {
  std::string_view text = fields_[column];
  if (text.ends_with(".0") && text.size() > 2) text.remove_suffix(2);  // of a column that once had gaps
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return refuse(column, "is out of range; correct the number");
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return refuse(column, "is not a whole number of tokens; correct it");
  return number;
}

Status read_lengths(const CsvRows& rows, std::size_t input, std::size_t output, TraceRow& row) {
  KV_ASSIGN(row.request.input_tokens, rows.tokens(input));
  KV_ASSIGN(row.request.output_tokens, rows.tokens(output));
  row.request.row = rows.row();
  row.request.context = own_context(rows.row());
  if (row.request.input_tokens == 0) row.dropped = drop_reason::no_input;
  return {};
}

}  // namespace kvantage::inline trace
