// links: core_imported
// Quality and times that others measured. An input is a byte of options, the map of columns, a record separator (0x1E)
// and the file: what is read is within its ranges, and written the same.
#include <cmath>

#include "core/imported/read_foreign.h"
#include "core/imported/ttft_table.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

constexpr const char* today = "2026-11-30";

ColumnMap map_of(const std::string& text, const std::vector<WantedColumn>& wanted) {
  auto map = read_column_map(text, wanted);
  if (!map) test::check_refusal(map.error());
  return map.value_or(ColumnMap());
}

void read_curves(const std::filesystem::path& file, std::uint8_t given, const std::string& map) {
  ForeignOptions options;
  options.columns = map_of(map, profile_columns());
  options.date = today;
  if ((given & 1) != 0) options.method = "knorm";
  if ((given & 2) != 0) options.removed_fraction = 0.5;
  if ((given & 4) != 0) options.scale = 100;
  if ((given & 8) != 0) options.model = "m";
  if (const auto table = foreign_table(file); !table) test::check_file_refusal(table.error());
  const auto profile = read_foreign(file, options);
  if (!profile) {
    test::check_file_refusal(profile.error());
    return;
  }
  test::must_hold(profile->points.size() <= max_imported_points, "there are no more points than allowed");
  for (const ImportedPoint& point : profile->points)
    test::must_hold(
        point.quality >= 0 && point.quality <= 1 && point.removed_fraction >= 0 && point.removed_fraction < 1,
        "quality and what is removed are shares");
  const std::string written = imported_to_text(*profile);
  const auto again = imported_from_text(written, "again");
  test::must_hold(again && imported_to_text(*again) == written, "curves are read as they were written");
}

void read_times(const std::filesystem::path& file, const std::string& map) {
  const auto table = read_ttft_table(file, map_of(map, ttft_columns()), today);
  if (!table) {
    test::check_file_refusal(table.error());
    return;
  }
  const auto check = [](const TtftFit& fit) {
    for (const double value : {fit.curve.base_seconds, fit.curve.seconds_per_token, fit.curve.seconds_per_token_squared,
                               fit.residual_seconds})
      test::must_hold(std::isfinite(value), "a fit is made of numbers");
  };
  if (table->compute) check(*table->compute);
  for (const TtftFit& fit : table->tiers) check(fit);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto texts = test::sections_of(test::text_of(data + 1, size - 1));
  static const test::MemoryFile file;
  file.write(texts.size() > 1 ? texts[1] : "");
  read_curves(file.path(), data[0], texts[0]);
  read_times(file.path(), texts[0]);
  return 0;
}
