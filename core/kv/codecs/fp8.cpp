#include <algorithm>

#include "core/kv/codecs/codecs.h"
#include "core/kv/codecs/fp8_kernels.h"

namespace kvantage::inline codecs {
namespace {

/// One byte per element, without a scale: keys and values of trained models fit e4m3's range of 2^-9 to 448.
class Fp8Codec : public Codec {
 public:
  std::string text() const override { return "fp8"; }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const override { return rows.elements(); }
  std::uint64_t max_bytes(const CodecRows& rows) const override { return rows.elements(); }

  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    KV_TRY(check_buffers(rows, data.size()));
    const Fp8Kernels& kernels = kernels_of(rows);
    reserve_more(out, rows.elements());
    for (std::size_t i = 0; i < rows.elements(); i += written_at_once) {
      const std::size_t count = std::min(written_at_once, rows.elements() - i), begin = out.size();
      out.resize(begin + count);
      kernels.encode(data.data() + i * bytes_of(rows.shape.type), count, out.data() + begin);
    }
    return {};
  }

  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    if (bytes.size() != rows.elements()) return broken_rows("fp8", "length does not fit its rows");
    kernels_of(rows).decode(bytes.data(), bytes.size(), data.data());
    return {};
  }

 private:
  static constexpr std::size_t written_at_once = 8192;  // zeroed by resize() and overwritten in the L1 cache

  static const Fp8Kernels& kernels_of(const CodecRows& rows) {
    return fp8_kernels(rows.shape.type == KvType::bf16, best_isa());
  }
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_fp8(const Parameters&) { return std::make_shared<Fp8Codec>(); }

}  // namespace kvantage::inline codecs
