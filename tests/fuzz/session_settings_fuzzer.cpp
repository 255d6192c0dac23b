// links: core_ports
// session.json: what is read is written as it was read, and is valid or refused.
#include "core/base/json.h"
#include "core/ports/session.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto json = parse_json(test::text_of(data, size), "session.json");
  if (!json) {
    test::check_file_refusal(json.error());
    return 0;
  }
  const auto settings = session_settings_from_json(*json, "session.json");
  if (!settings) {
    test::check_file_refusal(settings.error());
    return 0;
  }
  if (const Status sound = validate(*settings); !sound) {
    test::check_file_refusal(sound.error());
    return 0;
  }
  const auto again = session_settings_from_json(to_json(*settings), "again");
  test::must_hold(again && *again == *settings, "settings are read as they were written");
  return 0;
}
