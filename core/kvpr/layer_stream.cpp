#include "core/kvpr/layer_stream.h"

#include <algorithm>

#include "core/base/clock.h"

namespace kvantage {

LayerStream::LayerStream(StorageTier& tier, BufferLender& lender, std::size_t input_row_bytes, std::size_t kv_row_bytes)
    : tier_(tier), lender_(lender), input_row_bytes_(input_row_bytes), kv_row_bytes_(kv_row_bytes) {}

LayerStream::~LayerStream() {
  for (const Ticket ticket : under_way_) tier_.cancel(ticket);
  while (!under_way_.empty()) receive(1);
}

Status LayerStream::submit(const OffloadedLayer& from, int recomputed_tokens, Layer& layer) {
  std::vector<ReadExtent> extents;
  std::vector<std::unique_ptr<LeasedBuffer>> buffers;
  std::vector<Item> items;
  for (const OffloadedBlock& block : from.blocks) {
    const bool inputs = block.first < recomputed_tokens;
    const ReadExtent& extent = inputs ? block.inputs : block.keys_values;
    auto buffer = lender_.lease(extent.bytes);
    if (!buffer) return tl::unexpected(std::move(buffer).error());
    buffers.push_back(std::move(*buffer));
    extents.push_back(extent);
    (inputs ? input_bytes_ : kv_bytes_) += extent.bytes;
    Item item;
    item.block = {block.first, block.tokens, inputs, nullptr, static_cast<std::size_t>(block.tokens) * (inputs ? input_row_bytes_ : kv_row_bytes_)};
    item.index = items.size();
    items.push_back(std::move(item));
  }
  if (items.empty()) return {};
  const Ticket ticket = tier_.submit_read(from.key, std::move(extents), std::move(buffers), completions_);
  under_way_.push_back(ticket);
  for (Item& item : items) {
    item.ticket = ticket;
    layer.items.push_back(std::move(item));
  }
  return {};
}

Status LayerStream::request(const OffloadedLayer& prompt, const std::vector<OffloadedLayer>& pages, int recomputed_tokens) {
  Layer& layer = layers_.emplace_back();
  KV_TRY(submit(prompt, recomputed_tokens, layer));
  for (const OffloadedLayer& page : pages) KV_TRY(submit(page, 0, layer));
  return {};
}

void LayerStream::receive(double seconds) {
  for (Completion& completion : completions_.wait(seconds)) {
    if (completion.last) std::erase(under_way_, completion.ticket);
    device_seconds_ += completion.device_seconds;
    for (Layer& layer : layers_)
      for (Item& item : layer.items)
        if (item.ticket == completion.ticket && item.index == completion.index) {
          item.block.buffer = std::move(completion.buffer);
          item.status = completion.status;
          item.arrived = true;
        }
    // A failure may end its ticket early: what has not come by then never will.
    if (!completion.last) continue;
    for (Layer& layer : layers_)
      for (Item& item : layer.items)
        if (item.ticket == completion.ticket && !item.arrived) {
          item.status = completion.status ? Status(fail(ErrorCode::io, "offloaded layer: the tier ended a read early; run it again")) : completion.status;
          item.arrived = true;
        }
  }
}

std::size_t LayerStream::blocks_left() const {
  return layers_.empty() ? 0 : layers_.front().items.size() - layers_.front().taken;
}

Expected<StreamedBlock> LayerStream::take() {
  if (blocks_left() == 0) return fail(ErrorCode::internal, "offloaded layer: no block is left to take");
  Item& item = layers_.front().items[layers_.front().taken];
  if (!item.arrived) {
    const SystemClock clock;
    const double start = clock.seconds();
    while (!item.arrived) receive(1);
    waited_seconds_ += clock.seconds() - start;
  }
  if (!item.status) return tl::unexpected(item.status.error());
  ++layers_.front().taken;
  return std::move(item.block);
}

}  // namespace kvantage
