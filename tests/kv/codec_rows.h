// Rows of keys or values for tests of codecs, and what codecs make of them.
#pragma once

#include <QtGlobal>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kv/codecs/codec.h"
#include "core/model/kernels/kernels.h"

namespace kvantage::testing {

inline std::vector<std::byte> as_held(const std::vector<float>& numbers, KvType type) {
  std::vector<std::byte> bytes(numbers.size() * bytes_of(type));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Bf16 half = to_bf16(numbers[i]);
    if (type == KvType::bf16) std::memcpy(bytes.data() + 2 * i, &half, 2);
    if (type == KvType::fp32) std::memcpy(bytes.data() + 4 * i, &numbers[i], 4);
  }
  return bytes;
}

inline std::vector<float> as_floats(const std::vector<std::byte>& bytes, KvType type) {
  std::vector<float> numbers(bytes.size() / bytes_of(type));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Bf16 half;
    if (type == KvType::bf16) std::memcpy(&half, bytes.data() + 2 * i, 2);
    if (type == KvType::bf16) numbers[i] = to_float(half);
    if (type == KvType::fp32) std::memcpy(&numbers[i], bytes.data() + 4 * i, 4);
  }
  return numbers;
}

/// Channels of many widths and offsets, as keys have; the same numbers as tests/parity/make_codec_goldens.py draws.
inline std::vector<std::byte> channel_rows(const CodecRows& rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> numbers;
  for (std::size_t i = 0; i < rows.elements(); ++i) {
    const int channel = static_cast<int>(i) % rows.shape.head_dim;
    numbers.push_back(static_cast<float>((random.uniform() - 0.5) * std::exp2(channel % 7 - 3) + channel % 3 * 0.75));
  }
  return as_held(numbers, rows.shape.type);
}

inline std::shared_ptr<const Codec> codec_of(const std::string& text) {
  auto codec = parse_codec(text);
  if (!codec) qFatal("%s", codec.error().message.c_str());
  return *codec;
}

inline std::vector<std::byte> encoded(const Codec& codec, const CodecRows& rows, const std::vector<std::byte>& data) {
  std::vector<std::byte> out;
  if (auto status = codec.encode(rows, data, out); !status) qFatal("%s", status.error().message.c_str());
  return out;
}

inline std::vector<std::byte> decoded(const Codec& codec, const CodecRows& rows, const std::vector<std::byte>& bytes) {
  std::vector<std::byte> data(rows.bytes());
  if (auto status = codec.decode(rows, bytes, data); !status) qFatal("%s", status.error().message.c_str());
  return data;
}

inline CodecRows rows_of(int head_dim, int count, ExtentKind kind, KvType type = KvType::bf16, int layer = 0) {
  return {{32, 2, head_dim, type}, layer, kind, count};
}

}  // namespace kvantage::testing
