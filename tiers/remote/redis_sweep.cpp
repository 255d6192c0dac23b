// Cleanup of RedisStore: erased and replaced versions, unfinished versions of dead workbenches, and orphaned chunks.
#include <algorithm>

#include "tiers/remote/redis_scripts.h"
#include "tiers/remote/redis_store.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t max_unlinked_at_once = 256;
constexpr std::size_t claims_at_once = 64;
constexpr std::size_t max_swept_at_once = 1024;   // versions; the rest waits for the next sweep
constexpr std::size_t max_emptied_at_once = 256;  // of the trash: writers wait for it

// Extracts KEY:SEQUENCE from "BASE:c:KEY:SEQUENCE:I".
std::optional<std::string_view> version_in(std::string_view chunk, const std::string& base) {
  const std::string_view begin = ":c:";
  if (!chunk.starts_with(base) || !chunk.substr(base.size()).starts_with(begin)) return std::nullopt;
  chunk.remove_prefix(base.size() + begin.size());
  const std::size_t last = chunk.rfind(':');
  if (last == std::string_view::npos || chunk.find(':') == last) return std::nullopt;
  return chunk.substr(0, last);
}

// Chunks of an unfinished version, from "WORKBENCH CHUNKS". 0: malformed, so the count is untrusted; the walk over all
// chunks finds any remains.
std::uint64_t chunks_of(std::string_view version, std::string_view text) {
  constexpr std::size_t longest_version = 53;  // 32 digits, a colon, a number
  const std::size_t space = text.find(' ');
  std::uint64_t chunks = 0;
  if (version.size() > longest_version || space == std::string_view::npos) return 0;
  const auto [end, code] = std::from_chars(text.data() + space + 1, text.data() + text.size(), chunks);
  return code == std::errc{} && end == text.data() + text.size() && chunks <= max_chunks ? chunks : 0;
}

// What remains of an unfinished version, for the trash.
RedisTrash::Item trash_item_of(std::string_view version, std::string_view text) {
  RedisTrash::Item item{{}, 0, chunks_of(version, text), true};
  const std::size_t colon = version.find(':');
  if (const auto key = Digest128::from_hex(version.substr(0, colon))) item.key = *key;
  if (colon != std::string_view::npos)
    (void)std::from_chars(version.data() + colon + 1, version.data() + version.size(), item.sequence);
  return item;
}

// A script or a command with several keys whose slot is on its way to another node, for longer than it was retried.
bool is_moving(const RedisReply& reply) { return reply.is_error() && reply.text.starts_with("TRYAGAIN"); }

/// busy while its slot moves: the chunks stay registered and are removed next time.
Status unlink_chunks(BucketConnection& connection, const RedisKeys& keys, const std::string& version,
                     std::uint64_t chunks, const GiveUp& give_up) {
  std::vector<std::string> names;
  names.reserve(max_unlinked_at_once);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    names.push_back(keys.chunk(version, i));
    if (names.size() < max_unlinked_at_once && i + 1 < chunks) continue;
    std::vector<std::string_view> words{"UNLINK"};
    words.insert(words.end(), names.begin(), names.end());
    KV_ASSIGN(const auto reply, connection.command(words, give_up));
    if (is_moving(reply)) return fail(ErrorCode::busy, reply.text);
    names.clear();
  }
  KV_TRY(connection.command({"HDEL", keys.unfinished, version}, give_up));
  return {};
}

using Unfinished = std::pair<std::string, std::string>;  // a version and its text

/// The versions of `batch` that this workbench may remove now.
Expected<std::vector<Unfinished>> claim(BucketConnection& connection, const RedisKeys& keys,
                                        const std::string& workbench, std::span<const Unfinished> batch,
                                        const GiveUp& give_up) {
  for (const auto& [version, text] : batch)
    KV_TRY(connection.send(
        {"EVAL", redis_scripts::claim, "2", keys.unfinished, keys.workbenches, version, text, workbench}, {}, give_up));
  std::vector<Unfinished> mine;
  for (const Unfinished& one : batch) {
    KV_ASSIGN(const auto reply, connection.receive(give_up));
    if (reply.integer == 1) mine.push_back(one);
  }
  return mine;
}

}  // namespace

