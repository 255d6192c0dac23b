// Connectivity state of the servers, shared by the threads of a remote store: which node has a bucket, and whether it
// answers. While a bucket is down, what needs it fails immediately; one thread (the watch) retries with growing pauses,
// and nobody else waits. A single server has one bucket.
//
// In a cluster and behind Sentinels other servers name the nodes. Only hosts that the url names are contacted, each
// with the password of its own host.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tiers/remote/redis_connection.h"
#include "tiers/remote/redis_topology.h"
#include "tiers/wake_signal.h"

namespace kvantage::inline remote {

class RedisLink {
 public:
  /// `tags`: the hash tags of the buckets. `source`: of the url, which decides what passwords its nodes get.
  RedisLink(std::string tier, RedisUrl url, UrlSource source, RedisTimeouts timeouts, RedisTransport transport,
            const std::vector<std::string>& tags);

  bool up(std::size_t bucket) const;
  bool any_up() const;
  bool all_up() const;
  void set_up(std::size_t bucket);
  void set_down(std::size_t bucket, const std::string& reason);
  /// All buckets of this node.
  void set_down(const RedisAddress& node, const std::string& reason);
  /// Why one of the buckets is down, "2 of 16 parts: REASON" of several; empty while all are up.
  std::string trouble() const;
  std::string address() const { return url_.shown(); }
  bool is_cluster() const { return url_.deployment.kind == RedisKind::cluster; }
  /// Whether servers may be replaced by ones that miss the latest writes.
  bool fails_over() const { return url_.deployment.kind != RedisKind::server; }
  const Clock& clock() const { return transport_.clock(); }

  RedisAddress node_of(std::size_t bucket) const;
  int slot(std::size_t bucket) const { return slots_[bucket]; }
  /// Asks nodes, or Sentinels, for the node of each bucket. io: none answers; rejected_input: what they say cannot be
  /// used, above all a host that the url does not name.
  Status refresh(const GiveUp& give_up);
  /// As a node's MOVED says. rejected_input for a host that the url does not name.
  Status moved(std::size_t bucket, const RedisAddress& to);
  /// Whether the bucket's node changed since the last call: what was known of it may be outdated.
  bool take_moved(std::size_t bucket);
  Status check_named(const RedisAddress& node) const;

  /// A new connection, whatever the state; behind Sentinels to a master only.
  Expected<std::unique_ptr<RedisConnection>> connect(const RedisAddress& node, const GiveUp& give_up) const;
  Error unavailable(std::size_t bucket) const;
  /// An error that names the tier.
  Error named(const Error& error) const;

  /// For the watch: waits up to `seconds`, less when woken; true when woken.
  bool wait(double seconds) { return wakes_.wait(seconds); }
  void wake() { wakes_.wake(); }

 private:
  struct Bucket {
    RedisAddress node;
    bool up = false;
    bool moved = false;
    std::string trouble = "not tried yet";

    void set_down(const std::string& reason) {
      trouble = reason;
      up = false;
    }
  };
  Expected<RedisUrl> url_of(const RedisAddress& node) const;
  Status ask_node(const RedisAddress& node, std::set<RedisAddress>& named, const GiveUp& give_up);
  Status ask_sentinel(const RedisAddress& sentinel, const GiveUp& give_up);
  Status assign(const std::vector<SlotRange>& ranges);
  void place_locked(Bucket& bucket, const RedisAddress& node);
  void count_up_locked();

  const std::string tier_;
  const RedisUrl url_;
  const UrlSource source_;
  const RedisTimeouts timeouts_;
  const RedisTransport transport_;
  std::vector<int> slots_;  // of the buckets
  mutable std::mutex mutex_;
  std::vector<Bucket> buckets_;
  std::deque<RedisAddress> sources_;  // whom to ask for the nodes, the last that answered first; the watch's alone
  std::atomic<std::size_t> up_{0};    // buckets
  WakeSignal wakes_;
};

}  // namespace kvantage::inline remote
