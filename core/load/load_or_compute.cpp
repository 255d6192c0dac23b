#include "core/load/load_or_compute.h"

#include <algorithm>
#include <numeric>

#include "core/kv/serial_layout.h"
#include "core/load/piece_loader.h"

namespace kvantage::inline loading {
namespace {

constexpr double poll_seconds = 0.02;

struct Pieces {
  std::vector<ChunkSpan> chunks;
  std::vector<std::int32_t> begin;  // token, [pieces + 1]
};

Status check_pieces(const EntryHeader& header) {
  if (header.is_encoded() && !header.holds_layer_inputs())
    return fail(ErrorCode::usage, "compute-or-load: an entry of codec " + header.compression.codec +
                                      " cannot be read in parts, since the codec works on whole heads; load all of it");
  if (header.token_ids.empty() || header.identity.prefill_chunk_tokens <= 0)
    return fail(ErrorCode::rejected_input,
                "compute-or-load: the entry has no prefill chunk length; load all of it, or "
                "prefill the context");
  return {};
}

Pieces cut(const EntryHeader& header) {
  const std::int64_t unit =
      std::lcm(std::int64_t{extent_chunk_positions}, std::int64_t{header.identity.prefill_chunk_tokens});
  const auto tokens = static_cast<std::int64_t>(header.token_ids.size());
  Pieces pieces;
  for (std::int64_t at = 0; at < tokens; at += unit) {
    const std::int64_t end = std::min(tokens, at + unit);
    pieces.begin.push_back(static_cast<std::int32_t>(at));
    pieces.chunks.push_back({static_cast<int>(at / extent_chunk_positions),
                             static_cast<int>((end + extent_chunk_positions - 1) / extent_chunk_positions)});
  }
  pieces.begin.push_back(static_cast<std::int32_t>(tokens));
  return pieces;
}

// An entry of layer inputs has one extent a layer, so its pieces are shares that nobody reads alone.
std::vector<ContextPiece> shares_of(const EntryHeader& header, const Pieces& pieces) {
  const auto bytes = static_cast<double>(header.entry_bytes - header.header_bytes);
  std::vector<ContextPiece> all;
  for (std::size_t p = 0; p < pieces.chunks.size(); ++p) {
    const int tokens = pieces.begin[p + 1] - pieces.begin[p];
    const double share = tokens / static_cast<double>(header.token_ids.size());
    all.push_back({tokens, bytes * share, static_cast<double>(tokens)});
  }
  return all;
}

std::vector<ContextPiece> context_pieces(const EntryHeader& header, const Pieces& pieces) {
  if (header.holds_layer_inputs()) return shares_of(header, pieces);
  std::vector<ContextPiece> all;
  for (std::size_t p = 0; p < pieces.chunks.size(); ++p) {
    ContextPiece piece{.tokens = pieces.begin[p + 1] - pieces.begin[p]};
    double rows = 0;
    for (int layer = 0; layer < header.shape.layers; ++layer)
      for (const Extent& extent : chunk_extents(header, layer, pieces.chunks[p].first, pieces.chunks[p].last)) {
        piece.bytes += static_cast<double>(extent.bytes);
        if (extent.kind != ExtentKind::values) continue;
        const std::uint64_t whole = extent.bytes / header.shape.bytes_per_row();
        rows += static_cast<double>(whole);
      }
    piece.kept_tokens = rows / (header.shape.layers * header.shape.kv_heads);
    all.push_back(piece);
  }
  return all;
}

}  // namespace

// Fills one cache: computes the front piece by piece while the loader runs, then appends the loaded pieces in order.
struct HybridPrefillTask::Impl {
  Impl(Transformer& model, StoredContext stored, KvCache& cache, ComputeOrLoadOptions options, BufferLender& lender)
      : clock_(stored.tier->clock()),
        model_(model),
        stored_(std::move(stored)),
        header_(*stored_.header),
        cache_(cache),
        options_(std::move(options)),
        pieces_(cut(header_)),
        start_(clock_.seconds()) {
    const KvShape& shape = header_.shape;
    keeps_all_ = header_.kept_rows == header_.token_ids.size() * static_cast<std::size_t>(shape.layers) *
                                          static_cast<std::size_t>(shape.kv_heads);
    const auto pieces = context_pieces(header_, pieces_);
    const ComputeOrLoadCosts costs = compute_or_load_costs(options_.tier, options_.prefill, pieces,
                                                           options_.after_seconds, options_.intake_seconds_per_byte);
    done_.pieces = static_cast<int>(pieces.size());
    done_.plan = plan_compute_or_load(costs, pieces);
    std::optional<int> fixed = options_.computed_pieces;
    if (fixed) fixed = std::clamp(*fixed, 0, done_.pieces);
    if (!can_compute()) fixed = 0;
    done_.predicted_seconds = (fixed ? costs.seconds(*fixed) : done_.plan.seconds) - options_.after_seconds;
    queue_.emplace(costs, fixed, clock_);
    loader_.emplace(PieceSource{stored_.tier, &lender, &header_, pieces_.chunks, keeps_all_}, *queue_);
    if (can_compute()) front_.emplace(model_, cache_, header_.token_ids, 0, prefill_options());
    claim();
  }

