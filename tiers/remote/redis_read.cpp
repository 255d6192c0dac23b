// The reading half of RedisStore: extents become pipelined GETs and GETRANGEs of chunks, received directly into the
// buffers and verified extent by extent.
#include <algorithm>
#include <chrono>

#include "tiers/extent_check.h"
#include "tiers/mapped_memory.h"
#include "tiers/remote/redis_store.h"

namespace kvantage {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::uint64_t most_bytes_ahead = std::uint64_t{8} << 20;  // requested, not yet received

struct ChunkRead {
  std::size_t extent = 0;
  std::uint64_t chunk = 0;
  std::uint64_t begin = 0;  // within the chunk
  std::uint64_t bytes = 0;
  bool whole = false;
  bool ends_extent = false;
  std::span<std::byte> target;
};

std::vector<ChunkRead> plan_chunks(ReadSink& sink, std::uint64_t entry_bytes, std::uint64_t chunk_bytes) {
  std::vector<ChunkRead> reads;
  const std::span<const ReadExtent> extents = sink.extents();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::uint64_t end = extents[i].offset + extents[i].bytes;
    for (std::uint64_t at = extents[i].offset; at < end;) {
      const std::uint64_t chunk = at / chunk_bytes;
      const std::uint64_t chunk_end = std::min((chunk + 1) * chunk_bytes, entry_bytes);
      const std::uint64_t step = std::min(chunk_end, end) - at;
      const std::uint64_t begin = at - chunk * chunk_bytes;
      reads.push_back({i, chunk, begin, step, begin == 0 && at + step == chunk_end, at + step == end,
                       sink.target(i).subspan(at - extents[i].offset, step)});
      at += step;
    }
  }
  return reads;
}

double seconds_between(SteadyClock::time_point from, SteadyClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// One extent over a private buffer, for verify().
class WholeEntry final : public ReadSink {
 public:
  explicit WholeEntry(std::span<std::byte> bytes) : bytes_(bytes), extent_{0, bytes.size(), {}} {}
  std::span<const ReadExtent> extents() const override { return {&extent_, 1}; }
  std::span<std::byte> target(std::size_t) override { return bytes_; }
  bool cancelled() const override { return false; }
  void finish(std::size_t, double, double) override {}
  const Clock& clock() const override { return system_executor().clock(); }

 private:
  std::span<std::byte> bytes_;
  ReadExtent extent_;
};

}  // namespace

