// quantization_config of a Hugging Face folder: how its matrices are packed.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::inline model {

enum class QuantizationMethod { none, gptq, awq, fp8, mxfp4 };

struct Quantization {
  QuantizationMethod method = QuantizationMethod::none;
  int bits = 0;                           // gptq, awq
  int group_size = 0;                     // gptq, awq: inputs that share a scale; 0: all
  bool zeros_less_one = false;            // gptq before version 2: zero points are stored less one
  int block_rows = 0, block_columns = 0;  // fp8
};

/// From config.json; `name` comes first in messages. rejected_input names a method or a variant that is not read.
Expected<Quantization> read_quantization(const Json& config, const std::string& name);

}  // namespace kvantage::inline model
