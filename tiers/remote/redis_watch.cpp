// The watch of RedisStore: one thread that renews the leases, detects others' changes, runs the cleanup, and reconnects
// to the servers.
#include <algorithm>
#include <array>
#include <set>

#include "core/base/duration.h"
#include "core/base/units.h"
#include "tiers/remote/redis_scripts.h"
#include "tiers/remote/redis_store.h"
#include "tiers/shared_store.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t headers_at_once = 64;
constexpr std::uint64_t max_label_bytes_of_all = std::uint64_t{256} << 20;
constexpr std::uint64_t max_headers_ahead_bytes = std::uint64_t{4} << 20;
constexpr std::size_t max_spoilt_at_once = 1024;  // rows without a header, removed per poll
constexpr std::size_t max_measured_at_once = 8;   // versions, per poll

}  // namespace

Expected<RecoveredEntries> RedisStore::recover() {
  const WaitLimit limit(clock(), options_.timeouts.connect_seconds + options_.timeouts.command_seconds,
                        options_.give_up);
  const GiveUp give_up = [&limit] { return limit.given_up() || limit.over(); };
  RecoveredEntries recovered;
  RecoveringEntries changes(recovered);
  Status opened = link_.refresh(give_up);
  std::set<RedisAddress> silent;  // not tried again here
  for (RedisBucket& bucket : buckets_) {
    if (!opened) break;
    const RedisAddress node = link_.node_of(bucket.number);
    if (silent.contains(node)) continue;
    opened = open(bucket, changes, silent, give_up);
    if (opened || opened.error().code != ErrorCode::io || buckets_.size() == 1) continue;
    // One part of several: the others are opened.
    link_.set_down(bucket.number, opened.error().message);
    if (silent.contains(node)) link_.set_down(node, opened.error().message);
    opened = {};
  }
  recovered.swept_files = swept_;
  if (opened && unsealed_ > 0 && !options_.seal_key)
    opened = fail(ErrorCode::rejected_input,
                  link_.address() + ": its entries under prefix " + options_.prefix +
                      " are sealed; add seal_key_file=FILE with their key, or choose another prefix=");
  if (opened) return recovered;
  if (opened.error().code == ErrorCode::cancelled && !limit.given_up())
    opened = fail(ErrorCode::io, link_.address() + ": not opened within " + shortest_number(limit.seconds()) + " s");
  if (opened.error().code != ErrorCode::io)
    return fail(opened.error().code, "tier " + name_ + ": " + opened.error().message);
  // Entries found so far stay known and are not reported again: the watch resumes after them.
  for (const RedisBucket& bucket : buckets_)
    if (!link_.up(bucket.number)) link_.set_down(bucket.number, opened.error().message);
  return recovered;
}

Status RedisStore::open(RedisBucket& bucket, StoreChanges& changes, std::set<RedisAddress>& silent,
                        const GiveUp& give_up) {
  const RedisAddress node = link_.node_of(bucket.number);
  auto connection = watcher_.attempt(bucket.number, give_up);
  Status opened = connection ? settle(bucket, *connection, give_up) : tl::unexpected(connection.error());
  if (opened) opened = look(bucket, *connection, changes, give_up);
  if (opened)
    link_.set_up(bucket.number);
  else if (!connection || !connection->is_open())
    silent.insert(node);
  return opened;
}

// The start of a new connection: a lease, then pending work.
Status RedisStore::settle(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up) {
  KV_TRY(renew_lease(bucket, connection, give_up));
  KV_TRY(empty_trash(bucket, connection, give_up));
  KV_TRY(sweep_unfinished(bucket, connection, give_up));
  bucket.last_changes.clear();
  bucket.scanned = false;
  bucket.scan_cursor = "0";
  (void)link_.take_moved(bucket.number);
  return {};
}

