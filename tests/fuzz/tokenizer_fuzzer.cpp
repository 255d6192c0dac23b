// links: core_text
// tokenizer.json with tokenizer_config.json: ids are in the vocabulary and the same each time, and decode to UTF-8.
#include "tests/fuzz/tokenizer_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto files = test::sections_of(test::text_of(data, size));
  const auto tokenizer = Tokenizer::parse(files[0], files.size() > 1 ? files[1] : "", "tokenizer.json");
  if (tokenizer)
    test::check_tokenizer(*tokenizer);
  else
    test::check_file_refusal(tokenizer.error());
  return 0;
}
