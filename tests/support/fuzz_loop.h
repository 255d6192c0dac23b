// The loop of tests that read damaged texts: many tries, each with random numbers of its own.
#pragma once

#include <QtTest>

#include <functional>
#include <string>

#include "core/base/random.h"
#include "tests/support/damage.h"
#include "tests/support/refusals.h"

namespace kvantage::test {

/// One try: counts itself in `outcomes`; `told` names it in messages.
using FuzzTry =
    std::function<void(Random& random, Outcomes& outcomes, const std::function<std::string(const std::string&)>& told)>;

/// Until the first that fails. KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED choose how many, and which; `what`: of
/// the texts, for the log. Fails where all were read, or all refused.
inline void fuzz(const char* what, std::uint64_t executions, const FuzzTry& once) {
  const std::uint64_t seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
  Outcomes outcomes;
  for (std::uint64_t i = 0; i < executions; ++i) {
    Random random(derive_seed(seed, i));
    once(random, outcomes, [i](const std::string& text) { return "try " + std::to_string(i) + ": " + text; });
    if (QTest::currentTestFailed()) return;
  }
  qInfo("%s: %llu read, %llu refused", what, static_cast<unsigned long long>(outcomes.read),
        static_cast<unsigned long long>(outcomes.refused));
  QVERIFY(outcomes.mixed());
}

}  // namespace kvantage::test
