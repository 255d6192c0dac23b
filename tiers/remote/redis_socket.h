// The socket of a connection to a Redis server, plain or TLS: libvalkey connects and owns it, OpenSSL verifies the
// certificate against the host's name. Every call has one deadline for all of its waits and can be canceled.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"
#include "tiers/remote/redis_url.h"
#include "tiers/server_access.h"

struct valkeyContext;
struct ssl_st;

namespace kvantage {

/// Time limit of one command, from its first byte sent to the last byte of its reply.
class WaitLimit {
 public:
  WaitLimit(double seconds, const GiveUp& give_up)
      : seconds_(seconds),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        give_up_(give_up) {}
  bool over() const { return Clock::now() >= end_; }
  bool given_up() const { return give_up_ && give_up_(); }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  Clock::time_point end_;
  const GiveUp& give_up_;
};

class RedisSocket {
 public:
  /// Resolves the host, connects and, for rediss://, performs the handshake. io: not reachable; rejected_input:
  /// reachable, but without TLS or a trusted certificate; cancelled. Messages start with the address.
  static Expected<std::unique_ptr<RedisSocket>> connect(const RedisUrl& url, const WaitLimit& limit);
  ~RedisSocket();
  RedisSocket(const RedisSocket&) = delete;
  RedisSocket& operator=(const RedisSocket&) = delete;

  /// Waits for data and reads at least one byte into `parts`, in order.
  Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit);
  /// All of `parts`, in their order.
  Status write_all(std::span<iovec> parts, const WaitLimit& limit);
  /// Whether it is open in both directions with no pending data.
  bool quiet() const;

 private:
  enum class Wait : std::uint8_t { readable, writable };
  RedisSocket(valkeyContext* context, std::string where) : context_(context), where_(std::move(where)) {}

  static Expected<std::unique_ptr<RedisSocket>> connect_to(const std::string& address, const RedisUrl& url,
                                                           const WaitLimit& limit);
  Status shake_hands(const RedisUrl& url, const WaitLimit& limit);
  Status wait(Wait what, const WaitLimit& limit);
  /// After an incomplete OpenSSL call: waits for what it needs, or returns why it cannot continue.
  Status wait_for_tls(int result, const WaitLimit& limit);
  /// Bytes sent; 0: the socket would block.
  Expected<std::size_t> send_some(std::span<const iovec> parts, const WaitLimit& limit);
  tl::unexpected<Error> broken(const std::string& reason) const;

  valkeyContext* context_;
  ssl_st* tls_ = nullptr;  // owned by the context
  std::string where_;
};

}  // namespace kvantage
