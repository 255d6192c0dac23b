// The byte stream under a server connection, with a limit on every wait. OS sockets implement it (redis_socket.h);
// tests use virtual-time streams.
#pragma once

#include <sys/uio.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/base/error.h"
#include "core/base/executor.h"
#include "tiers/remote/redis_url.h"
#include "tiers/server_access.h"

namespace kvantage::inline remote {

/// Time limit of one command, from its first byte sent to the last byte of its reply.
class WaitLimit {
 public:
  WaitLimit(const Clock& clock, double seconds, const GiveUp& give_up)
      : clock_(clock),
        seconds_(seconds),
        end_ns_(clock.monotonic_ns() + std::llround(seconds * 1e9)),
        give_up_(give_up) {}
  bool over() const { return clock_.monotonic_ns() >= end_ns_; }
  bool given_up() const { return give_up_ && give_up_(); }
  double seconds() const { return seconds_; }
  const Clock& clock() const { return clock_; }

 private:
  const Clock& clock_;
  double seconds_;
  std::int64_t end_ns_;
  const GiveUp& give_up_;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Reads at least one byte into `parts`, in order, waiting for it. io: closed, or out of time; cancelled.
  virtual Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit) = 0;
  /// Writes all of `parts`, in order. Errors as read_some().
  virtual Status write_all(std::span<iovec> parts, const WaitLimit& limit) = 0;
  /// Whether both directions are open and nothing has arrived.
  virtual bool quiet() const = 0;
};

using OpenStream = std::function<Expected<std::unique_ptr<ByteStream>>(const RedisUrl& url, const WaitLimit& limit)>;

/// How to reach servers, with the clock and threads of the waits.
struct RedisTransport {
  Executor& executor;  // outlives the store
  OpenStream open{};   // empty: RedisSocket::connect()
  const Clock& clock() const { return executor.clock(); }
};

}  // namespace kvantage::inline remote
