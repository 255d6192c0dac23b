// Converts CUDA runtime results to an Error. For .cu files compiled by nvcc, and, with KV_CUDA_HOST, for those of them
// without kernels over another implementation of the runtime's functions, which tests have.
#pragma once

#include <string>

#include "core/base/error.h"
#ifdef KV_CUDA_HOST
#include <cuda_runtime_api.h>
#else
#include "gpu/kernels/cuda_words.h"
#endif

#if defined(__CUDACC__) || defined(KV_CUDA_HOST)
#define KV_CUDA_RUNTIME
namespace kvantage::gpu {

/// no_space on out-of-memory, else internal, with CUDA's own text.
inline Status check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return {};
  (void)cudaGetLastError();  // clears the error, so that the next launch does not report it again
  return fail(code == cudaErrorMemoryAllocation ? ErrorCode::no_space : ErrorCode::internal,
              std::string("CUDA: ") + what + " failed (" + cudaGetErrorString(code) + ")");
}

}  // namespace kvantage::gpu
#endif
