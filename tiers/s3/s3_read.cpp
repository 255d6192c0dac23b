// The reading half of S3Store: extents become ranged GETs of one version, received directly into the buffers and
// verified extent by extent as they arrive.
#include <algorithm>
#include <cstring>

#include "tiers/extent_check.h"
#include "tiers/remote/sealed_extent.h"
#include "tiers/s3/s3_etag.h"
#include "tiers/s3/s3_object.h"
#include "tiers/s3/s3_refusal.h"
#include "tiers/s3/s3_store.h"
#include "tiers/shared_store.h"

namespace kvantage::inline s3 {
namespace {

constexpr std::uint64_t longest_gap = std::uint64_t{64} << 10;  // between parts of one request, whose bytes are dropped

/// Bytes of the entry and where they go.
struct S3Part {
  std::size_t extent = 0;
  std::uint64_t begin = 0;
  std::span<std::byte> target;
  bool ends_extent = false;
};

/// `sealed`: one for each extent, or none.
std::vector<S3Part> plan_parts(ReadSink& sink, std::span<const SealedExtent> sealed) {
  std::vector<S3Part> parts;
  const std::span<const ReadExtent> extents = sink.extents();
  parts.reserve(3 * extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (sealed.empty())
      parts.push_back({i, extents[i].offset, sink.target(i).first(extents[i].bytes), false});
    else
      for (const EntryPart& part : sealed[i].parts()) parts.push_back({i, part.begin, part.target, false});
    parts.back().ends_extent = true;
  }
  return parts;
}

}  // namespace

/// One read of an entry: parts next to each other are one request.
class S3Store::EntryRead {
 public:
  EntryRead(S3Store& store, const StoredEntry& stored, ReadSink& sink)
      : store_(store), entry_(static_cast<const S3Entry&>(stored)), sink_(sink) {}

  TransferStatus run() {
    started_ = store_.clock().seconds();
    if (sink_.cancelled()) return cancelled();
    if (!store_.link_.up()) return out_of_reach(store_.link_.unavailable());
    const auto client = store_.ready(store_.reader_);
    if (!client) return out_of_reach(client.error());
    const std::span<const ReadExtent> extents = sink_.extents();
    if (entry_.object().seal != nullptr) sealed_.reserve(extents.size());
    for (std::size_t i = 0; entry_.object().seal != nullptr && i < extents.size(); ++i)
      sealed_.emplace_back(extents[i], sink_.target(i).first(extents[i].bytes), entry_.info().bytes);
    parts_ = plan_parts(sink_, sealed_);
    while (at_ < parts_.size())
      if (const TransferStatus received = receive(**client); !received) return received;
    return {};
  }

 private:
  // The parts from `at_` on that one request brings, and the end of its bytes in the entry.
  std::pair<std::size_t, std::uint64_t> request_end() const {
    std::size_t next = at_;
    std::uint64_t end = parts_[at_].begin;  // so that the first one always fits
    for (; next < parts_.size(); ++next) {
      const S3Part& part = parts_[next];
      if (part.begin < end || part.begin - end > longest_gap) break;
      end = part.begin + part.target.size();
    }
    return {next, end};
  }

  TransferStatus receive(S3Client& client) {
    const auto [next, end] = request_end();
    limit_ = next;
    position_ = parts_[at_].begin;
    const std::uint64_t offset = entry_.object().data_offset;
    const S3Range range{offset + position_, offset + end};
    S3Request request{.path = store_.path_of(store_.names_.entry(entry_.info().key)),
                      .headers = {"Range: " + range.text(), if_match(entry_.object().etag)},
                      .max_reply_bytes = std::max<std::uint64_t>(range.end - range.begin, std::uint64_t{64} << 10)};
    request.sink = [&](const S3Reply& head, std::span<const std::byte> bytes) {
      if (head.etag == entry_.object().etag && range.is_of(head.content_range, offset + entry_.info().bytes))
        return take(bytes);
      other_ = head.etag != entry_.object().etag;
      mislaid_ = !other_;
      return false;
    };
    const auto reply = client.exchange(request, give_up_);
    if (failure_) return tl::unexpected(*failure_);
    if (at_ == limit_) return {};  // all is here and verified, whatever follows
    if (!reply) return out_of_reach(store_.link_.failed(reply.error()));
    constexpr long other_version = 412, no_such_range = 416, partial_content = 206;
    if (mislaid_ || reply->status == no_such_range)
      return condemned(MissReason::truncated, ErrorCode::corrupt, "it has another length");
    if (other_ || reply->status == other_version)
      return condemned(MissReason::missing, ErrorCode::not_found, "another object is in its place");
    if (is_absent(*reply)) return condemned(MissReason::missing, ErrorCode::not_found, "it is missing on the server");
    if (reply->status != partial_content)
      return out_of_reach(store_.link_.failed(refusal_of(store_.options_.access.url, *reply, "reading an entry")));
    return out_of_reach(store_.link_.failed(
        {ErrorCode::io, store_.options_.access.url.address() + ": its answer ends before the range asked for"}));
  }

  // False: enough. Called by the client as the bytes arrive.
  bool take(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      if (at_ == limit_) return false;
      const S3Part& part = parts_[at_];
      if (position_ < part.begin) {  // a gap
        const auto step = std::min<std::uint64_t>(part.begin - position_, bytes.size());
        bytes = bytes.subspan(step);
        position_ += step;
        continue;
      }
      const std::uint64_t within = position_ - part.begin;
      const auto step = std::min<std::uint64_t>(part.target.size() - within, bytes.size());
      std::memcpy(part.target.data() + within, bytes.data(), step);
      bytes = bytes.subspan(step);
      position_ += step;
      if (within + step < part.target.size()) continue;
      if (const TransferStatus ended = end_part(); !ended) {
        failure_ = ended.error();
        return false;
      }
    }
    return true;
  }

