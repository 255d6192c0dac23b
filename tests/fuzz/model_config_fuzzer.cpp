// links: core_model
// config.json and generation_config.json of a model folder: sizes within the limits of this runtime, rotary frequencies
// that are numbers, and ids of the vocabulary.
#include "tests/fuzz/model_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  static const test::MemoryFolder folder;
  const auto files = test::sections_of(test::text_of(data, size));
  folder.write("config.json", files[0]);
  if (files.size() > 1)
    folder.write("generation_config.json", files[1]);
  else
    folder.remove("generation_config.json");
  const auto config = read_model_config(folder.path());
  if (!config) {
    test::check_file_refusal(config.error());
    return 0;
  }
  test::check_config(*config);
  const auto again = read_model_config(folder.path());
  test::must_hold(again && again->canonical_text() == config->canonical_text(), "a config is read the same again");
  return 0;
}
