// Tiles with sixteen lanes, for the target that the including file sets.
#define KV_SIXTEEN_LANES
// The order matters.
// clang-format off
#include "core/model/kernels/simd_avx512.inl"
#include "core/model/products/tile.inl"
// clang-format on