  TransferStatus end_part() {
    const S3Part& part = parts_[at_];
    if (part.ends_extent)
      if (const TransferStatus ended = end_extent(part.extent, at_ + 1 < parts_.size()); !ended) return ended;
    ++at_;
    return {};
  }

  TransferStatus end_extent(std::size_t index, bool more_follow) {
    const double arrived = store_.clock().seconds();
    const ReadExtent& extent = sink_.extents()[index];
    if (!sealed_.empty() && !sealed_[index].finish(*entry_.object().seal))
      return condemned(MissReason::checksum, ErrorCode::corrupt, "wrong seal in extent " + std::to_string(index));
    if (!extent_is_intact(extent, sink_.target(index).first(extent.bytes), entry_.object().header)) {
      // The pieces' checksums come from the reader, who may have them from the previous version; the store's own are
      // those of the whole.
      if (!extent.pieces.empty()) wrong_pieces_ = true;
      return condemned(MissReason::checksum, ErrorCode::corrupt, "wrong checksum in extent " + std::to_string(index));
    }
    const double verified = store_.clock().seconds();
    if (more_follow && sink_.cancelled()) return cancelled();
    sink_.finish(index, arrived - started_, verified - arrived);
    started_ = store_.clock().seconds();
    return {};
  }

 public:
  bool wrong_pieces() const { return wrong_pieces_; }
  /// Of a failure that invalidates the entry: done after the read, for it asks the server again.
  const std::optional<TransferError>& condemnation() const { return condemnation_; }
  TransferStatus other_version() const {
    return fail_transfer(MissReason::replaced, ErrorCode::not_found,
                         entry_name() + ": another KVantage process replaced it; the new version is read next");
  }
  TransferStatus out_of_reach(const Error& error) const {
    const bool was_cancelled = error.code == ErrorCode::cancelled;
    return tl::unexpected(TransferError{was_cancelled ? MissReason::cancelled : MissReason::unavailable, error});
  }

 private:
  TransferStatus cancelled() const {
    return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, store_.name_ + ": cancelled");
  }
  TransferStatus condemned(MissReason reason, ErrorCode code, const std::string& what) {
    condemnation_ = TransferError{reason, {code, entry_name() + ": " + what + "; it is dropped and recomputed"}};
    return tl::unexpected(*condemnation_);
  }
  std::string entry_name() const { return store_.name_ + ": entry " + entry_.info().key.hex(); }

  S3Store& store_;
  const S3Entry& entry_;
  ReadSink& sink_;
  const GiveUp give_up_ = [this] { return sink_.cancelled(); };
  std::vector<SealedExtent> sealed_;  // of a sealed entry, one for each extent
  std::vector<S3Part> parts_;
  std::size_t at_ = 0;          // index in parts_
  std::size_t limit_ = 0;       // one past the last part of this request
  std::uint64_t position_ = 0;  // in the entry, of the next byte that arrives
  double started_ = 0;
  bool other_ = false, mislaid_ = false, wrong_pieces_ = false;
  std::optional<TransferError> failure_, condemnation_;
};

TransferStatus S3Store::read(const StoredEntry& stored, ReadSink& sink) {
  EntryRead reading(*this, stored, sink);
  const TransferStatus status = reading.run();
  if (status || !reading.condemnation()) return status;
  const auto& entry = static_cast<const S3Entry&>(stored);
  const auto newer = replaced(entry, [&sink] { return sink.cancelled(); });
  if (!newer) return reading.out_of_reach(newer.error());
  if (*newer) return reading.other_version();
  if (reading.wrong_pieces()) {
    if (const TransferStatus own = verify(stored); !own) return own;
    return reading.other_version();
  }
  entry.condemn();
  return status;
}

// Whether another usable version is there. It is indexed immediately: the caller's reaction to the miss comes before
// the watch's next look.
Expected<bool> S3Store::replaced(const S3Entry& entry, const GiveUp& give_up) {
  if (!link_.up()) return tl::unexpected(link_.unavailable());
  KV_ASSIGN(S3Client* const client, ready(reader_));
  return sync(*client, entry.info().key, entry.object().etag, give_up);
}

// Of any usable version but that of `etag`.
Expected<bool> S3Store::sync(S3Client& client, const Digest128& key, const std::string& etag, const GiveUp& give_up) {
  const S3ObjectReader reader{client, options_.access.url, names_, options_.seal_key.get()};
  auto found = reader.read({&key, 1}, give_up);
  if (!found) return tl::unexpected(link_.failed(found.error()));
  FoundObject& object = found->front();
  if (object.state != FoundObject::State::usable || object.object.etag == etag) return false;
  StoreChanges* const changes = changes_;
  if (changes == nullptr) return true;
  if (const std::uint64_t number = versions_->synced(key, object.object.etag); number != 0)
    changes->appeared(std::make_shared<S3Entry>(std::move(object.object), number, versions_, trash_));
  return true;
}

TransferStatus S3Store::verify(const StoredEntry& stored) { return verify_by_reading(*this, stored, name_, clock()); }

}  // namespace kvantage::inline s3
