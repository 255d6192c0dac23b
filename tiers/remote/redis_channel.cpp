#include "tiers/remote/redis_channel.h"

#include <algorithm>
#include <array>

namespace kvantage::inline remote {
namespace {

constexpr int max_redirects = 5;
constexpr int max_retries = 7;  // of TRYAGAIN: after 10, 20, ... 640 ms
constexpr double first_retry_seconds = 0.01;
// A cluster may name any port of its hosts. Connections in use stay open, so there is room for those of an operation.
constexpr std::size_t max_connections = 64, max_in_operation = 2 * max_connections;

void pause(const Clock& clock, double seconds, const GiveUp& give_up) {
  constexpr double patience_seconds = 0.01;
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const double end = clock.seconds() + seconds;
  while (!give_up() && clock.seconds() < end)
    (void)clock.wait(lock, never, std::min(patience_seconds, seconds), [] { return false; });
}

}  // namespace

Expected<RedisConnection*> RedisChannel::node(const RedisAddress& address, const GiveUp& give_up) {
  if (connections_.size() >= max_in_operation && !connections_.contains(address))
    return fail(ErrorCode::io, link_.address() + ": an operation was redirected to too many nodes");
  std::unique_ptr<RedisConnection>& slot = connections_[address];
  if (slot != nullptr && slot->alive()) return slot.get();
  if (slot != nullptr) slot->close();  // it stays: a BucketConnection may have it until there is another
  auto made = link_.connect(address, give_up);
  if (!made) return tl::unexpected(made.error());
  slot = std::move(*made);
  return slot.get();
}

Expected<BucketConnection> RedisChannel::to(std::size_t bucket, const GiveUp& give_up) {
  if (!link_.up(bucket)) return tl::unexpected(link_.unavailable(bucket));
  const RedisAddress address = link_.node_of(bucket);
  auto way = attempt(bucket, give_up);
  if (way) return way;
  if (way.error().code != ErrorCode::cancelled) link_.set_down(address, way.error().message);
  return tl::unexpected(link_.named(way.error()));
}

Expected<BucketConnection> RedisChannel::attempt(std::size_t bucket, const GiveUp& give_up) {
  if (connections_.size() > max_connections) connections_.clear();
  const RedisAddress address = link_.node_of(bucket);
  KV_ASSIGN(const auto connection, node(address, give_up));
  return BucketConnection(*this, bucket, address, *connection);
}

bool BucketConnection::follows() const { return channel_->link().fails_over(); }

void BucketConnection::close() {
  connection_->close();
  sent_.clear();
  early_.clear();
}

Error BucketConnection::failed(const Error& error) const {
  RedisLink& link = channel_->link();
  if (error.code != ErrorCode::cancelled) {
    if (is_open())
      link.set_down(bucket_, error.message);
    else
      link.set_down(node_, error.message);
  }
  return link.named(error);
}

Status BucketConnection::send(std::initializer_list<std::string_view> words, std::span<const std::byte> payload,
                              const GiveUp& give_up) {
  return send(std::span(words.begin(), words.size()), payload, give_up);
}

Status BucketConnection::send(std::span<const std::string_view> words, std::span<const std::byte> payload,
                              const GiveUp& give_up) {
  if (follows()) sent_.push_back({{words.begin(), words.end()}, payload});
  return connection_->send(words, payload, give_up);
}

Status BucketConnection::unusable(const std::string& refusal) const {
  for (const char* reason : {"CLUSTERDOWN", "MASTERDOWN", "READONLY", "LOADING"})
    if (refusal.starts_with(reason)) return fail(ErrorCode::io, node_.shown() + ": " + refusal);
  return {};
}

Expected<bool> BucketConnection::take_hop(const std::string& refusal, Hop& hop, const GiveUp& give_up) {
  RedisLink& link = channel_->link();
  if (!follows()) return false;
  KV_TRY(unusable(refusal));
  if (refusal.starts_with("TRYAGAIN")) {
    if (hop.retries == max_retries || give_up()) return false;
    // Again to the same node: after ASK, the bucket's own would only send it back, which uses up the redirections.
    pause(link.clock(), first_retry_seconds * (1 << hop.retries++), give_up);
  } else if (is_redirect(refusal)) {
    const auto redirect = parse_redirect(refusal, hop.node);
    if (!redirect || redirect->slot != link.slot(bucket_))
      return fail(ErrorCode::io, hop.node.shown() + ": an answer that is no redirection: " + refusal);
    if (++hop.redirects > max_redirects)
      return fail(ErrorCode::io, link.address() + ": more than " + std::to_string(max_redirects) + " redirections");
    if (redirect->for_good) {
      KV_TRY(link.moved(bucket_, redirect->to));
      node_ = redirect->to;
    } else {
      KV_TRY(link.check_named(redirect->to));
    }
    hop.node = redirect->to;
    hop.asking = !redirect->for_good;
  } else {
    return false;
  }
  KV_ASSIGN(hop.connection, channel_->node(hop.node, give_up));
  if (!hop.asking || hop.node == node_) connection_ = hop.connection;
  return true;
}

Status BucketConnection::ask(const Hop& hop, const GiveUp& give_up) const {
  if (!hop.asking) return {};
  KV_TRY(hop.connection->command({"ASKING"}, give_up));
  return {};
}

Expected<RedisReply> BucketConnection::follow(RedisReply reply, const Sent& sent, const GiveUp& give_up) {
  const std::vector<std::string_view> words(sent.words.begin(), sent.words.end());
  Hop hop{connection_, node_};
  while (reply.is_error()) {
    KV_ASSIGN(const bool again, take_hop(reply.text, hop, give_up));
    if (!again) break;
    KV_TRY(ask(hop, give_up));
    KV_TRY(hop.connection->send(words, sent.payload, give_up));
    KV_ASSIGN(reply, hop.connection->receive(give_up));
  }
  return reply;
}

Expected<RedisReply> BucketConnection::receive(const GiveUp& give_up) {
  if (!follows()) return connection_->receive(give_up);
  RedisReply reply;
  if (early_.empty()) {
    KV_ASSIGN(reply, connection_->receive(give_up));
  } else {
    reply = std::move(early_.front());
    early_.pop_front();
  }
  const Sent sent = std::move(sent_.front());
  sent_.pop_front();
  if (!reply.is_error()) return reply;
  // It may go to this connection again, after what is in flight.
  while (early_.size() < sent_.size()) {
    KV_ASSIGN(auto next, connection_->receive(give_up));
    early_.push_back(std::move(next));
  }
  return follow(std::move(reply), sent, give_up);
}

Expected<RedisReply> BucketConnection::command(std::initializer_list<std::string_view> words, const GiveUp& give_up) {
  return command(std::span(words.begin(), words.size()), give_up);
}

Expected<RedisReply> BucketConnection::command(std::span<const std::string_view> words, const GiveUp& give_up) {
  if (!follows()) return connection_->command(words, give_up);
  KV_TRY(send(words, {}, give_up));
  return receive(give_up);
}

Expected<BulkReply> BucketConnection::receive_into(std::span<std::byte> target, const GiveUp& give_up) {
  if (follows()) sent_.pop_front();
  return connection_->receive_into(target, give_up);
}

Expected<BulkReply> BucketConnection::fetch_into(std::span<const std::string_view> words, std::span<std::byte> target,
                                                 const GiveUp& give_up) {
  KV_ASSIGN(connection_, channel_->node(node_, give_up));  // close() came before
  Hop hop{connection_, node_};
  while (true) {
    KV_TRY(ask(hop, give_up));
    KV_TRY(hop.connection->send(words, {}, give_up));
    KV_ASSIGN(auto got, hop.connection->receive_into(target, give_up));
    if (got.outcome != BulkOutcome::refused) return got;
    KV_ASSIGN(const bool again, take_hop(got.text, hop, give_up));
    if (!again) return got;
  }
}

}  // namespace kvantage::inline remote
