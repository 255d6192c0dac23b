#include "tiers/remote/redis_store.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "tiers/remote/redis_allocation.h"
#include "tiers/remote/redis_scripts.h"
#include "tiers/shared_store.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t max_unanswered = 8;  // chunks pipelined before their replies

std::string_view view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string microseconds_now(const Clock& clock) { return std::to_string(clock.utc_ns() / 1000); }

RedisStore::RedisStore(std::string name, RedisStoreOptions options)
    : name_(std::move(name)),
      options_(std::move(options)),
      workbench_(random_workbench()),
      link_(name_, options_.url, options_.url_source, options_.timeouts, options_.transport,
            bucket_tags(options_.prefix, options_.url.deployment.kind)),
      measures_memory_(options_.measures_memory) {
  for (const std::string& tag : bucket_tags(options_.prefix, options_.url.deployment.kind))
    buckets_.emplace_back(buckets_.size(), tag, options_.scope);
}

std::int64_t RedisStore::ns_after(double seconds) const { return clock().monotonic_ns() + std::llround(seconds * 1e9); }

RedisStore::~RedisStore() {
  end_watch();
  // Cleanup of recent erases and of the leases: can be left to the next workbench if a server does not respond now. Of
  // many buckets each may take a tenth of a second longer.
  const double seconds = 1 + 0.1 * static_cast<double>(buckets_.size() - 1);
  const auto after = [this](double limit) -> GiveUp {
    return [this, deadline_ns = ns_after(limit)] { return clock().monotonic_ns() > deadline_ns; };
  };
  const GiveUp give_up = after(seconds), leases_give_up = after(seconds + 1);
  for (RedisBucket& bucket : buckets_) {
    auto connection = watcher_.to(bucket.number, give_up);
    Status emptied = connection ? Status() : tl::unexpected(connection.error());
    while (emptied && !bucket.trash->empty() && !give_up()) emptied = empty_trash(bucket, *connection, give_up);
    if (connection && connection->is_open())
      (void)connection->command({"ZREM", bucket.keys.workbenches, workbench_}, leases_give_up);
  }
}

TierDescription RedisStore::describe() const {
  const std::string trouble = link_.trouble();
  return {name_, link_.is_cluster() ? "Redis Cluster" : "Redis", false,
          trouble.empty() ? "at " + link_.address() : "not reachable: " + trouble + "; retrying"};
}

std::optional<StorageUse> RedisStore::storage_use() const {
  StorageUse use;
  for (const RedisBucket& bucket : buckets_) {
    const RedisMemory::Totals totals = bucket.memory.totals();
    use.entry_bytes += totals.entry_bytes;
    use.occupied_bytes += totals.server_bytes;
  }
  return use.entry_bytes == 0 ? std::nullopt : std::optional(use);
}

Error RedisStore::refused(const RedisReply& reply) const {
  if (!reply.is_error())
    return {ErrorCode::io, "tier " + name_ + ": " + link_.address() + ": answers as no KVantage store does" +
                               (reply.is_text() ? " (" + refusal_text(reply.text) + ")" : "")};
  const bool full = reply.text.starts_with("OOM"), newer = reply.text.find("KVNEWER") != std::string::npos;
  std::string reason = reply.text;
  if (reply.text.find("KVSWEPT") != std::string::npos)
    reason = "the chunks sent so far were removed: the lease of this workbench expired";
  if (newer) reason = "another KVantage process stored a newer version meanwhile";
  return {full    ? ErrorCode::no_space
          : newer ? ErrorCode::busy
                  : ErrorCode::io,
          "tier " + name_ + ": " + link_.address() + ": " + reason};
}

Expected<std::shared_ptr<StoredEntry>> RedisStore::put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                       const std::atomic<bool>& cancelled) {
  if (info.label.size() > max_label_bytes)
    return fail(ErrorCode::rejected_input, name_ + ": label of entry " + info.key.hex() + " is longer than 1 MiB");
  RedisBucket& place = bucket(info.key);
  const GiveUp give_up = [&cancelled] { return cancelled.load(); };
  KV_ASSIGN(auto connection, writer_.to(place.number, give_up));
  if (const Status emptied = empty_trash(place, connection, give_up); !emptied)
    return tl::unexpected(connection.failed(emptied.error()));
  place.versions->putting(info.key);
  const auto stored = write(place, connection, info, bytes, give_up);
  place.versions->put_done(info.key, stored ? std::optional((*stored)->sequence()) : std::nullopt);
  if (stored) {
    if (options_.measures_memory) place.memory.add({info.key, (*stored)->version(), info.bytes});
    return *stored;
  }
  // An error reply leaves the connection open and in sync; anything else means that the server is unreachable.
  if (connection.is_open()) return tl::unexpected(stored.error());
  return tl::unexpected(connection.failed(stored.error()));
}