TransferStatus RedisStore::read(const StoredEntry& stored, ReadSink& sink) {
  const auto& entry = static_cast<const RedisEntry&>(stored);
  const GiveUp give_up = [&sink] { return sink.cancelled(); };
  const auto out_of_reach = [&](const Error& error) {
    const bool cancelled = error.code == ErrorCode::cancelled;
    return tl::unexpected(TransferError{cancelled ? MissReason::cancelled : MissReason::unavailable, error});
  };
  auto start = SteadyClock::now();
  if (sink.cancelled()) return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name_ + ": cancelled");
  const auto ready = link_.ready(reader_, give_up);
  if (!ready) return out_of_reach(ready.error());
  RedisConnection& connection = **ready;
  const auto other_version = [&] {
    return fail_transfer(
        MissReason::replaced, ErrorCode::not_found,
        name_ + ": entry " + entry.info().key.hex() + ": another workbench replaced it; the new version is read next");
  };
  // Corrupt bytes: removed for everybody. Replies in flight are dropped with the connection.
  const auto condemned = [&](MissReason reason, ErrorCode code, const std::string& what) -> TransferStatus {
    connection.close();
    const auto newer = replaced(entry, give_up);
    if (!newer) return out_of_reach(newer.error());
    if (*newer) return other_version();
    entry.condemn();
    look_again_ = true;
    link_.wake();
    return fail_transfer(
        reason, code, name_ + ": entry " + entry.info().key.hex() + ": " + what + "; it is dropped and computed again");
  };

  const std::string version = RedisKeys::version(entry.info().key, entry.sequence());
  const std::span<const ReadExtent> extents = sink.extents();
  const std::vector<ChunkRead> reads = plan_chunks(sink, entry.info().bytes, entry.version().chunk_bytes);
  std::size_t asked = 0;
  std::uint64_t ahead = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    for (; asked < reads.size() && (asked == i || ahead + reads[asked].bytes <= most_bytes_ahead); ++asked) {
      const ChunkRead& next = reads[asked];
      const std::string key = keys_.chunk(version, next.chunk);
      const Status sent = next.whole ? connection.send({"GET", key}, {}, give_up)
                                     : connection.send({"GETRANGE", key, std::to_string(next.begin),
                                                        std::to_string(next.begin + next.bytes - 1)},
                                                       {}, give_up);
      if (!sent) return out_of_reach(link_.failed(sent.error()));
      ahead += next.bytes;
    }
    const ChunkRead& read = reads[i];
    const auto reply = connection.receive_into(read.target, give_up);
    if (!reply) return out_of_reach(link_.failed(reply.error()));
    ahead -= read.bytes;
    switch (reply->outcome) {
      case BulkOutcome::whole:
        break;
      case BulkOutcome::absent:
        return condemned(MissReason::missing, ErrorCode::not_found, "a part of it is gone from the server");
      case BulkOutcome::other_length:
        return condemned(MissReason::truncated, ErrorCode::corrupt, "a part of it has another length");
      case BulkOutcome::refused:
        if (reply->text.starts_with("WRONGTYPE"))
          return condemned(MissReason::checksum, ErrorCode::corrupt, "a part of it is something else");
        connection.close();
        return out_of_reach(link_.failed({ErrorCode::io, link_.address() + ": " + reply->text}));
    }
    if (!read.ends_extent) continue;
    const auto arrived = SteadyClock::now();
    if (!extent_is_intact(extents[read.extent], sink.target(read.extent).first(extents[read.extent].bytes),
                          entry.header())) {
      // The piece checksums come from the reader, which may know the previous version only.
      if (!extents[read.extent].pieces.empty()) {
        connection.close();
        if (const TransferStatus own = verify(stored); !own) return own;
        return other_version();
      }
      return condemned(MissReason::checksum, ErrorCode::corrupt,
                       "wrong checksum in extent " + std::to_string(read.extent));
    }
    const auto verified = SteadyClock::now();
    if (i + 1 < reads.size() && sink.cancelled()) {
      connection.close();
      return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name_ + ": cancelled");
    }
    sink.finish(read.extent, seconds_between(start, arrived), seconds_between(arrived, verified));
    start = SteadyClock::now();
  }
  return {};
}

// Whether a later version replaced this one. It is indexed immediately: the caller's reaction to the miss comes before
// the watch's next poll.
Expected<bool> RedisStore::replaced(const RedisEntry& entry, const GiveUp& give_up) {
  KV_ASSIGN(const auto ready, link_.ready(reader_, give_up));
  const Digest128& key = entry.info().key;
  const auto index = ready->command({"HGET", keys_.index, key.hex()}, give_up);
  if (!index) return tl::unexpected(link_.failed(index.error()));
  const auto version = index->is_text() ? RedisVersion::parse(index->text) : std::nullopt;
  if (!version || version->sequence <= entry.sequence()) return false;
  const auto text = ready->command({"HGET", keys_.headers, key.hex()}, give_up);
  if (!text) return tl::unexpected(link_.failed(text.error()));
  auto header = decode_store_header(std::as_bytes(std::span(text->text)));
  StoreChanges* const changes = changes_;
  if (changes != nullptr && header && describes(*header, key, *version) && versions_->is_news(key, version->sequence)) {
    versions_->taken_in(key, version->sequence);
    changes->appeared(std::make_shared<RedisEntry>(std::move(*header), *version, versions_, trash_));
  } else {
    look_again_ = true;
    link_.wake();
  }
  return true;
}

TransferStatus RedisStore::verify(const StoredEntry& stored) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;  // larger than any transfer: the length is untrusted
  if (stored.info().bytes > max_bytes)
    return fail_transfer(MissReason::rejected, ErrorCode::rejected_input,
                         name_ + ": entry " + stored.info().key.hex() + " is said to be larger than 1 GiB");
  auto memory = MappedMemory::map(stored.info().bytes, false);
  if (!memory) return tl::unexpected(TransferError{MissReason::rejected, memory.error()});
  WholeEntry whole(memory->bytes().first(stored.info().bytes));
  return read(stored, whole);
}

}  // namespace kvantage
