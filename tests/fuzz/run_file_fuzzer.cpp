// links: profiles
// Files of runs, with a last line that fits: what is read is written as it was read.
#include <algorithm>

#include "core/base/json.h"
#include "profiles/run_file.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  std::string text = test::text_of(data, size);
  if (const std::size_t last = text.find("{\"digest\""); last != std::string::npos) text.resize(last);
  if (!text.empty() && text.back() != '\n') text += '\n';
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  text += dump_json(Json{{"digest", digest_of(text).hex()}, {"events", lines == 0 ? 0 : lines - 1}}) + "\n";
  const auto run = run_from_text(text, "a.kvrun", {});
  if (!run) {
    test::check_file_refusal(run.error());
    return 0;
  }
  const std::string written = run_to_text(*run);
  const auto again = run_from_text(written, "b.kvrun", {});
  test::must_hold(again && run_to_text(*again) == written, "a run is read as it was written");
  return 0;
}
