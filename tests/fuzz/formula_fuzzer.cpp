// links: core_policy_formula
// Utilities that somebody wrote: whatever a formula's quantities are, its value is a number that can be compared, and
// its text is a formula of the same values.
#include <array>
#include <cmath>
#include <limits>

#include "core/policy/formula/formula.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const auto formula = Formula::compile(test::text_of(data, size));
  if (!formula) {
    test::check_refusal(formula.error());
    return 0;
  }
  const auto again = Formula::compile((*formula)->text());
  test::must_hold(again.has_value(), "a formula's text is a formula");
  Formula::Evaluator evaluate(**formula), evaluate_again(**again);
  constexpr std::array<double, 7> values{
      0, 1, -1, 1e-300, 1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t first = 0; first < values.size(); ++first) {
    QuantityValues quantities;
    for (std::size_t i = 0; i < quantity_count; ++i)
      quantities[static_cast<Quantity>(i)] = values[(first + i) % values.size()];
    const double value = comparable_value(evaluate(quantities));
    test::must_hold(std::isfinite(value), "a value can be compared");
    test::must_hold(value == comparable_value(evaluate_again(quantities)), "a formula's text has its values");
  }
  return 0;
}