Status RedisStore::renew_lease(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up) {
  const auto milliseconds = std::to_string(static_cast<std::int64_t>(options_.lease_seconds * 1e3));
  KV_ASSIGN(const auto reply,
            connection.command({"EVAL", redis_scripts::lease, "1", bucket.keys.workbenches, workbench_, milliseconds},
                               give_up));
  bucket.lease_due_ns = ns_after(options_.lease_seconds / 3);
  if (!reply.is_error() || reply.text.find("OOM ") != std::string::npos) return {};  // full: reads still work
  const std::string& text = reply.text;
  const auto never = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input, link_.address() + ": " + reason);
  };
  if (text.starts_with("MOVED"))
    return never("a node of a cluster, which holds a part of the keys; write redis" +
                 std::string(options_.url.tls ? "s" : "") + "-cluster:// in the place of redis" +
                 (options_.url.tls ? "s" : "") + "://");
  if (text.find("NOPERM") != std::string::npos) return never("this user may not run scripts (EVAL); use another");
  if (text.find("READONLY") != std::string::npos)
    return never("a replica that only reads; write the address of its primary");
  if (text.find("unknown command") != std::string::npos)
    return never("it knows no scripts (EVAL); use Redis 5 or later, or Valkey");
  return fail(ErrorCode::io, link_.address() + ": " + text);
}

Status RedisStore::look(RedisBucket& bucket, BucketConnection& connection, StoreChanges& changes,
                        const GiveUp& give_up) {
  KV_ASSIGN(const auto counter, connection.command({"GET", bucket.keys.changes}, give_up));
  // A missing counter is inconclusive: the store may have been refilled and emptied since it was last missing.
  const std::string seen = counter.is_text() ? counter.text : "";
  if (!bucket.recheck.exchange(false) && !seen.empty() && seen == bucket.last_changes) return {};

  const std::uint64_t before = bucket.versions->now(), measured_before = bucket.memory.now();
  KV_ASSIGN(const auto reply, connection.command({"HGETALL", bucket.keys.index}, give_up));
  if (reply.is_error() && link_.fails_over()) return fail(ErrorCode::io, link_.address() + ": " + reply.text);
  std::unordered_map<Digest128, RedisVersion> index;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    const auto key = Digest128::from_hex(reply.items[i].text);
    const auto version = RedisVersion::parse(reply.items[i + 1].text);
    if (key && version && bucket_of(*key, buckets_.size()) == bucket.number) index.emplace(*key, *version);
  }
  const RedisVersions::Difference difference = bucket.versions->compare(before, index);
  for (const auto& [key, sequence] : difference.vanished) changes.vanished(key, sequence);
  if (options_.measures_memory) bucket.memory.keep(measured_before, index);

  KV_TRY(read_headers(bucket, connection, difference.appeared, changes, give_up));
  bucket.last_changes = difference.is_whole ? seen : "";  // else looked at again
  return {};
}

namespace {

/// "HMGET" of one hash with the keys of `rows`.
Status ask_fields(BucketConnection& connection, const std::string& hash,
                  std::span<const std::pair<Digest128, RedisVersion>> rows, const GiveUp& give_up) {
  std::vector<std::string> names;
  for (const auto& [key, version] : rows) names.push_back(key.hex());
  std::vector<std::string_view> words{"HMGET", hash};
  words.insert(words.end(), names.begin(), names.end());
  return connection.send(words, {}, give_up);
}

}  // namespace

