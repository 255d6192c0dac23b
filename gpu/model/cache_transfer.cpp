#include "gpu/model/cache_transfer.h"

#include <algorithm>
#include <cstring>

#include "core/model/kernels/kernels.h"
#include "core/model/transformer_impl.h"

namespace kvantage::gpu {
namespace {

/// A plane of a head's rows, in the blocks of an image and contiguous as in the host cache.
struct Plane {
  std::byte* blocks = nullptr;  // start of the plane in the head's first block
  std::size_t block_bytes = 0, row_bytes = 0;
  int block_tokens = 0;

  std::byte* row(int token) const {
    return blocks + static_cast<std::size_t>(token / block_tokens) * block_bytes +
           static_cast<std::size_t>(token % block_tokens) * row_bytes;
  }
  /// part(address in blocks, index of the first row, count) for runs of adjacent rows.
  template <class Part>
  void for_runs(int first, int count, const Part& part) const {
    for (int token = first; token < first + count;) {
      const int run = std::min(first + count - token, block_tokens - token % block_tokens);
      part(row(token), static_cast<std::size_t>(token - first), static_cast<std::size_t>(run));
      token += run;
    }
  }
};

/// One head's gathered rows; keys and values in the host cache's type.
struct HostRows {
  std::vector<std::byte> keys, values;
  std::vector<std::int32_t> positions;

  void resize(std::size_t count, std::size_t row_bytes) {
    keys.resize(count * row_bytes);
    values.resize(count * row_bytes);
    positions.resize(count);
  }
};

/// Converts keys and values between both sides: bf16 on the device, the host's type in `plain`.
void into_blocks(const Plane& plane, const std::vector<std::byte>& plain, int count, KvType type) {
  const std::size_t width = plane.row_bytes / sizeof(Bf16);
  plane.for_runs(0, count, [&](std::byte* to, std::size_t first, std::size_t run) {
    if (type == KvType::bf16) {
      std::memcpy(to, &plain[first * plane.row_bytes], run * plane.row_bytes);
    } else {
      const auto* from = reinterpret_cast<const float*>(plain.data()) + first * width;
      std::transform(from, from + run * width, reinterpret_cast<Bf16*>(to),
                     [](float number) { return to_bf16(number); });
    }
  });
}
void out_of_blocks(const Plane& plane, int first, int count, KvType type, std::vector<std::byte>& plain) {
  const std::size_t width = plane.row_bytes / sizeof(Bf16);
  plane.for_runs(first, count, [&](const std::byte* from, std::size_t at, std::size_t run) {
    if (type == KvType::bf16) {
      std::memcpy(&plain[at * plane.row_bytes], from, run * plane.row_bytes);
    } else {
      const auto* numbers = reinterpret_cast<const Bf16*>(from);
      std::transform(numbers, numbers + run * width, reinterpret_cast<float*>(plain.data()) + at * width,
                     [](Bf16 number) { return to_float(number); });
    }
  });
}

struct Planes {
  Plane keys, values, positions;

