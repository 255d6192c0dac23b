// Tables of text as JSON values. Fields may hold line breaks, which a reader of lines (core/trace/csv_rows.h) refuses:
// contexts have many.
#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/workload/datasets/data_file.h"
#include "core/workload/field_map.h"

namespace kvantage::inline datasets {
namespace {

constexpr std::size_t max_csv_columns = 10'000;

class CsvTable {
 public:
  CsvTable(std::string_view text, const std::string& name) : text_(text), name_(name) {
    const std::string_view header = text.substr(0, std::min(text.find('\n'), text.size()));
    constexpr std::array<char, 4> separators{',', '\t', ';', '|'};
    separator_ = *std::ranges::max_element(separators, {},
                                           [&](char separator) { return std::ranges::count(header, separator); });
  }

  /// The next row that is not blank, false at the end.
  Expected<bool> next(std::vector<std::string>& fields) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) take();
    if (at_ == text_.size()) return false;
    row_line_ = line_;
    fields.clear();
    for (bool more = true; more;) {
      if (fields.size() == max_csv_columns)
        return refuse("has more than " + std::to_string(max_csv_columns) + " fields; leave columns out");
      KV_TRY(read_field(fields.emplace_back(), more));
    }
    return true;
  }
  std::string where() const { return name_ + ":" + std::to_string(row_line_); }
  tl::unexpected<Error> refuse(const std::string& reason_and_remedy) const {
    return fail(ErrorCode::rejected_input, where() + ": " + reason_and_remedy);
  }

 private:
  void take() { line_ += text_[at_++] == '\n' ? 1 : 0; }

  /// `more`: a field follows in the row.
  Status read_field(std::string& field, bool& more) {
    if (at_ < text_.size() && text_[at_] == '"') {
      KV_TRY(read_quoted(field));
    } else {
      const std::size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
      field = text_.substr(begin, at_ - begin);
      if (at_ == text_.size() || text_[at_] == '\n')
        while (!field.empty() && field.back() == '\r') field.pop_back();
    }
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;  // behind quotes
    more = at_ < text_.size() && text_[at_] == separator_;
    if (!more && at_ < text_.size() && text_[at_] != '\n')
      return refuse("text follows closing quotes; correct the row");
    if (at_ < text_.size()) take();
    return {};
  }
  Status read_quoted(std::string& field) {
    for (++at_; at_ < text_.size(); take()) {
      if (text_[at_] != '"') {
        field += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field += text_[at_++];
      } else {
        ++at_;
        return {};
      }
    }
    return refuse("quotes do not close; correct the row");
  }

  std::string_view text_;
  const std::string& name_;
  char separator_ = ',';
  std::size_t at_ = 0, line_ = 1, row_line_ = 1;
};

}  // namespace

Expected<std::vector<ImportDocument>> csv_documents(std::string_view text, const std::string& name) {
  KV_TRY(check_utf8(text, name));
  constexpr std::uint64_t bytes_per_field = 160, bytes_per_row = 128;  // of a tree of values, beside its texts
  CsvTable table(text, name);
  std::vector<std::string> header, fields;
  KV_ASSIGN(const auto has_header, table.next(header));
  if (!has_header || header.size() < 2)
    return fail(ErrorCode::rejected_input,
                name +
                    ": is neither JSON, JSON lines, Parquet nor CSV with a header of two columns or more; give the "
                    "data in one of these, or a text with --format text");
  std::vector<ImportDocument> documents;
  JsonBudget budget;
  for (;;) {
    KV_ASSIGN(const auto there, table.next(fields));
    if (!there) break;
    std::string where = table.where();
    if (fields.size() != header.size())
      return table.refuse("has " + std::to_string(fields.size()) + " fields where the header has " +
                          std::to_string(header.size()) + "; correct the row");
    std::uint64_t bytes = bytes_per_row + where.size();
    for (std::size_t i = 0; i < fields.size(); ++i) bytes += bytes_per_field + header[i].size() + fields[i].size();
    KV_TRY(budget.take("", where, bytes));
    Json row = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i) row[header[i]] = std::move(fields[i]);
    documents.push_back({std::move(row), std::move(where)});
  }
  if (documents.empty()) return fail(ErrorCode::rejected_input, name + ": has a header and no rows; give all of it");
  return documents;
}

}  // namespace kvantage::inline datasets
