#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/model/kernels/packed.h"
#include "core/model/kernels/row_kernels.h"

namespace kvantage::inline model_kernels {

extern const Kernels kernels_portable;
extern const RowKernels row_kernels_portable;
extern const PackedKernels packed_kernels_portable;
#if defined(__x86_64__)
extern const Kernels kernels_avx2;
extern const RowKernels row_kernels_avx2;
extern const PackedKernels packed_kernels_avx2;
extern const Kernels kernels_avx512;
extern const RowKernels row_kernels_avx512;
extern const PackedKernels packed_kernels_avx512;
extern const Kernels kernels_avx512bf16;
extern const RowKernels row_kernels_avx512bf16;
extern const PackedKernels packed_kernels_avx512bf16;
#endif

const char* to_string(Isa isa) {
  switch (isa) {
    case Isa::portable:
      return "portable";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::avx512bf16:
      return "avx512bf16";
  }
  return "unknown";
}

Isa best_isa() {
#if defined(__x86_64__)
  static const Isa best = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::portable;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
      return Isa::avx2;
    // All processors with the former have the latter.
    return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vnni") ? Isa::avx512bf16 : Isa::avx512;
  }();
  return best;
#else
  return Isa::portable;
#endif
}

const Kernels& kernels(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::portable:
      return kernels_portable;
    case Isa::avx2:
      return kernels_avx2;
    case Isa::avx512:
      return kernels_avx512;
    case Isa::avx512bf16:
      return kernels_avx512bf16;
  }
#endif
  static_cast<void>(isa);
  return kernels_portable;
}

const RowKernels& row_kernels(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::portable:
      return row_kernels_portable;
    case Isa::avx2:
      return row_kernels_avx2;
    case Isa::avx512:
      return row_kernels_avx512;
    case Isa::avx512bf16:
      return row_kernels_avx512bf16;
  }
#endif
  static_cast<void>(isa);
  return row_kernels_portable;
}

const PackedKernels& packed_kernels(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::portable:
      return packed_kernels_portable;
    case Isa::avx2:
      return packed_kernels_avx2;
    case Isa::avx512:
      return packed_kernels_avx512;
    case Isa::avx512bf16:
      return packed_kernels_avx512bf16;
  }
#endif
  static_cast<void>(isa);
  return packed_kernels_portable;
}

int queries_together(int kept, int queries) {
  constexpr int max_weights = 1 << 18, panel = 32;
  const int panels = std::max(1, max_weights / (std::max(1, kept) * panel));
  return std::min(panels, (queries + panel - 1) / panel) * panel;
}

float query_scale(int head_dim) {
  return static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(head_dim)));
}

}  // namespace kvantage::inline model_kernels
