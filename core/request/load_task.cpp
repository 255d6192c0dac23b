#include "core/request/load_task.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/model/compute_cores.h"

namespace kvantage::inline requests {
namespace {

ReadExtent read_extent(std::pair<std::uint64_t, std::uint64_t> range, std::span<const Extent> pieces) {
  ReadExtent extent{.offset = range.first, .bytes = range.second - range.first, .pieces = {}};
  for (const Extent& piece : pieces) extent.pieces.push_back({piece.offset, piece.bytes, piece.checksum});
  return extent;
}

}  // namespace

LoadTask::LoadTask(StorageTier& tier, EntryInfo info, std::shared_ptr<const EntryHeader> header, BufferLender& lender,
                   bool with_queries)
    : tier_(&tier),
      lender_(&lender),
      info_(std::move(info)),
      header_(std::move(header)),
      with_queries_(with_queries),
      completions_(std::in_place, tier.clock()) {}

LoadTask::LoadTask(std::shared_ptr<const std::vector<std::byte>> entry, std::shared_ptr<const EntryHeader> header,
                   bool with_queries)
    : header_(std::move(header)), entry_(std::move(entry)), with_queries_(with_queries) {}

LoadTask::~LoadTask() {
  if (!in_flight_) return;
  tier_->cancel(ticket_);
  std::optional<ReadFailure> lost;
  while (in_flight_) {
    for (const Completion& completion : completions_->wait(0.1)) {
      in_flight_ = in_flight_ && !completion.last;
      if (lost || completion.status || completion.status.error().code == ErrorCode::cancelled) continue;
      const ReadFailure failure{completion.status.error(), completion.miss_reason};
      if (failure.miss_reason != cancelled_reason && failure.entry_is_lost()) lost = failure;
    }
  }
  if (lost && on_loss_ && !miss_reason_) on_loss_(*lost);
}

Status LoadTask::submit(std::vector<ReadExtent> extents) {
  extent_bytes_.clear();
  for (const ReadExtent& extent : extents) extent_bytes_.push_back(extent.bytes);
  auto buffers = buffers_for(*tier_, info_.key, extents, *lender_);
  if (!buffers) {
    miss_reason_ = no_buffer_reason;
    return tl::unexpected(buffers.error());
  }
  arrived_.clear();
  arrived_.resize(extents.size());
  in_flight_ = true;
  submitted_ns_ = tier_->clock().monotonic_ns();
  ticket_ = tier_->submit_read(info_.key, std::move(extents), std::move(*buffers), *completions_);
  return {};
}

Status LoadTask::submit_layers() {
  std::vector<ReadExtent> extents;
  extents.reserve(2 * static_cast<std::size_t>(header_->shape.layers));
  for (int layer = 0; layer < header_->shape.layers; ++layer)
    extents.push_back(read_extent(header_->layer_range(layer), header_->layer_extents(layer)));
  if (with_queries_ && header_->has_window_queries())
    for (int layer = 0; layer < header_->shape.layers; ++layer)
      extents.push_back(read_extent(header_->window_queries_range(layer), header_->window_queries_extents(layer)));
  return submit(std::move(extents));
}

Status LoadTask::pump(double seconds) {
  if (entry_ != nullptr) return {};
  if (!in_flight_ && arrived_.empty()) {
    if (header_ == nullptr) {
      reading_header_ = true;
      KV_TRY(submit({ReadExtent{.offset = 0, .bytes = info_.header_bytes, .pieces = {}}}));
    } else {
      KV_TRY(submit_layers());
    }
  }
  if (!in_flight_) return {};
  Status status;  // the first failure; the rest of the batch is processed too, as its last completion ends the ticket
  for (Completion& completion : seconds > 0 ? completions_->wait(seconds) : completions_->poll()) {
    in_flight_ = in_flight_ && !completion.last;
    totals_.device_seconds += completion.device_seconds;
    totals_.verify_seconds += completion.verify_seconds;
    if (status && !completion.status) {
      status = completion.status;
      miss_reason_ = completion.miss_reason;
    }
    if (!status) continue;
    const bool of_a_layer = !reading_header_ && completion.index < static_cast<std::size_t>(header_->shape.layers);
    arrivals_.push_back({.layer = of_a_layer ? static_cast<int>(completion.index) : -1,
                         .arrived_ns = completion.pushed_ns,
                         .submitted_ns = submitted_ns_,
                         .device_seconds = completion.device_seconds,
                         .bytes = extent_bytes_.at(completion.index)});
    totals_.bytes += std::exchange(extent_bytes_.at(completion.index), 0);
    if (!reading_header_) {
      arrived_.at(completion.index) = ArrivedBytes(completion);
      continue;
    }
    const ArrivedBytes arrived(completion);
    auto header = parse_entry_header(arrived.bytes().first(info_.header_bytes));
    if (!header) {
      status = tl::unexpected(header.error());
    } else if (header->key() != info_.key) {
      status = fail(ErrorCode::corrupt, "entry " + info_.key.hex() + ": its header belongs to another entry");
    } else {
      header_ = std::make_shared<EntryHeader>(std::move(*header));
    }
  }
  KV_TRY(status);
  // No tier should do that; who waits for the rest would wait forever.
  if (!in_flight_ && std::ranges::any_of(extent_bytes_, [](std::uint64_t bytes) { return bytes > 0; }))
    return fail(ErrorCode::io, "tier " + tier_->describe().kind + ": a read ended without all of its bytes");
  if (reading_header_ && header_ != nullptr && !in_flight_) {
    reading_header_ = false;
    KV_TRY(submit_layers());
  }
  return {};
}

bool LoadTask::layer_arrived(int layer) const {
  if (entry_ != nullptr) return layer < header_->shape.layers;
  const auto index = static_cast<std::size_t>(layer);
  return !reading_header_ && index < arrived_.size() && arrived_[index];
}

std::span<const std::byte> LoadTask::stored(int index) const {
  const int layers = header_->shape.layers;
  const auto [begin, end] =
      index < layers ? header_->layer_range(index) : header_->window_queries_range(index - layers);
  if (entry_ != nullptr) return std::span(*entry_).subspan(begin, end - begin);
  return arrived_.at(static_cast<std::size_t>(index)).bytes().first(end - begin);
}

Expected<bool> LoadTask::restore_in_turn(double seconds, KvCache& cache) {
  KV_TRY(pump(seconds));
  if (!has_header()) return false;
  const int layers = header_->shape.layers;
  if (restored_in_turn_ < layers && layer_arrived(restored_in_turn_)) KV_TRY(restore(restored_in_turn_++, cache));
  return restored_in_turn_ == layers && queries_arrived();
}

Status LoadTask::restore(int layer, KvCache& cache) {
  const auto index = static_cast<std::size_t>(layer);
  // The tier has verified the bytes where required; memory was verified when it was written.
  const auto bytes = stored(layer);
  Status status = inputs_ != nullptr && header_->holds_layer_inputs()
                      ? inputs_->restore(*header_, layer, bytes, false, cache)
                      : restore_layer(*header_, layer, bytes, false, cache, leave_encoded_, on_compute_threads);
  if (entry_ != nullptr)
    totals_.bytes += header_->layer_range(layer).second - header_->layer_range(layer).first;
  else
    arrived_[index].reset();
  return status;
}

bool LoadTask::queries_arrived() const {
  if (reading_header_ || header_ == nullptr || !with_queries_) return false;
  if (!header_->has_window_queries()) return true;
  if (entry_ != nullptr) return true;
  const auto layers = static_cast<std::size_t>(header_->shape.layers);
  return arrived_.size() == 2 * layers &&
         std::all_of(arrived_.begin() + static_cast<std::ptrdiff_t>(layers), arrived_.end(),
                     [](const ArrivedBytes& queries) { return static_cast<bool>(queries); });
}

Expected<WindowQueries> LoadTask::take_queries() {
  WindowQueries queries;
  if (!header_->has_window_queries()) return queries;
  queries.heads = header_->query_heads;
  queries.window = header_->query_window;
  for (int layer = 0; layer < header_->shape.layers; ++layer) {
    const int index = header_->shape.layers + layer;
    KV_ASSIGN(auto values, restore_window_queries(*header_, layer, stored(index)));
    queries.layers.push_back(std::move(values));
    if (entry_ == nullptr) arrived_[static_cast<std::size_t>(index)].reset();
  }
  return queries;
}

tl::expected<LoadedBytes, ReadFailure> copy_whole(LoadTask& task, const std::function<bool()>& stop) {
  for (int layer = 0; !task.has_header() || layer < task.header()->shape.layers;) {
    if (stop && stop()) return tl::unexpected(ReadFailure{{ErrorCode::cancelled, "interrupted"}, {}});
    if (const Status status = task.pump(0.05); !status) return tl::unexpected(task.failure(status.error()));
    while (task.has_header() && layer < task.header()->shape.layers && task.layer_arrived(layer)) ++layer;
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(header_block(*task.header()));
  bytes->resize(task.header()->entry_bytes);
  for (int l = 0; l < task.header()->shape.layers; ++l)
    std::ranges::copy(task.stored(l),
                      bytes->begin() + static_cast<std::ptrdiff_t>(task.header()->layer_range(l).first));
  return LoadedBytes{task.header(), std::move(bytes)};
}

tl::expected<LoadedEntry, ReadFailure> load_whole(StorageTier& tier, const EntryInfo& info, BufferLender& lender,
                                                  bool with_queries, KvCache& cache,
                                                  const std::function<bool()>& stop) {
  LoadTask task(tier, info, nullptr, lender, with_queries);
  return load_whole(task, cache, with_queries, stop);
}

tl::expected<LoadedEntry, ReadFailure> load_whole(LoadTask& task, KvCache& cache, bool with_queries,
                                                  const std::function<bool()>& stop) {
  int next_layer = 0;
  while (!task.has_header() || next_layer < task.header()->shape.layers || (with_queries && !task.queries_arrived())) {
    if (stop && stop()) return tl::unexpected(ReadFailure{{ErrorCode::cancelled, "interrupted"}, {}});
    Status status = task.pump(0.05);
    while (status && task.has_header() && next_layer < task.header()->shape.layers && task.layer_arrived(next_layer))
      status = task.restore(next_layer++, cache);
    if (!status) return tl::unexpected(task.failure(status.error()));
  }
  LoadedEntry loaded{.header = task.header(), .queries = {}, .bytes = task.bytes()};
  if (with_queries) {
    auto queries = task.take_queries();
    if (!queries) return tl::unexpected(task.failure(queries.error()));
    loaded.queries = std::move(*queries);
  }
  return loaded;
}

}  // namespace kvantage::inline requests
