// Commands of one thread of a remote store, each to the node that has its bucket. In a cluster a slot may move at any
// moment: MOVED and ASK are followed, at most five times for a command, to hosts that the url names; TRYAGAIN, the
// answer to a script whose keys are on two nodes for the moment, is retried for 1.3 s.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiers/remote/redis_link.h"

namespace kvantage::inline remote {

class RedisChannel;

/// The way to one bucket, for one operation. Not for replies to several commands of different kinds: as
/// RedisConnection.
class BucketConnection {
 public:
  BucketConnection(RedisChannel& channel, std::size_t bucket, RedisAddress node, RedisConnection& connection)
      : channel_(&channel), bucket_(bucket), node_(std::move(node)), connection_(&connection) {}

  /// As in RedisConnection. `payload` must stay until its reply is received.
  Status send(std::initializer_list<std::string_view> words, std::span<const std::byte> payload, const GiveUp& give_up);
  Status send(std::span<const std::string_view> words, std::span<const std::byte> payload, const GiveUp& give_up);
  /// Redirected commands are repeated there. io for what says that the bucket cannot be used now (CLUSTERDOWN,
  /// READONLY, LOADING); other refusals are replies.
  Expected<RedisReply> receive(const GiveUp& give_up);
  Expected<RedisReply> command(std::initializer_list<std::string_view> words, const GiveUp& give_up);
  Expected<RedisReply> command(std::span<const std::string_view> words, const GiveUp& give_up);
  /// Of a command sent before. A redirection is `refused`: close() discards what is in flight, fetch_into() repeats it.
  Expected<BulkReply> receive_into(std::span<std::byte> target, const GiveUp& give_up);
  /// Sends the command and receives its value, wherever it is. Nothing may be in flight.
  Expected<BulkReply> fetch_into(std::span<const std::string_view> words, std::span<std::byte> target,
                                 const GiveUp& give_up);

  void close();
  bool is_open() const { return connection_->is_open(); }
  /// Handles a failed command: marks the node, or with an open connection only the bucket, as down, unless the command
  /// was canceled. The error names the tier.
  Error failed(const Error& error) const;

 private:
  struct Sent {
    std::vector<std::string> words;
    std::span<const std::byte> payload;
  };
  /// Where a refused command goes next.
  struct Hop {
    RedisConnection* connection = nullptr;
    RedisAddress node;
    bool asking = false;  // ASK: for this command only
    int redirects = 0, retries = 0;
  };
  bool follows() const;
  /// False: the refusal is no redirection, and stays the reply.
  Expected<bool> take_hop(const std::string& refusal, Hop& hop, const GiveUp& give_up);
  Status unusable(const std::string& refusal) const;
  Status ask(const Hop& hop, const GiveUp& give_up) const;
  Expected<RedisReply> follow(RedisReply reply, const Sent& sent, const GiveUp& give_up);

  RedisChannel* channel_;
  std::size_t bucket_;
  RedisAddress node_;
  RedisConnection* connection_;
  std::deque<Sent> sent_;         // without their replies; not of a single server
  std::deque<RedisReply> early_;  // received before their turn
};

/// One thread's connections, one for each node.
class RedisChannel {
 public:
  explicit RedisChannel(RedisLink& link) : link_(link) {}

  /// The way to a bucket, its connection reopened if closed. io immediately while the bucket is down.
  Expected<BucketConnection> to(std::size_t bucket, const GiveUp& give_up);
  /// As above, whatever the state.
  Expected<BucketConnection> attempt(std::size_t bucket, const GiveUp& give_up);
  Expected<RedisConnection*> node(const RedisAddress& address, const GiveUp& give_up);
  void close() { connections_.clear(); }
  RedisLink& link() { return link_; }

 private:
  RedisLink& link_;
  std::map<RedisAddress, std::unique_ptr<RedisConnection>> connections_;
};

}  // namespace kvantage::inline remote
