#include "core/kvpr/layer_stream.h"

#include <algorithm>

#include "core/base/clock.h"

namespace kvantage::inline kvpr {

Expected<RowCodec::Rows> keys_values_of(const StreamedBlock& block, int layer, KvRecompute& recompute, RowCodec& codec,
                                        const Clock& clock, double& recompute_seconds) {
  if (block.kind != StreamedBlock::Kind::inputs) return codec.decode(layer, block.rows(), block.tokens);
  const double start = clock.seconds();
  KV_TRY(block.decoded ? recompute.run_decoded(layer, block.rows(), block.first, block.tokens)
                       : recompute.run(layer, block.rows(), block.first, block.tokens));
  recompute_seconds += clock.seconds() - start;
  return RowCodec::Rows{recompute.keys(), recompute.values()};
}

LayerStream::~LayerStream() {
  for (const Ticket ticket : in_flight_) tier_.cancel(ticket);
  while (!in_flight_.empty()) receive(completions_.wait(1));
}

Status LayerStream::submit(const Digest128& key, std::vector<Part> parts, Layer& layer) {
  if (parts.empty()) return {};
  std::vector<ReadExtent> extents;
  std::vector<std::unique_ptr<LeasedBuffer>> buffers;
  for (Part& part : parts) {
    KV_ASSIGN(auto buffer, lender_.lease(part.extent.bytes));
    buffers.push_back(std::move(buffer));
    using Kind = StreamedBlock::Kind;
    (part.kind == Kind::inputs        ? input_bytes_
     : part.kind == Kind::keys_values ? kv_bytes_
                                      : weight_bytes_) += part.extent.bytes;
    extents.push_back(std::move(part.extent));
  }
  const Ticket ticket = tier_.submit_read(key, std::move(extents), std::move(buffers), completions_);
  in_flight_.push_back(ticket);
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const Part& part = parts[index];
    Item& item = layer.items.emplace_back();
    item.block.kind = part.kind;
    item.block.decoded = part.decoded;
    item.block.first = part.first;
    item.block.tokens = part.tokens;
    item.block.bytes = part.bytes;
    item.ticket = ticket;
    item.index = index;
  }
  return {};
}

Status LayerStream::submit(const OffloadedLayer& from, Front front, Layer& layer) {
  std::vector<Part> parts;
  for (const OffloadedBlock& block : from.blocks) {
    if (block.first < front.from) continue;
    const bool inputs = block.first < front.recomputed;
    parts.push_back({inputs ? StreamedBlock::Kind::inputs : StreamedBlock::Kind::keys_values, block.first, block.tokens,
                     inputs ? block.input_bytes : block.kv_bytes, inputs ? block.inputs : block.keys_values,
                     block.decoded});
  }
  return submit(from.key, std::move(parts), layer);
}

Status LayerStream::request(const OffloadedLayer& prompt, const std::vector<OffloadedLayer>& pages, Front front,
                            const WeightEntry* weights, WeightLoading loading) {
  Layer& layer = layers_.emplace_back();
  const auto part = [&](StreamedBlock::Kind kind) {
    const bool first = kind == StreamedBlock::Kind::key_value_weights;
    return Part{kind,
                0,
                0,
                first ? weights->key_value_bytes : weights->other_bytes,
                first ? weights->keys_values : weights->others,
                false};
  };
  const bool before = weights != nullptr && loading == WeightLoading::whole,
             behind = weights != nullptr && loading == WeightLoading::keys_values_first;
  std::vector<Part> first, last;
  if (before || behind) first.push_back(part(StreamedBlock::Kind::key_value_weights));
  if (before || behind) (before ? first : last).push_back(part(StreamedBlock::Kind::other_weights));
  if (!first.empty()) KV_TRY(submit(weights->key, std::move(first), layer));
  KV_TRY(submit(prompt, front, layer));
  for (const OffloadedLayer& page : pages) KV_TRY(submit(page, front, layer));
  if (!last.empty()) KV_TRY(submit(weights->key, std::move(last), layer));
  return {};
}

void LayerStream::receive(std::vector<Completion> completions) {
  for (Completion& completion : completions) {
    if (completion.last) std::erase(in_flight_, completion.ticket);
    device_seconds_ += completion.device_seconds;
    for (Layer& layer : layers_)
      for (Item& item : layer.items)
        if (item.ticket == completion.ticket && item.index == completion.index) {
          item.block.buffer = std::move(completion.buffer);
          item.block.arrived_seconds = static_cast<double>(completion.pushed_ns) * 1e-9;
          item.block.device_seconds = completion.device_seconds;
          item.status = completion.status;
          item.arrived = true;
        }
    // A failure may end its ticket early: missing extents will never arrive.
    if (!completion.last) continue;
    for (Layer& layer : layers_)
      for (Item& item : layer.items)
        if (item.ticket == completion.ticket && !item.arrived) {
          item.status = completion.status
                            ? Status(fail(ErrorCode::io, "offloaded layer: the tier ended a read early; run it again"))
                            : completion.status;
          item.arrived = true;
        }
  }
}

bool LayerStream::layer_arrived(double seconds) {
  const auto arrived = [this] {
    return layers_.empty() || std::ranges::all_of(layers_.front().items, [](const Item& item) { return item.arrived; });
  };
  receive(completions_.poll());
  if (seconds <= 0 || arrived()) return arrived();
  const Clock& clock = tier_.clock();
  const double start = clock.seconds();
  receive(completions_.wait(seconds));
  waited_seconds_ += clock.seconds() - start;
  return arrived();
}

std::size_t LayerStream::blocks_left() const {
  return layers_.empty() ? 0 : layers_.front().items.size() - layers_.front().taken;
}

Expected<StreamedBlock> LayerStream::take() {
  if (blocks_left() == 0) return fail(ErrorCode::internal, "offloaded layer: no free block is left");
  Item& item = layers_.front().items[layers_.front().taken];
  if (!item.arrived) {
    const Clock& clock = tier_.clock();
    const double start = clock.seconds();
    while (!item.arrived) receive(completions_.wait(1));
    waited_seconds_ += clock.seconds() - start;
  }
  KV_TRY(item.status);
  ++layers_.front().taken;
  return std::move(item.block);
}

}  // namespace kvantage::inline kvpr