Expected<std::shared_ptr<RedisEntry>> RedisStore::write(RedisBucket& bucket, BucketConnection& connection,
                                                        const EntryInfo& info, std::span<const std::byte> bytes,
                                                        const GiveUp& give_up) {
  const RedisKeys& keys = bucket.keys;
  const std::uint64_t chunk_bytes =
      options_.chunk_bytes == 0 ? fitting_chunk_bytes(bytes.size()) : options_.chunk_bytes;
  StoreHeader header{info, 0, checksum_of(bytes), checksum_of(bytes.first(info.header_bytes))};
  RedisVersion version{0, chunk_bytes, (bytes.size() + chunk_bytes - 1) / chunk_bytes};
  if (version.chunks > max_chunks)
    return fail(ErrorCode::rejected_input,
                name_ + ": entry " + info.key.hex() + " is larger than " + format_bytes(max_chunks * chunk_bytes));
  const auto seal = options_.seal_key ? std::make_shared<const EntrySeal>(seal_of(bytes)) : nullptr;
  const std::string key = info.key.hex();
  KV_TRY(connection.send({"HGET", keys.index, key}, {}, give_up));
  KV_TRY(connection.send({"HGET", keys.headers, key}, {}, give_up));
  if (link_.fails_over()) {
    KV_TRY(connection.send({"EVAL", redis_scripts::next_sequence, "1", keys.sequence}, {}, give_up));
  } else {
    KV_TRY(connection.send({"SET", keys.sequence, microseconds_now(clock()), "NX"}, {}, give_up));
    KV_TRY(connection.send({"INCR", keys.sequence}, {}, give_up));
  }
  std::array<RedisReply, 4> replies;
  const std::size_t last = link_.fails_over() ? 2 : 3;
  for (std::size_t i = 0; i <= last; ++i) {
    KV_ASSIGN(replies[i], connection.receive(give_up));
  }
  if (auto same = joined(bucket, connection, header, seal.get(), replies[0], replies[1], give_up);
      !same || *same != nullptr)
    return same;
  if (replies[last].kind != RedisReply::Kind::integer) return tl::unexpected(refused(replies[last]));
  header.sequence = version.sequence = static_cast<std::uint64_t>(replies[last].integer);
  Status sent =
      send_chunks(bucket, connection, RedisKeys::version(info.key, version.sequence), chunk_bytes, bytes, give_up);
  if (sent) sent = commit(bucket, connection, header, seal.get(), version, give_up);
  if (sent) return std::make_shared<RedisEntry>(header, seal, version, bucket.versions, bucket.trash);
  // Any chunks that arrived are removed, even if only the reply was lost.
  bucket.versions->retired(info.key, version.sequence);
  bucket.trash->add({info.key, version.sequence, version.chunks, true});
  link_.wake();
  // Two workbenches stored the entry concurrently: the later number won, and equal bytes are equivalent.
  if (sent.error().code == ErrorCode::busy) {
    const auto index = connection.command({"HGET", keys.index, key}, give_up);
    KV_ASSIGN(const auto newer, index ? connection.command({"HGET", keys.headers, key}, give_up) : index);
    if (auto same = joined(bucket, connection, header, seal.get(), *index, newer, give_up); !same || *same != nullptr)
      return same;
  }
  return tl::unexpected(sent.error());
}

Expected<SealedHeader> RedisStore::header_in(const RedisBucket& bucket, const std::string& text) const {
  return decode_sealed_header(std::as_bytes(std::span(text)), options_.seal_key.get(), bucket.keys.base);
}

