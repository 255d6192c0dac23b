#include "core/kv/codecs/codecs.h"
#include "core/kv/codecs/e4m3.h"
#include "core/kv/codecs/elements.h"

namespace kvantage::inline codecs {
namespace {

using namespace codecs;

/// fp32 to e4m3 (no infinities, maximum 448), to nearest, ties to even; saturates; NaN stays NaN.
std::uint8_t to_e4m3(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = (bits >> 24) & 0x80U;
  const auto magnitude = bits & 0x7fffffffU;
  const auto limited = std::min(magnitude, 0x43e00000U);  // 448
  // Below 2^-6 the last bit is worth 2^-9: adding 2^14 (whose last bit is, too) rounds there.
  const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(limited) + 0x1p14F) - 0x46800000U;
  const auto normal = (limited - 0x3c000000U + 0x7ffffU + ((limited >> 20) & 1U)) >> 20;
  const auto code = magnitude > 0x7f800000U ? 0x7fU : limited < 0x3c800000U ? small : normal;
  return static_cast<std::uint8_t>(sign | code);
}

/// One byte per element, without a scale: keys and values of trained models fit e4m3's range of 2^-9 to 448.
class Fp8Codec : public Codec {
 public:
  std::string text() const override { return "fp8"; }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const override { return rows.elements(); }
  std::uint64_t max_bytes(const CodecRows& rows) const override { return rows.elements(); }

  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    KV_TRY(check_buffers(rows, data.size()));
    const std::size_t begin = out.size();
    out.resize(begin + rows.elements());
    with_element(rows.shape.type == KvType::bf16, [&]<class T>(T) {
      for (std::size_t i = 0; i < rows.elements(); ++i)
        out[begin + i] = std::byte{to_e4m3(load_element<T>(data.data(), i))};
    });
    return {};
  }

  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    if (bytes.size() != rows.elements()) return broken_rows("fp8", "length does not fit its rows");
    with_element(rows.shape.type == KvType::bf16, [&]<class T>(T) {
      for (std::size_t i = 0; i < bytes.size(); ++i)
        store_element<T>(data.data(), i, e4m3_values[static_cast<std::size_t>(bytes[i])]);
    });
    return {};
  }
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_fp8(const Parameters&) { return std::make_shared<Fp8Codec>(); }

}  // namespace kvantage::inline codecs
