// A model's tensors, memory-mapped: from .safetensors files (8 bytes of header length, a JSON header of {name: {dtype,
// shape, data_offsets}}, data) or a GGUF file (gguf_model.h).
//
// Files are never copied. Everything in the header is checked against the file's size before use: a header longer than
// the file, offsets outside the data, overlaps, gaps and sizes that contradict shape and dtype are all rejected_input,
// with one line that names the file and the tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/gguf_file.h"
#include "core/base/mapped_file.h"
#include "core/model/quantization.h"

namespace kvantage::inline model {

/// One tensor of a file: its bytes stay valid as long as the WeightFiles it came from.
struct StoredTensor {
  std::string dtype;  // as in the file: "BF16", "F32", "Q4_K", ...
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
  /// Not 0: rows of so many heads whose channels are interleaved rotary pairs (2i, 2i+1), to be converted to (i, i +
  /// head_dim/2).
  int paired_heads = 0;
  /// "[1344, 256] F32", for messages.
  std::string describe() const;
};

/// Parses one file's bytes; `name` comes first in messages.
Expected<std::map<std::string, StoredTensor>> parse_safetensors(std::span<const std::byte> bytes,
                                                                const std::string& name);

/// All tensors of a model: from model.safetensors in a folder, from the shards in model.safetensors.index.json, or from
/// a GGUF file under Hugging Face names.
class WeightFiles {
 public:
  static Expected<WeightFiles> open(const std::filesystem::path& model);

  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  /// Bytes of all tensors.
  std::uint64_t tensor_bytes() const;
  /// Number of tensors of each stored type.
  std::map<std::string, int> stored_types() const;
  bool is_gguf() const { return gguf_ != nullptr; }
  /// As config.json says.
  const Quantization& quantization() const { return quantization_; }

 private:
  static Expected<WeightFiles> open_gguf(const std::filesystem::path& path);

  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::shared_ptr<const GgufFile> gguf_;
  std::map<std::string, StoredTensor> tensors_;
  Quantization quantization_;
};

}  // namespace kvantage::inline model
