// The factories of all codecs: each is defined in its codec's file and listed in registry.cpp.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/text_form.h"
#include "core/kv/codecs/codec.h"

namespace kvantage::inline codecs {

using CodecFactory = Expected<std::shared_ptr<const Codec>> (*)(const Parameters&);

Expected<std::shared_ptr<const Codec>> make_bf16(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_fp8(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_kivi8(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_kivi4(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_kivi2(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_cachegen(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_layer_inputs(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_think(const Parameters& parameters);
Expected<std::shared_ptr<const Codec>> make_token_chunks(const Parameters& parameters);
/// zstd wraps another codec; `bf16` for plain rows.
Expected<std::shared_ptr<const Codec>> make_zstd(const Parameters& parameters, std::shared_ptr<const Codec> inner);

/// corrupt, with the codec's name and the reason.
inline tl::unexpected<Error> broken_rows(const std::string& codec, const std::string& reason) {
  return fail(ErrorCode::corrupt, codec + ": " + reason + "; the entry is dropped and recomputed");
}
/// internal, where a caller's buffers do not match its rows.
inline Status check_buffers(const CodecRows& rows, std::size_t data_bytes) {
  if (rows.count < 0 || rows.shape.head_dim <= 0 || rows.layer < 0 || rows.kind == ExtentKind::window_queries ||
      data_bytes != rows.bytes())
    return fail(ErrorCode::internal, "codec: the buffer does not hold the rows that its header names");
  return {};
}
/// Room for `bytes` more behind `out`, which grows as resize() would let it. A codec then extends `out` piece by piece
/// and writes each piece while it is in the cache, instead of zeroing all bytes first.
inline void reserve_more(std::vector<std::byte>& out, std::size_t bytes) {
  const std::size_t needed = out.size() + bytes;
  if (needed > out.capacity()) out.reserve(std::max(needed, 2 * out.size()));
}

}  // namespace kvantage::inline codecs
