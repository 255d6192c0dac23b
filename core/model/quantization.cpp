#include "core/model/quantization.h"

#include <vector>

namespace kvantage::inline model {
namespace {

tl::unexpected<Error> refuse_quantization(const std::string& name, const std::string& reason) {
  return fail(ErrorCode::rejected_input,
              name + ": " + reason + "; use a checkpoint in bfloat16, float16 or float32, or a GGUF file");
}

/// A variant that is not read.
tl::unexpected<Error> refuse_quantization_key(const std::string& name, const char* key, const std::string& value) {
  return refuse_quantization(
      name, "quantization_config: " + std::string(key) + " '" + printable(value) + "' is not supported");
}

Expected<int> read_group(const Json& json, const std::string& name, int fallback) {
  KV_ASSIGN(const int size, json_field_or<int>(json, "group_size", name, fallback));
  if (size != -1 && (size < 8 || size > (1 << 20)))
    return refuse_quantization_key(name, "group_size", std::to_string(size));
  return size == -1 ? 0 : size;
}

Expected<Quantization> read_gptq(const Json& json, const std::string& name) {
  Quantization result{.method = QuantizationMethod::gptq};
  KV_ASSIGN(result.bits, json_field<int>(json, "bits", name));
  if (result.bits != 2 && result.bits != 4 && result.bits != 8)
    return refuse_quantization_key(name, "bits", std::to_string(result.bits));
  KV_ASSIGN(result.group_size, read_group(json, name, 128));
  KV_ASSIGN(const auto format, json_field_or<std::string>(json, "checkpoint_format", name, "gptq"));
  if (format != "gptq" && format != "gptq_v2") return refuse_quantization_key(name, "checkpoint_format", format);
  KV_ASSIGN(const auto words, json_field_or<std::string>(json, "pack_dtype", name, "int32"));
  if (words != "int32") return refuse_quantization_key(name, "pack_dtype", words);
  result.zeros_less_one = format == "gptq";
  return result;
}

Expected<Quantization> read_awq(const Json& json, const std::string& name) {
  Quantization result{.method = QuantizationMethod::awq};
  KV_ASSIGN(result.bits, json_field_or<int>(json, "bits", name, 4));
  if (result.bits != 4) return refuse_quantization_key(name, "bits", std::to_string(result.bits));
  KV_ASSIGN(result.group_size, read_group(json, name, 128));
  KV_ASSIGN(const auto version, json_field_or<std::string>(json, "version", name, "gemm"));
  if (version != "gemm" && version != "GEMM") return refuse_quantization_key(name, "version", version);
  KV_ASSIGN(const auto zeros, json_field_or<bool>(json, "zero_point", name, true));
  if (!zeros) return refuse_quantization_key(name, "zero_point", "false");
  return result;
}

Expected<Quantization> read_fp8(const Json& json, const std::string& name) {
  Quantization result{.method = QuantizationMethod::fp8};
  KV_ASSIGN(const auto block, json_field_or<std::vector<int>>(json, "weight_block_size", name, {128, 128}));
  KV_ASSIGN(const auto format, json_field_or<std::string>(json, "fmt", name, "e4m3"));
  if (format != "e4m3") return refuse_quantization_key(name, "fmt", format);
  if (block.size() != 2 || block[0] < 1 || block[1] < 1)
    return refuse_quantization(name, "quantization_config: weight_block_size must be two sizes");
  result.block_rows = block[0];
  result.block_columns = block[1];
  return result;
}

}  // namespace

Expected<Quantization> read_quantization(const Json& config, const std::string& name) {
  const auto found = config.find("quantization_config");
  if (found == config.end() || !found->is_object()) return Quantization{};
  KV_ASSIGN(const auto method, json_field_or<std::string>(*found, "quant_method", name, ""));
  if (method == "gptq") return read_gptq(*found, name);
  if (method == "awq") return read_awq(*found, name);
  if (method == "fp8") return read_fp8(*found, name);
  if (method == "mxfp4") return Quantization{.method = QuantizationMethod::mxfp4};
  return refuse_quantization(name, "quantization '" +
                                       (method.empty() ? std::string("(none named)") : printable(method)) +
                                       "' is not supported (gptq, awq, fp8 and mxfp4 are)");
}

}  // namespace kvantage::inline model
