// links: core_compress core_kv_codecs
// The text form of compression methods and of codecs: its canonical form is read as the same.
#include "core/compress/method.h"
#include "core/kv/codecs/codec.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const std::string text = test::text_of(data, size);
  if (const auto method = parse_method(text); !method) {
    test::check_refusal(method.error());
  } else {
    const auto again = parse_method((*method)->text());
    test::must_hold(again && (*again)->text() == (*method)->text(), "a method's text is canonical");
  }
  if (const auto codec = parse_codec(text); !codec) {
    test::check_refusal(codec.error());
  } else {
    const auto again = parse_codec((*codec)->text());
    test::must_hold(again && (*again)->text() == (*codec)->text(), "a codec's text is canonical");
  }
  return 0;
}