  bool can_compute() const { return keeps_all_ || stored_.kept.has_value(); }

  Status check_stop() const {
    if (options_.stop && options_.stop()) return fail(ErrorCode::cancelled, "compute-or-load: cancelled");
    return {};
  }

  PrefillOptions prefill_options() const {
    return {.chunk_tokens = header_.identity.prefill_chunk_tokens, .window_queries = 0, .logits = PrefillLogits::none};
  }

  PrefillTask& computing() { return repair_ ? *repair_ : *front_; }

  void claim() {
    if (!can_compute()) return;
    if (const auto piece = queue_->claim_front()) computed_until_ = pieces_.begin[static_cast<std::size_t>(*piece) + 1];
  }

  Status compute() {
    KV_TRY(check_stop());
    PrefillTask& task = computing();
    const double begun = clock_.seconds();
    KV_TRY(task.step());
    done_.compute_seconds += clock_.seconds() - begun;
    if (!task.done() &&
        task.first_position() + task.next_chunk() * header_.identity.prefill_chunk_tokens < *computed_until_)
      return {};
    if (repair_) {
      done_.computed_tokens += *computed_until_ - repair_->first_position();
      repair_.reset();
      computed_until_.reset();
      return fill_next();
    }
    done_.computed_tokens = *computed_until_;
    computed_until_.reset();
    queue_->computed();
    claim();
    return {};
  }

  Status wait(double seconds) {
    KV_TRY(check_stop());
    const std::uint64_t seen = queue_->changes();
    claim();
    if (computed_until_) return {};
    if (!queue_->over()) {
      if (!can_compute() && queue_->loading_ended()) {
        loader_->join();
        if (!loader_->status()) return loader_->status();
      }
      const double begun = clock_.seconds();
      queue_->wait(seen, seconds);
      done_.waited_seconds += clock_.seconds() - begun;
      return {};
    }
    loader_->join();
    joined_ = true;
    done_.computed_pieces = queue_->front();
    next_piece_ = static_cast<std::size_t>(done_.computed_pieces);
    done_.damaged_pieces = loader_->damaged_pieces();
    done_.dropped_bytes = loader_->dropped_bytes();
    done_.device_seconds = loader_->device_seconds();
    done_.arrivals = loader_->take_arrivals();
    done_.loader = loader_->status();
    done_.damage = loader_->damage();
    done_.miss_reason = done_.damage ? loader_->miss_reason() : loader_->damage_reason();
    return keeps_all_ || done_.computed_pieces == 0 ? fill_next() : Status{};
  }

  /// Drops what the entry does not keep of the computed front; on later calls appends the next loaded piece.
  Status unpack() {
    KV_TRY(check_stop());
    const double begun = clock_.seconds();
    const auto computed = static_cast<std::size_t>(done_.computed_pieces);
    if (!keeps_all_ && computed > 0 && !cut_) {
      for (int layer = 0; layer < header_.shape.layers; ++layer)
        KV_TRY(cache_.keep(layer, stored_.kept->kept_below(layer, pieces_.begin[computed])));
      cut_ = true;
    } else {
      auto& piece = loader_->piece(static_cast<int>(next_piece_));
      for (int layer = 0; layer < header_.shape.layers; ++layer)
        KV_TRY(append_chunks(piece->layers[static_cast<std::size_t>(layer)], layer, cache_));
      done_.loaded_tokens += pieces_.begin[next_piece_ + 1] - pieces_.begin[next_piece_];
      done_.loaded_bytes += piece->bytes;
      piece.reset();
      ++next_piece_;
    }
    done_.unpack_seconds += clock_.seconds() - begun;
    return fill_next();
  }

  /// A damaged piece is recomputed in place, over the pieces before it.
  Status fill_next() {
    if (next_piece_ < pieces_.chunks.size()) {
      if (loader_->piece(static_cast<int>(next_piece_))) return {};
      const std::int32_t begin = pieces_.begin[next_piece_], end = pieces_.begin[next_piece_ + 1];
      ++next_piece_;
      repair_.emplace(model_, cache_,
                      std::vector<std::int32_t>(header_.token_ids.begin() + begin, header_.token_ids.begin() + end),
                      begin, prefill_options());
      computed_until_ = end;
      return {};
    }
    cache_.set_sequence_length(static_cast<std::int32_t>(header_.token_ids.size()));
    done_.seconds = clock_.seconds() - start_;
    over_ = true;
    return {};
  }

