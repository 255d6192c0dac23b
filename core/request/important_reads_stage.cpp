#include "core/request/important_reads_stage.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/compress/method.h"
#include "core/request/important_tokens.h"

namespace kvantage::inline requests {
namespace {

/// Layers whose probe keys are in flight or here: the present one and the next.
constexpr int probed_layers = 2;

/// Calls `take` for all rows of a chunk that are read after the probe keys, in the order in which they are read and
/// copied: keys of the heads that are no probes, and values of all.
template <class Take>
void for_chunk_rows(int kv_heads, int probes, Take take) {
  for (int head = 0; head < kv_heads; ++head) {
    if (head >= probes) take(ExtentKind::keys, head);
    take(ExtentKind::values, head);
  }
}

std::uint64_t bytes_of(std::pair<std::uint64_t, std::uint64_t> range) { return range.second - range.first; }

}  // namespace

ImportantReadsStage::ImportantReadsStage(RequestState& state, const CacheHit& hit, BufferLender& lender,
                                         ImportantTokensRule rule)
    : HitStage(hit),
      state_(state),
      rule_(rule),
      reads_(std::make_unique<RangeReads>(lender, hit.place.tier->clock())),
      entry_{hit.place.tier, hit.info.key, hit.place.bytes_in_flight} {
  reads_->on_loss(hit.on_loss);
  if (entry_.in_memory != nullptr) hit_.copies = nullptr;  // nothing is faster
  done_.kept_share = rule.kept;
}

std::unique_ptr<ImportantReadsStage> ImportantReadsStage::begin(RequestState& state, const CacheHit& hit,
                                                                BufferLender& lender) {
  const RequestInput& input = state.input;
  if (!input.important_tokens || input.decode_eviction != nullptr || state.runtime.model->device() != nullptr ||
      hit.prefix_tokens != input.context_tokens.size() || hit.prefix_tokens == 0 || hit.removed_fraction != 0)
    return nullptr;
  const auto method = parse_method(hit.method);
  if (!method || (*method)->codec() == nullptr || (*method)->codec()->chunk_tokens() <= 0 ||
      (*method)->info().removes_tokens || (*method)->info().rerotates)
    return nullptr;
  return std::unique_ptr<ImportantReadsStage>(new ImportantReadsStage(state, hit, lender, *input.important_tokens));
}

int ImportantReadsStage::probes() const { return std::min(rule_.probes, hit_.header->shape.kv_heads); }

Status ImportantReadsStage::failed(const ReadFailure& failure) {
  miss_reason_ = failure.miss_reason;
  return tl::unexpected(failure.error);
}

Status ImportantReadsStage::poll(double wait_seconds, int layers) {
  if (waiting_since_ns_ == 0) waiting_since_ns_ = state_.clock.monotonic_ns();
  submit();
  if (!awaited_is_here()) reads_->pump(wait_seconds);
  // This request waits even while others compute: it has nothing else to do.
  state_.timing().load_seconds +=
      state_.spans.add(RequestSpan::Kind::wait, waiting_since_ns_, state_.clock.monotonic_ns());
  waiting_since_ns_ = 0;
  note_arrivals();
  const Status status = take_arrived();
  if (!status && status.error().code == ErrorCode::no_space && miss_reason_.empty())
    return status;  // the pool is full: not a fault of the entry
  if (!status) {
    miss({status.error(), miss_reason_});
    return {};
  }
  submit();  // so that a tier works while others compute
  const bool still_waits = next_ == Next::this_stage || !(has_layer(layers - 1) || wants_queries(restored_));
  if (still_waits) waiting_since_ns_ = state_.clock.monotonic_ns();
  return {};
}

/// Whether the next thing to take has arrived.
bool ImportantReadsStage::awaited_is_here() const {
  if (next_ == Next::this_stage) return !header_batch_ || reads_->ended(*header_batch_);
  if (restored_ == layers() || (has_probed_ && !chosen_)) return true;
  if (chosen_)
    return std::ranges::all_of(chosen_->parts, [this](const Part& part) { return reads_->ended(part.batch); });
  return reads_->ended(probes_[static_cast<std::size_t>(restored_)]->batch);
}

void ImportantReadsStage::submit() {
  if (!chunks_) {
    if (hit_.header == nullptr && !header_batch_)
      header_batch_ = reads_->begin(entry_, {{0, hit_.info.header_bytes}}, -1);
    return;
  }
  if (chosen_ && chosen_->parts.empty()) read_chunks();
  for (int layer = restored_; layer < std::min(restored_ + probed_layers, layers()); ++layer)
    if (auto& probe = probes_[static_cast<std::size_t>(layer)]; !probe) probe = read_probes(layer, true);
}

ImportantReadsStage::ProbeRead ImportantReadsStage::read_probes(int layer, bool may_copy) {
  std::vector<RangeReads::Range> ranges;
  std::uint64_t bytes = 0;
  for (int head = 0; head < probes(); ++head) {
    const auto [begin, end] = chunks_->range(layer, ExtentKind::keys, head, chunks_->all());
    ranges.push_back({begin, end});
    bytes += end - begin;
  }
  done_.probe_bytes += bytes;
  const auto copy =
      may_copy && hit_.copies != nullptr ? hit_.copies->find(id_of(layer, ChunkId::probe_keys)) : std::nullopt;
  if (!copy) return {reads_->begin(entry_, std::move(ranges), layer), false};
  done_.copy_bytes += bytes;
  return {reads_->begin(*copy, {{0, bytes}}, layer), true};
}

void ImportantReadsStage::add_rows(TokenChunks::Run run, std::vector<RangeReads::Range>& ranges) {
  for_chunk_rows(hit_.header->shape.kv_heads, probes(), [&](ExtentKind kind, int head) {
    const auto [begin, end] = chunks_->range(restored_, kind, head, run);
    ranges.push_back({begin, end});
    done_.chunk_bytes += end - begin;
  });
}

bool ImportantReadsStage::read_copy(int chunk) {
  const auto copy = hit_.copies != nullptr ? hit_.copies->find(id_of(restored_, chunk)) : std::nullopt;
  if (!copy) return false;
  const TokenChunks::Run run{chunk, chunk + 1};
  std::vector<RangeReads::Range> ranges;
  add_rows(run, ranges);
  std::uint64_t bytes = 0;
  for (const RangeReads::Range& range : ranges) bytes += range.bytes();
  done_.copy_bytes += bytes;
  chosen_->parts.push_back({run, true, reads_->begin(*copy, {{0, bytes}}, restored_), 0});
  return true;
}

// What has no copy is one submission to the entry's tier; neighbors are one range for each head.
void ImportantReadsStage::read_chunks() {
  std::vector<RangeReads::Range> ranges;
  std::vector<std::size_t> of_entry;  // parts
  for (const TokenChunks::Run run : chosen_->runs) {
    done_.chunks_read += run.last - run.first;
    bool extends = false;
    for (int chunk = run.first; chunk < run.last; ++chunk) {
      if (read_copy(chunk)) {
        extends = false;
      } else if (extends) {
        ++chosen_->parts.back().run.last;
      } else {
        of_entry.push_back(chosen_->parts.size());
        chosen_->parts.push_back({{chunk, chunk + 1}, false, 0, 0});
        extends = true;
      }
    }
  }
  for (const std::size_t at : of_entry) {
    chosen_->parts[at].first_range = ranges.size();
    add_rows(chosen_->parts[at].run, ranges);
  }
  if (of_entry.empty()) return;
  const int batch = reads_->begin(entry_, std::move(ranges), restored_);
  for (const std::size_t at : of_entry) chosen_->parts[at].batch = batch;
}

/// From the entry, because the copy is of no use.
void ImportantReadsStage::read_again(Part& part) {
  hit_.copies->lost(id_of(restored_, part.run.first));
  reads_->release(part.batch);
  std::vector<RangeReads::Range> ranges;
  add_rows(part.run, ranges);
  part = {part.run, false, reads_->begin(entry_, std::move(ranges), restored_), 0};
}

Status ImportantReadsStage::take_arrived() {
  if (next_ == Next::this_stage) return use_header();
  if (restored_ == layers()) return {};
  if (chosen_) return take_chunks();
  return has_probed_ ? Status() : take_probes();
}

Status ImportantReadsStage::use_header() {
  if (hit_.header == nullptr) {
    if (!reads_->ended(*header_batch_)) return {};
    if (const auto& failure = reads_->failure(*header_batch_)) return failed(*failure);
    KV_ASSIGN(auto header, parse_entry_header(reads_->bytes(*header_batch_, 0)));
    if (header.key() != hit_.info.key)
      return fail(ErrorCode::corrupt, "entry " + hit_.info.key.hex() + ": its header belongs to another entry");
    hit_.header = std::make_shared<const EntryHeader>(std::move(header));
    reads_->release(*header_batch_);
  }
  if (!std::ranges::equal(hit_.header->token_ids, state_.input.context_tokens))
    return fail(ErrorCode::corrupt, "entry holds other tokens than this request's");
  KV_ASSIGN(chunks_, TokenChunks::of(*hit_.header));
  if (hit_.copies != nullptr) hit_.copies->note_access(hit_.info.key);
  probes_.resize(static_cast<std::size_t>(layers()));
  done_.chunks = layers() * chunks_->count();
  next_ = Next::question;
  return {};
}

Status ImportantReadsStage::take_probes() {
  auto& probe = probes_[static_cast<std::size_t>(restored_)];
  if (!probe || !reads_->ended(probe->batch)) return {};
  const std::int64_t start = state_.clock.monotonic_ns();
  const auto unpack = [&]() -> Status {
    if (const auto& failure = reads_->failure(probe->batch)) return failed(*failure);
    probe_keys_.assign(static_cast<std::size_t>(probes()), {});
    std::uint64_t at = 0;
    for (std::size_t head = 0; head < probe_keys_.size(); ++head) {
      const std::uint64_t bytes =
          bytes_of(chunks_->range(restored_, ExtentKind::keys, static_cast<int>(head), chunks_->all()));
      const auto stored =
          probe->is_copy ? reads_->bytes(probe->batch, 0).subspan(at, bytes) : reads_->bytes(probe->batch, head);
      KV_TRY(chunks_->unpack(chunks_->all(), stored, probe_keys_[head]));
      at += bytes;
    }
    return {};
  };
  const Status unpacked = unpack();
  if (!unpacked && !probe->is_copy) return unpacked;
  if (!unpacked) {
    hit_.copies->lost(id_of(restored_, ChunkId::probe_keys));
    reads_->release(probe->batch);
    miss_reason_.clear();
    probe = read_probes(restored_, false);
    return {};
  }
  has_probed_ = true;
  state_.timing().decode_seconds += state_.spans.add(RequestSpan::Kind::unpack, start, state_.clock.monotonic_ns(),
                                                     {.layer = static_cast<std::int16_t>(restored_)});
  return {};
}

// Counts as unpacking: it decides which rows the cache gets.
Status ImportantReadsStage::take_queries(int layer, std::span<const float> queries) {
  const std::int64_t start = state_.clock.monotonic_ns();
  KV_ASSIGN(auto tokens,
            important_tokens(*state_.runtime.pool, probe_keys_, queries, state_.runtime.model->config().heads, rule_));
  if (tokens.size() == static_cast<std::size_t>(chunks_->tokens())) ++done_.whole_layers;
  auto runs = chunks_->runs_of(tokens);
  chosen_ = Choice{std::move(tokens), std::move(runs), {}};
  state_.timing().decode_seconds += state_.spans.add(RequestSpan::Kind::unpack, start, state_.clock.monotonic_ns(),
                                                     {.layer = static_cast<std::int16_t>(layer)});
  submit();
  return {};
}

Status ImportantReadsStage::take_chunks() {
  if (!awaited_is_here()) return {};
  bool again = false;
  std::vector<std::byte> rows;
  for (Part& part : chosen_->parts) {
    if (!part.is_copy) {
      if (const auto& failure = reads_->failure(part.batch)) return failed(*failure);
      continue;
    }
    bool is_good = !reads_->failure(part.batch);
    std::size_t next = 0;
    for_chunk_rows(hit_.header->shape.kv_heads, probes(), [&](ExtentKind, int) {
      rows.clear();
      is_good = is_good && chunks_->unpack(part.run, rows_of(part, next++), rows).has_value();
    });
    if (is_good) continue;
    read_again(part);
    again = true;
  }
  return again ? Status() : restore_layer();
}

/// The bytes of one head's keys or values: the `rows`-th in the order of for_chunk_rows().
std::span<const std::byte> ImportantReadsStage::rows_of(const Part& part, std::size_t rows) const {
  if (!part.is_copy) return reads_->bytes(part.batch, part.first_range + rows);
  const std::uint64_t bytes = bytes_of(chunks_->range(restored_, ExtentKind::values, 0, part.run));
  return reads_->bytes(part.batch, 0).subspan(rows * bytes, bytes);
}

Status ImportantReadsStage::restore_layer() {
  const std::int64_t start = state_.clock.monotonic_ns();
  if (const Status appended = append_heads(); !appended) {
    for (int head = 0; head < hit_.header->shape.kv_heads; ++head) state_.cache.truncate_head(restored_, head, 0);
    return appended;
  }
  state_.cache.set_sequence_length(std::max(state_.cache.sequence_length(), chunks_->tokens()));
  offer_copies();
  reads_->release(probes_[static_cast<std::size_t>(restored_)]->batch);
  for (const Part& part : chosen_->parts) reads_->release(part.batch);
  state_.timing().decode_seconds += state_.spans.add(RequestSpan::Kind::unpack, start, state_.clock.monotonic_ns(),
                                                     {.layer = static_cast<std::int16_t>(restored_)});
  chosen_.reset();
  has_probed_ = false;
  ++restored_;
  return {};
}

// A chunk also brings tokens that are not important: these are left out.
Status ImportantReadsStage::append_heads() {
  const KvShape& shape = hit_.header->shape;
  const std::size_t row = shape.bytes_per_row();
  std::vector<std::size_t> index;  // of each important token among the tokens of the parts
  index.reserve(chosen_->tokens.size());
  auto part = chosen_->parts.begin();
  std::size_t before = 0;
  for (const std::int32_t token : chosen_->tokens) {
    for (; chunks_->chunk_of(token) >= part->run.last; ++part)
      before += static_cast<std::size_t>(chunks_->tokens_in(part->run));
    index.push_back(before + static_cast<std::size_t>(token - chunks_->first_token(part->run.first)));
  }
  std::size_t next = 0;
  std::vector<std::byte> read, keys(index.size() * row), values(keys.size());
  const auto take_rows = [&](std::vector<std::byte>& rows) -> Status {
    read.clear();
    for (const Part& from : chosen_->parts) KV_TRY(chunks_->unpack(from.run, rows_of(from, next), read));
    ++next;
    for (std::size_t i = 0; i < index.size(); ++i) std::memcpy(&rows[i * row], &read[index[i] * row], row);
    return {};
  };
  for (int head = 0; head < shape.kv_heads; ++head) {
    const auto probe = static_cast<std::size_t>(head);
    if (probe < probe_keys_.size()) {
      for (std::size_t i = 0; i < index.size(); ++i)
        std::memcpy(&keys[i * row], &probe_keys_[probe][static_cast<std::size_t>(chosen_->tokens[i]) * row], row);
    } else {
      KV_TRY(take_rows(keys));
    }
    KV_TRY(take_rows(values));
    KV_TRY(state_.cache.append_head(restored_, head, keys, values, chosen_->tokens));
  }
  return {};
}

// Every hit reads the probe keys, so all of their tokens count as important.
void ImportantReadsStage::offer_copies() const {
  if (hit_.copies == nullptr) return;
  const ProbeRead& probe = *probes_[static_cast<std::size_t>(restored_)];
  std::uint64_t probe_bytes = 0;
  for (int head = 0; head < probes(); ++head)
    probe_bytes += bytes_of(chunks_->range(restored_, ExtentKind::keys, head, chunks_->all()));
  hit_.copies->used(id_of(restored_, ChunkId::probe_keys), chunks_->tokens(), probe_bytes, [&] {
    std::vector<std::byte> bytes;
    bytes.reserve(probe_bytes);
    for (std::size_t range = 0; range < (probe.is_copy ? 1 : probe_keys_.size()); ++range) {
      const auto some = reads_->bytes(probe.batch, range);
      bytes.insert(bytes.end(), some.begin(), some.end());
    }
    return bytes;
  });
  auto token = chosen_->tokens.begin();
  const int kv_heads = hit_.header->shape.kv_heads;
  for (const Part& part : chosen_->parts)
    for (int chunk = part.run.first; chunk < part.run.last; ++chunk) {
      const auto end = std::lower_bound(token, chosen_->tokens.end(), chunks_->first_token(chunk + 1));
      const auto whole = chunks_->range(restored_, ExtentKind::values, 0, part.run),
                 own = chunks_->range(restored_, ExtentKind::values, 0, {chunk, chunk + 1});
      const std::uint64_t bytes = bytes_of(own) * static_cast<std::uint64_t>(2 * kv_heads - probes());
      hit_.copies->used(id_of(restored_, chunk), static_cast<int>(end - token), bytes, [&] {
        std::vector<std::byte> copy;
        copy.reserve(bytes);
        std::size_t next = 0;
        for_chunk_rows(kv_heads, probes(), [&](ExtentKind, int) {
          const auto some = rows_of(part, next++).subspan(own.first - whole.first, bytes_of(own));
          copy.insert(copy.end(), some.begin(), some.end());
        });
        return copy;
      });
      token = end;
    }
}

// Arrivals have the tier's clock, everything here the serving clock.
void ImportantReadsStage::note_arrivals() {
  const auto& arrivals = reads_->arrivals();
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
  use.bytes_loaded = reads_->bytes_read();
  use.important_reads = done_;
  use.timing.device_seconds = reads_->device_seconds();
  use.prefix_hit_tokens = static_cast<int>(hit_.prefix_tokens);
  use.provenance = hit_.place.throttled ? Provenance::throttled : Provenance::measured;
  reads_.reset();
}

}  // namespace kvantage::inline requests