// Pipelined: one batch is requested while the previous one arrives. The batches grow while the labels are short.
Status RedisStore::read_headers(RedisBucket& bucket, BucketConnection& connection, std::span<const IndexRow> rows,
                                StoreChanges& changes, const GiveUp& give_up) {
  std::uint64_t label_bytes = 0;
  std::size_t at_once = 4;
  std::vector<IndexRow> spoiled;
  const auto ask_after = [&](std::size_t begin) -> Expected<std::span<const IndexRow>> {
    const auto batch = rows.subspan(begin, std::min(at_once, rows.size() - begin));
    if (!batch.empty()) KV_TRY(ask_fields(connection, bucket.keys.headers, batch, give_up));
    return batch;
  };
  std::size_t begin = 0;
  KV_ASSIGN(auto batch, ask_after(0));
  while (!batch.empty()) {
    begin += batch.size();
    KV_ASSIGN(const auto next, ask_after(begin));
    KV_ASSIGN(auto headers, connection.receive(give_up));
    std::uint64_t batch_bytes = 0;
    for (std::size_t i = 0; i < std::min(batch.size(), headers.items.size()); ++i) {
      const auto& [key, version] = batch[i];
      const std::string text = std::move(headers.items[i].text);
      batch_bytes += text.size();
      auto found = header_in(bucket, text);
      if (!found || !describes(found->header, key, version)) {
        if (spoiled.size() < max_spoilt_at_once) spoiled.push_back(batch[i]);
        continue;
      }
      if (!found->usable) {  // not removed either: it may be another workbench's
        if (const auto held = bucket.versions->ignored(key, version.sequence)) changes.vanished(key, *held);
        ++unsealed_;
        continue;
      }
      label_bytes += found->header.info.label.size();
      if (label_bytes > max_label_bytes_of_all / buckets_.size())
        return fail(ErrorCode::rejected_input, link_.address() + ": the labels of its entries take more than " +
                                                   format_bytes(max_label_bytes_of_all) +
                                                   "; choose another prefix= or empty the store");
      const std::uint64_t bytes = found->header.info.bytes;
      bucket.versions->synced(key, version.sequence);
      changes.appeared(std::make_shared<RedisEntry>(std::move(found->header), std::move(found->seal), version,
                                                    bucket.versions, bucket.trash));
      if (options_.measures_memory) bucket.memory.add({key, version, bytes});
    }
    const std::uint64_t fitting = max_headers_ahead_bytes * batch.size() / std::max<std::uint64_t>(batch_bytes, 1);
    at_once = std::clamp<std::uint64_t>(fitting, 1, std::min(2 * at_once, headers_at_once));
    batch = next;
  }
  return take_out_spoilt(bucket, connection, spoiled, give_up);
}

// Rows with a missing or wrong header: replaced or erased meanwhile, which the counter shows; or corrupt, and then
// nobody can read them.
Status RedisStore::take_out_spoilt(RedisBucket& bucket, BucketConnection& connection, std::span<const IndexRow> rows,
                                   const GiveUp& give_up) {
  for (std::size_t begin = 0; begin < rows.size(); begin += headers_at_once) {
    const auto batch = rows.subspan(begin, std::min(headers_at_once, rows.size() - begin));
    KV_TRY(ask_fields(connection, bucket.keys.index, batch, give_up));
    KV_ASSIGN(const auto still, connection.receive(give_up));
    for (std::size_t i = 0; i < std::min(batch.size(), still.items.size()); ++i) {
      const auto& [key, version] = batch[i];
      if (still.items[i].text != version.text()) continue;
      bucket.trash->add({key, version.sequence, version.chunks, true});
      ++swept_;
    }
  }
  return {};
}

void RedisStore::watch(StoreChanges& changes) {
  changes_ = &changes;
  watch_ = options_.transport.executor.start("redis watch", ThreadPriority::transfers,
                                             [this, &changes] { watch_loop(changes); });
}

void RedisStore::end_watch() {
  stopping_ = true;
  link_.wake();
  watch_.reset();
  changes_ = nullptr;
}

void RedisStore::watch_loop(StoreChanges& changes) {
  const GiveUp give_up = [this] { return stopping_.load(); };
  double pause = options_.first_pause_seconds;
  while (!stopping_) {
    if (link_.all_up()) {
      pause = options_.first_pause_seconds;
      (void)link_.wait(options_.poll_seconds);
      if (!stopping_ && link_.any_up()) tend_all(changes, give_up);
      continue;
    }
    // What is up is polled meanwhile.
    for (const std::int64_t until_ns = ns_after(pause); !stopping_ && clock().monotonic_ns() < until_ns;) {
      const double left = static_cast<double>(until_ns - clock().monotonic_ns()) * 1e-9;
      (void)link_.wait(link_.any_up() ? std::min(left, options_.poll_seconds) : left);
      if (!stopping_ && link_.any_up()) tend_all(changes, give_up);
    }
    pause = std::min(2 * pause, options_.longest_pause_seconds);
    if (!stopping_) reopen(changes, give_up);
  }
}

