// Azure LLM inference traces (2023 and 2024): TIMESTAMP, ContextTokens, GeneratedTokens. They contain no sharing
// information, so every row is a context of its own.
#include "core/trace/civil_time.h"
#include "core/trace/csv_rows.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

class AzureRows final : public RowSource {
 public:
  AzureRows(CsvRows rows, std::size_t time, std::size_t input, std::size_t output)
      : rows_(std::move(rows)), time_(time), input_(input), output_(output) {}

  Expected<bool> next(TraceRow& row) override {
    const auto there = rows_.next();
    if (!there || !*there) return there;
    const auto time = parse_civil_time(rows_.field(time_));
    if (!time)
      return rows_.refuse(time_, "is not a time between 1970 and 2199; write it as 2023-11-16 18:17:03.9799600");
    row.nanoseconds = *time;
    KV_TRY(read_lengths(rows_, input_, output_, row));
    return true;
  }

 private:
  CsvRows rows_;
  std::size_t time_, input_, output_;
};

}  // namespace

bool is_azure(std::string_view first_line) {
  const auto header = split_csv(first_line);
  return header && csv_column(*header, "TIMESTAMP") && csv_column(*header, "ContextTokens");
}

Expected<std::unique_ptr<RowSource>> open_azure(Stream stream, const std::string& name, const TraceOptions&) {
  KV_ASSIGN(auto rows, CsvRows::open(std::move(stream), name));
  const auto time = rows.column("TIMESTAMP"), input = rows.column("ContextTokens"),
             output = rows.column("GeneratedTokens");
  for (const auto* column : {&time, &input, &output}) KV_TRY(*column);
  return std::make_unique<AzureRows>(std::move(rows), *time, *input, *output);
}

}  // namespace kvantage::inline trace
