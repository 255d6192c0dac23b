// One connection to a Redis server: commands go out, replies come back, each command within its own deadline. libvalkey
// connects and parses; waiting is ours, so that every command has a limit and can be given up, and so that the bytes of
// an entry go from the socket straight into the reader's buffer. The server is another's: tiers/remote/redis_reply.h
// says what a reply may take.
//
// Not thread-safe: each thread has one of its own. After an error of a command the connection is closed; answers of
// the server that are errors come back as replies. Commands sent together are answered by receive() alone or by
// receive_into() alone: the two keep what they have read in places of their own.
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

namespace kvantage {

struct RedisTimeouts {
  double connect_seconds = 2;
  double command_seconds = 5;  // from its first byte sent to the last byte of its reply
};

/// What came in the place of a value of known length.
enum class BulkOutcome : std::uint8_t { whole, absent, other_length, refused };
struct BulkReply {
  BulkOutcome outcome = BulkOutcome::whole;
  std::string text;  // of a refusal
};

class RedisConnection {
 public:
  /// Connects, signs in and chooses the database. io: not reachable (also: still loading); rejected_input: reachable,
  /// but it will never work so (password, database, certificate, no Redis server). Messages hold the address, never the
  /// password.
  static Expected<std::unique_ptr<RedisConnection>> connect(const RedisUrl& url, const RedisTimeouts& timeouts,
                                                            const GiveUp& give_up = {},
                                                            const RedisTransport& transport = {});
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  /// Whether the other side has kept it open since the last reply.
  bool alive() const;

  /// Sends one command; `payload`, if any, is its last word and is not copied.
  Status send(std::initializer_list<std::string_view> words, std::span<const std::byte> payload, const GiveUp& give_up);
  Status send(std::span<const std::string_view> words, std::span<const std::byte> payload, const GiveUp& give_up);
  Expected<RedisReply> receive(const GiveUp& give_up);
  /// The value that a GET or GETRANGE answers, straight into `target`. When it has another length the connection is
  /// closed: the rest of it is still on its way.
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

}  // namespace kvantage
