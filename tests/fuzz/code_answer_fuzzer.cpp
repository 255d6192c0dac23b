// links: core_text_code
// An answer that should be Python code, and the code that it should be: parts of CodeBLEU are from 0 to 1.
#include <cmath>

#include "core/text/code/code_bleu.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto texts = test::sections_of(test::text_of(data, size));
  const auto score = code_bleu(texts[0], texts.size() > 1 ? texts[1] : texts[0]);
  if (!score) {
    test::check_file_refusal(score.error());
    return 0;
  }
  for (const double part :
       {score->ngram_match, score->weighted_ngram_match, score->syntax_match, score->dataflow_match, score->score()})
    test::must_hold(std::isfinite(part) && part >= 0 && part <= 1 + 1e-9, "a part is from 0 to 1");
  return 0;
}
