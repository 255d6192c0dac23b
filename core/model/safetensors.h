// Reading .safetensors files: 8 bytes of header length, a JSON header of {name: {dtype, shape, data_offsets}}, data.
//
// The file is mapped, never copied. Nothing the header says is believed before it is checked against the file's size:
// a header longer than the file, offsets outside the data, overlaps, gaps and sizes that contradict shape and dtype are
// all rejected_input with one line that names the file and the tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/mapped_file.h"

namespace kvantage {

/// One tensor of a file: its bytes stay valid as long as the WeightFiles that gave it.
struct StoredTensor {
  std::string dtype;  // as the header spells it: "BF16", "F32", ...
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
  /// "[1344, 256] F32", for messages.
  std::string describe() const;
};

/// Parses one file's bytes; `name` stands first in messages.
Expected<std::map<std::string, StoredTensor>> parse_safetensors(std::span<const std::byte> bytes,
                                                                const std::string& name);

/// All tensors of a model folder: model.safetensors, or the shards that model.safetensors.index.json names.
class WeightFiles {
 public:
  static Expected<WeightFiles> open(const std::filesystem::path& folder);

  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  /// Bytes of all tensors.
  std::uint64_t tensor_bytes() const;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::map<std::string, StoredTensor> tensors_;
};

}  // namespace kvantage
