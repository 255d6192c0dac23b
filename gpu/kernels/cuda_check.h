// What CUDA's runtime answered, as an Error. For .cu files that nvcc compiles.
#pragma once

#include <string>

#include "core/base/error.h"
#include "gpu/kernels/cuda_words.h"

#ifdef __CUDACC__
namespace kvantage::gpu {

/// no_space for want of memory, else internal, with CUDA's own text.
inline Status check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return {};
  return fail(code == cudaErrorMemoryAllocation ? ErrorCode::no_space : ErrorCode::internal,
              std::string("CUDA: ") + what + " failed (" + cudaGetErrorString(code) + ")");
}

}  // namespace kvantage::gpu
#endif
