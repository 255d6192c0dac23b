// links: kv_ui_models
// with: ui/experiments/experiment_axes.cpp
// What is typed into the form of an experiment, and links to lessons: values are within their ranges, and a link names
// a lesson that is there.
#include <QString>

#include <algorithm>
#include <cmath>

#include "tests/fuzz/fuzzing.h"
#include "ui/experiments/experiment_axes.h"
#include "ui/learn/model/lesson_link.h"

namespace {

using namespace kvantage;

/// The value, or nothing where it is refused.
template <class Value>
Value value_of(Expected<Value> value) {
  if (!value) test::check_refusal(value.error());
  return value.value_or(Value());
}

void check_lists(const QString& text) {
  for (const double alpha : value_of(read_alphas(text)))
    test::must_hold(std::isfinite(alpha) && alpha >= 0, "an alpha is a number from 0");
  for (const double rate : value_of(read_rates(text)))
    test::must_hold(std::isfinite(rate) && rate >= 0, "a rate is a number from 0");
  for (const double fraction : value_of(read_removed_fractions(text)))
    test::must_hold(fraction >= 0 && fraction < 1, "a removed fraction is from 0 to below 1");
  test::must_hold(value_of(read_seeds(text)).size() <= 10'000, "there are no more seeds than allowed");
  test::must_hold(value_of(read_limit(text)) <= 10'000'000, "a limit is within its range");
  for (const BudgetScale& budget : value_of(read_budgets(text)))
    test::must_hold(std::isfinite(budget.value), "a budget is a number");
  for (const TierScale& budget : value_of(read_tier_budgets(QStringLiteral("dram"), text)))
    test::must_hold(budget.tier == "dram" && std::isfinite(budget.value), "a budget is of its tier");
  for (const auto& policy : value_of(read_policies(text)))
    test::must_hold(!policy.policy.empty(), "a policy has a name");
  for (const std::string& eviction : value_of(read_decode_evictions(text)))
    test::must_hold(!eviction.empty(), "an eviction has a text");
  for (const auto& set :
       value_of(read_method_sets(text, [](const QString& method) { return Expected<QString>(method); })))
    test::must_hold(!set.empty(), "a set has methods");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const QString text = QString::fromUtf8(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
  check_lists(text);
  const std::vector<KnownLesson> known{{QStringLiteral("alpha"), QStringLiteral("/l/alpha.lesson"), 3}};
  for (const auto& link : {parse_lesson_url(text, known), parse_lesson_name(text, known)}) {
    if (!link)
      test::check_file_refusal(link.error());
    else
      test::must_hold(link->name == QStringLiteral("alpha") && link->step >= 0 && link->step <= 3,
                      "a link names a lesson and a step of it");
  }
  return 0;
}
