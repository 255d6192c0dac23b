#include "core/kvpr/row_codec.h"

#include <algorithm>

namespace kvantage::inline kvpr {

RowCodec::RowCodec(const KvShape& shape, std::shared_ptr<const Codec> codec)
    : wide_{shape.layers, 1, shape.kv_heads * shape.head_dim, shape.type}, codec_(std::move(codec)) {
  if (codec_ && codec_->is_identity()) codec_ = nullptr;
}

Expected<RowCodec> RowCodec::make(const KvShape& shape, std::shared_ptr<const Codec> codec) {
  RowCodec made(shape, std::move(codec));
  if (made.codec_ && !made.codec_->encoded_bytes(made.rows(0, ExtentKind::keys, 1)))
    return fail(ErrorCode::usage, made.codec_->text() +
                                      ": the length of its bytes depends on their content, but blocks on a tier have "
                                      "fixed places; use kivi4(residual=0) or fp8");
  return made;
}

std::size_t RowCodec::bytes(int tokens) const {
  if (codec_) return encoded(ExtentKind::keys, tokens) + encoded(ExtentKind::values, tokens);
  return 2 * rows(0, ExtentKind::keys, tokens).bytes();
}

Status RowCodec::encode(int layer, std::span<const std::byte> keys, std::span<const std::byte> values, int tokens,
                        std::span<std::byte> out) const {
  if (!codec_) {
    std::ranges::copy(keys, out.begin());
    std::ranges::copy(values, out.subspan(keys.size()).begin());
    return {};
  }
  std::vector<std::byte> made;
  KV_TRY(codec_->encode(rows(layer, ExtentKind::keys, tokens), keys, made));
  KV_TRY(codec_->encode(rows(layer, ExtentKind::values, tokens), values, made));
  if (made.size() != out.size())
    return fail(ErrorCode::internal, codec_->text() + ": quantized rows do not have the expected length");
  std::ranges::copy(made, out.begin());
  return {};
}

Expected<RowCodec::Rows> RowCodec::decode(int layer, std::span<const std::byte> bytes, int tokens) {
  if (!codec_) return Rows{bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2)};
  const std::size_t keys = encoded(ExtentKind::keys, tokens), held = rows(layer, ExtentKind::keys, tokens).bytes();
  keys_.resize(held);
  values_.resize(held);
  KV_TRY(codec_->decode(rows(layer, ExtentKind::keys, tokens), bytes.first(keys), keys_));
  KV_TRY(codec_->decode(rows(layer, ExtentKind::values, tokens), bytes.subspan(keys), values_));
  return Rows{keys_, values_};
}

}  // namespace kvantage::inline kvpr
