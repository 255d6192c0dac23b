#include "core/kv/encoded_rows.h"

namespace kvantage::inline kv {

EncodedRows::EncodedRows(std::shared_ptr<const Codec> codec, const KvShape& shape)
    : codec_(std::move(codec)),
      shape_(shape),
      heads_(static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads)) {}

Status EncodedRows::put(int layer, std::vector<Head> heads) {
  if (layer < 0 || layer >= shape_.layers || heads.size() != static_cast<std::size_t>(shape_.kv_heads) ||
      codec_->ranges() == nullptr)
    return fail(ErrorCode::internal, "quantized rows: their shape differs, or the codec cannot read ranges");
  for (const Head& head : heads) {
    KV_TRY(codec_->ranges()->check({shape_, layer, ExtentKind::keys, head.rows}, head.keys));
    KV_TRY(codec_->ranges()->check({shape_, layer, ExtentKind::values, head.rows}, head.values));
  }
  std::move(heads.begin(), heads.end(), heads_.begin() + static_cast<std::ptrdiff_t>(layer) * shape_.kv_heads);
  return {};
}

void EncodedRows::decode(int layer, int kv_head, int first, int count, std::byte* keys, std::byte* values) const {
  if (count <= 0) return;
  const Head& head = at(layer, kv_head);
  const std::size_t bytes =
      static_cast<std::size_t>(count) * static_cast<std::size_t>(shape_.head_dim) * bytes_of(shape_.type);
  codec_->ranges()->decode(rows_of(layer, kv_head, ExtentKind::keys), head.keys, first, count, {keys, bytes});
  codec_->ranges()->decode(rows_of(layer, kv_head, ExtentKind::values), head.values, first, count, {values, bytes});
}

std::size_t EncodedRows::bytes() const {
  std::size_t all = 0;
  for (const Head& head : heads_) all += head.keys.size() + head.values.size();
  return all;
}

std::size_t EncodedRows::total_rows() const {
  std::size_t all = 0;
  for (const Head& head : heads_) all += static_cast<std::size_t>(head.rows);
  return all;
}

}  // namespace kvantage::inline kv
