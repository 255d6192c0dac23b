#include "core/kv/recode.h"

namespace kvantage::inline kv {
namespace {

struct HeadRows {
  std::vector<std::byte> keys, values;  // [kept, head_dim]
  std::vector<std::int32_t> positions;  // [kept]
};

/// Bytes of the encoding.
Expected<std::uint64_t> pass_through(const Codec& codec, const CodecRows& rows, std::vector<std::byte>& data) {
  std::vector<std::byte> encoded;
  KV_TRY(codec.encode(rows, data, encoded));
  KV_TRY(codec.decode(rows, encoded, data));
  return encoded.size();
}

}  // namespace

Expected<std::uint64_t> recode_layer(KvCache& cache, int l, const Codec& codec) {
  const KvShape& shape = cache.shape();
  std::uint64_t bytes = 0;
  std::vector<HeadRows> heads(static_cast<std::size_t>(shape.kv_heads));
  for (int h = 0; h < shape.kv_heads; ++h) {
    HeadRows& head = heads[static_cast<std::size_t>(h)];
    CodecRows rows{shape, l, ExtentKind::keys, cache.kept(l, h)};
    head.keys.resize(rows.bytes());
    head.values.resize(rows.bytes());
    head.positions.resize(static_cast<std::size_t>(rows.count));
    cache.gather_head(l, h, head.keys.data(), head.values.data(), head.positions.data());
    for (auto* data : {&head.keys, &head.values}) {
      rows.kind = data == &head.keys ? ExtentKind::keys : ExtentKind::values;
      KV_ASSIGN(const auto encoded, pass_through(codec, rows, *data));
      bytes += encoded;
    }
  }
  if (codec.is_identity()) return bytes;
  KV_TRY(cache.keep(l, KeptIndices(heads.size())));
  for (int h = 0; h < shape.kv_heads; ++h) {
    const HeadRows& head = heads[static_cast<std::size_t>(h)];
    KV_TRY(cache.append_head(l, h, head.keys, head.values, head.positions));
  }
  return bytes;
}

Status recode(KvCache& cache, const Codec& codec, std::vector<std::uint64_t>* encoded_layers) {
  if (encoded_layers != nullptr) encoded_layers->clear();
  for (int l = 0; l < cache.shape().layers; ++l) {
    KV_ASSIGN(const auto bytes, recode_layer(cache, l, codec));
    if (encoded_layers != nullptr) encoded_layers->push_back(bytes);
  }
  return {};
}

}  // namespace kvantage::inline kv
