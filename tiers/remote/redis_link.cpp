#include "tiers/remote/redis_link.h"

#include <algorithm>

#include "tiers/remote/redis_credentials.h"
#include "tiers/remote/redis_slots.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t max_sources = 256;  // nodes remembered; the servers of the url always are

}  // namespace

RedisLink::RedisLink(std::string tier, RedisUrl url, UrlSource source, RedisTimeouts timeouts, RedisTransport transport,
                     const std::vector<std::string>& tags)
    : tier_(std::move(tier)),
      url_(std::move(url)),
      source_(source),
      timeouts_(timeouts),
      transport_(std::move(transport)),
      wakes_(transport_.clock()) {
  slots_.reserve(tags.size());
  for (const std::string& tag : tags) slots_.push_back(slot_of(tag));
  buckets_.resize(tags.size());
  for (Bucket& bucket : buckets_) bucket.node = {url_.host, url_.port};
  const auto named = url_.addresses();
  sources_.assign(named.begin(), named.end());
}

bool RedisLink::up(std::size_t bucket) const {
  const std::lock_guard lock(mutex_);
  return buckets_[bucket].up;
}

bool RedisLink::any_up() const { return up_ > 0; }
bool RedisLink::all_up() const { return up_ == slots_.size(); }

void RedisLink::count_up_locked() {
  up_ = static_cast<std::size_t>(std::ranges::count_if(buckets_, [](const Bucket& one) { return one.up; }));
}

void RedisLink::set_up(std::size_t bucket) {
  const std::lock_guard lock(mutex_);
  buckets_[bucket].trouble.clear();
  buckets_[bucket].up = true;
  count_up_locked();
}

void RedisLink::set_down(std::size_t bucket, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    buckets_[bucket].set_down(reason);
    count_up_locked();
  }
  wakes_.wake();
}

void RedisLink::set_down(const RedisAddress& node, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    for (Bucket& bucket : buckets_)
      if (bucket.node == node) bucket.set_down(reason);
    count_up_locked();
  }
  wakes_.wake();
}

std::string RedisLink::trouble() const {
  const std::lock_guard lock(mutex_);
  const auto down = std::ranges::find_if(buckets_, [](const Bucket& one) { return !one.up; });
  if (down == buckets_.end() || buckets_.size() == 1) return down == buckets_.end() ? std::string() : down->trouble;
  return std::to_string(buckets_.size() - up_) + " of " + std::to_string(buckets_.size()) + " parts: " + down->trouble;
}

RedisAddress RedisLink::node_of(std::size_t bucket) const {
  const std::lock_guard lock(mutex_);
  return buckets_[bucket].node;
}

void RedisLink::place_locked(Bucket& bucket, const RedisAddress& node) {
  if (bucket.node == node) return;
  bucket.node = node;
  bucket.moved = true;
}

Status RedisLink::moved(std::size_t bucket, const RedisAddress& to) {
  KV_TRY(check_named(to));
  const std::lock_guard lock(mutex_);
  place_locked(buckets_[bucket], to);
  return {};
}

bool RedisLink::take_moved(std::size_t bucket) {
  const std::lock_guard lock(mutex_);
  return std::exchange(buckets_[bucket].moved, false);
}

Status RedisLink::check_named(const RedisAddress& node) const {
  if (url_.names_host(node.host)) return {};
  return fail(ErrorCode::rejected_input, address() + ": its servers name " + node.shown() +
                                             ", a host that the url does not; if it is one of " +
                                             "them, add ?hosts=" + node.host + " to the url");
}

Expected<RedisUrl> RedisLink::url_of(const RedisAddress& node) const {
  if (!fails_over()) return url_;
  KV_TRY(check_named(node));
  RedisUrl url = url_;
  url.deployment = {};
  url.host = node.host;
  url.port = node.port;
  return with_credentials(std::move(url), source_);
}

Expected<std::unique_ptr<RedisConnection>> RedisLink::connect(const RedisAddress& node, const GiveUp& give_up) const {
  KV_ASSIGN(const auto url, url_of(node));
  KV_ASSIGN(auto connection, RedisConnection::connect(url, timeouts_, transport_, give_up));
  if (url_.deployment.kind != RedisKind::sentinel) return connection;
  KV_ASSIGN(const auto role, connection->command({"ROLE"}, give_up));
  if (role.items.empty() || role.items[0].text != "master")
    return fail(ErrorCode::io, url.shown() + ": the server that the Sentinels name is no master yet");
  return connection;
}

// Buckets at hosts that the url names are placed, even if the cluster names others too.
Status RedisLink::assign(const std::vector<SlotRange>& ranges) {
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const auto range = std::ranges::find_if(
          ranges, [slot = slots_[i]](const SlotRange& one) { return one.first <= slot && slot <= one.last; });
      if (range != ranges.end() && url_.names_host(range->master.host)) place_locked(buckets_[i], range->master);
    }
  }
  for (const SlotRange& range : ranges) {
    KV_TRY(check_named(range.master));
    for (const RedisAddress& replica : range.replicas) KV_TRY(check_named(replica));
  }
  return {};
}

