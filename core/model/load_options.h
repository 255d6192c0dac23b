// How a model is loaded.
#pragma once

#include <cstdint>
#include <optional>

#include "core/kv/codecs/shape.h"
#include "core/model/kernels/isa.h"

namespace kvantage::inline model {

enum class ComputeType { bf16, fp32 };
const char* to_string(ComputeType type);

struct LoadOptions {
  /// fp32 always computes in fp32. Unset: the checkpoint's type, where this CPU multiplies bf16 fast.
  std::optional<ComputeType> compute;
  /// Type of keys and values in the cache. Unset: fp32 when compute is fp32 or the checkpoint stores fp32, else bf16.
  std::optional<KvType> kv_type;
  /// Maximum bytes of the weights. 0: the memory that the system reports as available.
  std::uint64_t memory_limit_bytes = 0;
  /// Instruction set of the kernels. Unset: the best one of this CPU.
  std::optional<Isa> isa;
  /// Q8_0: multiplies single tokens, quantized to 16 bits with a scale per 32, with packed matrices, and uses widened
  /// ones for prefill. Q4_0, Q5_0, Q4_K and Q6_K: keeps only the packed matrices, and multiplies all tokens, quantized
  /// to 8 bits per block, with them (kernels/packed.h). Ignored where fp32 compute was requested.
  bool packed_products = true;
  /// Tokens of the longest text with its answer; 0: not said. Beyond the positions of longrope's short factors, the
  /// long ones rotate texts of any length; beyond those of dynamic scaling, the base of a text of this length does. The
  /// model then has another digest. Of other models it is only checked.
  int max_model_len = 0;
  /// Multiplies rows with weights by own kernels, whose bits do not depend on how many rows are multiplied together
  /// (products/products.h), instead of libtorch's. Rows are rounded to bf16 where that is the compute type, in decoding
  /// as well; only router and output head, and packed matrices, take tokens as without.
  bool batch_invariant = false;
};

}  // namespace kvantage::inline model
