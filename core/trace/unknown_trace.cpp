// Of a file in no format: what it looks like, what it lacks, and what to do. A file of another kind is named as such.
#include <algorithm>
#include <array>

#include "core/trace/csv_rows.h"
#include "core/trace/row_source.h"
#include "core/trace/trace_map.h"

namespace kvantage::inline trace {
namespace {

/// Whether its fields are those of questions about texts, which `workload import` reads.
bool is_data_set(const std::vector<std::string>& fields) {
  constexpr std::array<std::string_view, 5> known{"question", "questions", "answer", "answers", "context"};
  return std::ranges::any_of(
      fields, [&](const std::string& field) { return std::ranges::find(known, folded_field(field)) != known.end(); });
}

/// A list of conversations, or one in each line: {"conversations": [{"from": "human", "value": "..."}, ...]}.
bool is_sharegpt(std::string_view head) {
  return std::ranges::all_of(std::array<std::string_view, 3>{"\"conversations\"", "\"from\"", "\"value\""},
                             [&](std::string_view key) { return head.find(key) != std::string_view::npos; });
}

}  // namespace

std::string why_unknown_trace(std::string_view first_line, std::string_view head) {
  if ((first_line.starts_with('[') || first_line.starts_with('{')) && is_sharegpt(head))
    return "these are conversations of ShareGPT, which have no times; import them as a workload, with kvantage-cli "
           "workload import FILE --map context=conversations.value";
  const TraceFields fields = fields_of_trace(first_line, {});
  if (const std::string_view shape = shape_of_line(first_line); !shape.empty()) {
    const std::string looks = "it looks like " + std::string(shape);
    return looks + (fields.names.size() < 2
                        ? "; make a table with columns of times, keys and sizes, and give their numbers, as in --map "
                          "time=#1,context=#2,bytes=#3"
                        : ": " + columns_without_names(fields.names.size()));
  }
  if (fields.names.size() < 2) return {};
  if (!fields.has_header) return columns_without_names(fields.names.size());
  if (fields.is_table && separator_of(first_line) == ' ')
    return "it looks like a text, of which kvantage-cli workload import --format text makes a workload; if its first "
           "line names columns, name them with --map time=FIELD,input=FIELD";
  const std::string missing = "no field is known to hold " +
                              missing_trace_fields(completed_trace_map({}, fields.names), false) +
                              " (its fields: " + listed_fields(fields.names) + "); ";
  return missing + (is_data_set(fields.names) ? "it looks like a data set, which kvantage-cli workload import reads"
                                              : "name its fields with --map time=FIELD,input=FIELD");
}

}  // namespace kvantage::inline trace
