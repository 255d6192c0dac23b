#include "core/request/important_reads_stage.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/compress/method.h"
#include "core/request/important_tokens.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline requests {
namespace {

/// Layers whose probe keys are in flight or here: the present one and the next.
constexpr int probed_layers = 2;

}  // namespace

ImportantReadsStage::ImportantReadsStage(RequestState& state, const CacheHit& hit, BufferLender& lender,
                                         ImportantTokensRule rule)
    : HitStage(hit), state_(state), rule_(rule), reader_(std::make_unique<ChunkReader>(hit, lender)) {}

std::unique_ptr<ImportantReadsStage> ImportantReadsStage::begin(RequestState& state, const CacheHit& hit,
                                                                BufferLender& lender) {
  const RequestInput& input = state.input;
  const auto& rule = input.reading.important_tokens;
  if (!rule || input.decode_eviction != nullptr || state.runtime.model->device() != nullptr ||
      hit.prefix_tokens != input.context_tokens.size() || hit.prefix_tokens == 0 || hit.removed_fraction != 0)
    return nullptr;
  const auto method = parse_stored_method(hit.method);
  if (!method || (*method)->codec() == nullptr || (*method)->codec()->chunk_tokens() <= 0 ||
      (*method)->info().removes_tokens || (*method)->info().rerotates)
    return nullptr;
  if (passes_a_window(state.runtime, hit.prefix_tokens)) return nullptr;  // layers of different lengths: loaded whole
  return std::unique_ptr<ImportantReadsStage>(new ImportantReadsStage(state, hit, lender, *rule));
}

Status ImportantReadsStage::poll(double wait_seconds, int layers) {
  if (waiting_since_ns_ == 0) waiting_since_ns_ = state_.clock.monotonic_ns();
  begin_reads();
  if (must_wait()) reader_->pump(wait_seconds);
  // This request waits even while others compute: it has nothing else to do.
  state_.timing().load_seconds +=
      state_.spans.add(RequestSpan::Kind::wait, waiting_since_ns_, state_.clock.monotonic_ns());
  waiting_since_ns_ = 0;
  note_arrivals();
  Status status = take_arrived();
  if (!status && status.error().code == ErrorCode::no_space && reader_->miss_reason().empty())
    return status;  // the pool is full: not a fault of the entry
  if (!status) {
    miss({status.error(), reader_->miss_reason()});
    return {};
  }
  begin_reads();  // so that a tier works while others compute
  const bool still_waits = next_ == Next::this_stage || !(has_layer(layers - 1) || wants_queries(restored_));
  if (still_waits) waiting_since_ns_ = state_.clock.monotonic_ns();
  return {};
}

/// Whether the next thing to take is on its way.
bool ImportantReadsStage::must_wait() const {
  if (next_ == Next::this_stage) return reader_->is_waiting(std::nullopt);
  return restored_ < layers() && (probe_keys_.empty() || chosen_) && reader_->is_waiting(restored_);
}

void ImportantReadsStage::begin_reads() {
  if (next_ == Next::this_stage) return;
  for (int layer = restored_; layer < std::min(restored_ + probed_layers, layers()); ++layer)
    reader_->begin_probes(layer);
}

Status ImportantReadsStage::take_arrived() {
  if (next_ == Next::this_stage) return use_header();
  if (restored_ == layers()) return {};
  if (!probe_keys_.empty() && !chosen_) return {};  // the question is next
  if (chosen_) {
    KV_ASSIGN(const bool is_complete, reader_->has_chunks());
    return is_complete ? restore_layer() : Status();
  }
  const std::int64_t start = state_.clock.monotonic_ns();
  KV_ASSIGN(auto keys, reader_->take_probes(restored_));
  if (!keys) return {};
  probe_keys_ = std::move(*keys);
  note_unpacked(start);
  return {};
}

Status ImportantReadsStage::use_header() {
  if (hit_.header == nullptr) {
    KV_ASSIGN(hit_.header, reader_->take_header());
    if (hit_.header == nullptr) return {};
  }
  if (!std::ranges::equal(hit_.header->token_ids, state_.input.context_tokens))
    return fail(ErrorCode::corrupt, "entry holds other tokens than this request's");
  KV_TRY(reader_->use(hit_.header, rule_.probes));
  next_ = Next::question;
  return {};
}

// Counts as unpacking: it decides which rows the cache gets.
Status ImportantReadsStage::take_queries(int layer, std::span<const float> queries) {
  const std::int64_t start = state_.clock.monotonic_ns();
  KV_ASSIGN(chosen_,
            important_tokens(*state_.runtime.pool, probe_keys_, queries, state_.runtime.model->config().heads, rule_));
  if (chosen_->size() == static_cast<std::size_t>(reader_->chunks().tokens())) ++whole_layers_;
  runs_ = reader_->chunks().runs_of(*chosen_);
  reader_->begin_chunks(layer, runs_);
  note_unpacked(start);
  return {};
}

