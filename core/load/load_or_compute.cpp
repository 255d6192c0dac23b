#include "core/load/load_or_compute.h"

#include <algorithm>
#include <numeric>

#include "core/base/clock.h"
#include "core/kv/serial_layout.h"
#include "core/load/piece_loader.h"

namespace kvantage {
namespace {

constexpr double look_seconds = 0.02;

struct Pieces {
  std::vector<ChunkSpan> chunks;
  std::vector<std::int32_t> begin;  // token, [pieces + 1]
};

Status check(const EntryHeader& header) {
  if (header.is_coded())
    return fail(ErrorCode::usage, "compute-or-load: an entry coded by " + header.codec + " cannot be read in parts, since a codec works on a head as a whole; load it whole");
  if (header.token_ids.empty() || header.identity.prefill_chunk_tokens <= 0)
    return fail(ErrorCode::rejected_input, "compute-or-load: the entry does not say in what chunks its tokens were prefilled; load it whole, or prefill the context");
  return {};
}

Pieces cut(const EntryHeader& header) {
  const std::int64_t unit = std::lcm(std::int64_t{extent_chunk_positions}, std::int64_t{header.identity.prefill_chunk_tokens});
  const auto tokens = static_cast<std::int64_t>(header.token_ids.size());
  Pieces pieces;
  for (std::int64_t at = 0; at < tokens; at += unit) {
    const std::int64_t end = std::min(tokens, at + unit);
    pieces.begin.push_back(static_cast<std::int32_t>(at));
    pieces.chunks.push_back({static_cast<int>(at / extent_chunk_positions), static_cast<int>((end + extent_chunk_positions - 1) / extent_chunk_positions)});
  }
  pieces.begin.push_back(static_cast<std::int32_t>(tokens));
  return pieces;
}

std::vector<ContextPiece> context_pieces(const EntryHeader& header, const Pieces& pieces) {
  std::vector<ContextPiece> all;
  for (std::size_t p = 0; p < pieces.chunks.size(); ++p) {
    ContextPiece piece{.tokens = pieces.begin[p + 1] - pieces.begin[p]};
    double rows = 0;
    for (int layer = 0; layer < header.shape.layers; ++layer)
      for (const Extent& extent : chunk_extents(header, layer, pieces.chunks[p].first, pieces.chunks[p].last)) {
        piece.bytes += static_cast<double>(extent.bytes);
        if (extent.kind == ExtentKind::values) rows += static_cast<double>(extent.bytes / serial::row_bytes(header.shape));
      }
    piece.kept_tokens = rows / (header.shape.layers * header.shape.kv_heads);
    all.push_back(piece);
  }
  return all;
}

/// Empties a cache unless everything went well.
struct Undo {
  KvCache* cache;
  ~Undo() {
    if (cache != nullptr) cache->clear();
  }
};

/// One context on its way into a cache.
class Run {
 public:
  Run(Transformer& model, const StoredContext& stored, KvCache& cache, const ComputeOrLoadOptions& options)
      : model_(model), stored_(stored), header_(*stored.header), cache_(cache), options_(options), pieces_(cut(header_)) {
    const KvShape& shape = header_.shape;
    keeps_all_ = header_.kept_rows == header_.token_ids.size() * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads);
  }

  Expected<ComputedOrLoaded> go(BufferLender& lender) {
    const double start = clock_.seconds();
    Undo undo{&cache_};
    const auto pieces = context_pieces(header_, pieces_);
    const ComputeOrLoadCosts costs = compute_or_load_costs(options_.tier, options_.prefill, pieces, options_.after_seconds, options_.intake_seconds_per_byte);
    done_.pieces = static_cast<int>(pieces.size());
    done_.plan = plan_compute_or_load(costs, pieces);
    std::optional<int> fixed = options_.computed_pieces;
    if (fixed) fixed = std::clamp(*fixed, 0, done_.pieces);
    if (!can_compute()) fixed = 0;
    done_.predicted_seconds = (fixed ? costs.seconds(*fixed) : done_.plan.seconds) - options_.after_seconds;
    Meeting meeting(costs, fixed);
    PieceLoader loader({stored_.tier, &lender, &header_, pieces_.chunks, keeps_all_}, meeting);
    KV_TRY(compute_front(meeting, loader));
    loader.join();
    done_.computed_pieces = meeting.front();
    KV_TRY(put_together(loader));
    done_.damaged_pieces = loader.damaged_pieces();
    done_.dropped_bytes = loader.dropped_bytes();
    done_.device_seconds = loader.device_seconds();
    done_.loader = loader.status();
    cache_.set_sequence_length(static_cast<std::int32_t>(header_.token_ids.size()));
    done_.seconds = clock_.seconds() - start;
    undo.cache = nullptr;
    return std::move(done_);
  }

