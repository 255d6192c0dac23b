// Reads GGUF files, versions 2 and 3 (ggml's model container): typed key-value metadata, tensor descriptions, then
// tensor data, all little-endian.
//
// The file is memory-mapped, never copied: values and tensors are views into it. Every length, count and offset is
// validated against the file size before use. Sizes that the file cannot hold, extents that overflow, and tensors that
// overlap, leave gaps or exceed the file are rejected_input. The one-line message names the file, the field, the reason
// and the fix. Memory used for parsing is bounded by the file size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/mapped_file.h"

namespace kvantage {

enum class GgufType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
const char* to_string(GgufType type);

/// Storage type of a tensor: each block of `elements` numbers takes `bytes` bytes.
struct GgufTensorType {
  std::uint32_t number;  // type id in the file
  const char* name;      // "Q4_K"
  std::uint32_t elements;
  std::uint32_t bytes;
};
/// All ggml types that files may hold.
std::span<const GgufTensorType> gguf_tensor_types();

/// The value of a key, verified to be within the file: a scalar's bytes, or those of all elements of an array.
struct GgufValue {
  GgufType type = GgufType::u8;
  GgufType element = GgufType::u8;  // of an array; never array
  std::uint64_t count = 1;          // elements of an array
  std::span<const std::byte> bytes;
};

struct GgufTensor {
  const GgufTensorType* type = nullptr;
  std::vector<std::int64_t> shape;  // slowest first, [rows, columns]: the reverse of the order in the file
  std::span<const std::byte> bytes;
};

class GgufFile {
 public:
  /// Maps and checks a file.
  static Expected<std::shared_ptr<const GgufFile>> open(const std::filesystem::path& path);
  /// The same for bytes that outlive the result; `name` comes first in messages.
  static Expected<GgufFile> parse(std::span<const std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  std::uint32_t version() const { return version_; }
  const std::map<std::string, GgufValue, std::less<>>& values() const { return values_; }
  const std::map<std::string, GgufTensor, std::less<>>& tensors() const { return tensors_; }
  bool has(std::string_view key) const { return values_.contains(key); }

  /// Values by key. rejected_input names file and key when the key is missing, of another type or out of range. Any
  /// numeric width is accepted: converters differ.
  Expected<std::uint64_t> whole_number(std::string_view key) const;  // of any integer type, not negative
  Expected<double> number(std::string_view key) const;               // of any numeric type
  Expected<bool> flag(std::string_view key) const;
  Expected<std::string_view> text(std::string_view key) const;
  Expected<std::vector<std::string_view>> texts(std::string_view key) const;
  Expected<std::vector<double>> numbers(std::string_view key) const;

  /// "FILE: REASON" as rejected_input; the reason includes the fix.
  tl::unexpected<Error> reject(const std::string& reason) const;

 private:
  class Parser;
  Expected<const GgufValue*> find(std::string_view key, std::string_view wanted) const;
  tl::unexpected<Error> wrong_type(std::string_view key, const GgufValue& value, std::string_view wanted) const;

  std::string name_;
  std::uint32_t version_ = 0;
  std::map<std::string, GgufValue, std::less<>> values_;
  std::map<std::string, GgufTensor, std::less<>> tensors_;
  std::shared_ptr<const MappedFile> mapped_;
};

}  // namespace kvantage
