#include "core/kv/codecs/kivi_kernels.h"

#include <algorithm>
#include <array>

#include "core/kv/codecs/elements.h"

namespace kvantage::inline codecs {

#if defined(__x86_64__)
extern const KiviKernels kivi_kernels_avx2;
extern const KiviKernels kivi_kernels_avx512;
extern const KiviKernels kivi_kernels_plain_avx2;
#endif

namespace {

namespace portable {
#define KIVI_TARGET
#include "core/kv/codecs/kivi_kernels.inl"
#undef KIVI_TARGET
}  // namespace portable

#if defined(__x86_64__)
#undef KIVI_INLINE
#undef KIVI_LAMBDA
namespace avx2 {
#define KIVI_TARGET __attribute__((target("avx2")))
#include "core/kv/codecs/kivi_kernels.inl"
#undef KIVI_TARGET
}  // namespace avx2
#endif

}  // namespace

#if defined(__x86_64__)
const KiviKernels kivi_kernels_plain_avx2 = avx2::table<Bf16>;  // what the two others fall back on
#endif

const KiviKernels& kivi_kernels(bool is_bf16, Isa isa) {
#if defined(__x86_64__)
  if (isa >= Isa::avx512 && is_bf16) return kivi_kernels_avx512;
  if (isa >= Isa::avx2) return is_bf16 ? kivi_kernels_avx2 : avx2::table<float>;
#endif
  static_cast<void>(isa);
  return is_bf16 ? portable::table<Bf16> : portable::table<float>;
}

}  // namespace kvantage::inline codecs