  const Clock& clock_;  // of the tier
  Transformer& model_;
  StoredContext stored_;
  const EntryHeader& header_;
  KvCache& cache_;
  ComputeOrLoadOptions options_;
  Pieces pieces_;
  double start_ = 0;
  bool keeps_all_ = false;
  ComputedOrLoaded done_;
  std::optional<SplitQueue> queue_;
  std::optional<PieceLoader> loader_;
  std::optional<PrefillTask> front_, repair_;
  std::optional<std::int32_t> computed_until_;  // end of the range being computed
  bool joined_ = false, cut_ = false, over_ = false;
  std::size_t next_piece_ = 0;
};

Expected<std::unique_ptr<HybridPrefillTask>> HybridPrefillTask::begin(Transformer& model, StoredContext stored,
                                                                      BufferLender& lender, KvCache& cache,
                                                                      ComputeOrLoadOptions options) {
  KV_TRY(check_pieces(*stored.header));
  if (cache.shape() != stored.header->shape || model.kv_shape() != stored.header->shape)
    return fail(ErrorCode::rejected_input,
                "compute-or-load: the entry was made by a model of another shape; prefill the context");
  if (stored.header->identity.model != model.digest() ||
      stored.header->identity.numerics_version != model.numerics_version())
    return fail(ErrorCode::rejected_input,
                "compute-or-load: the entry was made by another model or other kernels, so its rows differ; prefill "
                "the context");
  if (stored.header->holds_layer_inputs() &&
      options.computed_pieces.value_or(0) < static_cast<int>(cut(*stored.header).chunks.size()))
    return fail(ErrorCode::usage,
                "compute-or-load: an entry of layer inputs is loaded or computed as a whole; load all of it");
  if (cache.kept_rows() != 0 || cache.sequence_length() != 0)
    return fail(ErrorCode::internal, "compute-or-load: the cache must be empty; give it a fresh one");
  return std::unique_ptr<HybridPrefillTask>(
      new HybridPrefillTask(std::make_unique<Impl>(model, std::move(stored), cache, std::move(options), lender)));
}

HybridPrefillTask::HybridPrefillTask(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HybridPrefillTask::~HybridPrefillTask() = default;

HybridPrefillTask::Need HybridPrefillTask::needs() const {
  if (impl_->over_) return Need::nothing;
  if (impl_->computed_until_) return Need::compute;
  return impl_->joined_ ? Need::unpack : Need::bytes;
}

HybridPrefillTask::Step HybridPrefillTask::next_step() const {
  const PrefillTask& task = impl_->computing();
  const std::int32_t chunk = impl_->header_.identity.prefill_chunk_tokens;
  const std::int32_t begin = task.first_position() + task.next_chunk() * chunk;
  return {.layer = task.next_layer(), .chunk = begin / chunk, .tokens = std::min(chunk, task.end_position() - begin)};
}

int HybridPrefillTask::next_piece() const { return static_cast<int>(impl_->next_piece_); }
Status HybridPrefillTask::compute() { return needs() == Need::compute ? impl_->compute() : Status{}; }
Status HybridPrefillTask::wait(double seconds) { return needs() == Need::bytes ? impl_->wait(seconds) : Status{}; }
Status HybridPrefillTask::unpack() { return needs() == Need::unpack ? impl_->unpack() : Status{}; }
const ComputedOrLoaded& HybridPrefillTask::done() const { return impl_->done_; }

Expected<std::vector<ContextPiece>> context_pieces(const EntryHeader& header) {
  KV_TRY(check_pieces(header));
  return context_pieces(header, cut(header));
}

Expected<ComputedOrLoaded> load_or_compute(Transformer& model, const StoredContext& stored, BufferLender& lender,
                                           KvCache& cache, const ComputeOrLoadOptions& options) {
  KV_ASSIGN(auto task, HybridPrefillTask::begin(model, stored, lender, cache, options));
  for (;;) {
    Status status;
    switch (task->needs()) {
      case HybridPrefillTask::Need::nothing:
        return task->done();
      case HybridPrefillTask::Need::compute:
        status = task->compute();
        break;
      case HybridPrefillTask::Need::bytes:
        status = task->wait(poll_seconds);
        break;
      case HybridPrefillTask::Need::unpack:
        status = task->unpack();
        break;
    }
    if (status) continue;
    task.reset();
    cache.clear();
    return tl::unexpected(std::move(status).error());
  }
}

}  // namespace kvantage::inline loading
