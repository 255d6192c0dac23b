#include "core/kv/codecs/kivi.h"

#include <algorithm>

#include "core/kv/codecs/codecs.h"
#include "core/kv/codecs/kivi_kernels.h"

namespace kvantage::inline codecs {
namespace {

using namespace codecs;

/// Layout of one encoding:
///   scales [groups] fp16, minima [groups] fp16, quantized values [quantized rows, row_code_bytes], newest rows
///   unquantized.
/// Keys: group (t / group, channel); values: group (token, channel / group).
struct Layout {
  std::size_t quantized = 0;  // rows
  std::size_t groups = 0;
  std::size_t row_codes = 0;  // bytes
  std::size_t row = 0;        // bytes before encoding
  std::size_t newest = 0;     // rows

  std::size_t minima() const { return groups * 2; }
  std::size_t codes() const { return groups * 4; }
  std::size_t as_held() const { return codes() + quantized * row_codes; }
  std::size_t bytes() const { return as_held() + newest * row; }
};

class KiviCodec : public Codec, private RowRanges {
 public:
  KiviCodec(std::string text, const KiviSettings& settings, Isa isa)
      : text_(std::move(text)), settings_(settings), isa_(isa) {}

  std::string text() const override { return text_; }
  const RowRanges* ranges() const override { return this; }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const override { return layout(rows).bytes(); }
  std::uint64_t max_bytes(const CodecRows& rows) const override { return layout(rows).bytes(); }

  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    KV_TRY(check_buffers(rows, data.size()));
    const Layout at = layout(rows);
    const KiviKernels& kernels = kivi_kernels(rows.shape.type == KvType::bf16, isa_);
    const std::size_t begin = out.size();
    reserve_more(out, at.bytes());
    out.resize(begin + at.codes());
    std::byte* target = out.data() + begin;
    std::vector<float> low, high;
    for_each_block(rows, at, [&](const KiviBlock& block, std::size_t row, std::size_t group) {
      low.resize(block.groups());
      high.resize(block.groups());
      const bool sane = kernels.ranges(block, data.data() + row * at.row, low.data(), high.data());
      kernels.parameters(block.groups(), settings_.bits, low.data(), high.data(), target + group * 2,
                         target + at.minima() + group * 2);
      out.resize(out.size() + static_cast<std::size_t>(block.rows) * at.row_codes);
      kernels.quantize(block, sane, data.data() + row * at.row, low.data(), high.data(),
                       target + at.codes() + row * at.row_codes);
      return true;
    });
    const auto newest = data.subspan(at.quantized * at.row);
    out.insert(out.end(), newest.begin(), newest.end());
    return {};
  }

  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    const Layout at = layout(rows);
    if (bytes.size() != at.bytes()) return broken_rows(text_, "length does not fit its rows");
    const KiviKernels& kernels = kivi_kernels(rows.shape.type == KvType::bf16, isa_);
    std::vector<float> step, low;
    const bool finite = for_each_block(rows, at, [&](const KiviBlock& block, std::size_t row, std::size_t group) {
      step.resize(block.groups());
      low.resize(block.groups());
      if (!kernels.widen(block.groups(), bytes.data() + group * 2, step.data()) ||
          !kernels.widen(block.groups(), bytes.data() + at.minima() + group * 2, low.data()))
        return false;
      kernels.dequantize(block, bytes.data() + at.codes() + row * at.row_codes, step.data(), low.data(),
                         data.data() + row * at.row);
      return true;
    });
    if (!finite) return broken_rows(text_, "a scale or minimum is not a finite number");
    std::ranges::copy(bytes.subspan(at.as_held()), data.begin() + static_cast<std::ptrdiff_t>(at.quantized * at.row));
    return {};
  }

 private:
  Status check(const CodecRows& rows, std::span<const std::byte> bytes) const override {
    const Layout at = layout(rows);
    if (bytes.size() != at.bytes()) return broken_rows(text_, "length does not fit its rows");
    const KiviKernels& kernels = kivi_kernels(rows.shape.type == KvType::bf16, isa_);
    std::vector<float> numbers(2 * at.groups);  // scales, then minima, adjacent
    if (!kernels.widen(numbers.size(), bytes.data(), numbers.data()))
      return broken_rows(text_, "a scale or minimum is not a finite number");
    return {};
  }

