// links: core_trace
// Traces of every format, and of the one that their content suggests: the account of rows closes.
#include <sstream>

#include "core/trace/trace.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  if (size < 1) return 0;
  const auto formats = trace_formats();
  TraceOptions options;
  if (const std::size_t which = data[0] % (formats.size() + 1); which < formats.size())
    options.format = std::string(formats[which].name);
  options.window_rows = 1 + data[0] / 64;
  options.with_text = (data[0] & 32) != 0;
  auto stream = std::make_unique<std::istringstream>(test::text_of(data + 1, size - 1));
  const auto reader = open_trace(std::move(stream), "t", options);
  if (!reader) {
    test::check_file_refusal(reader.error());
    return 0;
  }
  for (;;) {
    const auto request = (*reader)->next();
    if (!request) test::check_file_refusal(request.error());
    if (!request || !*request) break;
  }
  test::must_hold((*reader)->counts().balanced(), "the account of rows closes");
  return 0;
}
