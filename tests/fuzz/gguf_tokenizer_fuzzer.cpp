// links: core_text
// The tokenizer of a GGUF file: ids are in the vocabulary and the same each time, and decode to UTF-8.
#include "tests/fuzz/tokenizer_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  static const test::MemoryFile file;
  file.write(test::text_of(data, size));
  const auto tokenizer = Tokenizer::load(file.path());
  if (tokenizer)
    test::check_tokenizer(*tokenizer);
  else
    test::check_file_refusal(tokenizer.error());
  return 0;
}
