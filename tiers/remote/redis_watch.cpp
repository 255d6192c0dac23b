// The watch of RedisStore: one thread that renews the lease, detects others' changes, runs the cleanup, and reconnects
// to the server.
#include <algorithm>

#include "core/base/duration.h"
#include "core/base/units.h"
#include "tiers/remote/redis_scripts.h"
#include "tiers/remote/redis_store.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t headers_at_once = 64;
constexpr std::uint64_t max_label_bytes_of_all = std::uint64_t{256} << 20;
constexpr std::uint64_t max_headers_ahead_bytes = std::uint64_t{4} << 20;
constexpr std::size_t max_spoilt_at_once = 1024;  // rows without a header, removed per poll

/// Collects the entries of the initial poll.
class Recovering final : public StoreChanges {
 public:
  explicit Recovering(RecoveredEntries& recovered) : recovered_(recovered) {}
  void appeared(std::shared_ptr<StoredEntry> entry) override { recovered_.entries.push_back(std::move(entry)); }
  void vanished(const Digest128&, std::uint64_t) override {}
  void reachable_again() override {}

 private:
  RecoveredEntries& recovered_;
};

}  // namespace

Expected<RecoveredEntries> RedisStore::recover() {
  const WaitLimit limit(clock(), options_.timeouts.connect_seconds + options_.timeouts.command_seconds,
                        options_.give_up);
  const GiveUp give_up = [&limit] { return limit.given_up() || limit.over(); };
  RecoveredEntries recovered;
  Recovering changes(recovered);
  auto connection = link_.connect(give_up);
  Status settled = connection ? settle(**connection, give_up) : tl::unexpected(connection.error());
  if (settled) settled = look(**connection, changes, give_up);
  recovered.swept_files = swept_;
  if (settled && unsealed_ > 0 && !options_.seal_key)
    settled = fail(ErrorCode::rejected_input,
                   link_.address() + ": its entries under prefix " + options_.prefix +
                       " are sealed; add seal_key_file=FILE with their key, or choose another prefix=");
  if (settled) {
    watcher_ = std::move(*connection);
    link_.set_up();
    return recovered;
  }
  if (settled.error().code == ErrorCode::cancelled && !limit.given_up())
    settled = fail(ErrorCode::io, link_.address() + ": not opened within " + shortest_number(limit.seconds()) + " s");
  if (settled.error().code != ErrorCode::io)
    return fail(settled.error().code, "tier " + name_ + ": " + settled.error().message);
  // Entries found so far stay known and are not reported again: the watch resumes after them.
  link_.set_down(settled.error().message);
  return recovered;
}

// The start of a new connection: a lease, then pending work.
Status RedisStore::settle(RedisConnection& connection, const GiveUp& give_up) {
  KV_TRY(renew_lease(connection, give_up));
  KV_TRY(empty_trash(connection, give_up));
  KV_TRY(sweep_unfinished(connection, give_up));
  last_changes_.clear();
  scanned_ = false;
  scan_cursor_ = "0";
  return {};
}

Status RedisStore::renew_lease(RedisConnection& connection, const GiveUp& give_up) {
  const auto milliseconds = std::to_string(static_cast<std::int64_t>(options_.lease_seconds * 1e3));
  KV_ASSIGN(
      const auto reply,
      connection.command({"EVAL", redis_scripts::lease, "1", keys_.workbenches, workbench_, milliseconds}, give_up));
  lease_due_ns_ = ns_after(options_.lease_seconds / 3);
  if (!reply.is_error() || reply.text.find("OOM ") != std::string::npos) return {};  // full: reads still work
  const std::string& text = reply.text;
  const auto never = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input, link_.address() + ": " + reason);
  };
  if (text.starts_with("MOVED")) {
    const std::string there = text.substr(text.rfind(' ') + 1);
    return never("this node of a cluster does not hold {" + options_.prefix + "}; write the one that does, redis://" +
                 there + ", or another prefix=");
  }
  if (text.find("NOPERM") != std::string::npos) return never("this user may not run scripts (EVAL); use another");
  if (text.find("READONLY") != std::string::npos)
    return never("a replica that only reads; write the address of its primary");
  if (text.find("unknown command") != std::string::npos)
    return never("it knows no scripts (EVAL); use Redis 5 or later, or Valkey");
  return fail(ErrorCode::io, link_.address() + ": " + text);
}

Status RedisStore::look(RedisConnection& connection, StoreChanges& changes, const GiveUp& give_up) {
  KV_ASSIGN(const auto counter, connection.command({"GET", keys_.changes}, give_up));
  // A missing counter is inconclusive: the store may have been refilled and emptied since it was last missing.
  const std::string seen = counter.is_text() ? counter.text : "";
  if (!recheck_.exchange(false) && !seen.empty() && seen == last_changes_) return {};

  const std::uint64_t before = versions_->now();
  KV_ASSIGN(const auto reply, connection.command({"HGETALL", keys_.index}, give_up));
  std::unordered_map<Digest128, RedisVersion> index;
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    const auto key = Digest128::from_hex(reply.items[i].text);
    const auto version = RedisVersion::parse(reply.items[i + 1].text);
    if (key && version) index.emplace(*key, *version);
  }
  const RedisVersions::Difference difference = versions_->compare(before, index);
  for (const auto& [key, sequence] : difference.vanished) changes.vanished(key, sequence);

  KV_TRY(read_headers(connection, difference.appeared, changes, give_up));
  last_changes_ = difference.is_whole ? seen : "";  // else looked at again
  return {};
}

