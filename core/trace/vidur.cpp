// Traces of Vidur (Agrawal et al. 2024; github.com/microsoft/vidur, data/processed_traces): num_prefill_tokens,
// num_decode_tokens and, where requests have times, arrived_at in seconds. Other columns (num_total_tokens, pd_ratio,
// an index without a name) are skipped. They say nothing about sharing, so every row is a context of its own; with a
// column session_id, rows of a session are one.
#include "core/base/digest.h"
#include "core/trace/civil_time.h"
#include "core/trace/csv_rows.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

struct VidurColumns {
  std::size_t input = 0, output = 0;
  std::optional<std::size_t> time, session;
};

class VidurRows final : public RowSource {
 public:
  VidurRows(CsvRows rows, const VidurColumns& columns) : rows_(std::move(rows)), columns_(columns) {}

  Expected<bool> next(TraceRow& row) override {
    const auto there = rows_.next();
    if (!there || !*there) return there;
    if (columns_.time) {
      const auto time = parse_rounded_time(rows_.field(*columns_.time));
      if (!time) return rows_.refuse(*columns_.time, "is not a time in seconds from 0 to 9 * 10^9; write it as 17.25");
      row.nanoseconds = *time;
    }
    KV_TRY(read_lengths(rows_, columns_.input, columns_.output, row));
    if (columns_.session) row.request.context = digest_of(std::string_view(rows_.field(*columns_.session))).low;
    return true;
  }
  void refine(TraceFacts& facts) const override {
    facts.has_times = columns_.time.has_value();
    facts.names_contexts = columns_.session.has_value();
  }

 private:
  CsvRows rows_;
  VidurColumns columns_;
};

}  // namespace

bool is_vidur(std::string_view first_line) {
  const auto header = header_columns(first_line);
  return csv_column(header, "num_prefill_tokens") && csv_column(header, "num_decode_tokens");
}

Expected<std::unique_ptr<RowSource>> open_vidur(Stream stream, const std::string& name, const TraceOptions&) {
  KV_ASSIGN(auto rows, CsvRows::open(std::move(stream), name));
  VidurColumns columns;
  KV_ASSIGN(columns.input, rows.column("num_prefill_tokens"));
  KV_ASSIGN(columns.output, rows.column("num_decode_tokens"));
  columns.time = rows.optional_column("arrived_at");
  columns.session = rows.optional_column("session_id");
  return std::make_unique<VidurRows>(std::move(rows), columns);
}

}  // namespace kvantage::inline trace
