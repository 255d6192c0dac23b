// Converts CUDA runtime results to an Error. For .cu files compiled by nvcc.
#pragma once

#include <string>

#include "core/base/error.h"
#include "gpu/kernels/cuda_words.h"

#ifdef __CUDACC__
namespace kvantage::gpu {

/// no_space on out-of-memory, else internal, with CUDA's own text.
inline Status check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return {};
  return fail(code == cudaErrorMemoryAllocation ? ErrorCode::no_space : ErrorCode::internal,
              std::string("CUDA: ") + what + " failed (" + cudaGetErrorString(code) + ")");
}

}  // namespace kvantage::gpu
#endif
