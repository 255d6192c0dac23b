// links: core_imported_serving core_ports
// Settings files of LMCache and vLLM: what is read is a session's settings, and no line has a line break.
#include "core/imported/serving/serving_config.h"
#include "core/imported/serving/yaml_json.h"
#include "core/ports/session.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto values = json_of_yaml(test::text_of(data, size), "s.yaml");
  if (!values) {
    test::check_file_refusal(values.error());
    return 0;
  }
  const auto config = serving_config(*values, "s.yaml");
  if (!config) {
    test::check_file_refusal(config.error());
    return 0;
  }
  test::must_hold(session_settings_from_json(config->session, "session").has_value(), "what is read is a session");
  for (const std::string& line : config->unsaid)
    test::must_hold(line.find('\n') == std::string::npos, "what has no equivalent is said in one line");
  return 0;
}
