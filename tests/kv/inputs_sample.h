// An entry that holds layer inputs in place of the keys and values of its first tokens, of random bytes.
#pragma once

#include <xxhash.h>

#include <QtGlobal>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kv/serial_inputs.h"
#include "tests/kv/serial_sample.h"

namespace kvantage::test {

constexpr int inputs_chunk = 64;
constexpr KvShape inputs_shape{3, 2, 24, KvType::bf16};

/// Rows of random bytes.
class RandomInputs final : public LayerInputRows {
 public:
  RandomInputs(int tokens, std::size_t row_bytes, Random& random) : tokens_(tokens), row_(row_bytes) {
    for (int layer = 0; layer < inputs_shape.layers; ++layer) {
      std::vector<std::byte> rows(row_ * static_cast<std::size_t>(tokens));
      for (std::byte& byte : rows) byte = static_cast<std::byte>(random.below(256));
      layers_.push_back(std::move(rows));
    }
  }
  std::size_t row_bytes() const override { return row_; }
  int tokens() const override { return tokens_; }
  std::span<const std::byte> rows(int layer, int first, int count) const override {
    return std::span(layers_[static_cast<std::size_t>(layer)])
        .subspan(static_cast<std::size_t>(first) * row_, static_cast<std::size_t>(count) * row_);
  }

 private:
  int tokens_;
  std::size_t row_;
  std::vector<std::vector<std::byte>> layers_;
};

/// A serialized entry, and what it was made of.
struct StoredInputs {
  explicit StoredInputs(int tokens = 200, const std::string& codec = "layer_inputs(share=0.5)", std::uint64_t seed = 7)
      : random(seed), sample(make_sample(inputs_shape, tokens, tokens, false, 0, random)), inputs(tokens, 96, random) {
    sample.header.compression = {.method = codec, .codec = codec, .removed_fraction = 0};
    sample.header.identity.prefill_chunk_tokens = inputs_chunk;
    auto made = serialize(*sample.cache, sample.header, nullptr, &inputs);
    if (!made) qFatal("%s", made.error().message.c_str());
    bytes = std::move(*made);
  }
  std::span<const std::byte> layer(int index) const {
    const auto [begin, end] = sample.header.layer_range(index);
    return std::span(bytes).subspan(begin, end - begin);
  }
  /// With a value of the frame of layer 0 replaced, and the checksum of its extent made to fit.
  Expected<InputsLayer> forged(std::size_t at, std::uint32_t value) {
    EntryHeader header = sample.header;
    const Extent& extent = header.extents[0];
    std::memcpy(bytes.data() + extent.offset + at, &value, sizeof value);
    header.extents[0].checksum = XXH3_64bits(bytes.data() + extent.offset, extent.bytes);
    return read_inputs_layer(header, 0, layer(0), true);
  }
  Random random;
  Sample sample;
  RandomInputs inputs;
  std::vector<std::byte> bytes;
};

}  // namespace kvantage::test