Status RedisStore::empty_trash(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up) {
  const RedisKeys& keys = bucket.keys;
  for (std::size_t emptied = 0; emptied < max_emptied_at_once; ++emptied) {
    const auto item = bucket.trash->take();
    if (!item) break;
    const std::string version = RedisKeys::version(item->key, item->sequence);
    Status done;
    const auto reply =
        connection.command({"EVAL", redis_scripts::erase, "6", keys.unfinished, keys.index, keys.headers, keys.holders,
                            keys.changes, keys.workbenches, item->key.hex(), std::to_string(item->sequence), workbench_,
                            item->forced ? "1" : "0", microseconds_now(clock())},
                           give_up);
    if (!reply)
      done = tl::unexpected(reply.error());
    else if (is_moving(*reply))
      done = fail(ErrorCode::busy, reply->text);
    else if (reply->integer == 1)
      done = unlink_chunks(connection, keys, version, item->chunks, give_up);
    else
      bucket.versions->left_to_others(item->key, item->sequence);
    if (done) continue;
    bucket.trash->add(*item);                                       // retry next time
    return done.error().code == ErrorCode::busy ? Status() : done;  // while a slot moves, its keys are on two nodes
  }
  return {};
}

Status RedisStore::sweep_unfinished(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up) {
  KV_ASSIGN(const auto reply, connection.command({"HGETALL", bucket.keys.unfinished}, give_up));
  std::vector<Unfinished> left;
  for (std::size_t i = 0; i + 1 < reply.items.size() && left.size() < max_swept_at_once; i += 2)
    if (!reply.items[i + 1].text.starts_with(workbench_))  // in flight here
      left.emplace_back(reply.items[i].text, reply.items[i + 1].text);
  bucket.sweep_due_ns = ns_after(options_.lease_seconds);
  for (std::size_t begin = 0; begin < left.size(); begin += claims_at_once) {
    const auto batch = std::span(left).subspan(begin, std::min(claims_at_once, left.size() - begin));
    KV_ASSIGN(const auto mine, claim(connection, bucket.keys, workbench_, batch, give_up));
    for (const auto& [version, text] : mine) {
      const Status removed = unlink_chunks(connection, bucket.keys, version, chunks_of(version, text), give_up);
      if (!removed && removed.error().code == ErrorCode::busy) {
        // Claimed: nobody else removes it now.
        bucket.trash->add(trash_item_of(version, text));
        continue;
      }
      KV_TRY(removed);
      ++swept_;
    }
  }
  return {};
}

// One step of a walk over all keys of the bucket's node: chunks outlive their registration only when the server dropped
// it (its own eviction, a restart from an old log, a failover).
Status RedisStore::sweep_lost(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up) {
  const RedisKeys& keys = bucket.keys;
  KV_ASSIGN(const auto reply,
            connection.command({"SCAN", bucket.scan_cursor, "MATCH", keys.chunk_pattern(), "COUNT", "1000"}, give_up));
  if (reply.items.size() != 2) {  // rejected: on a server that forbids SCAN, orphans stay
    bucket.scanned = true;
    return {};
  }
  std::string last;
  bool lost = false;
  for (const RedisReply& chunk : reply.items[1].items) {
    const auto version = version_in(chunk.text, keys.base);
    if (!version) continue;
    if (*version != last) {
      last = *version;
      const std::size_t colon = version->find(':');
      KV_ASSIGN(const auto answer, connection.command({"EVAL", redis_scripts::lost, "2", keys.index, keys.unfinished,
                                                       version->substr(0, colon), version->substr(colon + 1), *version},
                                                      give_up));
      lost = answer.integer == 1;
      swept_ += lost ? 1 : 0;
    }
    if (!lost) continue;
    KV_TRY(connection.command({"UNLINK", chunk.text}, give_up));
  }
  bucket.scan_cursor = reply.items[0].text;
  bucket.scanned = bucket.scan_cursor == "0";
  return {};
}

}  // namespace kvantage::inline remote
