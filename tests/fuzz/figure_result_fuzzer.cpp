// links: core_report
// Saved results of figures: what is read is written the same, and every row has a cell for each column.
#include "core/report/figure.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto json = parse_json(test::text_of(data, size), "figure.json");
  if (!json) return 0;
  const auto result = figure_result_from_json(*json, "figure.json");
  if (!result) {
    test::check_file_refusal(result.error());
    return 0;
  }
  for (const FigureTable& table : result->tables)
    for (const auto& row : table.rows)
      test::must_hold(row.size() == table.columns.size(), "a row has a cell for each column");
  const Json written = to_json(*result);
  const auto again = figure_result_from_json(written, "again");
  test::must_hold(again && dump_json(to_json(*again)) == dump_json(written), "a result is read as it was written");
  test::must_hold(!to_text(*result).empty(), "a result has a text");
  (void)to_csv(*result);
  return 0;
}