  void decode(const CodecRows& rows, std::span<const std::byte> bytes, int first, int count,
              std::span<std::byte> data) const override {
    const Layout at = layout(rows);
    const KiviKernels& kernels = kivi_kernels(rows.shape.type == KvType::bf16, isa_);
    const bool keys = rows.kind == ExtentKind::keys;
    const std::size_t end = static_cast<std::size_t>(first + count),
                      most = keys ? static_cast<std::size_t>(settings_.group) : value_rows;
    thread_local std::vector<float> step, low;
    std::size_t row = static_cast<std::size_t>(first);
    while (row < std::min(end, at.quantized)) {
      // Limited to rows that share their groups; a key's groups span its whole group of tokens.
      const std::size_t next = std::min({end, at.quantized, (row / most + 1) * most});
      const KiviBlock block{static_cast<int>(next - row), rows.shape.head_dim, settings_.bits,
                            keys ? 0 : settings_.group};
      const std::size_t group = keys ? row / most * block.groups() : row * block.groups_per_row();
      step.resize(block.groups());
      low.resize(block.groups());
      (void)kernels.widen(block.groups(), bytes.data() + group * 2, step.data());
      (void)kernels.widen(block.groups(), bytes.data() + at.minima() + group * 2, low.data());
      kernels.dequantize(block, bytes.data() + at.codes() + row * at.row_codes, step.data(), low.data(),
                         data.data() + (row - static_cast<std::size_t>(first)) * at.row);
      row = next;
    }
    if (row < end)  // the newest, unquantized
      std::ranges::copy(bytes.subspan(at.as_held() + (row - at.quantized) * at.row, (end - row) * at.row),
                        data.end() - static_cast<std::ptrdiff_t>((end - row) * at.row));
  }

  static constexpr std::size_t value_rows = 32;  // value rows are processed in blocks that fit the L1 cache

  Layout layout(const CodecRows& rows) const {
    const auto count = static_cast<std::size_t>(rows.count);
    const auto head_dim = static_cast<std::size_t>(rows.shape.head_dim);
    const auto residual = static_cast<std::size_t>(settings_.residual);
    const auto group = static_cast<std::size_t>(settings_.group);
    const bool keys = rows.kind == ExtentKind::keys;
    Layout at;
    at.newest = residual == 0 ? 0 : keys ? count % residual : std::min(count, residual);
    at.quantized = count - at.newest;
    at.groups = keys ? (at.quantized + group - 1) / group * head_dim : at.quantized * ((head_dim + group - 1) / group);
    at.row_codes = (head_dim * static_cast<std::size_t>(settings_.bits) + 7) / 8;
    at.row = head_dim * bytes_of(rows.shape.type);
    return at;
  }

  /// Calls body(block, first row, first group) over the quantized rows until it returns false.
  template <class Body>
  bool for_each_block(const CodecRows& rows, const Layout& at, Body&& body) const {
    const bool keys = rows.kind == ExtentKind::keys;
    const std::size_t most = keys ? static_cast<std::size_t>(settings_.group) : value_rows;
    std::size_t group = 0;
    for (std::size_t row = 0; row < at.quantized; row += most) {
      const KiviBlock block{static_cast<int>(std::min(most, at.quantized - row)), rows.shape.head_dim, settings_.bits,
                            keys ? 0 : settings_.group};
      if (!body(block, row, group)) return false;
      group += block.groups();
    }
    return true;
  }

  std::string text_;
  KiviSettings settings_;
  Isa isa_;
};

Expected<std::shared_ptr<const Codec>> make_with_bits(int bits, const Parameters& parameters) {
  KV_ASSIGN(const auto residual, parameters.integer("residual", 0, 1 << 20));
  KV_ASSIGN(const auto group, parameters.integer("group", 2, 1024));
  return make_kivi({bits, residual, group}, best_isa());
}

}  // namespace

std::shared_ptr<const Codec> make_kivi(const KiviSettings& settings, Isa isa) {
  const KiviSettings defaults;
  std::string inside;
  if (settings.residual != defaults.residual) inside += "residual=" + std::to_string(settings.residual);
  if (settings.group != defaults.group)
    inside += (inside.empty() ? "group=" : ",group=") + std::to_string(settings.group);
  std::string text = "kivi" + std::to_string(settings.bits) + (inside.empty() ? "" : "(" + inside + ")");
  return std::make_shared<KiviCodec>(std::move(text), settings, isa);
}

Expected<std::shared_ptr<const Codec>> make_kivi8(const Parameters& parameters) {
  return make_with_bits(8, parameters);
}
Expected<std::shared_ptr<const Codec>> make_kivi4(const Parameters& parameters) {
  return make_with_bits(4, parameters);
}
Expected<std::shared_ptr<const Codec>> make_kivi2(const Parameters& parameters) {
  return make_with_bits(2, parameters);
}

}  // namespace kvantage::inline codecs
