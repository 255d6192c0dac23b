#include "app/session_socket/session_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace kvantage::inline session_socket {
namespace {

constexpr mode_t socket_mode = 0600;

Expected<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.empty() || text.size() >= sizeof address.sun_path)
    return fail(ErrorCode::usage, "--listen: a path has 1 to " + std::to_string(sizeof address.sun_path - 1) +
                                      " bytes; give a shorter one");
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

const sockaddr* plain(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

tl::unexpected<Error> refused(const std::filesystem::path& path, const char* what) {
  return fail(ErrorCode::io, printable(path.string()) + ": " + what + " (" + std::strerror(errno) +
                                 "); give a path in a folder of yours");
}

UniqueFd new_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

/// Removes a socket that a killed process left; nothing where there is no file.
Status make_free(const std::filesystem::path& path, const sockaddr_un& address) {
  struct stat file {};
  if (::lstat(path.c_str(), &file) != 0) return {};
  if (!S_ISSOCK(file.st_mode))
    return fail(ErrorCode::usage, printable(path.string()) + ": exists and is no socket; give another path");
  const UniqueFd probe = new_socket();
  if (!probe) return refused(path, "cannot be opened");
  if (::connect(probe.get(), plain(address), sizeof address) == 0 || errno == EAGAIN)
    return fail(ErrorCode::busy, printable(path.string()) + ": another session listens there; give another path");
  if (errno != ECONNREFUSED) return refused(path, "exists and cannot be replaced");
  if (::unlink(path.c_str()) != 0) return refused(path, "cannot be replaced");
  return {};
}

Expected<UniqueFd> listening_socket(const std::filesystem::path& path) {
  KV_ASSIGN(const auto address, address_of(path));
  KV_TRY(make_free(path, address));
  UniqueFd listener = new_socket();
  if (!listener) return refused(path, "cannot be opened");
  // Before the file is there, so that nobody connects in between; Linux takes the mode of the socket.
  if (::fchmod(listener.get(), socket_mode) != 0 || ::bind(listener.get(), plain(address), sizeof address) != 0)
    return refused(path, "cannot be made");
  if (::chmod(path.c_str(), socket_mode) != 0 || ::listen(listener.get(), SessionSocket::max_clients) != 0) {
    const auto why = refused(path, "cannot be listened to");
    ::unlink(path.c_str());
    return why;
  }
  return listener;
}

/// Whether the process at the other end is of this user, or root's.
bool is_own(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == ::geteuid() || peer.uid == 0);
}

std::string refusal_line(const std::string& why) {
  return dump_json(Json{{"id", nullptr}, {"error", why}, {"exit_code", 1}}) + "\n";
}

}  // namespace

struct SessionSocket::Client {
  UniqueFd fd;
  int number = 0;
  std::string in, out;
  std::size_t sent = 0;  // of `out`
  bool waits = false;    // for the answer to its question
  bool ended = false;    // it sends no more
  bool dropped = false;
  bool answered() const { return sent == out.size(); }
};

/// The work of the thread. A client is read again when its answer is sent, so that what it is owed is one answer.
class SessionSocket::Server {
 public:
  explicit Server(SessionSocket& socket) : socket_(socket), requests_(socket.requests_) {}

  void run() {
    while (!socket_.stop_) {
      const bool rests = std::exchange(rests_, false);
      std::vector<pollfd> files{{socket_.wake_.get(), POLLIN, 0},
                                {socket_.listener_.get(), static_cast<short>(rests ? 0 : POLLIN), 0}};
      files.reserve(2 + clients_.size());
      for (const Client& client : clients_) files.push_back({client.fd.get(), wanted(client), 0});
      constexpr int ask_interval_ms = 20, rest_ms = 100;
      const int wait_ms = requests_.asks() ? ask_interval_ms : rests ? rest_ms : -1;
      if (::poll(files.data(), files.size(), wait_ms) < 0 && errno != EINTR) return;
      const std::size_t known = clients_.size();
      for (std::size_t i = 0; i < known; ++i) serve(clients_[i], files[i + 2].revents);
      if (auto late = requests_.finished_question()) {
        const auto client = std::ranges::find(clients_, late->client, &Client::number);
        if (client != clients_.end()) {
          client->waits = false;
          reply(*client, late->line);
          read_lines(*client);
        }
      }
      if ((files[1].revents & POLLIN) != 0) accept();
      drop();
    }
  }

 private:
  static short wanted(const Client& client) {
    if (!client.answered()) return POLLOUT;
    return client.waits || client.ended ? short{0} : short{POLLIN};
  }

