// Partial recomputation needs layer inputs that are shorter than keys and values. On a processor without bf16 both take
// 4 bytes against 2 x 2, so that the metrics of KVPR are refused there.
#pragma once

#include "core/model/kernels/isa.h"

namespace kvantage::test {

inline bool layer_inputs_are_short() { return best_isa() == Isa::avx512bf16; }
inline constexpr const char* no_short_inputs =
    "this processor has no bf16: layer inputs are as long as keys and values";

}  // namespace kvantage::test