namespace {

/// "HMGET" of one hash with the keys of `rows`.
Status ask_fields(RedisConnection& connection, const std::string& hash,
                  std::span<const std::pair<Digest128, RedisVersion>> rows, const GiveUp& give_up) {
  std::vector<std::string> names;
  for (const auto& [key, version] : rows) names.push_back(key.hex());
  std::vector<std::string_view> words{"HMGET", hash};
  words.insert(words.end(), names.begin(), names.end());
  return connection.send(words, {}, give_up);
}

}  // namespace

// Pipelined: one batch is requested while the previous one arrives. The batches grow while the labels are short.
Status RedisStore::read_headers(RedisConnection& connection, std::span<const IndexRow> rows, StoreChanges& changes,
                                const GiveUp& give_up) {
  std::uint64_t label_bytes = 0;
  std::size_t at_once = 4;
  std::vector<IndexRow> spoiled;
  const auto ask_after = [&](std::size_t begin) -> Expected<std::span<const IndexRow>> {
    const auto batch = rows.subspan(begin, std::min(at_once, rows.size() - begin));
    if (!batch.empty()) KV_TRY(ask_fields(connection, keys_.headers, batch, give_up));
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
      auto found = header_in(text);
      if (!found || !describes(found->header, key, version)) {
        if (spoiled.size() < max_spoilt_at_once) spoiled.push_back(batch[i]);
        continue;
      }
      if (!found->usable) {  // not removed either: it may be another workbench's
        if (const auto held = versions_->ignored(key, version.sequence)) changes.vanished(key, *held);
        ++unsealed_;
        continue;
      }
      label_bytes += found->header.info.label.size();
      if (label_bytes > max_label_bytes_of_all)
        return fail(ErrorCode::rejected_input, link_.address() + ": the labels of its entries take more than " +
                                                   format_bytes(max_label_bytes_of_all) +
                                                   "; choose another prefix= or empty the store");
      versions_->synced(key, version.sequence);
      changes.appeared(
          std::make_shared<RedisEntry>(std::move(found->header), std::move(found->seal), version, versions_, trash_));
    }
    const std::uint64_t fitting = max_headers_ahead_bytes * batch.size() / std::max<std::uint64_t>(batch_bytes, 1);
    at_once = std::clamp<std::uint64_t>(fitting, 1, std::min(2 * at_once, headers_at_once));
    batch = next;
  }
  return take_out_spoilt(connection, spoiled, give_up);
}

// Rows with a missing or wrong header: replaced or erased meanwhile, which the counter shows; or corrupt, and then
// nobody can read them.
Status RedisStore::take_out_spoilt(RedisConnection& connection, std::span<const IndexRow> rows, const GiveUp& give_up) {
  for (std::size_t begin = 0; begin < rows.size(); begin += headers_at_once) {
    const auto batch = rows.subspan(begin, std::min(headers_at_once, rows.size() - begin));
    KV_TRY(ask_fields(connection, keys_.index, batch, give_up));
    KV_ASSIGN(const auto still, connection.receive(give_up));
    for (std::size_t i = 0; i < std::min(batch.size(), still.items.size()); ++i) {
      const auto& [key, version] = batch[i];
      if (still.items[i].text != version.text()) continue;
      trash_->add({key, version.sequence, version.chunks, true});
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
    if (link_.up()) {
      pause = options_.first_pause_seconds;
      (void)link_.wait(options_.poll_seconds);
      if (stopping_ || !link_.up()) continue;
      if (const Status tended = tend(watcher_, changes, give_up); !tended && !stopping_ && link_.up())
        link_.set_down(tended.error().message);
      continue;
    }
    for (const std::int64_t until_ns = ns_after(pause); !stopping_ && clock().monotonic_ns() < until_ns;)
      (void)link_.wait(static_cast<double>(until_ns - clock().monotonic_ns()) * 1e-9);
    pause = std::min(2 * pause, options_.longest_pause_seconds);
    if (stopping_) break;
    watcher_.reset();
    auto connection = link_.connect(give_up);
    Status back = connection ? Status() : tl::unexpected(connection.error());
    if (back) back = settle(**connection, give_up);
    if (back) back = look(**connection, changes, give_up);
    if (back) {
      watcher_ = std::move(*connection);
      link_.set_up();
      changes.reachable_again();
    } else if (!stopping_) {
      link_.set_down(back.error().message);
    }
  }
}

Status RedisStore::tend(Connection& connection, StoreChanges& changes, const GiveUp& give_up) {
  KV_ASSIGN(const auto ready, link_.ready(connection, give_up));
  if (clock().monotonic_ns() >= lease_due_ns_) KV_TRY(renew_lease(*ready, give_up));
  KV_TRY(empty_trash(*ready, give_up));
  if (clock().monotonic_ns() >= sweep_due_ns_) KV_TRY(sweep_unfinished(*ready, give_up));
  if (!scanned_) KV_TRY(sweep_lost(*ready, give_up));
  return look(*ready, changes, give_up);
}

}  // namespace kvantage::inline remote