Status ImportantReadsStage::restore_layer() {
  const std::int64_t start = state_.clock.monotonic_ns();
  if (Status appended = append_heads(); !appended) {
    for (int head = 0; head < hit_.header->shape.kv_heads; ++head) state_.cache.truncate_head(restored_, head, 0);
    return appended;
  }
  state_.cache.set_sequence_length(std::max(state_.cache.sequence_length(), reader_->chunks().tokens()));
  reader_->end_layer(*chosen_);
  note_unpacked(start);
  chosen_.reset();
  probe_keys_.clear();
  ++restored_;
  return {};
}

/// Of each important token among the tokens of the chunks that were read.
std::vector<std::size_t> ImportantReadsStage::places_in_chunks() const {
  const TokenChunks& chunks = reader_->chunks();
  std::vector<std::size_t> places;
  places.reserve(chosen_->size());
  auto run = runs_.begin();
  std::size_t before = 0;
  for (const std::int32_t token : *chosen_) {
    for (; chunks.chunk_of(token) >= run->last; ++run) before += static_cast<std::size_t>(chunks.tokens_in(*run));
    places.push_back(before + static_cast<std::size_t>(token - chunks.first_token(run->first)));
  }
  return places;
}

// A chunk also brings tokens that are not important: these are left out.
Status ImportantReadsStage::append_heads() {
  const std::size_t row = hit_.header->shape.bytes_per_row();
  const std::vector<std::size_t> places = places_in_chunks();
  std::vector<std::byte> read, keys(places.size() * row), values(keys.size());
  const auto take_rows = [&](ExtentKind kind, int head, std::vector<std::byte>& rows) -> Status {
    read.clear();
    KV_TRY(reader_->unpack(kind, head, read));
    for (std::size_t i = 0; i < places.size(); ++i) std::memcpy(&rows[i * row], &read[places[i] * row], row);
    return {};
  };
  for (int head = 0; head < hit_.header->shape.kv_heads; ++head) {
    if (head < reader_->probes()) {
      const auto& probed = probe_keys_[static_cast<std::size_t>(head)];
      for (std::size_t i = 0; i < places.size(); ++i)
        std::memcpy(&keys[i * row], &probed[static_cast<std::size_t>((*chosen_)[i]) * row], row);
    } else {
      KV_TRY(take_rows(ExtentKind::keys, head, keys));
    }
    KV_TRY(take_rows(ExtentKind::values, head, values));
    KV_TRY(state_.cache.append_head(restored_, head, keys, values, *chosen_));
  }
  return {};
}

void ImportantReadsStage::note_unpacked(std::int64_t start_ns) {
  state_.timing().decode_seconds += state_.spans.add(RequestSpan::Kind::unpack, start_ns, state_.clock.monotonic_ns(),
                                                     {.layer = static_cast<std::int16_t>(restored_)});
}

// Arrivals have the tier's clock, everything here the serving clock.
void ImportantReadsStage::note_arrivals() {
  const auto& arrivals = reader_->reads().arrivals();
  if (noted_arrivals_ == arrivals.size()) return;
  const std::int64_t now = state_.clock.monotonic_ns(), ahead = hit_.place.tier->clock().monotonic_ns() - now;
  for (; noted_arrivals_ < arrivals.size(); ++noted_arrivals_) {
    const RangeReads::Arrival& arrival = arrivals[noted_arrivals_];
    state_.spans.add_read(arrival.submitted_ns - ahead, arrival.arrived_ns - ahead, arrival.device_seconds,
                          state_.clock.monotonic_ns(),
                          {.layer = static_cast<std::int16_t>(arrival.layer), .bytes = arrival.bytes});
  }
}

// Partial reads do not say how long a whole entry takes, so there is no sample for the tier's fit.
void ImportantReadsStage::fill_in(CacheUse& use) {
  use.source = hit_.place.bytes_in_flight != nullptr ? write_back_source : hit_.place.tier_name;
  use.miss_reason.clear();
  use.method = hit_.method;
  use.removed_fraction = removed_fraction_of(rule_);
  use.bytes_loaded = reader_->reads().bytes_read();
  use.timing.device_seconds = reader_->reads().device_seconds();
  use.prefix_hit_tokens = static_cast<int>(hit_.prefix_tokens);
  use.provenance = hit_.place.throttled ? Provenance::throttled : Provenance::measured;
  ImportantReadsRecord reads = reader_->done();
  reads.kept_share = rule_.kept;
  reads.whole_layers = whole_layers_;
  state_.record.important_reads = reads;
  reader_.reset();
}

}  // namespace kvantage::inline requests
