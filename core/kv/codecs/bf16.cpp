#include <algorithm>

#include "core/kv/codecs/codecs.h"

namespace kvantage::inline codecs {
namespace {

/// Plain rows: lossless, no compression.
class Bf16Codec : public Codec {
 public:
  std::string text() const override { return "bf16"; }
  bool is_identity() const override { return true; }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const override { return rows.bytes(); }
  std::uint64_t max_bytes(const CodecRows& rows) const override { return rows.bytes(); }
  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    KV_TRY(check_buffers(rows, data.size()));
    out.insert(out.end(), data.begin(), data.end());
    return {};
  }
  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    if (bytes.size() != data.size()) return broken_rows("bf16", "length does not fit its rows");
    std::ranges::copy(bytes, data.begin());
    return {};
  }
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_bf16(const Parameters&) { return std::make_shared<Bf16Codec>(); }

}  // namespace kvantage::inline codecs
