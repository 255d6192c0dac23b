// links: core_base core_ports core_sweep core_workload
// Settings that are one text each: on the command line, in session.json and in recorded runs. The canonical text is
// read as the same setting.
#include <array>
#include <cmath>

#include "core/base/duration.h"
#include "core/base/units.h"
#include "core/ports/decode_offload.h"
#include "core/ports/reprofile_rule.h"
#include "core/ports/speculation.h"
#include "core/ports/tier_config.h"
#include "core/sweep/sweep_plan.h"
#include "core/workload/field_map.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

template <class Read>
void check_canonical(const Read& read, const std::string& text) {
  const auto first = read(text);
  if (!first) {
    test::check_refusal(first.error());
    return;
  }
  const auto again = read(first->text());
  test::must_hold(again && *again == *first, "canonical text is read as the same setting");
}

void check_offload(const std::string& text) {
  const auto first = parse_decode_offload(text);
  if (!first) test::check_refusal(first.error());
  if (!first || !*first) return;
  const auto again = parse_decode_offload((*first)->text());
  test::must_hold(again && *again == *first, "canonical text is read as the same setting");
}

template <class Number>
void check_number(const Expected<Number>& number) {
  if (!number)
    test::check_refusal(number.error());
  else
    test::must_hold(std::isfinite(static_cast<double>(*number)) && *number >= 0, "a size or time is a number from 0");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = test::text_of(data, size);
  check_canonical([](const std::string& one) { return parse_speculation(one); }, text);
  check_canonical([](const std::string& one) { return parse_reprofile_rule(one); }, text);
  check_canonical([](const std::string& one) { return parse_budget_scale(one); }, text);
  check_offload(text);
  check_number(parse_bytes(text));
  check_number(parse_duration(text));
  check_number(parse_load_per_prefill(text));
  if (const auto budget = parse_budget(text); !budget) test::check_refusal(budget.error());
  if (const auto grid = parse_log_grid(text); !grid)
    test::check_refusal(grid.error());
  else
    for (const double value : *grid) test::must_hold(std::isfinite(value), "a grid is made of numbers");
  for (const auto& set : parse_method_sets(text)) test::must_hold(!set.empty(), "a set has methods");
  constexpr std::array<std::string_view, 3> keys{"context", "question", "answers"};
  const auto map = parse_field_map(text, keys);
  if (!map) {
    test::check_refusal(map.error());
    return 0;
  }
  const auto again = parse_field_map(map->text(), keys);
  test::must_hold(again && again->fields == map->fields, "a map is read as it was written");
  return 0;
}
