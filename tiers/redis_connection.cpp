#include "tiers/redis_connection.h"

#include <hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

namespace kvantage {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr int patience_milliseconds = 10;  // how often GiveUp is asked

RedisReply taken_over(const redisReply& reply) {
  RedisReply taken;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      taken.kind = RedisReply::Kind::text;
      taken.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_ERROR:
      taken.kind = RedisReply::Kind::error;
      taken.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      taken.kind = RedisReply::Kind::integer;
      taken.integer = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      taken.kind = RedisReply::Kind::list;
      for (std::size_t i = 0; i < reply.elements; ++i) taken.items.push_back(taken_over(*reply.element[i]));
      break;
    default:
      break;
  }
  return taken;
}

}  // namespace

RedisConnection::~RedisConnection() { close(); }

void RedisConnection::close() {
  if (context_ != nullptr) redisFree(context_);
  context_ = nullptr;
}

tl::unexpected<Error> RedisConnection::broken(const std::string& reason) {
  close();
  return fail(ErrorCode::io, where_ + ": " + reason);
}

Status RedisConnection::wait(Wait what, double seconds, const GiveUp& give_up) {
  const auto deadline =
      SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
  pollfd item{context_->fd, static_cast<short>(what == Wait::readable ? POLLIN : POLLOUT), 0};
  while (true) {
    const int ready = ::poll(&item, 1, patience_milliseconds);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return broken(std::strerror(errno));
    if (give_up && give_up()) {
      close();  // answers are still on their way
      return fail(ErrorCode::cancelled, where_ + ": cancelled");
    }
    if (SteadyClock::now() >= deadline) return broken("no answer");
  }
}