 private:
  bool can_compute() const { return keeps_all_ || stored_.kept.has_value(); }

  Status look() const {
    if (options_.stop && options_.stop()) return fail(ErrorCode::cancelled, "compute-or-load: cancelled");
    return {};
  }

  /// Steps until tokens below `end` are there.
  Status advance(PrefillTask& task, std::int32_t end) {
    const double begun = clock_.seconds();
    while (!task.done() && task.first_position() + task.next_chunk() * header_.identity.prefill_chunk_tokens < end) {
      KV_TRY(look());
      KV_TRY(task.step());
    }
    done_.compute_seconds += clock_.seconds() - begun;
    return {};
  }

  PrefillOptions prefill_options() const {
    return {.chunk_tokens = header_.identity.prefill_chunk_tokens, .window_queries = 0, .logits = PrefillLogits::none};
  }

  Status compute_front(Meeting& meeting, PieceLoader& loader) {
    PrefillTask front(model_, cache_, header_.token_ids, 0, prefill_options());
    for (;;) {
      KV_TRY(look());
      const std::uint64_t seen = meeting.changes();
      if (can_compute())
        if (const auto piece = meeting.claim_front()) {
          const auto index = static_cast<std::size_t>(*piece);
          KV_TRY(advance(front, pieces_.begin[index + 1]));
          done_.computed_tokens += pieces_.begin[index + 1] - pieces_.begin[index];
          meeting.computed();
          continue;
        }
      if (meeting.over()) return {};
      if (!can_compute() && meeting.loading_ended()) {
        loader.join();
        return loader.status();
      }
      const double begun = clock_.seconds();
      meeting.wait(seen, look_seconds);
      done_.waited_seconds += clock_.seconds() - begun;
    }
  }

  /// Of the computed front what the entry keeps, and the pieces behind it in order.
  Status put_together(PieceLoader& loader) {
    const auto computed = static_cast<std::size_t>(done_.computed_pieces);
    double begun = clock_.seconds();
    if (!keeps_all_ && computed > 0)
      for (int layer = 0; layer < header_.shape.layers; ++layer) KV_TRY(cache_.keep(layer, stored_.kept->kept_below(layer, pieces_.begin[computed])));
    for (std::size_t p = computed; p < pieces_.chunks.size(); ++p) {
      const std::int32_t begin = pieces_.begin[p], end = pieces_.begin[p + 1];
      auto& piece = loader.piece(static_cast<int>(p));
      if (!piece) {  // damaged: all before it is there by now
        done_.unpack_seconds += clock_.seconds() - begun;
        PrefillTask task(model_, cache_, {header_.token_ids.begin() + begin, header_.token_ids.begin() + end}, begin, prefill_options());
        KV_TRY(advance(task, end));
        done_.computed_tokens += end - begin;
        begun = clock_.seconds();
        continue;
      }
      for (int layer = 0; layer < header_.shape.layers; ++layer) KV_TRY(append_chunks(piece->layers[static_cast<std::size_t>(layer)], layer, cache_));
      done_.loaded_tokens += end - begin;
      done_.loaded_bytes += piece->bytes;
      piece.reset();
      KV_TRY(look());
    }
    done_.unpack_seconds += clock_.seconds() - begun;
    return {};
  }

  const SystemClock clock_;
  Transformer& model_;
  const StoredContext& stored_;
  const EntryHeader& header_;
  KvCache& cache_;
  const ComputeOrLoadOptions& options_;
  Pieces pieces_;
  bool keeps_all_ = false;
  ComputedOrLoaded done_;
};

}  // namespace

Expected<std::vector<ContextPiece>> context_pieces(const EntryHeader& header) {
  KV_TRY(check(header));
  return context_pieces(header, cut(header));
}

Expected<ComputedOrLoaded> load_or_compute(Transformer& model, const StoredContext& stored, BufferLender& lender, KvCache& cache,
                                           const ComputeOrLoadOptions& options) {
  KV_TRY(check(*stored.header));
  if (cache.shape() != stored.header->shape || model.kv_shape() != stored.header->shape)
    return fail(ErrorCode::rejected_input, "compute-or-load: the entry was made by a model of another shape; prefill the context");
  if (stored.header->identity.model != model.digest() || stored.header->identity.numerics_version != model.numerics_version())
    return fail(ErrorCode::rejected_input, "compute-or-load: the entry was made by another model or other kernels, whose rows this model's would not fit; prefill the context");
  if (cache.kept_rows() != 0 || cache.sequence_length() != 0)
    return fail(ErrorCode::internal, "compute-or-load: the cache must be empty; give it a fresh one");
  return Run(model, stored, cache, options).go(lender);
}

}  // namespace kvantage
