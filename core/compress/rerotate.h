// Key re-rotation: kept keys are shifted together as if nothing had been between them (StreamingLLM as in the paper,
// Xiao et al. 2023, section 3.2; kvpress KeyRerotationPress).
#pragma once

#include <span>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline compression {

/// A cache whose i-th kept key of each head is at position i: k'_i = rotation by (i - t_i) of k_i, t_i its original
/// position. Its sequence_length() is the kept count of every head. rejected_input: heads that keep different numbers.
Expected<KvCache> rerotated(const KvCache& cache, std::span<const float> frequencies);

}  // namespace kvantage::inline compression
