// links: kv_ui_models
// Translations of lessons: a text and its translation are not empty, and a text is found by its words.
#include "tests/fuzz/fuzzing.h"
#include "ui/text/translated_texts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto texts =
      parse_translated_texts(test::text_of(data, size), QStringLiteral("a.texts"), QStringLiteral("zh_CN"));
  if (!texts) {
    test::check_file_refusal(texts.error());
    return 0;
  }
  for (const auto& [english, translation] : *texts) {
    test::must_hold(!english.isEmpty() && !translation.isEmpty(), "a text has a translation");
    test::must_hold(english.count(u'{') == translation.count(u'{'), "a translation has the facts of its text");
    test::must_hold(translated(*texts, english) == translation, "a text is found by its words");
  }
  return 0;
}