Status RedisLink::ask_node(const RedisAddress& node, std::set<RedisAddress>& named, const GiveUp& give_up) {
  KV_ASSIGN(const auto connection, connect(node, give_up));
  KV_ASSIGN(const auto reply, connection->command({"CLUSTER", "SLOTS"}, give_up));
  const std::string where = node.shown() + ": ";
  if (reply.is_error() && reply.text.find("cluster support disabled") != std::string::npos)
    return fail(ErrorCode::rejected_input, where + "is no node of a cluster; write redis:// for a single server");
  if (reply.is_error() && reply.text.starts_with("NOPERM"))
    return fail(ErrorCode::rejected_input, where + "this user may not ask CLUSTER SLOTS; use another");
  if (reply.is_error()) return fail(ErrorCode::io, where + reply.text);
  auto ranges = parse_cluster_slots(reply, node);
  if (!ranges) return fail(ranges.error().code, where + ranges.error().message);
  if (ranges->empty()) return fail(ErrorCode::io, where + "no node of the cluster has slots");
  KV_TRY(assign(*ranges));
  for (const SlotRange& range : *ranges) {
    named.insert(range.master);
    named.insert(range.replicas.begin(), range.replicas.end());
  }
  return {};
}

Status RedisLink::ask_sentinel(const RedisAddress& sentinel, const GiveUp& give_up) {
  RedisUrl url = url_;  // a Sentinel has other passwords than its servers
  url.deployment = {};
  url.host = sentinel.host;
  url.port = sentinel.port;
  url.database = 0;
  url.user.clear();
  url.password.clear();
  auto connection = RedisConnection::connect(url, timeouts_, transport_, give_up);
  if (!connection && connection.error().code == ErrorCode::rejected_input) {
    KV_ASSIGN(const auto with_password, with_credentials(url, UrlSource::file));
    if (!with_password.password.empty())
      connection = RedisConnection::connect(with_password, timeouts_, transport_, give_up);
  }
  if (!connection) return tl::unexpected(connection.error());
  KV_ASSIGN(const auto reply,
            (*connection)->command({"SENTINEL", "get-master-addr-by-name", url_.deployment.master}, give_up));
  const std::string where = "Sentinel " + sentinel.shown() + ": ";
  if (reply.is_error() && reply.text.find("unknown command") != std::string::npos)
    return fail(ErrorCode::rejected_input, where + "is no Sentinel; write redis:// for a single server");
  if (reply.is_error()) return fail(ErrorCode::io, where + reply.text);
  const auto master = parse_master_address(reply);
  if (!master) return fail(master.error().code, where + master.error().message);
  if (!*master)
    return fail(ErrorCode::rejected_input, where + "watches no server named '" + url_.deployment.master + "'");
  return moved(0, **master);
}

Status RedisLink::refresh(const GiveUp& give_up) {
  if (!fails_over()) return {};
  std::set<RedisAddress> named;
  Status asked = fail(ErrorCode::io, address() + ": no server to ask");
  // Servers that accept a connection and say nothing cost time each: the others are asked next time.
  const WaitLimit limit(clock(), timeouts_.connect_seconds + timeouts_.command_seconds, give_up);
  for (std::size_t i = 0; i < sources_.size() && !limit.over(); ++i) {
    const RedisAddress source = sources_.front();
    Status now = is_cluster() ? ask_node(source, named, give_up) : ask_sentinel(source, give_up);
    if (now || now.error().code == ErrorCode::cancelled || give_up()) {
      asked = std::move(now);
      break;
    }
    // What can be mended is worth more than that another server does not answer.
    if (asked || asked.error().code != ErrorCode::rejected_input) asked = std::move(now);
    sources_.pop_front();
    sources_.push_back(source);
  }
  if (!asked) return asked;
  for (const RedisAddress& node : named)
    if (sources_.size() < max_sources && std::ranges::find(sources_, node) == sources_.end()) sources_.push_back(node);
  return {};
}

Error RedisLink::named(const Error& error) const {
  return {error.code == ErrorCode::cancelled ? ErrorCode::cancelled : ErrorCode::io,
          "tier " + tier_ + ": " + error.message};
}

Error RedisLink::unavailable(std::size_t bucket) const {
  std::string trouble;
  {
    const std::lock_guard lock(mutex_);
    trouble = buckets_[bucket].trouble;
  }
  return {ErrorCode::io, "tier " + tier_ + ": not reachable: " + trouble + "; retrying"};
}

}  // namespace kvantage::inline remote
