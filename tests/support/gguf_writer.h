// GGUF files put together by hand, well-formed or, where a test says so, not.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace kvantage::test {

/// Numbers, texts and headers as GGUF spells them.
template <class T>
std::string gguf_number(T number) {
  static_assert(std::is_arithmetic_v<T>);
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof(T));
  return bytes;
}
inline std::string gguf_text(const std::string& text) { return gguf_number<std::uint64_t>(text.size()) + text; }
inline std::string gguf_header(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3) {
  return "GGUF" + gguf_number(version) + gguf_number(tensors) + gguf_number(keys);
}
/// A key with the number of its type; the bytes of its value follow.
inline std::string gguf_key(const std::string& key, std::uint32_t type) { return gguf_text(key) + gguf_number(type); }

class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  GgufWriter& raw(const std::string& key, std::uint32_t type, const std::string& bytes) {
    keys_ += gguf_key(key, type) + bytes;
    ++key_count_;
    return *this;
  }
  GgufWriter& text(const std::string& key, const std::string& value) { return raw(key, 8, gguf_text(value)); }
  GgufWriter& u32(const std::string& key, std::uint32_t value) { return raw(key, 4, gguf_number(value)); }
  GgufWriter& f32(const std::string& key, float value) { return raw(key, 6, gguf_number(value)); }
  GgufWriter& flag(const std::string& key, bool value) { return raw(key, 7, std::string(1, value ? '\1' : '\0')); }
  GgufWriter& texts(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes;
    for (const std::string& value : values) bytes += gguf_text(value);
    return raw(key, 9, gguf_number(std::uint32_t{8}) + gguf_number<std::uint64_t>(values.size()) + bytes);
  }
  GgufWriter& floats(const std::string& key, const std::vector<float>& values) { return list(key, 6, values); }
  GgufWriter& ints(const std::string& key, const std::vector<std::int32_t>& values) { return list(key, 5, values); }

  /// `extents` as the file has them: columns first. `type`: ggml's number.
  GgufWriter& tensor(const std::string& name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
                     const std::string& bytes) {
    tensors_ += gguf_text(name) + gguf_number(static_cast<std::uint32_t>(extents.size()));
    for (const std::uint64_t extent : extents) tensors_ += gguf_number(extent);
    tensors_ += gguf_number(type) + gguf_number<std::uint64_t>(data_.size());
    data_ += bytes;
    data_.resize((data_.size() + alignment_ - 1) / alignment_ * alignment_);
    ++tensor_count_;
    return *this;
  }
  /// A tensor of fp32 numbers.
  GgufWriter& tensor(const std::string& name, const std::vector<std::uint64_t>& extents,
                     const std::vector<float>& numbers) {
    return tensor(name, extents, 0,
                  std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)));
  }
  /// Before the first tensor.
  GgufWriter& alignment(std::uint32_t bytes) {
    alignment_ = bytes;
    return u32("general.alignment", bytes);
  }

  std::string bytes() const {
    std::string all = gguf_header(tensor_count_, key_count_, version_) + keys_ + tensors_;
    if (tensor_count_ > 0) all.resize((all.size() + alignment_ - 1) / alignment_ * alignment_);
    return all + data_;
  }

 private:
  template <class T>
  GgufWriter& list(const std::string& key, std::uint32_t type, const std::vector<T>& values) {
    std::string bytes;
    for (const T value : values) bytes += gguf_number(value);
    return raw(key, 9, gguf_number(type) + gguf_number<std::uint64_t>(values.size()) + bytes);
  }

  std::uint32_t version_;
  std::size_t alignment_ = 32;
  std::uint64_t key_count_ = 0, tensor_count_ = 0;
  std::string keys_, tensors_, data_;
};

}  // namespace kvantage::test
