// A server on a loopback port that answers commands as a test says: a store's answers, and in the place of some of them
// whatever a hostile or confused server may send.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kvantage::test {

using Words = std::vector<std::string>;

inline std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

/// What an empty store answers.
inline std::string answer_of_empty_store(const Words& words) {
  const std::string& name = words.front();
  if (name == "PING") return "+PONG\r\n";
  if (name == "SELECT" || name == "AUTH" || name == "SET") return "+OK\r\n";
  if (name == "GET" || name == "HGET") return "$-1\r\n";
  if (name == "HGETALL") return "*0\r\n";
  if (name == "SCAN") return "*2\r\n" + bulk("0") + "*0\r\n";
  if (name == "HMGET") {
    std::string nothing = "*" + std::to_string(words.size() - 2) + "\r\n";
    for (std::size_t i = 2; i < words.size(); ++i) nothing += "$-1\r\n";
    return nothing;
  }
  return ":1\r\n";
}

class ScriptedServer {
 public:
  /// One connection, on a thread of its own.
  class Peer {
   public:
    Peer(int socket, const std::atomic<bool>& stopping) : socket_(socket), stopping_(stopping) {}
    ~Peer() { ::close(socket_); }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// False when the other side or the test is done.
    bool send(std::string_view bytes) {
      while (!bytes.empty()) {
        if (!ready(POLLOUT)) return false;
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) return false;
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
    std::optional<Words> read_command() {
      const auto count = number_after('*');
      if (!count) return std::nullopt;
      Words words;
      for (std::size_t i = 0; i < *count; ++i) {
        const auto length = number_after('$');
        if (!length) return std::nullopt;
        while (received_.size() < *length + 2)
          if (!receive()) return std::nullopt;
        words.push_back(received_.substr(0, *length));
        received_.erase(0, *length + 2);
      }
      return words;
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
    std::optional<std::size_t> number_after(char sign) {
      std::size_t end = 0;
      while ((end = received_.find("\r\n")) == std::string::npos)
        if (!receive()) return std::nullopt;
      std::size_t number = 0;
      const bool right = received_[0] == sign &&
                         std::from_chars(received_.data() + 1, received_.data() + end, number).ec == std::errc{};
      received_.erase(0, end + 2);
      return right ? std::optional(number) : std::nullopt;
    }

    int socket_;
    const std::atomic<bool>& stopping_;
    std::string received_;
  };

  /// Called with each command; true: answered. Else the answer is that of an empty store.
  using Script = std::function<bool(const Words& words, Peer& peer)>;

  explicit ScriptedServer(Script script = {}) : script_(std::move(script)) {
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
  ~ScriptedServer() {
    stopping_ = true;
    thread_.join();
    for (std::thread& peer : peers_) peer.join();
    ::close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }
  std::vector<Words> commands() const {
    const std::lock_guard lock(mutex_);
    return commands_;
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
        Peer peer(socket, stopping_);
        while (const auto words = peer.read_command()) {
          {
            const std::lock_guard lock(mutex_);
            commands_.push_back(*words);
          }
          if (script_ && script_(*words, peer)) continue;
          if (!peer.send(answer_of_empty_store(*words))) return;
        }
      });
    }
  }

  Script script_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::vector<Words> commands_;
  std::thread thread_;
  std::vector<std::thread> peers_;  // of accept_all() until it has ended
};

}  // namespace kvantage::test