// Tries the buckets that are down; of a node that does not respond, only the first.
void RedisStore::reopen(StoreChanges& changes, const GiveUp& give_up) {
  if (!link_.any_up()) watcher_.close();
  const Status refreshed = link_.refresh(give_up);
  std::set<RedisAddress> silent;
  for (RedisBucket& bucket : buckets_) {
    const RedisAddress node = link_.node_of(bucket.number);
    if (stopping_) return;
    if (link_.up(bucket.number) || silent.contains(node)) continue;
    const Status opened = open(bucket, changes, silent, give_up);
    if (opened) {
      changes.reachable_again();
      continue;
    }
    if (stopping_) return;
    // A cluster that names hosts which may not be contacted is the better reason.
    const bool named = refreshed || refreshed.error().code != ErrorCode::rejected_input;
    link_.set_down(bucket.number, named ? opened.error().message : refreshed.error().message);
  }
}

void RedisStore::tend_all(StoreChanges& changes, const GiveUp& give_up) {
  for (RedisBucket& bucket : buckets_) {
    if (stopping_) return;
    if (!link_.up(bucket.number)) continue;
    auto connection = watcher_.to(bucket.number, give_up);
    if (!connection) continue;  // down now
    if (const Status tended = tend(bucket, *connection, changes, give_up); !tended && !stopping_)
      (void)connection->failed(tended.error());
  }
}

Status RedisStore::tend(RedisBucket& bucket, BucketConnection& connection, StoreChanges& changes,
                        const GiveUp& give_up) {
  if (link_.take_moved(bucket.number)) {
    bucket.last_changes.clear();
    bucket.lease_due_ns = 0;
    bucket.scan_cursor = "0";  // of another node now
  }
  if (clock().monotonic_ns() >= bucket.lease_due_ns) KV_TRY(renew_lease(bucket, connection, give_up));
  KV_TRY(empty_trash(bucket, connection, give_up));
  if (clock().monotonic_ns() >= bucket.sweep_due_ns) KV_TRY(sweep_unfinished(bucket, connection, give_up));
  if (!bucket.scanned) KV_TRY(sweep_lost(bucket, connection, give_up));
  if (measures_memory_) KV_TRY(measure(bucket, connection, give_up));
  return look(bucket, connection, changes, give_up);
}

// Measures the memory that the server uses for the next versions.
Status RedisStore::measure(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up) {
  for (std::size_t i = 0; i < max_measured_at_once; ++i) {
    const auto next = bucket.memory.next();
    if (!next) return {};
    const std::string version = RedisKeys::version(next->key, next->version.sequence);
    std::array<RedisReply, 2> replies;
    for (const std::uint64_t chunk : {std::uint64_t{0}, next->version.chunks - 1})
      KV_TRY(connection.send({"MEMORY", "USAGE", bucket.keys.chunk(version, chunk)}, {}, give_up));
    for (RedisReply& reply : replies) {
      KV_ASSIGN(reply, connection.receive(give_up));
    }
    // A server that knows the command not, or forbids it, is not asked again.
    if (replies[0].is_error() && replies[1].is_error()) measures_memory_ = false;
    if (replies[0].kind != RedisReply::Kind::integer || replies[1].kind != RedisReply::Kind::integer) continue;
    if (replies[0].integer <= 0 || replies[1].integer <= 0) continue;
    bucket.memory.measured(*next, static_cast<std::uint64_t>(replies[0].integer),
                           static_cast<std::uint64_t>(replies[1].integer));
  }
  return {};
}

}  // namespace kvantage::inline remote