  Planes(const CacheArena& arena, std::byte* first_block) {
    const PagedHeads& block = arena.planes();
    const std::size_t row = static_cast<std::size_t>(block.head_dim) * sizeof(Bf16);
    keys = {first_block, block.block_bytes, row, block.block_tokens};
    values = {first_block + block.values_at, block.block_bytes, row, block.block_tokens};
    positions = {first_block + block.positions_at, block.block_bytes, sizeof(std::int32_t), block.block_tokens};
  }
};

Status check_host(const KvCache& host, const CacheArena& arena) {
  const KvShape& shape = host.shape();
  if (shape.layers != arena.layers() || shape.kv_heads != arena.kv_heads() || shape.head_dim != arena.head_dim())
    return fail(ErrorCode::rejected_input,
                "the KV cache has another shape than the model on the device; use one of that model");
  if (host.encoded() != nullptr)
    return fail(ErrorCode::rejected_input,
                "the KV cache has encoded rows, which the device cannot read; load it decoded");
  return {};
}

Status check_empty(const DeviceCache& to) {
  if (to.empty()) return {};
  return fail(ErrorCode::usage, "rows can only be copied into an empty sequence; use a new one");
}

/// Gathers one layer of the host cache into blocks, heads concatenated.
void gather_layer(const KvCache& host, int layer, const DeviceCache& to, std::byte* blocks) {
  const CacheArena& arena = to.arena();
  std::vector<std::byte*> first;
  for (int h = 0; h < arena.kv_heads(); ++h) {
    first.push_back(blocks);
    blocks += to.head(layer, h).blocks.size() * arena.block_bytes();
  }
  for_parts(arena.kv_heads(), 1, [&](int begin, int end) {
    for (int h = begin; h < end; ++h) {
      const int kept = host.kept(layer, h);
      if (kept == 0) continue;
      HostRows rows;
      rows.resize(static_cast<std::size_t>(kept),
                  static_cast<std::size_t>(arena.head_dim()) * bytes_of(host.shape().type));
      host.gather_head(layer, h, rows.keys.data(), rows.values.data(), rows.positions.data());
      const Planes planes(arena, first[static_cast<std::size_t>(h)]);
      into_blocks(planes.keys, rows.keys, kept, host.shape().type);
      into_blocks(planes.values, rows.values, kept, host.shape().type);
      planes.positions.for_runs(0, kept, [&](std::byte* there, std::size_t at, std::size_t run) {
        std::memcpy(there, &rows.positions[at], run * sizeof(std::int32_t));
      });
    }
  });
}

/// Rows of one layer that the host cache lacks, by head.
void fetch_new_rows(const DeviceCache& from, const DeviceStreams& streams, int layer, const KvCache& to,
                    std::vector<HostRows>& rows) {
  const CacheArena& arena = from.arena();
  std::vector<int> had;
  for (int h = 0; h < arena.kv_heads(); ++h) had.push_back(to.kept(layer, h));
  const at::Tensor blocks = tail_blocks(streams, from, layer, had);
  std::vector<std::byte*> first_block;
  auto* block = static_cast<std::byte*>(blocks.mutable_data_ptr());
  for (int h = 0; h < arena.kv_heads(); ++h) {
    first_block.push_back(block);
    const int all = (from.head(layer, h).kept + arena.block_tokens() - 1) / arena.block_tokens();
    block +=
        static_cast<std::size_t>(all - had[static_cast<std::size_t>(h)] / arena.block_tokens()) * arena.block_bytes();
  }
  const KvType type = to.shape().type;
  for_parts(arena.kv_heads(), 1, [&](int first_head, int end_head) {
    for (int h = first_head; h < end_head; ++h) {
      const int kept = had[static_cast<std::size_t>(h)], count = from.head(layer, h).kept - kept,
                begin = kept % arena.block_tokens();
      HostRows& of_head = rows[static_cast<std::size_t>(h)];
      of_head.resize(static_cast<std::size_t>(count), static_cast<std::size_t>(arena.head_dim()) * bytes_of(type));
      const Planes planes(arena, first_block[static_cast<std::size_t>(h)]);
      out_of_blocks(planes.keys, begin, count, type, of_head.keys);
      out_of_blocks(planes.values, begin, count, type, of_head.values);
      planes.positions.for_runs(begin, count, [&](const std::byte* there, std::size_t at, std::size_t run) {
        std::memcpy(&of_head.positions[at], there, run * sizeof(std::int32_t));
      });
    }
  });
}

}  // namespace

Status CacheUpload::next() {
  const CacheArena& arena = to_.arena();
  if (layer_ == 0) KV_TRY(check_host(from_, arena));
  std::vector<int> kept;
  for (int h = 0; h < arena.kv_heads(); ++h) kept.push_back(from_.kept(layer_, h));
  KV_TRY(to_.lay_out_layer(layer_, kept));
  KV_TRY(device_guarded([&]() -> Status {
    std::int64_t blocks = 0;
    for (int h = 0; h < arena.kv_heads(); ++h) blocks += static_cast<std::int64_t>(to_.head(layer_, h).blocks.size());
    at::Tensor& staging = staging_[static_cast<std::size_t>(layer_ % 2)];
    if (layer_ >= 2) to_.copied[static_cast<std::size_t>(layer_ - 2)].wait();
    if (!staging.defined() || staging.size(0) < blocks)
      staging = host_blocks(blocks, arena.block_bytes(), arena.device());
    gather_layer(from_, layer_, to_, static_cast<std::byte*>(staging.mutable_data_ptr()));
    copy_layer(streams_, to_, layer_, staging);
    return {};
  }));
  ++layer_;
  return {};
}

Status upload_cache(const KvCache& from, const DeviceStreams& streams, DeviceCache& to) {
  KV_TRY(check_host(from, to.arena()));
  KV_TRY(check_empty(to));
  std::vector<int> kept;
  for (int layer = 0; layer < to.arena().layers(); ++layer)
    for (int h = 0; h < to.arena().kv_heads(); ++h) kept.push_back(from.kept(layer, h));
  KV_TRY(to.lay_out(kept, from.sequence_length()));  // all or nothing
  for (CacheUpload upload(from, streams, to); !upload.done();) KV_TRY(upload.next());
  return {};
}

Status download_rows(const DeviceCache& from, const DeviceStreams& streams, KvCache& to) {
  const CacheArena& arena = from.arena();
  KV_TRY(check_host(to, arena));
  for (int layer = 0; layer < arena.layers(); ++layer)
    for (int h = 0; h < arena.kv_heads(); ++h)
      if (to.kept(layer, h) > from.head(layer, h).kept)
        return fail(ErrorCode::usage,
                    "the KV cache holds more rows than the sequence on the device, so its new rows are unknown; use "
                    "the cache that was uploaded");
  // Of all layers in turn: fresh memory for each would cost more.
  std::vector<HostRows> rows(static_cast<std::size_t>(arena.kv_heads()));
  const Status status = device_guarded([&]() -> Status {
    for (int layer = 0; layer < arena.layers(); ++layer) {
      fetch_new_rows(from, streams, layer, to, rows);
      for (int h = 0; h < arena.kv_heads(); ++h) {
        const HostRows& of_head = rows[static_cast<std::size_t>(h)];
        KV_TRY(to.append_head(layer, h, of_head.keys, of_head.values, of_head.positions));
      }
    }
    return {};
  });
  if (status) to.set_sequence_length(from.sequence_length());
  return status;
}

Status load_image(HostImage& image, const DeviceStreams& streams, DeviceCache& to, const FillLayer& fill) {
  const CacheArena& arena = to.arena();
  const ImageLayout& layout = image.layout;
  KV_TRY(check_empty(to));
  if (layout.layers != arena.layers() || layout.kv_heads != arena.kv_heads() ||
      layout.block_bytes != arena.block_bytes() || layout.block_tokens != arena.block_tokens())
    return fail(ErrorCode::rejected_input, "the image belongs to another model or block size; use one of this model");
  KV_TRY(to.lay_out(layout.kept, layout.sequence_length));
  return device_guarded([&]() -> Status {
    for (int layer = 0; layer < layout.layers; ++layer) {
      if (fill) KV_TRY(fill(layer, image.layer(layer)));
      copy_layer(streams, to, layer, image.layers[static_cast<std::size_t>(layer)]);
    }
    return {};
  });
}

}  // namespace kvantage::gpu
