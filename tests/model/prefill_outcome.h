// What a prefill leaves, to compare it bit for bit.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/transformer.h"
#include "tests/model/cache_contents.h"
#include "tests/support/must.h"

namespace kvantage::test {

inline bool same_numbers(const std::vector<float>& a, const std::vector<float>& b) {
  const auto bits = [](float number) { return std::bit_cast<std::uint32_t>(number); };
  return std::ranges::equal(a, b, {}, bits, bits);
}

struct PrefillOutcome {
  std::vector<std::byte> rows;
  std::vector<float> logits;
  std::vector<std::vector<float>> queries;  // [layers], of the window

  bool operator==(const PrefillOutcome& other) const {
    return rows == other.rows && same_numbers(logits, other.logits) &&
           std::ranges::equal(queries, other.queries, same_numbers);
  }
};

/// Of a task that is done.
inline PrefillOutcome outcome_of(PrefillTask& task, const KvCache& cache) {
  if (!task.done()) qFatal("not done");
  return {contents(cache), {task.logits().begin(), task.logits().end()}, task.take_window_queries().layers};
}

}  // namespace kvantage::test