Expected<std::unique_ptr<RedisConnection>> RedisConnection::connect(const RedisUrl& url, const RedisTimeouts& timeouts,
                                                                    const GiveUp& give_up) {
  redisContext* const context = redisConnectNonBlock(url.host.c_str(), url.port);
  if (context == nullptr) return fail(ErrorCode::io, url.shown() + ": out of memory");
  std::unique_ptr<RedisConnection> connection(new RedisConnection(context, url, timeouts));
  if (context->err != 0) return connection->broken(context->errstr);
  KV_TRY(connection->wait(Wait::writable, timeouts.connect_seconds, give_up));
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(context->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  if (error != 0) return connection->broken(std::strerror(error));
  const int yes = 1;
  (void)::setsockopt(context->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  (void)redisEnableKeepAlive(context);
  context->flags |= REDIS_CONNECTED;
  KV_TRY(connection->sign_in(url, give_up));
  return connection;
}

Status RedisConnection::sign_in(const RedisUrl& url, const GiveUp& give_up) {
  const auto refused = [&](const std::string& reason, const std::string& mend) {
    close();
    return fail(ErrorCode::rejected_input, where_ + ": " + reason + "; " + mend);
  };
  const auto try_again = [&](const RedisReply& reply) {
    return reply.text.starts_with("LOADING") || reply.text.starts_with("BUSY");
  };
  if (!url.password.empty()) {
    std::vector<std::string_view> words{"AUTH"};
    if (!url.user.empty()) words.push_back(url.user);
    words.push_back(url.password);
    const auto reply = command(words, give_up);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->is_error()) {
      if (try_again(*reply)) return broken("the server is still loading its data");
      if (reply->text.find("without any password") != std::string::npos ||
          reply->text.find("no password is set") != std::string::npos)
        return refused("a password is given but the server has none", "leave it out");
      return refused("the server refuses the password",
                     std::string("correct it in url= or in ") + redis_password_variable);
    }
  }
  const std::string database = std::to_string(url.database);
  const auto reply = url.database != 0 ? command({"SELECT", database}, give_up) : command({"PING"}, give_up);
  if (!reply) return tl::unexpected(reply.error());
  if (!reply->is_error()) return {};
  if (try_again(*reply)) return broken("the server is still loading its data");
  if (reply->text.starts_with("NOAUTH") || reply->text.find("operation not permitted") != std::string::npos)
    return refused("the server wants a password",
                   std::string("write url=redis://user:password@host:port or set ") + redis_password_variable);
  if (reply->text.starts_with("DENIED"))
    return refused("the server is in protected mode and answers only its own machine", "set a password there");
  if (reply->text.starts_with("NOPERM"))
    return refused("this user may not do that (" + reply->text + ")", "use another");
  if (url.database != 0)
    return refused("database " + database + " is not there (" + reply->text + ")",
                   "choose one that is, mostly 0 to 15; a cluster has only 0");
  return broken(reply->text);
}

bool RedisConnection::alive() const {
  if (context_ == nullptr || begin_ != end_) return false;
  char byte = 0;
  const ssize_t got = ::recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

Status RedisConnection::send(std::initializer_list<std::string_view> words, std::span<const std::byte> payload,
                             const GiveUp& give_up) {
  return send(std::span(words.begin(), words.size()), payload, give_up);
}

Status RedisConnection::send(std::span<const std::string_view> words, std::span<const std::byte> payload,
                             const GiveUp& give_up) {
  if (context_ == nullptr) return fail(ErrorCode::io, where_ + ": not connected");
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  char* formatted = nullptr;
  int length = 0;
  std::string head;
  if (payload.data() == nullptr) {
    length = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), texts.data(), lengths.data());
    if (length < 0) return broken("out of memory");
    head.assign(formatted, static_cast<std::size_t>(length));
    redisFreeCommand(formatted);
  } else {
    // hiredis would copy the payload: only the words before it are put together, by the same rule.
    head = "*" + std::to_string(words.size() + 1) + "\r\n";
    for (const std::string_view word : words)
      head.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
    head.append("$").append(std::to_string(payload.size())).append("\r\n");
  }
  std::array<iovec, 3> parts{};
  std::size_t count = 0;
  parts[count++] = {head.data(), head.size()};
  char ending[] = {'\r', '\n'};
  if (payload.data() != nullptr) {
    parts[count++] = {const_cast<std::byte*>(payload.data()), payload.size()};
    parts[count++] = {ending, sizeof ending};
  }
  for (std::size_t first = 0; first < count;) {
    msghdr message{};
    message.msg_iov = parts.data() + first;
    message.msg_iovlen = count - first;
    const ssize_t sent = ::sendmsg(context_->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return broken(std::strerror(errno));
      KV_TRY(wait(Wait::writable, timeouts_.command_seconds, give_up));
      continue;
    }
    for (auto left = static_cast<std::size_t>(sent); left > 0 || (first < count && parts[first].iov_len == 0);) {
      const std::size_t step = std::min(left, parts[first].iov_len);
      parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + step;
      parts[first].iov_len -= step;
      left -= step;
      if (parts[first].iov_len == 0) ++first;
      if (first == count) break;
    }
  }
  return {};
}

Expected<std::size_t> RedisConnection::read_some(std::span<const iovec> parts, const GiveUp& give_up) {
  while (true) {
    const ssize_t got = ::readv(context_->fd, parts.data(), static_cast<int>(parts.size()));
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return broken("the server closed the connection");
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return broken(std::strerror(errno));
    KV_TRY(wait(Wait::readable, timeouts_.command_seconds, give_up));
  }
}

Status RedisConnection::fill(std::span<std::byte> target, const GiveUp& give_up) {
  const std::size_t ready = std::min(target.size(), end_ - begin_);
  if (ready > 0) std::memcpy(target.data(), received_.data() + begin_, ready);
  begin_ += ready;
  target = target.subspan(ready);
  // What follows the target is taken along: mostly the end of this reply and the head of the next.
  while (!target.empty()) {
    if (context_ == nullptr) return fail(ErrorCode::io, where_ + ": not connected");
    std::array<iovec, 2> parts{{{target.data(), target.size()}, {received_.data(), received_.size()}}};
    const auto got = read_some(parts, give_up);
    if (!got) return tl::unexpected(got.error());
    const std::size_t into = std::min(target.size(), *got);
    begin_ = 0;
    end_ = *got - into;
    target = target.subspan(into);
    if (give_up && give_up()) {
      close();
      return fail(ErrorCode::cancelled, where_ + ": cancelled");
    }
  }
  return {};
}

