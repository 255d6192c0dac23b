// The socket of a connection to a Redis server, plain or TLS: libvalkey connects and owns it, OpenSSL verifies the
// certificate against the host's name. Every call has one deadline for all of its waits and can be canceled.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tiers/remote/transport.h"

struct valkeyContext;
struct ssl_st;

namespace kvantage::inline remote {

class RedisSocket final : public ByteStream {
 public:
  /// Resolves the host, connects and, for rediss://, completes the TLS handshake. io: not reachable; rejected_input:
  /// reachable, but without TLS or a trusted certificate; cancelled. Messages start with the address.
  static Expected<std::unique_ptr<ByteStream>> connect(const RedisUrl& url, const WaitLimit& limit);
  ~RedisSocket() override;
  RedisSocket(const RedisSocket&) = delete;
  RedisSocket& operator=(const RedisSocket&) = delete;

  Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit) override;
  Status write_all(std::span<iovec> parts, const WaitLimit& limit) override;
  bool quiet() const override;

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

}  // namespace kvantage::inline remote
