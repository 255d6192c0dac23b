// links: kv_ui_models
// Lessons.
#include "tests/fuzz/fuzzing.h"
#include "ui/learn/model/lesson_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  auto lesson = parse_lesson(test::text_of(data, size), QStringLiteral("a.lesson"));
  if (!lesson)
    test::check_refusal(lesson.error());
  else
    test::must_hold(!lesson->steps.empty() && !shown_texts(*lesson).empty(), "a lesson has steps");
  return 0;
}
