#include "tiers/remote/redis_store.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/units.h"
#include "tiers/remote/redis_scripts.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t max_unanswered = 8;  // chunks pipelined before their replies

std::string random_name() {
  std::random_device source;
  return Digest128{(std::uint64_t{source()} << 32) | source(), static_cast<std::uint64_t>(::getpid())}.hex();
}

std::string_view view(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string microseconds_now(const Clock& clock) { return std::to_string(clock.utc_ns() / 1000); }

RedisStore::RedisStore(std::string name, RedisStoreOptions options)
    : name_(std::move(name)),
      options_(std::move(options)),
      keys_(options_.prefix, options_.scope),
      workbench_(random_name()),
      link_(name_, options_.url, options_.timeouts, options_.transport) {}

std::int64_t RedisStore::ns_after(double seconds) const { return clock().monotonic_ns() + std::llround(seconds * 1e9); }

RedisStore::~RedisStore() {
  end_watch();
  if (!link_.up()) return;
  // Cleanup of recent erases and of the lease: can be left to the next workbench if the server does not respond now.
  const GiveUp give_up = [this, deadline_ns = ns_after(1)] { return clock().monotonic_ns() > deadline_ns; };
  const auto connection = link_.ready(watcher_, give_up);
  Status emptied = connection ? Status() : tl::unexpected(connection.error());
  while (emptied && !trash_->empty()) emptied = empty_trash(**connection, give_up);
  if (emptied) (void)(*connection)->command({"ZREM", keys_.workbenches, workbench_}, give_up);
}

TierDescription RedisStore::describe() const {
  const std::string trouble = link_.trouble();
  return {name_, "Redis", false,
          trouble.empty() ? "at " + link_.address() : "not reachable: " + trouble + "; retrying"};
}

Error RedisStore::refused(const RedisReply& reply) const {
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
  if (!link_.up()) return tl::unexpected(link_.unavailable());
  const GiveUp give_up = [&cancelled] { return cancelled.load(); };
  KV_ASSIGN(const auto ready, link_.ready(writer_, give_up));
  RedisConnection& connection = *ready;
  if (const Status emptied = empty_trash(connection, give_up); !emptied)
    return tl::unexpected(link_.failed(emptied.error()));

  StoreHeader header{info, 0, checksum_of(bytes), checksum_of(bytes.first(info.header_bytes))};
  RedisVersion version{0, options_.chunk_bytes, (bytes.size() + options_.chunk_bytes - 1) / options_.chunk_bytes};
  if (version.chunks > max_chunks)
    return fail(ErrorCode::rejected_input, name_ + ": entry " + info.key.hex() + " is larger than " +
                                               format_bytes(max_chunks * options_.chunk_bytes));
  const auto seal = options_.seal_key ? std::make_shared<const EntrySeal>(seal_of(bytes)) : nullptr;
  const std::string key = info.key.hex();
  versions_->putting(info.key);
  const auto stored = [&]() -> Expected<std::shared_ptr<RedisEntry>> {
    KV_TRY(connection.send({"HGET", keys_.index, key}, {}, give_up));
    KV_TRY(connection.send({"HGET", keys_.headers, key}, {}, give_up));
    KV_TRY(connection.send({"SET", keys_.sequence, microseconds_now(clock()), "NX"}, {}, give_up));
    KV_TRY(connection.send({"INCR", keys_.sequence}, {}, give_up));
    std::array<RedisReply, 4> replies;
    for (RedisReply& reply : replies) {
      KV_ASSIGN(auto received, connection.receive(give_up));
      reply = std::move(received);
    }
    if (auto same = joined(connection, header, seal.get(), replies[0], replies[1], give_up); !same || *same != nullptr)
      return same;
    if (replies[3].kind != RedisReply::Kind::integer) return tl::unexpected(refused(replies[3]));
    header.sequence = version.sequence = static_cast<std::uint64_t>(replies[3].integer);
    Status sent = send_chunks(connection, RedisKeys::version(info.key, version.sequence), bytes, give_up);
    if (sent) sent = commit(connection, header, seal.get(), version, give_up);
    if (!sent) {
      // Any chunks that arrived are removed, even if only the reply was lost.
      versions_->retired(info.key, version.sequence);
      trash_->add({info.key, version.sequence, version.chunks, true});
      link_.wake();
      // Two workbenches stored the entry concurrently: the later number won, and equal bytes are equivalent.
      if (sent.error().code == ErrorCode::busy) {
        const auto index = connection.command({"HGET", keys_.index, key}, give_up);
        KV_ASSIGN(const auto newer, index ? connection.command({"HGET", keys_.headers, key}, give_up) : index);
        if (auto same = joined(connection, header, seal.get(), *index, newer, give_up); !same || *same != nullptr)
          return same;
      }
      return tl::unexpected(sent.error());
    }
    return std::make_shared<RedisEntry>(header, seal, version, versions_, trash_);
  }();
  versions_->put_done(info.key, stored ? std::optional((*stored)->sequence()) : std::nullopt);
  if (stored) return *stored;
  // An error reply leaves the connection open and in sync; anything else means that the server is unreachable.
  if (connection.is_open()) return tl::unexpected(stored.error());
  return tl::unexpected(link_.failed(stored.error()));
}

Expected<SealedHeader> RedisStore::header_in(const std::string& text) const {
  return decode_sealed_header(std::as_bytes(std::span(text)), options_.seal_key.get(), keys_.base);
}

// Equal bytes under the same key exist: this workbench only becomes a holder. Null otherwise.
Expected<std::shared_ptr<RedisEntry>> RedisStore::joined(RedisConnection& connection, const StoreHeader& wanted,
                                                         const EntrySeal* seal, const RedisReply& index,
                                                         const RedisReply& header, const GiveUp& give_up) {
  const std::shared_ptr<RedisEntry> none;
  if (!index.is_text() || !header.is_text()) return none;
  const auto version = RedisVersion::parse(index.text);
  auto sealed = header_in(header.text);
  if (!sealed || !sealed->usable || (seal != nullptr && *sealed->seal != *seal)) return none;
  const StoreHeader* const found = &sealed->header;
  if (!version || found->sequence != version->sequence || found->info.key != wanted.info.key ||
      found->info.bytes != wanted.info.bytes || found->info.header_bytes != wanted.info.header_bytes ||
      found->info.label != wanted.info.label || found->entry_checksum != wanted.entry_checksum ||
      found->header_checksum != wanted.header_checksum || versions_->is_retired(wanted.info.key, version->sequence))
    return none;
  KV_ASSIGN(const auto reply,
            connection.command({"EVAL", redis_scripts::hold, "2", keys_.index, keys_.holders, wanted.info.key.hex(),
                                std::to_string(version->sequence), index.text, workbench_},
                               give_up));
  if (reply.integer != 1) return none;
  return std::make_shared<RedisEntry>(*found, sealed->seal, *version, versions_, trash_);
}

Status RedisStore::send_chunks(RedisConnection& connection, const std::string& version,
                               std::span<const std::byte> bytes, const GiveUp& give_up) {
  const std::size_t chunks = (bytes.size() + options_.chunk_bytes - 1) / options_.chunk_bytes;
  std::size_t unanswered = 0;
  Status first_refusal;
  const auto take_answer = [&]() -> Status {
    KV_ASSIGN(const auto reply, connection.receive(give_up));
    --unanswered;
    if (reply.is_error() && first_refusal) first_refusal = tl::unexpected(refused(reply));
    return {};
  };
  KV_TRY(connection.send({"HSET", keys_.unfinished, version, workbench_ + " " + std::to_string(chunks)}, {}, give_up));
  ++unanswered;
  bool cancelled = false;
  for (std::size_t i = 0; i < chunks && first_refusal && !cancelled; ++i) {
    const std::size_t at = i * options_.chunk_bytes;
    KV_TRY(connection.send({"SET", keys_.chunk(version, i)},
                           bytes.subspan(at, std::min<std::size_t>(options_.chunk_bytes, bytes.size() - at)), give_up));
    for (++unanswered; unanswered > max_unanswered;) KV_TRY(take_answer());
    cancelled = give_up();
  }
  while (unanswered > 0) KV_TRY(take_answer());
  if (first_refusal && cancelled) return fail(ErrorCode::cancelled, name_ + ": cancelled");
  return first_refusal;
}

Status RedisStore::commit(RedisConnection& connection, const StoreHeader& header, const EntrySeal* seal,
                          const RedisVersion& version, const GiveUp& give_up) {
  auto encoded = encode_store_header(header);
  if (seal != nullptr) {
    const auto sealed = options_.seal_key->encode(keys_.base, encoded, *seal);
    encoded.insert(encoded.end(), sealed.begin(), sealed.end());
  }
  KV_ASSIGN(const auto reply,
            connection.command(
                {"EVAL", redis_scripts::commit, "5", keys_.unfinished, keys_.index, keys_.headers, keys_.holders,
                 keys_.changes, header.info.key.hex(), std::to_string(version.sequence), version.text(), view(encoded),
                 workbench_, workbench_ + " " + std::to_string(version.chunks), microseconds_now(clock())},
                give_up));
  if (reply.is_error()) return tl::unexpected(refused(reply));
  // The replaced version: this process's own is removed when its last reader releases it, another's immediately.
  if (const auto old = RedisVersion::parse(reply.text); reply.is_text() && old)
    if (!versions_->holds(header.info.key, old->sequence)) {
      trash_->add({header.info.key, old->sequence, old->chunks, false});
      link_.wake();
    }
  return {};
}

}  // namespace kvantage::inline remote
