// One connection to a Redis server: sends commands and receives replies, each command with its own deadline. libvalkey
// connects and parses. Waiting is our own code, so that every command has a limit and can be canceled, and entry bytes
// go from the socket directly into the reader's buffer. The server is untrusted: tiers/remote/redis_reply.h limits the
// size of a reply.
//
// Not thread-safe: one per thread. After a command's error the connection is closed; error replies of the server are
// returned as replies. Pipelined commands must be received with either receive() or receive_into(): each has its own
// read buffer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "tiers/remote/redis_reply.h"
#include "tiers/remote/transport.h"

namespace kvantage::inline remote {

struct RedisTimeouts {
  double connect_seconds = 2;
  double command_seconds = 5;  // from the first byte sent to the last byte of the reply
};

/// The outcome of reading a value of known length.
enum class BulkOutcome : std::uint8_t { whole, absent, other_length, refused };
struct BulkReply {
  BulkOutcome outcome = BulkOutcome::whole;
  std::string text;  // of an error reply
};

class RedisConnection {
 public:
  /// Connects, authenticates and selects the database. io: not reachable (or still loading); rejected_input: reachable,
  /// but permanently unusable (password, database, certificate, not a Redis server). Messages contain the address,
  /// never the password.
  static Expected<std::unique_ptr<RedisConnection>> connect(const RedisUrl& url, const RedisTimeouts& timeouts,
                                                            const RedisTransport& transport,
                                                            const GiveUp& give_up = {});
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  /// Between commands: whether the peer has kept it open since the last reply, and sent nothing after that reply. Text
  /// that no command asked for would become the reply to the next one.
  bool alive() const;

  /// Sends one command; `payload`, if any, is its last argument and is not copied.
  Status send(std::initializer_list<std::string_view> words, std::span<const std::byte> payload, const GiveUp& give_up);
  Status send(std::span<const std::string_view> words, std::span<const std::byte> payload, const GiveUp& give_up);
  Expected<RedisReply> receive(const GiveUp& give_up);
  /// Receives the value of a GET or GETRANGE directly into `target`. For a different length the connection is closed:
  /// the rest of the value is still in flight.
  Expected<BulkReply> receive_into(std::span<std::byte> target, const GiveUp& give_up);
  /// send and receive, within one deadline.
  Expected<RedisReply> command(std::initializer_list<std::string_view> words, const GiveUp& give_up = {});
  Expected<RedisReply> command(std::span<const std::string_view> words, const GiveUp& give_up = {});

  void close();
  bool is_open() const { return stream_ != nullptr; }

 private:
  RedisConnection(std::unique_ptr<ByteStream> stream, const Clock& clock, const RedisUrl& url,
                  const RedisTimeouts& timeouts)
      : stream_(std::move(stream)), clock_(clock), where_(url.shown()), timeouts_(timeouts) {}

  WaitLimit limit(const GiveUp& give_up) const { return {clock_, timeouts_.command_seconds, give_up}; }
  Status send_within(std::span<const std::string_view> words, std::span<const std::byte> payload,
                     const WaitLimit& limit);
  Expected<RedisReply> receive_within(const WaitLimit& limit);
  Status sign_in(const RedisUrl& url, const GiveUp& give_up);
  Expected<std::string_view> receive_line(const WaitLimit& limit);
  Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit);
  Status fill(std::span<std::byte> target, const WaitLimit& limit);
  Error not_connected() const;
  tl::unexpected<Error> broken(const std::string& reason);

  std::unique_ptr<ByteStream> stream_;
  const Clock& clock_;
  std::string where_;
  RedisTimeouts timeouts_;
  ReplyParser parser_;
  std::vector<char> received_ = std::vector<char>(std::size_t{64} << 10);  // read from the stream, not parsed yet
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace kvantage::inline remote
