// The reading half of RedisStore: extents become pipelined GETs and GETRANGEs of chunks, received directly into the
// buffers and verified extent by extent.
#include <algorithm>
#include <optional>

#include "tiers/extent_check.h"
#include "tiers/remote/redis_store.h"
#include "tiers/remote/sealed_extent.h"
#include "tiers/shared_store.h"

namespace kvantage::inline remote {
namespace {

constexpr std::uint64_t max_bytes_ahead = std::uint64_t{8} << 20;  // requested and not arrived yet

struct ChunkRead {
  std::size_t extent = 0;
  std::uint64_t chunk = 0;
  std::uint64_t begin = 0;  // within the chunk
  std::uint64_t bytes = 0;
  bool whole = false;
  bool ends_extent = false;
  std::span<std::byte> target;
};

void plan_part(std::vector<ChunkRead>& reads, std::size_t extent, const EntryPart& part, std::uint64_t entry_bytes,
               std::uint64_t chunk_bytes) {
  const std::uint64_t end = part.begin + part.target.size();
  for (std::uint64_t at = part.begin; at < end;) {
    const std::uint64_t chunk = at / chunk_bytes;
    const std::uint64_t chunk_end = std::min((chunk + 1) * chunk_bytes, entry_bytes);
    const std::uint64_t step = std::min(chunk_end, end) - at;
    const std::uint64_t begin = at - chunk * chunk_bytes;
    reads.push_back({extent, chunk, begin, step, begin == 0 && at + step == chunk_end, false,
                     part.target.subspan(at - part.begin, step)});
    at += step;
  }
}

/// `sealed`: one for each extent, or none.
std::vector<ChunkRead> plan_chunks(ReadSink& sink, std::span<const SealedExtent> sealed, std::uint64_t entry_bytes,
                                   std::uint64_t chunk_bytes) {
  std::vector<ChunkRead> reads;
  const std::span<const ReadExtent> extents = sink.extents();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].bytes == 0) continue;
    if (sealed.empty())
      plan_part(reads, i, {extents[i].offset, sink.target(i).first(extents[i].bytes)}, entry_bytes, chunk_bytes);
    else
      for (const EntryPart& part : sealed[i].parts()) plan_part(reads, i, part, entry_bytes, chunk_bytes);
    reads.back().ends_extent = true;
  }
  return reads;
}

}  // namespace

/// One read of an entry: chunks are requested ahead of their replies, and each extent is verified once it is complete.
class RedisStore::EntryRead {
 public:
  EntryRead(RedisStore& store, const StoredEntry& stored, ReadSink& sink)
      : store_(store),
        stored_(stored),
        entry_(static_cast<const RedisEntry&>(stored)),
        bucket_(store.bucket(stored.info().key)),
        sink_(sink) {}

