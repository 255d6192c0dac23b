// links: profiles
// Files of profiles: what is read is written the same, and every score is within 0 and 1.
#include <algorithm>
#include <set>
#include <tuple>

#include "profiles/profile_file.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto file = profile_from_text(test::text_of(data, size), "a.profile.json");
  if (!file) {
    test::check_file_refusal(file.error());
    return 0;
  }
  std::set<std::tuple<Digest128, std::string, double>> seen;
  for (const ProfileCell& cell : file->cells) {
    const auto within = [](double value) { return value >= 0 && value <= 1; };
    test::must_hold(
        within(cell.point.quality) && within(cell.point.removed_fraction) && std::ranges::all_of(cell.scores, within),
        "scores are within 0 and 1");
    test::must_hold(cell.point.n >= 1 && (cell.scores.empty() || std::cmp_equal(cell.scores.size(), cell.point.n)),
                    "a point has as many scores as it counts");
    test::must_hold(seen.emplace(cell.context, cell.point.method, cell.point.removed_fraction).second,
                    "a cell is there once");
  }
  const std::string written = profile_to_text(*file);
  const auto again = profile_from_text(written, "b.profile.json");
  test::must_hold(again && profile_to_text(*again) == written, "a profile is read as it was written");
  return 0;
}
