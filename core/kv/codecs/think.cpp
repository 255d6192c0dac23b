#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/kv/codecs/codecs.h"
#include "core/kv/codecs/elements.h"

namespace kvantage::inline codecs {
namespace {

using namespace codecs;

/// Keys without their weakest channels (Xu et al. 2024): those with the lowest sum of squares over the rows. A method
/// sets the channels that its last queries read least to 0 before (core/compress/channels.h), which makes them the
/// weakest. Keys: a bit per channel, then the channels that stay, row by row; they decode to 0 elsewhere. Values: as
/// they are.
class ThinkCodec : public Codec {
 public:
  ThinkCodec(std::string text, double removed, int window)
      : text_(std::move(text)), removed_(removed), window_(window) {}

  std::string text() const override { return text_; }
  bool is_lossless() const override { return removed_ <= 0; }
  int pruned_channels(int head_dim) const override { return static_cast<int>(head_dim * removed_); }
  int channel_window() const override { return window_; }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const override { return size_of(rows); }
  std::uint64_t max_bytes(const CodecRows& rows) const override { return size_of(rows); }

  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    KV_TRY(check_buffers(rows, data.size()));
    if (rows.kind != ExtentKind::keys || rows.count == 0) {
      out.insert(out.end(), data.begin(), data.end());
      return {};
    }
    const std::vector<bool> stays = channels_that_stay(rows, data);
    const std::size_t begin = out.size();
    out.resize(begin + bitmap_bytes(rows));
    for (std::size_t c = 0; c < stays.size(); ++c)
      if (stays[c]) out[begin + c / 8] |= std::byte{static_cast<unsigned char>(1U << (c % 8))};
    const std::size_t element = bytes_of(rows.shape.type);
    out.reserve(begin + static_cast<std::size_t>(size_of(rows)));
    for (std::size_t i = 0; i < rows.elements(); ++i)
      if (stays[i % stays.size()])
        out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(i * element),
                   data.begin() + static_cast<std::ptrdiff_t>((i + 1) * element));
    return {};
  }

  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    if (bytes.size() != size_of(rows)) return broken_rows("think", "length does not fit its rows");
    if (rows.kind != ExtentKind::keys || rows.count == 0) {
      std::ranges::copy(bytes, data.begin());
      return {};
    }
    const auto dim = static_cast<std::size_t>(rows.shape.head_dim), element = bytes_of(rows.shape.type);
    std::vector<bool> stays(8 * bitmap_bytes(rows));
    for (std::size_t c = 0; c < stays.size(); ++c)
      stays[c] = (std::to_integer<unsigned>(bytes[c / 8]) >> (c % 8) & 1U) != 0;
    if (std::ranges::count(stays, true) != rows.shape.head_dim - pruned_channels(rows.shape.head_dim) ||
        std::find(stays.begin() + static_cast<std::ptrdiff_t>(dim), stays.end(), true) != stays.end())
      return broken_rows("think", "its channels are not as many as its header says");
    std::ranges::fill(data, std::byte{0});
    std::size_t next = bitmap_bytes(rows);
    for (std::size_t i = 0; i < rows.elements(); ++i) {
      if (!stays[i % dim]) continue;
      std::memcpy(&data[i * element], &bytes[next], element);
      next += element;
    }
    return {};
  }

 private:
  static std::size_t bitmap_bytes(const CodecRows& rows) {
    return (static_cast<std::size_t>(rows.shape.head_dim) + 7) / 8;
  }
  std::uint64_t size_of(const CodecRows& rows) const {
    if (rows.kind != ExtentKind::keys || rows.count == 0) return rows.bytes();
    const int left = rows.shape.head_dim - pruned_channels(rows.shape.head_dim);
    return bitmap_bytes(rows) +
           static_cast<std::uint64_t>(rows.count) * static_cast<std::uint64_t>(left) * bytes_of(rows.shape.type);
  }
  std::vector<bool> channels_that_stay(const CodecRows& rows, std::span<const std::byte> data) const {
    const auto dim = static_cast<std::size_t>(rows.shape.head_dim);
    std::vector<double> squares(dim, 0.0);
    with_element(rows.shape.type == KvType::bf16, [&]<class T>(T) {
      for (std::size_t i = 0; i < rows.elements(); ++i) {
        const auto number = static_cast<double>(load_element<T>(data.data(), i));
        squares[i % dim] += number * number;
      }
    });
    for (double& sum : squares)
      if (!(sum < HUGE_VAL)) sum = HUGE_VAL;  // a channel with NaN stays
    std::vector<std::size_t> order(dim);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&squares](std::size_t c) { return squares[c]; });
    std::vector<bool> stays(dim, true);
    for (int i = 0; i < pruned_channels(rows.shape.head_dim); ++i) stays[order[static_cast<std::size_t>(i)]] = false;
    return stays;
  }

  std::string text_;
  double removed_;
  int window_;
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_think(const Parameters& parameters) {
  KV_ASSIGN(const auto removed, parameters.real("removed", 0, 0.99));
  KV_ASSIGN(const auto window, parameters.integer("window", 1, 4096));
  return std::make_shared<ThinkCodec>(parameters.canonical_text(), removed, window);
}

}  // namespace kvantage::inline codecs