// Equal bytes under the same key exist: this workbench only becomes a holder. Null otherwise.
Expected<std::shared_ptr<RedisEntry>> RedisStore::joined(RedisBucket& bucket, BucketConnection& connection,
                                                         const StoreHeader& wanted, const EntrySeal* seal,
                                                         const RedisReply& index, const RedisReply& header,
                                                         const GiveUp& give_up) {
  const std::shared_ptr<RedisEntry> none;
  if (!index.is_text() || !header.is_text()) return none;
  const auto version = RedisVersion::parse(index.text);
  auto sealed = header_in(bucket, header.text);
  if (!sealed || !sealed->usable || (seal != nullptr && *sealed->seal != *seal)) return none;
  const StoreHeader* const found = &sealed->header;
  if (!version || found->sequence != version->sequence || found->info.key != wanted.info.key ||
      found->info.bytes != wanted.info.bytes || found->info.header_bytes != wanted.info.header_bytes ||
      found->info.label != wanted.info.label || found->entry_checksum != wanted.entry_checksum ||
      found->header_checksum != wanted.header_checksum ||
      bucket.versions->is_retired(wanted.info.key, version->sequence))
    return none;
  KV_ASSIGN(const auto reply,
            connection.command({"EVAL", redis_scripts::hold, "2", bucket.keys.index, bucket.keys.holders,
                                wanted.info.key.hex(), std::to_string(version->sequence), index.text, workbench_},
                               give_up));
  if (reply.integer != 1) return none;
  return std::make_shared<RedisEntry>(*found, sealed->seal, *version, bucket.versions, bucket.trash);
}

Status RedisStore::send_chunks(const RedisBucket& bucket, BucketConnection& connection, const std::string& version,
                               std::uint64_t chunk_bytes, std::span<const std::byte> bytes, const GiveUp& give_up) {
  const std::size_t chunks = (bytes.size() + chunk_bytes - 1) / chunk_bytes;
  std::size_t unanswered = 0;
  Status first_refusal;
  const auto take_answer = [&]() -> Status {
    KV_ASSIGN(const auto reply, connection.receive(give_up));
    --unanswered;
    if (reply.is_error() && first_refusal) first_refusal = tl::unexpected(refused(reply));
    return {};
  };
  KV_TRY(connection.send({"HSET", bucket.keys.unfinished, version, workbench_ + " " + std::to_string(chunks)}, {},
                         give_up));
  ++unanswered;
  bool cancelled = false;
  for (std::size_t i = 0; i < chunks && first_refusal && !cancelled; ++i) {
    const std::size_t at = i * chunk_bytes;
    KV_TRY(connection.send({"SET", bucket.keys.chunk(version, i)},
                           bytes.subspan(at, std::min<std::size_t>(chunk_bytes, bytes.size() - at)), give_up));
    for (++unanswered; unanswered > max_unanswered;) KV_TRY(take_answer());
    cancelled = give_up();
  }
  while (unanswered > 0) KV_TRY(take_answer());
  if (first_refusal && cancelled) return fail(ErrorCode::cancelled, name_ + ": cancelled");
  return first_refusal;
}

Status RedisStore::commit(RedisBucket& bucket, BucketConnection& connection, const StoreHeader& header,
                          const EntrySeal* seal, const RedisVersion& version, const GiveUp& give_up) {
  auto encoded = encode_store_header(header);
  if (seal != nullptr) {
    const auto sealed = options_.seal_key->encode(bucket.keys.base, encoded, *seal);
    encoded.insert(encoded.end(), sealed.begin(), sealed.end());
  }
  KV_ASSIGN(const auto reply,
            connection.command({"EVAL", redis_scripts::commit, "5", bucket.keys.unfinished, bucket.keys.index,
                                bucket.keys.headers, bucket.keys.holders, bucket.keys.changes, header.info.key.hex(),
                                std::to_string(version.sequence), version.text(), view(encoded), workbench_,
                                workbench_ + " " + std::to_string(version.chunks), microseconds_now(clock())},
                               give_up));
  if (reply.is_error()) return tl::unexpected(refused(reply));
  // The replaced version: this process's own is removed when its last reader releases it, another's immediately.
  if (const auto old = RedisVersion::parse(reply.text); reply.is_text() && old)
    if (!bucket.versions->holds(header.info.key, old->sequence)) {
      bucket.trash->add({header.info.key, old->sequence, old->chunks, false});
      link_.wake();
    }
  return {};
}

}  // namespace kvantage::inline remote
