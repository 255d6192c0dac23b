// One connection to a Redis server: hiredis connects, formats commands and parses replies; waiting is ours, so that
// every wait has a limit and can be given up, and so that the bytes of an entry go from the socket straight into the
// reader's buffer (hiredis's own reader takes 16 KiB at a time and copies them twice more).
//
// Not thread-safe: each thread has one of its own. After an error of a command the connection is closed; answers of
// the server that are errors come back as replies. Commands sent together are answered by receive() alone or by
// receive_into() alone: the two keep what they have read in places of their own.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "tiers/redis_url.h"

struct redisContext;
struct redisReply;

namespace kvantage {

struct RedisTimeouts {
  double connect_seconds = 2;
  double command_seconds = 5;  // without a byte sent or received
};

struct RedisReply {
  enum class Kind : std::uint8_t { nil, text, integer, list, error };
  Kind kind = Kind::nil;
  std::string text;  // also of errors
  std::int64_t integer = 0;
  std::vector<RedisReply> items;

  bool is_error() const { return kind == Kind::error; }
  bool is_text() const { return kind == Kind::text; }
};

/// What came in the place of a value of known length.
enum class BulkOutcome : std::uint8_t { whole, absent, other_length, refused };
struct BulkReply {
  BulkOutcome outcome = BulkOutcome::whole;
  std::string text;  // of a refusal
};

/// Whether to give up, asked every few milliseconds while waiting. May be empty.
using GiveUp = std::function<bool()>;

class RedisConnection {
 public:
  /// Connects, signs in and chooses the database. io: not reachable (also: still loading); rejected_input: reachable,
  /// but it will never work so (password, database). Messages hold the address, never the password.
  static Expected<std::unique_ptr<RedisConnection>> connect(const RedisUrl& url, const RedisTimeouts& timeouts,
                                                            const GiveUp& give_up = {});
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
  /// send and receive.
  Expected<RedisReply> command(std::initializer_list<std::string_view> words, const GiveUp& give_up = {});
  Expected<RedisReply> command(std::span<const std::string_view> words, const GiveUp& give_up = {});

  void close();
  bool is_open() const { return context_ != nullptr; }

 private:
  RedisConnection(redisContext* context, const RedisUrl& url, const RedisTimeouts& timeouts)
      : context_(context), where_(url.shown()), timeouts_(timeouts) {}

  enum class Wait : std::uint8_t { readable, writable };
  Status wait(Wait what, double seconds, const GiveUp& give_up);
  Status sign_in(const RedisUrl& url, const GiveUp& give_up);
  Expected<std::string_view> receive_line(const GiveUp& give_up);
  /// What the socket has, at least one byte, into `parts`; waits for it.
  Expected<std::size_t> read_some(std::span<const iovec> parts, const GiveUp& give_up);
  Status fill(std::span<std::byte> target, const GiveUp& give_up);
  tl::unexpected<Error> broken(const std::string& reason);

  redisContext* context_;
  std::string where_;
  RedisTimeouts timeouts_;
  std::vector<char> received_ = std::vector<char>(std::size_t{64} << 10);  // read from the socket, not parsed yet
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace kvantage
