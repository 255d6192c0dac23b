#include "core/request/chunk_reader.h"

#include <algorithm>
#include <utility>

namespace kvantage::inline requests {
namespace {

std::uint64_t bytes_between(std::pair<std::uint64_t, std::uint64_t> range) { return range.second - range.first; }

/// Calls `take` for all rows that a chunk brings, in the order in which they are read and copied.
template <class Take>
void for_chunk_rows(int kv_heads, int probes, Take take) {
  for (int head = 0; head < kv_heads; ++head) {
    if (head >= probes) take(ExtentKind::keys, head);
    take(ExtentKind::values, head);
  }
}

/// Place of one head's rows in that order.
std::size_t index_of(ExtentKind kind, int kv_head, int probes) {
  const int keys_before = std::max(0, kv_head - probes);
  const bool has_keys = kv_head >= probes;
  return static_cast<std::size_t>(kv_head + keys_before + (has_keys && kind == ExtentKind::values ? 1 : 0));
}

}  // namespace

ChunkReader::ChunkReader(const CacheHit& hit, BufferLender& lender)
    : hit_(hit),
      entry_{.tier = hit.place.tier, .key = hit.info.key, .in_memory = hit.place.bytes_in_flight},
      copies_(entry_.in_memory == nullptr ? hit.place.copies : nullptr),  // nothing is faster than memory
      reads_(lender, hit.place.tier->clock()) {
  reads_.on_loss(hit.on_loss);
}

tl::unexpected<Error> ChunkReader::failed(const ReadFailure& failure) {
  miss_reason_ = failure.miss_reason;
  return tl::unexpected(failure.error);
}

bool ChunkReader::is_waiting(std::optional<int> layer) const {
  if (!layer) return header_batch_ && !reads_.ended(*header_batch_);
  if (!parts_.empty())
    return std::ranges::any_of(parts_, [this](const Part& part) { return !reads_.ended(part.batch); });
  const auto& probe = probe_reads_[static_cast<std::size_t>(*layer)];
  return probe && !reads_.ended(probe->batch);
}

Expected<std::shared_ptr<const EntryHeader>> ChunkReader::take_header() {
  if (!header_batch_) header_batch_ = reads_.begin(entry_, {{0, hit_.info.header_bytes}}, -1);
  if (!reads_.ended(*header_batch_)) return nullptr;
  if (const auto& failure = reads_.failure(*header_batch_)) return failed(*failure);
  KV_ASSIGN(auto header, parse_entry_header(reads_.bytes(*header_batch_, 0)));
  if (header.key() != hit_.info.key)
    return fail(ErrorCode::corrupt, "entry " + hit_.info.key.hex() + ": its header belongs to another entry");
  reads_.release(*std::exchange(header_batch_, std::nullopt));
  return std::make_shared<const EntryHeader>(std::move(header));
}

Status ChunkReader::use(std::shared_ptr<const EntryHeader> header, int probes) {
  KV_ASSIGN(chunks_, TokenChunks::of(*header));
  header_ = std::move(header);
  probes_ = std::min(probes, header_->shape.kv_heads);
  probe_reads_.resize(static_cast<std::size_t>(header_->shape.layers));
  done_.chunks = header_->shape.layers * chunks_->count();
  if (copies_ != nullptr) copies_->note_access(hit_.info.key);
  return {};
}

std::uint64_t ChunkReader::probe_bytes(int layer) const {
  return static_cast<std::uint64_t>(probes_) *
         bytes_between(chunks_->range(layer, ExtentKind::keys, 0, chunks_->all()));
}

void ChunkReader::begin_probes(int layer) {
  if (auto& probe = probe_reads_[static_cast<std::size_t>(layer)]; !probe) probe = read_probes(layer, true);
}

ChunkReader::ProbeRead ChunkReader::read_probes(int layer, bool may_copy) {
  const std::uint64_t bytes = probe_bytes(layer);
  done_.probe_bytes += bytes;
  if (may_copy && copies_ != nullptr)
    if (const auto copy = copies_->find(id_of(layer, ChunkId::probe_keys))) {
      done_.copy_bytes += bytes;
      return {reads_.begin(*copy, {{0, bytes}}, layer), true};
    }
  std::vector<RangeReads::Range> ranges;
  ranges.reserve(static_cast<std::size_t>(probes_));
  for (int head = 0; head < probes_; ++head) {
    const auto [begin, end] = chunks_->range(layer, ExtentKind::keys, head, chunks_->all());
    ranges.push_back({begin, end});
  }
  return {reads_.begin(entry_, std::move(ranges), layer), false};
}

Expected<std::optional<std::vector<std::vector<std::byte>>>> ChunkReader::take_probes(int layer) {
  auto& probe = probe_reads_[static_cast<std::size_t>(layer)];
  if (!probe || !reads_.ended(probe->batch)) return std::nullopt;
  const auto& failure = reads_.failure(probe->batch);
  std::vector<std::vector<std::byte>> keys(static_cast<std::size_t>(probes_));
  Status unpacked;
  const std::uint64_t bytes = probe_bytes(layer) / static_cast<std::uint64_t>(probes_);
  for (std::size_t head = 0; !failure && unpacked && head < keys.size(); ++head)
    unpacked = chunks_->unpack(
        chunks_->all(),
        probe->is_copy ? reads_.bytes(probe->batch, 0).subspan(head * bytes, bytes) : reads_.bytes(probe->batch, head),
        keys[head]);
  if (!failure && unpacked) return keys;
  if (!probe->is_copy && failure) return failed(*failure);
  if (!probe->is_copy) return tl::unexpected(unpacked.error());
  if (failure) {  // nothing came of it: what is read instead is counted in its place
    done_.probe_bytes -= probe_bytes(layer);
    done_.copy_bytes -= probe_bytes(layer);
  }
  copies_->lost(id_of(layer, ChunkId::probe_keys));
  reads_.release(probe->batch);
  probe = read_probes(layer, false);
  return std::nullopt;
}

void ChunkReader::add_rows(TokenChunks::Run run, std::vector<RangeReads::Range>& ranges) {
  for_chunk_rows(header_->shape.kv_heads, probes_, [&](ExtentKind kind, int head) {
    const auto [begin, end] = chunks_->range(layer_, kind, head, run);
    ranges.push_back({begin, end});
    done_.chunk_bytes += end - begin;
  });
}

bool ChunkReader::read_copy(int chunk) {
  const auto copy = copies_ != nullptr ? copies_->find(id_of(layer_, chunk)) : std::nullopt;
  if (!copy) return false;
  const TokenChunks::Run run{chunk, chunk + 1};
  std::vector<RangeReads::Range> ranges;
  add_rows(run, ranges);
  std::uint64_t bytes = 0;
  for (const RangeReads::Range& range : ranges) bytes += range.bytes();
  done_.copy_bytes += bytes;
  parts_.push_back({run, true, reads_.begin(*copy, {{0, bytes}}, layer_), 0, false});
  return true;
}

// What has no copy is one submission to the entry's tier; neighbors are one range for each head.
void ChunkReader::begin_chunks(int layer, std::span<const TokenChunks::Run> runs) {
  layer_ = layer;
  parts_.clear();
  std::vector<std::size_t> of_entry;
  for (const TokenChunks::Run run : runs) {
    done_.chunks_read += run.last - run.first;
    bool extends = false;
    for (int chunk = run.first; chunk < run.last; ++chunk) {
      if (read_copy(chunk)) {
        extends = false;
      } else if (extends) {
        ++parts_.back().run.last;
      } else {
        of_entry.push_back(parts_.size());
        parts_.push_back({{chunk, chunk + 1}, false, 0, 0, false});
        extends = true;
      }
    }
  }
  std::vector<RangeReads::Range> ranges;
  for (const std::size_t at : of_entry) {
    parts_[at].first_range = ranges.size();
    add_rows(parts_[at].run, ranges);
  }
  if (of_entry.empty()) return;
  const int batch = reads_.begin(entry_, std::move(ranges), layer);
  for (const std::size_t at : of_entry) parts_[at].batch = batch;
}

Expected<bool> ChunkReader::has_chunks() {
  if (is_waiting(layer_)) return false;
  bool is_complete = true;
  for (Part& part : parts_) {
    if (!part.is_copy) {
      if (const auto& failure = reads_.failure(part.batch)) return failed(*failure);
      continue;
    }
    if (part.is_verified || is_good(part)) {
      part.is_verified = true;  // asked again where another copy was lost
      continue;
    }
    const bool has_come = !reads_.failure(part.batch);
    copies_->lost(id_of(layer_, part.run.first));
    reads_.release(part.batch);
    std::vector<RangeReads::Range> ranges;
    add_rows(part.run, ranges);
    if (!has_come)  // what is read instead is counted in its place
      for (const RangeReads::Range& range : ranges) {
        done_.chunk_bytes -= range.bytes();
        done_.copy_bytes -= range.bytes();
      }
    part = {part.run, false, reads_.begin(entry_, std::move(ranges), layer_), 0, false};
    is_complete = false;
  }
  return is_complete;
}

bool ChunkReader::is_good(const Part& copy) const {
  if (reads_.failure(copy.batch)) return false;
  bool is_good = true;
  std::size_t next = 0;
  std::vector<std::byte> rows;
  for_chunk_rows(header_->shape.kv_heads, probes_, [&](ExtentKind, int) {
    rows.clear();
    is_good = is_good && chunks_->unpack(copy.run, rows_of(copy, next++), rows).has_value();
  });
  return is_good;
}

std::span<const std::byte> ChunkReader::rows_of(const Part& part, std::size_t rows) const {
  if (!part.is_copy) return reads_.bytes(part.batch, part.first_range + rows);
  const std::uint64_t bytes = bytes_between(chunks_->range(layer_, ExtentKind::values, 0, part.run));
  return reads_.bytes(part.batch, 0).subspan(rows * bytes, bytes);
}

Status ChunkReader::unpack(ExtentKind kind, int kv_head, std::vector<std::byte>& rows) const {
  const std::size_t index = index_of(kind, kv_head, probes_);
  for (const Part& part : parts_) KV_TRY(chunks_->unpack(part.run, rows_of(part, index), rows));
  return {};
}

std::vector<std::byte> ChunkReader::copy_of(const Part& part, int chunk) const {
  const auto whole = chunks_->range(layer_, ExtentKind::values, 0, part.run),
             own = chunks_->range(layer_, ExtentKind::values, 0, {chunk, chunk + 1});
  std::vector<std::byte> copy;
  std::size_t next = 0;
  for_chunk_rows(header_->shape.kv_heads, probes_, [&](ExtentKind, int) {
    const auto rows = rows_of(part, next++).subspan(own.first - whole.first, bytes_between(own));
    copy.insert(copy.end(), rows.begin(), rows.end());
  });
  return copy;
}

// Every hit reads the probe keys, so all of their tokens count as important.
void ChunkReader::end_layer(std::span<const std::int32_t> important) {
  const ProbeRead probe = *probe_reads_[static_cast<std::size_t>(layer_)];
  if (copies_ != nullptr) {
    copies_->used(id_of(layer_, ChunkId::probe_keys), chunks_->tokens(), probe_bytes(layer_), [&] {
      std::vector<std::byte> copy;
      for (std::size_t range = 0; range < (probe.is_copy ? 1 : static_cast<std::size_t>(probes_)); ++range) {
        const auto keys = reads_.bytes(probe.batch, range);
        copy.insert(copy.end(), keys.begin(), keys.end());
      }
      return copy;
    });
    auto token = important.begin();
    for (const Part& part : parts_)
      for (int chunk = part.run.first; chunk < part.run.last; ++chunk) {
        const auto end = std::lower_bound(token, important.end(), chunks_->first_token(chunk + 1));
        const std::uint64_t bytes = bytes_between(chunks_->range(layer_, ExtentKind::values, 0, {chunk, chunk + 1})) *
                                    static_cast<std::uint64_t>(2 * header_->shape.kv_heads - probes_);
        copies_->used(id_of(layer_, chunk), static_cast<int>(end - token), bytes, [&] { return copy_of(part, chunk); });
        token = end;
      }
  }
  reads_.release(probe.batch);
  for (const Part& part : parts_) reads_.release(part.batch);
  parts_.clear();
}

}  // namespace kvantage::inline requests
