#include "tiers/remote/redis_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <valkey/tls.h>
#include <valkey/valkey.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/duration.h"

namespace kvantage::inline remote {
namespace {

constexpr int patience_milliseconds = 10;  // polling interval of GiveUp

/// OpenSSL writes without MSG_NOSIGNAL: a closed connection must not kill the program.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec at_once{};
    if (!was_pending_)
      while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

bool is_address(const std::string& host) {
  in6_addr ignored{};
  return ::inet_pton(AF_INET, host.c_str(), &ignored) == 1 || ::inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

struct Lookup {
  std::vector<std::string> addresses;
  int error = 0;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;  // addresses and error are complete
};

// The system's lookup has no deadline: it continues in the background when nobody waits for it.
Expected<std::vector<std::string>> addresses_of(const RedisUrl& url, const WaitLimit& limit) {
  if (is_address(url.host)) return std::vector{url.host};
  const auto lookup = std::make_shared<Lookup>();
  try {
    std::thread([lookup, host = url.host] {
      addrinfo wanted{}, *found = nullptr;
      wanted.ai_socktype = SOCK_STREAM;
      lookup->error = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
      for (const int family : {AF_INET, AF_INET6})
        for (const addrinfo* at = lookup->error == 0 ? found : nullptr; at != nullptr; at = at->ai_next) {
          std::array<char, NI_MAXHOST> text{};
          if (at->ai_family == family &&
              ::getnameinfo(at->ai_addr, at->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
            lookup->addresses.emplace_back(text.data());
        }
      if (found != nullptr) ::freeaddrinfo(found);
      const std::lock_guard lock(lookup->mutex);
      lookup->done = true;
      lookup->changed.notify_all();
    }).detach();
  } catch (const std::system_error& error) {
    return fail(ErrorCode::io, url.shown() + ": no thread to look up the host: " + error.what());
  }
  std::unique_lock lock(lookup->mutex);
  while (!lookup->done) {
    if (limit.given_up()) return fail(ErrorCode::cancelled, url.shown() + ": cancelled");
    if (limit.over()) return fail(ErrorCode::io, url.shown() + ": looking up the host took too long");
    (void)limit.clock().wait(lock, lookup->changed, patience_milliseconds * 1e-3, [&] { return lookup->done; });
  }
  if (lookup->error != 0) return fail(ErrorCode::io, url.shown() + ": " + ::gai_strerror(lookup->error));
  if (lookup->addresses.empty()) return fail(ErrorCode::io, url.shown() + ": the host has no address");
  return std::move(lookup->addresses);
}

std::string reason_of_openssl() {
  const unsigned long code = ::ERR_peek_last_error();
  const char* const reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  return reason == nullptr ? "the connection broke" : reason;
}

/// Client settings: certificates are verified against the given file or the system's CAs.
Expected<ssl_st*> make_tls(const RedisUrl& url) {
  const auto refused = [&url](const std::string& reason) {
    return fail(ErrorCode::rejected_input, url.shown() + ": " + reason);
  };
  ::ERR_clear_error();
  const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> settings(::SSL_CTX_new(::TLS_client_method()),
                                                                     &::SSL_CTX_free);
  if (settings == nullptr) return refused("TLS could not be set up: " + reason_of_openssl());
  ::SSL_CTX_set_min_proto_version(settings.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_verify(settings.get(), SSL_VERIFY_PEER, nullptr);
  constexpr std::uintmax_t max_file_bytes = std::uintmax_t{16} << 20;  // a pipe would block without a deadline
  std::error_code ignored;
  if (!url.authorities.empty() && (!std::filesystem::is_regular_file(url.authorities, ignored) ||
                                   std::filesystem::file_size(url.authorities, ignored) > max_file_bytes))
    return refused("ca=" + url.authorities +
                   ": is not a file of at most 16 MiB; give a PEM file of the authority that " +
                   "signed the server's certificate");
  const bool trusts = url.authorities.empty()
                          ? ::SSL_CTX_set_default_verify_paths(settings.get()) == 1
                          : ::SSL_CTX_load_verify_file(settings.get(), url.authorities.c_str()) == 1;
  if (!trusts)
    return refused("ca=" + url.authorities + ": no certificates could be read (" + reason_of_openssl() +
                   "); give a PEM file of the authority that signed the server's certificate");
  ssl_st* const tls = ::SSL_new(settings.get());
  if (tls == nullptr) return refused("TLS could not be set up: " + reason_of_openssl());
  ::SSL_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE);
  const bool named =
      is_address(url.host)
          ? ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(tls), url.host.c_str()) == 1
          : ::SSL_set1_host(tls, url.host.c_str()) == 1 && ::SSL_set_tlsext_host_name(tls, url.host.c_str()) == 1;
  if (named) return tls;
  ::SSL_free(tls);
  return refused("the host's name could not be set for TLS: " + reason_of_openssl());
}

}  // namespace

RedisSocket::~RedisSocket() {
  if (context_ != nullptr) ::valkeyFree(context_);
}

tl::unexpected<Error> RedisSocket::broken(const std::string& reason) const {
  return fail(ErrorCode::io, where_ + ": " + reason);
}

Status RedisSocket::wait(Wait what, const WaitLimit& limit) {
  pollfd item{context_->fd, static_cast<short>(what == Wait::readable ? POLLIN : POLLOUT), 0};
  while (true) {
    if (limit.given_up()) return fail(ErrorCode::cancelled, where_ + ": cancelled");
    if (limit.over()) return broken("no answer within " + shortest_number(limit.seconds()) + " s");
    const int ready = ::poll(&item, 1, patience_milliseconds);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return broken(std::strerror(errno));
  }
}

Expected<std::unique_ptr<ByteStream>> RedisSocket::connect(const RedisUrl& url, const WaitLimit& limit) {
  KV_ASSIGN(const auto addresses, addresses_of(url, limit));
  Expected<std::unique_ptr<RedisSocket>> socket;
  for (const std::string& address : addresses) {
    socket = connect_to(address, url, limit);
    if (socket || socket.error().code != ErrorCode::io || limit.over()) break;
  }
  return socket;
}

Expected<std::unique_ptr<RedisSocket>> RedisSocket::connect_to(const std::string& address, const RedisUrl& url,
                                                               const WaitLimit& limit) {
  valkeyContext* const context = ::valkeyConnectNonBlock(address.c_str(), url.port);
  if (context == nullptr) return fail(ErrorCode::io, url.shown() + ": out of memory");
  std::unique_ptr<RedisSocket> socket(new RedisSocket(context, url.shown()));
  if (context->err != 0) return socket->broken(context->errstr);
  KV_TRY(socket->wait(Wait::writable, limit));
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(context->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  if (error != 0) return socket->broken(std::strerror(error));
  const int yes = 1;
  (void)::setsockopt(context->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  (void)::valkeyEnableKeepAlive(context);
  if (url.tls) KV_TRY(socket->shake_hands(url, limit));
  return socket;
}

Status RedisSocket::shake_hands(const RedisUrl& url, const WaitLimit& limit) {
  KV_ASSIGN(const auto made, make_tls(url));
  ssl_st* const tls = made;
  const NoBrokenPipe quietly;
  const bool begun = ::valkeyInitiateTLS(context_, tls) == VALKEY_OK;
  if (begun) tls_ = tls;
  Status done = begun ? Status() : broken(context_->errstr);
  while (done && !::SSL_is_init_finished(tls)) {
    ::ERR_clear_error();
    if (const int result = ::SSL_do_handshake(tls); result != 1) done = wait_for_tls(result, limit);
  }
  const long verified = ::SSL_get_verify_result(tls);
  const int reason = ERR_GET_REASON(::ERR_peek_last_error());
  if (!begun) ::SSL_free(tls);
  if (done || done.error().code == ErrorCode::cancelled) return done;
  if (verified != X509_V_OK)
    return fail(ErrorCode::rejected_input,
                where_ + ": the server's certificate is not trusted (" + ::X509_verify_cert_error_string(verified) +
                    "); add ?ca=FILE with the authority that signed it, or correct the host");
  if (reason == SSL_R_WRONG_VERSION_NUMBER)
    return fail(ErrorCode::rejected_input,
                where_ + ": the port speaks no TLS; write redis://, or the port of the server that does");
  // A plaintext server may wait for the end of a line that never comes.
  return fail(done.error().code, done.error().message + " to TLS; if the port speaks no TLS, write redis://");
}

Status RedisSocket::wait_for_tls(int result, const WaitLimit& limit) {
  switch (::SSL_get_error(tls_, result)) {
    case SSL_ERROR_WANT_READ:
      return wait(Wait::readable, limit);
    case SSL_ERROR_WANT_WRITE:
      return wait(Wait::writable, limit);
    case SSL_ERROR_ZERO_RETURN:
      return broken("the server closed the connection");
    case SSL_ERROR_SYSCALL:
      return broken(errno == 0 ? "the server closed the connection" : std::strerror(errno));
    default:
      return broken("TLS: " + reason_of_openssl());
  }
}

Expected<std::size_t> RedisSocket::read_some(std::span<const iovec> parts, const WaitLimit& limit) {
  while (true) {
    // With a server that sends endlessly, it never gets to wait.
    if (limit.given_up()) return fail(ErrorCode::cancelled, where_ + ": cancelled");
    if (limit.over()) return broken("no whole answer within " + shortest_number(limit.seconds()) + " s");
    if (tls_ != nullptr) {
      const NoBrokenPipe quietly;
      ::ERR_clear_error();
      errno = 0;
      const int got = ::SSL_read(tls_, parts[0].iov_base, static_cast<int>(std::min(parts[0].iov_len, {1U << 30})));
      if (got > 0) return static_cast<std::size_t>(got);
      KV_TRY(wait_for_tls(got, limit));
      continue;
    }
    const ssize_t got = ::readv(context_->fd, parts.data(), static_cast<int>(parts.size()));
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return broken("the server closed the connection");
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return broken(std::strerror(errno));
    KV_TRY(wait(Wait::readable, limit));
  }
}

Expected<std::size_t> RedisSocket::send_some(std::span<const iovec> parts, const WaitLimit& limit) {
  if (tls_ != nullptr) {
    const NoBrokenPipe quietly;
    ::ERR_clear_error();
    errno = 0;
    const int sent = ::SSL_write(tls_, parts[0].iov_base, static_cast<int>(std::min(parts[0].iov_len, {1U << 30})));
    if (sent > 0) return static_cast<std::size_t>(sent);
    KV_TRY(wait_for_tls(sent, limit));
    return std::size_t{0};
  }
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  const ssize_t sent = ::sendmsg(context_->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno == EINTR) return std::size_t{0};
  if (errno != EAGAIN && errno != EWOULDBLOCK) return broken(std::strerror(errno));
  KV_TRY(wait(Wait::writable, limit));
  return std::size_t{0};
}

Status RedisSocket::write_all(std::span<iovec> parts, const WaitLimit& limit) {
  while (true) {
    while (!parts.empty() && parts.front().iov_len == 0) parts = parts.subspan(1);
    if (parts.empty()) return {};
    if (limit.over()) return broken("no answer within " + shortest_number(limit.seconds()) + " s");
    KV_ASSIGN(const auto sent, send_some(parts, limit));
    for (std::size_t left = sent, i = 0; left > 0; ++i) {
      const std::size_t step = std::min(left, parts[i].iov_len);
      parts[i].iov_base = static_cast<char*>(parts[i].iov_base) + step;
      parts[i].iov_len -= step;
      left -= step;
    }
  }
}

bool RedisSocket::quiet() const {
  char byte = 0;
  if (tls_ != nullptr) {
    const NoBrokenPipe quietly;
    ::ERR_clear_error();
    const int got = ::SSL_peek(tls_, &byte, 1);
    return got <= 0 && ::SSL_get_error(tls_, got) == SSL_ERROR_WANT_READ;
  }
  const ssize_t got = ::recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

}  // namespace kvantage::inline remote