Expected<std::string_view> RedisConnection::receive_line(const GiveUp& give_up) {
  while (true) {
    const std::string_view seen(received_.data() + begin_, end_ - begin_);
    if (const std::size_t ending = seen.find("\r\n"); ending != std::string_view::npos) {
      begin_ += ending + 2;
      return seen.substr(0, ending);
    }
    if (context_ == nullptr) return fail(ErrorCode::io, where_ + ": not connected");
    if (begin_ > 0) {
      std::memmove(received_.data(), received_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == received_.size()) return broken("an answer that is none");
    const ssize_t got = ::read(context_->fd, received_.data() + end_, received_.size() - end_);
    if (got == 0) return broken("the server closed the connection");
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      KV_TRY(wait(Wait::readable, timeouts_.command_seconds, give_up));
    } else if (errno != EINTR) {
      return broken(std::strerror(errno));
    }
  }
}

Expected<BulkReply> RedisConnection::receive_into(std::span<std::byte> target, const GiveUp& give_up) {
  const auto line = receive_line(give_up);
  if (!line) return tl::unexpected(line.error());
  if (line->starts_with('-')) return BulkReply{BulkOutcome::refused, std::string(line->substr(1))};
  std::int64_t length = 0;
  const char* const last = line->data() + line->size();
  if (!line->starts_with('$') || std::from_chars(line->data() + 1, last, length).ptr != last)
    return broken("an answer that is no value");
  if (length < 0) return BulkReply{BulkOutcome::absent, {}};
  std::byte ending[2];
  if (static_cast<std::uint64_t>(length) != target.size()) {
    if (length == 0) {  // GETRANGE of a key that is not there
      KV_TRY(fill(ending, give_up));
      return BulkReply{BulkOutcome::absent, {}};
    }
    close();
    return BulkReply{BulkOutcome::other_length, {}};
  }
  KV_TRY(fill(target, give_up));
  KV_TRY(fill(ending, give_up));
  if (ending[0] != std::byte{'\r'} || ending[1] != std::byte{'\n'}) return broken("an answer that does not end");
  return BulkReply{};
}

Expected<RedisReply> RedisConnection::receive(const GiveUp& give_up) {
  while (true) {
    if (context_ == nullptr) return fail(ErrorCode::io, where_ + ": not connected");
    void* reply = nullptr;
    if (redisReaderGetReply(context_->reader, &reply) != REDIS_OK) return broken(context_->reader->errstr);
    if (reply != nullptr) {
      RedisReply taken = taken_over(*static_cast<redisReply*>(reply));
      freeReplyObject(reply);
      return taken;
    }
    if (begin_ == end_) {
      const std::array<iovec, 1> part{{{received_.data(), received_.size()}}};
      const auto got = read_some(part, give_up);
      if (!got) return tl::unexpected(got.error());
      begin_ = 0;
      end_ = *got;
    }
    if (redisReaderFeed(context_->reader, received_.data() + begin_, end_ - begin_) != REDIS_OK)
      return broken(context_->reader->errstr);
    begin_ = end_;
  }
}

Expected<RedisReply> RedisConnection::command(std::initializer_list<std::string_view> words, const GiveUp& give_up) {
  return command(std::span(words.begin(), words.size()), give_up);
}

Expected<RedisReply> RedisConnection::command(std::span<const std::string_view> words, const GiveUp& give_up) {
  KV_TRY(send(words, {}, give_up));
  return receive(give_up);
}

}  // namespace kvantage