  TransferStatus run() {
    started_ = store_.clock().seconds();
    if (sink_.cancelled()) return cancelled();
    auto ready = store_.reader_.to(bucket_.number, give_up_);
    if (!ready) return out_of_reach(ready.error());
    connection_ = std::move(*ready);
    const std::span<const ReadExtent> extents = sink_.extents();
    for (std::size_t i = 0; entry_.seal() != nullptr && i < extents.size(); ++i)
      sealed_.emplace_back(extents[i], sink_.target(i).first(extents[i].bytes), entry_.info().bytes);
    reads_ = plan_chunks(sink_, sealed_, entry_.info().bytes, entry_.version().chunk_bytes);
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      if (const TransferStatus asked = ask_ahead(i); !asked) return asked;
      if (const TransferStatus received = receive(reads_[i]); !received) return received;
      if (!reads_[i].ends_extent) continue;
      if (const TransferStatus ended = end_extent(reads_[i].extent, i + 1 < reads_.size()); !ended) return ended;
    }
    return {};
  }

 private:
  std::vector<std::string> words_of(const ChunkRead& read) const {
    std::string key = bucket_.keys.chunk(RedisKeys::version(entry_.info().key, entry_.sequence()), read.chunk);
    if (read.whole) return {"GET", std::move(key)};
    return {"GETRANGE", std::move(key), std::to_string(read.begin), std::to_string(read.begin + read.bytes - 1)};
  }

  TransferStatus ask_ahead(std::size_t present) {
    if (one_by_one_) return {};
    for (; asked_ < reads_.size() && (asked_ == present || ahead_ + reads_[asked_].bytes <= max_bytes_ahead);
         ++asked_) {
      const std::vector<std::string> words = words_of(reads_[asked_]);
      const std::vector<std::string_view> views(words.begin(), words.end());
      const Status sent = connection_->send(views, {}, give_up_);
      if (!sent) return out_of_reach(connection_->failed(sent.error()));
      ahead_ += reads_[asked_].bytes;
    }
    return {};
  }

  Expected<BulkReply> next_value(const ChunkRead& read) {
    if (!one_by_one_) {
      auto reply = connection_->receive_into(read.target, give_up_);
      if (!reply || reply->outcome != BulkOutcome::refused || !is_redirect(reply->text)) return reply;
      // The slot is elsewhere, or moving: what is in flight is discarded, and each part found by itself.
      connection_->close();
      one_by_one_ = true;
    }
    const std::vector<std::string> words = words_of(read);
    const std::vector<std::string_view> views(words.begin(), words.end());
    return connection_->fetch_into(views, read.target, give_up_);
  }

  TransferStatus receive(const ChunkRead& read) {
    const auto reply = next_value(read);
    if (!reply) return out_of_reach(connection_->failed(reply.error()));
    if (!one_by_one_) ahead_ -= read.bytes;
    switch (reply->outcome) {
      case BulkOutcome::whole:
        break;
      case BulkOutcome::absent:
        return condemned(MissReason::missing, ErrorCode::not_found, "a part of it is missing on the server");
      case BulkOutcome::other_length:
        return condemned(MissReason::truncated, ErrorCode::corrupt, "a part of it has another length");
      case BulkOutcome::refused:
        if (reply->text.starts_with("WRONGTYPE"))
          return condemned(MissReason::checksum, ErrorCode::corrupt, "a part of it has another type");
        connection_->close();
        return out_of_reach(connection_->failed({ErrorCode::io, store_.link_.address() + ": " + reply->text}));
    }
    return {};
  }

  TransferStatus end_extent(std::size_t index, bool more_follow) {
    const double arrived = store_.clock().seconds();
    const ReadExtent& extent = sink_.extents()[index];
    if (!sealed_.empty() && !sealed_[index].finish(*entry_.seal()))
      return condemned(MissReason::checksum, ErrorCode::corrupt, "wrong seal in extent " + std::to_string(index));
    if (!extent_is_intact(extent, sink_.target(index).first(extent.bytes), entry_.header())) {
      // The pieces' checksums come from the reader, who may have them from the previous version.
      if (extent.pieces.empty())
        return condemned(MissReason::checksum, ErrorCode::corrupt, "wrong checksum in extent " + std::to_string(index));
      connection_->close();
      if (const TransferStatus own = store_.verify(stored_); !own) return own;
      return other_version();
    }
    const double verified = store_.clock().seconds();
    if (more_follow && sink_.cancelled()) {
      connection_->close();
      return cancelled();
    }
    sink_.finish(index, arrived - started_, verified - arrived);
    started_ = store_.clock().seconds();
    return {};
  }

  TransferStatus cancelled() const {
    return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, store_.name_ + ": cancelled");
  }
  TransferStatus out_of_reach(const Error& error) const {
    const bool cancelled = error.code == ErrorCode::cancelled;
    return tl::unexpected(TransferError{cancelled ? MissReason::cancelled : MissReason::unavailable, error});
  }
  TransferStatus other_version() const {
    return fail_transfer(MissReason::replaced, ErrorCode::not_found,
                         entry_name() + ": another KVantage process replaced it; the new version is read next");
  }
  // Corrupt bytes: removes the entry for everybody. Closing the connection discards the replies in flight.
  TransferStatus condemned(MissReason reason, ErrorCode code, const std::string& what) {
    connection_->close();
    const auto newer = store_.replaced(entry_, give_up_);
    if (!newer) return out_of_reach(newer.error());
    if (*newer) return other_version();
    entry_.condemn();
    bucket_.recheck = true;
    store_.link_.wake();
    return fail_transfer(reason, code, entry_name() + ": " + what + "; it is dropped and recomputed");
  }
  std::string entry_name() const { return store_.name_ + ": entry " + entry_.info().key.hex(); }

  RedisStore& store_;
  const StoredEntry& stored_;
  const RedisEntry& entry_;
  RedisBucket& bucket_;
  ReadSink& sink_;
  const GiveUp give_up_ = [this] { return sink_.cancelled(); };
  std::optional<BucketConnection> connection_;
  std::vector<SealedExtent> sealed_;  // of a sealed entry, one for each extent
  std::vector<ChunkRead> reads_;
  bool one_by_one_ = false;  // each part is requested when the last one has arrived
  std::size_t asked_ = 0;    // index in reads_
  std::uint64_t ahead_ = 0;  // bytes requested and not arrived yet
  double started_ = 0;
};

TransferStatus RedisStore::read(const StoredEntry& stored, ReadSink& sink) {
  return EntryRead(*this, stored, sink).run();
}

// Whether a later version replaced this one. It is indexed immediately: the caller's reaction to the miss comes before
// the watch's next poll.
Expected<bool> RedisStore::replaced(const RedisEntry& entry, const GiveUp& give_up) {
  const Digest128& key = entry.info().key;
  RedisBucket& place = bucket(key);
  KV_ASSIGN(auto ready, reader_.to(place.number, give_up));
  const auto index = ready.command({"HGET", place.keys.index, key.hex()}, give_up);
  if (!index) return tl::unexpected(ready.failed(index.error()));
  const auto version = index->is_text() ? RedisVersion::parse(index->text) : std::nullopt;
  if (!version || version->sequence <= entry.sequence()) return false;
  const auto text = ready.command({"HGET", place.keys.headers, key.hex()}, give_up);
  if (!text) return tl::unexpected(ready.failed(text.error()));
  auto found = header_in(place, text->text);
  StoreChanges* const changes = changes_;
  if (changes != nullptr && found && found->usable && describes(found->header, key, *version) &&
      place.versions->is_news(key, version->sequence)) {
    place.versions->synced(key, version->sequence);
    changes->appeared(std::make_shared<RedisEntry>(std::move(found->header), std::move(found->seal), *version,
                                                   place.versions, place.trash));
  } else {
    place.recheck = true;
    link_.wake();
  }
  return true;
}

TransferStatus RedisStore::verify(const StoredEntry& stored) {
  return verify_by_reading(*this, stored, name_, clock());
}

}  // namespace kvantage::inline remote