  void accept() {
    UniqueFd fd(::accept4(socket_.listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    rests_ = !fd && errno != EAGAIN && errno != EINTR;  // no more files: retry later, or this would run in a circle
    if (!fd || !is_own(fd.get())) return;
    if (clients_.size() >= max_clients) {
      const std::string line =
          refusal_line(std::to_string(max_clients) + " programs are connected; close one of them first");
      (void)!::send(fd.get(), line.data(), line.size(), MSG_NOSIGNAL);
      return;
    }
    Client client;
    client.fd = std::move(fd);
    client.number = ++last_;
    clients_.push_back(std::move(client));
    reply(clients_.back(), requests_.greeting());
    socket_.clients_ = static_cast<int>(clients_.size());
  }

  void serve(Client& client, short happened) {
    if ((happened & (POLLERR | POLLNVAL)) != 0 || ((happened & POLLHUP) != 0 && client.waits)) {
      client.dropped = true;
      return;
    }
    if ((happened & POLLOUT) != 0) send(client);
    if ((happened & (POLLIN | POLLHUP)) != 0 && client.answered() && !client.waits && !client.ended) read(client);
  }

  void read(Client& client) {
    std::array<char, 1 << 16> part{};
    const ssize_t got = ::recv(client.fd.get(), part.data(), part.size(), 0);
    if (got < 0) {
      client.dropped = errno != EAGAIN && errno != EINTR;
      return;
    }
    client.ended = got == 0;
    client.in.append(part.data(), static_cast<std::size_t>(got));
    read_lines(client);
  }

  /// Answers what the client has sent, up to an answer that it has to take first.
  void read_lines(Client& client) {
    std::size_t begin = 0;
    while (client.answered() && !client.waits && !client.dropped) {
      const std::size_t end = client.in.find('\n', begin);
      if (end == std::string::npos) break;
      const std::string_view line = std::string_view(client.in).substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      if (auto answer = requests_.answer(line, client.number))
        reply(client, *answer);
      else
        client.waits = true;
    }
    client.in.erase(0, begin);
    if (client.in.size() <= max_line_bytes || client.in.find('\n') < max_line_bytes) return;
    client.in.clear();
    client.out += refusal_line("a line has more than 1 MiB; this connection is closed");
    send(client);
    client.dropped = true;
  }

  void reply(Client& client, const std::string& line) {
    client.out.append(line).push_back('\n');
    send(client);
  }

  void send(Client& client) {
    while (!client.answered()) {
      const ssize_t sent =
          ::send(client.fd.get(), client.out.data() + client.sent, client.out.size() - client.sent, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) {
        client.dropped = errno != EAGAIN;
        return;
      }
      client.sent += static_cast<std::size_t>(sent);
    }
    client.out.clear();
    client.out.shrink_to_fit();
    client.sent = 0;
    if (!client.in.empty()) reads_later_ = true;
  }

  void drop() {
    if (std::exchange(reads_later_, false))
      for (Client& client : clients_)
        if (!client.waits) read_lines(client);
    std::erase_if(clients_, [&](const Client& client) {
      const bool gone = client.dropped || (client.ended && client.answered() && !client.waits);
      if (gone) requests_.forget(client.number);
      return gone;
    });
    socket_.clients_ = static_cast<int>(clients_.size());
  }

  SessionSocket& socket_;
  SessionRequests& requests_;
  std::vector<Client> clients_;
  int last_ = 0;
  bool rests_ = false;        // does not accept for a moment
  bool reads_later_ = false;  // lines that came before an answer was sent
};

SessionSocket::SessionSocket(std::filesystem::path path, UniqueFd listener, UniqueFd wake, ServedSession served)
    : path_(std::move(path)), listener_(std::move(listener)), wake_(std::move(wake)), requests_(std::move(served)) {}

Expected<std::unique_ptr<SessionSocket>> SessionSocket::listen(const std::filesystem::path& path, ServedSession served,
                                                               Executor& executor) {
  KV_ASSIGN(auto listener, listening_socket(path));
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) {
    ::unlink(path.c_str());
    return refused(path, "cannot be listened to");
  }
  std::unique_ptr<SessionSocket> socket(
      new SessionSocket(path, std::move(listener), std::move(wake), std::move(served)));
  socket->thread_ =
      executor.start("session socket", ThreadPriority::window, [own = socket.get()] { Server(*own).run(); });
  return socket;
}

SessionSocket::~SessionSocket() {
  stop_ = true;
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
  thread_.reset();
  ::unlink(path_.c_str());
}

}  // namespace kvantage::inline session_socket
