// The watch of RedisStore: one thread that keeps the lease, sees what others do, removes what is to be removed, and
// finds the server again when it was gone.
#include <algorithm>

#include "tiers/redis_scripts.h"
#include "tiers/redis_store.h"

namespace kvantage {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t headers_at_once = 64;

SteadyClock::time_point after(double seconds) {
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
}

/// Takes what a first look finds.
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
  RecoveredEntries recovered;
  Recovering changes(recovered);
  auto connection = link_.connect({});
  Status settled;
  if (connection) {
    settled = settle(**connection, {});
    if (settled) settled = look(**connection, changes, {});
  } else {
    settled = tl::unexpected(connection.error());
  }
  if (settled) {
    watcher_ = std::move(*connection);
    recovered.swept_files = swept_;
    link_.set_up();
    return recovered;
  }
  if (settled.error().code != ErrorCode::io)
    return fail(settled.error().code, "tier " + name_ + ": " + settled.error().message);
  link_.set_down(settled.error().message);
  return RecoveredEntries{};
}

// What a new connection begins with: a lease, then what was left to do.
Status RedisStore::settle(RedisConnection& connection, const GiveUp& give_up) {
  KV_TRY(renew_lease(connection, give_up));
  KV_TRY(empty_trash(connection, give_up));
  const auto swept = sweep_unfinished(connection, give_up);
  if (!swept) return tl::unexpected(swept.error());
  swept_ += *swept;
  sweep_due_ = after(options_.lease_seconds);
  last_changes_.clear();
  scanned_ = false;
  scan_cursor_ = "0";
  return {};
}

Status RedisStore::renew_lease(RedisConnection& connection, const GiveUp& give_up) {
  const auto milliseconds = std::to_string(static_cast<std::int64_t>(options_.lease_seconds * 1e3));
  const auto reply =
      connection.command({"EVAL", redis_scripts::lease, "1", keys_.workbenches, workbench_, milliseconds}, give_up);
  if (!reply) return tl::unexpected(reply.error());
  lease_due_ = after(options_.lease_seconds / 3);
  if (!reply->is_error() || reply->text.find("OOM ") != std::string::npos) return {};  // full: reads go on
  const std::string& text = reply->text;
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
  const auto counter = connection.command({"GET", keys_.changes}, give_up);
  if (!counter) return tl::unexpected(counter.error());
  // No counter says nothing: the store may have been filled and emptied again since it was last missing.
  const std::string seen = counter->is_text() ? counter->text : "";
  if (!look_again_.exchange(false) && !seen.empty() && seen == last_changes_) return {};

  const std::uint64_t before = versions_->now();
  const auto reply = connection.command({"HGETALL", keys_.index}, give_up);
  if (!reply) return tl::unexpected(reply.error());
  std::unordered_map<Digest128, RedisVersion> index;
  for (std::size_t i = 0; i + 1 < reply->items.size(); i += 2) {
    const auto key = Digest128::from_hex(reply->items[i].text);
    const auto version = RedisVersion::parse(reply->items[i + 1].text);
    if (key && version) index.emplace(*key, *version);
  }
  const RedisVersions::Difference difference = versions_->compare(before, index);
  for (const auto& [key, sequence] : difference.vanished) changes.vanished(key, sequence);

  for (std::size_t begin = 0; begin < difference.appeared.size(); begin += headers_at_once) {
    const auto batch =
        std::span(difference.appeared).subspan(begin, std::min(headers_at_once, difference.appeared.size() - begin));
    std::vector<std::string> names;
    for (const auto& [key, version] : batch) names.push_back(key.hex());
    std::vector<std::string_view> words{"HMGET", keys_.headers};
    words.insert(words.end(), names.begin(), names.end());
    const auto headers = connection.command(words, give_up);
    if (!headers) return tl::unexpected(headers.error());
    for (std::size_t i = 0; i < std::min(batch.size(), headers->items.size()); ++i) {
      const auto& [key, version] = batch[i];
      auto header = decode_store_header(std::as_bytes(std::span(headers->items[i].text)));
      if (!header || !describes(*header, key, version)) {
        // Replaced or erased while we looked, and then the counter says so; or spoilt, and then nobody can read it.
        const auto still = connection.command({"HGET", keys_.index, key.hex()}, give_up);
        if (!still) return tl::unexpected(still.error());
        if (still->text != version.text()) continue;
        trash_->add({key, version.sequence, version.chunks, true});
        ++swept_;
        continue;
      }
      versions_->taken_in(key, version.sequence);
      changes.appeared(std::make_shared<RedisEntry>(std::move(*header), version, versions_, trash_));
    }
  }
  last_changes_ = seen;
  return {};
}

void RedisStore::watch(StoreChanges& changes) {
  changes_ = &changes;
  watch_ = std::thread([this, &changes] { watch_loop(changes); });
}

void RedisStore::end_watch() {
  stopping_ = true;
  link_.wake();
  if (watch_.joinable()) watch_.join();
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
    for (const auto until = after(pause); !stopping_ && SteadyClock::now() < until;)
      (void)link_.wait(std::chrono::duration<double>(until - SteadyClock::now()).count());
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
  const auto ready = link_.ready(connection, give_up);
  if (!ready) return tl::unexpected(ready.error());
  if (SteadyClock::now() >= lease_due_) KV_TRY(renew_lease(**ready, give_up));
  KV_TRY(empty_trash(**ready, give_up));
  if (SteadyClock::now() >= sweep_due_) {
    const auto swept = sweep_unfinished(**ready, give_up);
    if (!swept) return tl::unexpected(swept.error());
    swept_ += *swept;
    sweep_due_ = after(options_.lease_seconds);
  }
  if (!scanned_) KV_TRY(sweep_lost(**ready, give_up));
  return look(**ready, changes, give_up);
}

}  // namespace kvantage
