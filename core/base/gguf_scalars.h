// GGUF scalar types, shared by the two source files that parse them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/gguf_file.h"
#include "core/base/json.h"

namespace kvantage::gguf {

/// Bytes of one scalar; 0 for texts and arrays.
inline std::size_t scalar_bytes(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean:
      return 1;
    case GgufType::u16:
    case GgufType::i16:
      return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32:
      return 4;
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64:
      return 8;
    case GgufType::text:
    case GgufType::array:
      return 0;
  }
  return 0;
}

inline bool is_number(GgufType type) {
  return type != GgufType::text && type != GgufType::array && type != GgufType::boolean;
}
inline bool is_whole_number(GgufType type) { return is_number(type) && type != GgufType::f32 && type != GgufType::f64; }

static_assert(std::endian::native == std::endian::little, "numbers are copied in the file's byte order");

template <class T>
T number_at(const std::byte* bytes) {
  T number{};
  std::memcpy(&number, bytes, sizeof(T));
  return number;
}

inline std::string in_quotes(std::string_view name) { return "'" + printable(name) + "'"; }

}  // namespace kvantage::gguf
