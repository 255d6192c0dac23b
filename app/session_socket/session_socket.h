// The socket of a running session: a file of this user, through which programs on this machine ask session_requests.h.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "app/session_socket/session_requests.h"
#include "core/base/executor.h"
#include "core/base/unique_fd.h"

namespace kvantage::inline session_socket {

class SessionSocket {
 public:
  static constexpr int max_clients = 8;
  static constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

  /// Listens at `path`, which only this user may open (mode 0600), on a thread of its own until it is destroyed, which
  /// removes the file. A socket that nobody listens to any more is replaced. usage for a path that is too long or is
  /// another file, busy where another session listens, io where the system refuses.
  static Expected<std::unique_ptr<SessionSocket>> listen(const std::filesystem::path& path, ServedSession served,
                                                         Executor& executor);
  ~SessionSocket();
  SessionSocket(const SessionSocket&) = delete;
  SessionSocket& operator=(const SessionSocket&) = delete;

  /// Connected now. Any thread.
  int clients() const { return clients_; }

 private:
  struct Client;
  class Server;
  SessionSocket(std::filesystem::path path, UniqueFd listener, UniqueFd wake, ServedSession served);

  const std::filesystem::path path_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> clients_ = 0;
  UniqueFd listener_, wake_;
  SessionRequests requests_;
  std::unique_ptr<Executor::Thread> thread_;
};

}  // namespace kvantage::inline session_socket
