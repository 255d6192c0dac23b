// An HTTP server on a loopback port that answers as a test says: in the place of a bucket's answers whatever a hostile
// or confused server may send.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtGlobal>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kvantage::test {

struct HttpMessage {
  std::string method, target;                  // "/bucket/name?query"
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

/// A whole answer.
inline std::string http_answer(int status, const std::string& body = {}, const std::string& headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

class ScriptedHttp {
 public:
  /// One connection, on a thread of its own.
  class Peer {
   public:
    Peer(int socket, const std::atomic<bool>& stopping, std::atomic<std::uint64_t>& max_sent)
        : socket_(socket), stopping_(stopping), max_sent_(max_sent) {}
    ~Peer() { ::close(socket_); }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// False when the other side or the test is done.
    bool send(std::string_view bytes) {
      while (!bytes.empty()) {
        if (!ready(POLLOUT)) return false;
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) return false;
        sent_ += static_cast<std::uint64_t>(sent);
        std::uint64_t most = max_sent_;
        while (sent_ > most && !max_sent_.compare_exchange_weak(most, sent_)) {
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    }
    /// Until the other side has enough of it.
    void send_forever(const std::string& bytes) {
      std::string many;
      while (many.size() < 65536) many += bytes;
      while (send(many)) {
      }
    }
    void send_slowly(std::string_view bytes, int milliseconds) {
      for (std::size_t i = 0; i < bytes.size() && send(bytes.substr(i, 1)); ++i) ::poll(nullptr, 0, milliseconds);
    }
    /// Holds the connection open without a word.
    void hold() {
      char byte = 0;
      while (ready(POLLIN) && ::recv(socket_, &byte, 1, MSG_DONTWAIT) > 0) {
      }
    }
    void close_now() { ::shutdown(socket_, SHUT_RDWR); }

    std::optional<HttpMessage> read_request() {
      std::size_t end = 0;
      while ((end = received_.find("\r\n\r\n")) == std::string::npos)
        if (!receive()) return std::nullopt;
      HttpMessage message;
      const std::string head = received_.substr(0, end);
      received_.erase(0, end + 4);
      const std::size_t line_end = head.find("\r\n");
      const std::string line = head.substr(0, line_end);
      message.method = line.substr(0, line.find(' '));
      message.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
      for (std::size_t at = line_end; at != std::string::npos && at < head.size();) {
        at += 2;
        const std::size_t next = head.find("\r\n", at);
        const std::string field = head.substr(at, next == std::string::npos ? next : next - at);
        const std::size_t colon = field.find(": ");
        if (colon != std::string::npos) {
          std::string name = field.substr(0, colon);
          for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
          message.headers[name] = field.substr(colon + 2);
        }
        at = next;
      }
      if (!message.header("expect").empty() && !send("HTTP/1.1 100 Continue\r\n\r\n")) return std::nullopt;
      const auto length = static_cast<std::size_t>(std::atoll(message.header("content-length").c_str()));
      while (received_.size() < length)
        if (!receive()) return std::nullopt;
      message.body = received_.substr(0, length);
      received_.erase(0, length);
      return message;
    }

   private:
    bool ready(short what) {
      pollfd item{socket_, what, 0};
      while (!stopping_) {
        const int count = ::poll(&item, 1, 10);
        if (count > 0) return true;
        if (count < 0 && errno != EINTR) return false;
      }
      return false;
    }
    bool receive() {
      char bytes[65536];
      if (!ready(POLLIN)) return false;
      const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
      if (got <= 0) return false;
      received_.append(bytes, static_cast<std::size_t>(got));
      return true;
    }

    int socket_;
    const std::atomic<bool>& stopping_;
    std::atomic<std::uint64_t>& max_sent_;
    std::uint64_t sent_ = 0;
    std::string received_;
  };

  /// Called with each request; true: answered, false: the answer is that of an empty bucket.
  using Script = std::function<bool(const HttpMessage& request, Peer& peer)>;

  explicit ScriptedHttp(Script script = {}) : script_(std::move(script)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0)
      qFatal("no loopback port for a scripted server");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { accept_all(); });
  }
  ~ScriptedHttp() {
    stopping_ = true;
    thread_.join();
    for (std::thread& peer : peers_) peer.join();
    ::close(listener_);
  }
  ScriptedHttp(const ScriptedHttp&) = delete;
  ScriptedHttp& operator=(const ScriptedHttp&) = delete;

  int port() const { return port_; }
  std::string url() const {
    return "s3://archive/kv?endpoint=http://127.0.0.1:" + std::to_string(port_) + "&region=eu-test-1";
  }
  int connections() const { return connections_; }
  /// The most bytes that one connection took so far.
  std::uint64_t max_sent() const { return max_sent_; }
  std::vector<HttpMessage> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  /// What an empty bucket answers.
  static std::string answer_of_empty_bucket(const HttpMessage& request) {
    if (request.method == "PUT") return http_answer(200, {}, "ETag: \"d41d8cd98f00b204e9800998ecf8427e\"\r\n");
    if (request.target.find("list-type=2") != std::string::npos)
      return http_answer(
          200, "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
    if (request.method == "DELETE") return "HTTP/1.1 204 No Content\r\n\r\n";
    if (request.method == "HEAD") return "HTTP/1.1 404 Not Found\r\n\r\n";
    return http_answer(404, "<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>");
  }

 private:
  void accept_all() {
    pollfd item{listener_, POLLIN, 0};
    while (!stopping_) {
      if (::poll(&item, 1, 10) <= 0) continue;
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      ++connections_;
      peers_.emplace_back([this, socket] {
        Peer peer(socket, stopping_, max_sent_);
        while (const auto request = peer.read_request()) {
          {
            const std::lock_guard lock(mutex_);
            requests_.push_back(*request);
          }
          if (script_ && script_(*request, peer)) continue;
          if (!peer.send(answer_of_empty_bucket(*request))) break;
        }
      });
    }
  }

  Script script_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::atomic<std::uint64_t> max_sent_{0};
  mutable std::mutex mutex_;
  std::vector<HttpMessage> requests_;
  std::thread thread_;
  std::vector<std::thread> peers_;  // of accept_all() until it has ended
};

}  // namespace kvantage::test
