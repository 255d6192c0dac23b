// Instruction sets of the compiled kernels.
#pragma once

namespace kvantage::inline model_kernels {

enum class Isa { portable = 0, avx2 = 1, avx512 = 2, avx512bf16 = 3 };
const char* to_string(Isa isa);
/// The best one that this CPU (or its emulator) supports.
Isa best_isa();

}  // namespace kvantage::inline model_kernels
