// The socket of a connection to a Redis server, in clear or under TLS: libvalkey connects and holds it, OpenSSL checks
// the certificate against the host's name. Every call has one deadline for all of its waits and can be given up.
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

/// How long one command may take, from its first byte sent to the last byte of its reply.
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
  /// Finds the host, connects and, for rediss://, shakes hands. io: not reachable; rejected_input: it is, but there is
  /// no TLS or no certificate to trust; cancelled. Messages begin with the address.
  static Expected<std::unique_ptr<RedisSocket>> connect(const RedisUrl& url, const WaitLimit& limit);
  ~RedisSocket();
  RedisSocket(const RedisSocket&) = delete;
  RedisSocket& operator=(const RedisSocket&) = delete;

  /// What has arrived, at least one byte, into `parts` in their order; waits for it.
  Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit);
  /// All of `parts`, in their order.
  Status write_all(std::span<iovec> parts, const WaitLimit& limit);
  /// Whether it is open at both ends and nothing has arrived.
  bool quiet() const;

 private:
  enum class Wait : std::uint8_t { readable, writable };
  RedisSocket(valkeyContext* context, std::string where) : context_(context), where_(std::move(where)) {}

  static Expected<std::unique_ptr<RedisSocket>> connect_to(const std::string& address, const RedisUrl& url,
                                                           const WaitLimit& limit);
  Status shake_hands(const RedisUrl& url, const WaitLimit& limit);
  Status wait(Wait what, const WaitLimit& limit);
  /// After a call of OpenSSL that did not succeed: waits for what it wants, or says why it cannot go on.
  Status wait_for_tls(int result, const WaitLimit& limit);
  /// Bytes sent; 0: the socket takes none for now.
  Expected<std::size_t> send_some(std::span<const iovec> parts, const WaitLimit& limit);
  tl::unexpected<Error> broken(const std::string& reason) const;

  valkeyContext* context_;
  ssl_st* tls_ = nullptr;  // owned by the context
  std::string where_;
};

}  // namespace kvantage
