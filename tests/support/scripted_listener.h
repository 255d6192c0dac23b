// Servers on loopback ports that answer as a test says, whatever their protocol: connections, and the script.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtGlobal>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kvantage::test {

/// One connection, on a thread of its own.
class ScriptedPeer {
 public:
  ScriptedPeer(int socket, const std::atomic<bool>& stopping, std::atomic<std::uint64_t>& max_sent)
      : socket_(socket), stopping_(stopping), max_sent_(max_sent) {}
  ~ScriptedPeer() { ::close(socket_); }
  ScriptedPeer(const ScriptedPeer&) = delete;
  ScriptedPeer& operator=(const ScriptedPeer&) = delete;

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

 protected:
  /// More of received_; false when the other side or the test is done.
  bool receive() {
    char bytes[65536];
    if (!ready(POLLIN)) return false;
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }
  std::string received_;

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

  int socket_;
  const std::atomic<bool>& stopping_;
  std::atomic<std::uint64_t>& max_sent_;
  std::uint64_t sent_ = 0;
};

/// `PeerOfProtocol`: a ScriptedPeer with its Message and std::optional<Message> read().
template <typename PeerOfProtocol>
class ScriptedListener {
 public:
  using Peer = PeerOfProtocol;
  using Message = typename Peer::Message;
  /// Called with each message; true: answered. Else the answer is that of an empty store.
  using Script = std::function<bool(const Message& message, Peer& peer)>;
  using Answer = std::string (*)(const Message& message);

  ScriptedListener(Script script, Answer of_empty_store) : script_(std::move(script)), of_empty_store_(of_empty_store) {
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
  ~ScriptedListener() {
    stopping_ = true;
    thread_.join();
    for (std::thread& peer : peers_) peer.join();
    ::close(listener_);
  }
  ScriptedListener(const ScriptedListener&) = delete;
  ScriptedListener& operator=(const ScriptedListener&) = delete;

  int port() const { return port_; }
  int connections() const { return connections_; }
  /// The most bytes that one connection took so far.
  std::uint64_t max_sent() const { return max_sent_; }
  /// In the order of their arrival.
  std::vector<Message> messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
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
        while (const auto message = peer.read()) {
          {
            const std::lock_guard lock(mutex_);
            messages_.push_back(*message);
          }
          if (script_ && script_(*message, peer)) continue;
          if (!peer.send(of_empty_store_(*message))) return;
        }
      });
    }
  }

  Script script_;
  Answer of_empty_store_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::atomic<std::uint64_t> max_sent_{0};
  mutable std::mutex mutex_;
  std::vector<Message> messages_;
  std::thread thread_;
  std::vector<std::thread> peers_;  // of accept_all() until it has ended
};

}  // namespace kvantage::test
