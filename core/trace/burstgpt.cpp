// BurstGPT (Wang et al. 2024): Timestamp in seconds, Request tokens, Response tokens, and Session ID in newer files;
// columns are located by name. A row without response tokens is a failed request. Without a session each row is its own
// context.
#include "core/base/digest.h"
#include "core/trace/civil_time.h"
#include "core/trace/csv_rows.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

struct Columns {
  std::size_t time = 0, input = 0, output = 0;
  std::optional<std::size_t> session;
};

class BurstGptRows final : public RowSource {
 public:
  BurstGptRows(CsvRows rows, const Columns& columns) : rows_(std::move(rows)), columns_(columns) {}

  Expected<bool> next(TraceRow& row) override {
    const auto there = rows_.next();
    if (!there || !*there) return there;
    const auto time = parse_decimal_seconds(rows_.field(columns_.time));
    if (!time) return rows_.refuse(columns_.time, "is not a time in seconds from 0 to 9 * 10^9; write it as 17.25");
    row.nanoseconds = *time;
    KV_TRY(read_lengths(rows_, columns_.input, columns_.output, row));
    if (columns_.session && !rows_.field(*columns_.session).empty())
      row.request.context = digest_of(std::string_view(rows_.field(*columns_.session))).low;
    if (row.dropped.empty() && row.request.output_tokens == 0) row.dropped = drop_reason::failed;
    return true;
  }
  void refine(TraceFacts& facts) const override { facts.names_contexts = columns_.session.has_value(); }

 private:
  CsvRows rows_;
  Columns columns_;
};

}  // namespace

bool is_burstgpt(std::string_view first_line) {
  const auto header = split_csv(first_line);
  return header && csv_column(*header, "Timestamp") && csv_column(*header, "Request tokens");
}

Expected<std::unique_ptr<RowSource>> open_burstgpt(Stream stream, const std::string& name, const TraceOptions&) {
  KV_ASSIGN(auto rows, CsvRows::open(std::move(stream), name));
  const auto time = rows.column("Timestamp"), input = rows.column("Request tokens"),
             output = rows.column("Response tokens");
  for (const auto* column : {&time, &input, &output}) KV_TRY(*column);
  return std::make_unique<BurstGptRows>(std::move(rows),
                                        Columns{*time, *input, *output, rows.optional_column("Session ID")});
}

}  // namespace kvantage::inline trace
