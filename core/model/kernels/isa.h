// Instruction sets that the kernels are compiled for.
#pragma once

namespace kvantage {

enum class Isa { portable = 0, avx2 = 1, avx512 = 2, avx512bf16 = 3 };
const char* to_string(Isa isa);
/// The best that this processor (or its emulator) runs.
Isa best_isa();

}  // namespace kvantage
