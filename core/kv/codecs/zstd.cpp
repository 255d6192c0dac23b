#include <zstd.h>

#include "core/kv/codecs/codecs.h"

namespace kvantage::inline codecs {
namespace {

/// Lossless, over the bytes of another codec. One frame per head and part, preceded by its content size.
class ZstdCodec : public Codec {
 public:
  ZstdCodec(std::string own_text, int level, std::shared_ptr<const Codec> inner)
      : own_text_(std::move(own_text)), level_(level), inner_(std::move(inner)) {}

  std::string text() const override { return inner_->is_identity() ? own_text_ : inner_->text() + "+" + own_text_; }
  bool is_lossless() const override { return inner_->is_lossless(); }
  int pruned_channels(int head_dim) const override { return inner_->pruned_channels(head_dim); }
  int channel_window() const override { return inner_->channel_window(); }
  std::optional<std::uint64_t> encoded_bytes(const CodecRows&) const override { return std::nullopt; }
  std::uint64_t max_bytes(const CodecRows& rows) const override {
    return ZSTD_compressBound(static_cast<std::size_t>(inner_->max_bytes(rows)));
  }

  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    std::vector<std::byte> plain;
    KV_TRY(inner_->encode(rows, data, plain));
    const std::size_t begin = out.size();
    out.resize(begin + ZSTD_compressBound(plain.size()));
    const std::size_t written =
        ZSTD_compress(out.data() + begin, out.size() - begin, plain.data(), plain.size(), level_);
    if (ZSTD_isError(written) != 0)
      return fail(ErrorCode::no_space, text() + ": " + ZSTD_getErrorName(written) + "; free memory and try again");
    out.resize(begin + written);
    return {};
  }

  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    KV_TRY(check_buffers(rows, data.size()));
    const auto expected = inner_->encoded_bytes(rows);
    const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
        (expected ? size != *expected : size > inner_->max_bytes(rows)))
      return broken_rows(text(), "content size does not fit its rows");
    if (inner_->is_identity()) return unpack(bytes, data);
    std::vector<std::byte> plain(static_cast<std::size_t>(size));
    KV_TRY(unpack(bytes, plain));
    return inner_->decode(rows, plain, data);
  }

 private:
  Status unpack(std::span<const std::byte> bytes, std::span<std::byte> plain) const {
    const std::size_t got = ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(got) != 0 || got != plain.size()) return broken_rows(text(), "not a whole zstd frame");
    return {};
  }

  std::string own_text_;
  int level_;
  std::shared_ptr<const Codec> inner_;
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_zstd(const Parameters& parameters, std::shared_ptr<const Codec> inner) {
  KV_ASSIGN(const auto level, parameters.integer("level", 1, 19));
  return std::make_shared<ZstdCodec>(parameters.canonical_text(), level, std::move(inner));
}

}  // namespace kvantage::inline codecs
