#include "tiers/remote/redis_connection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "tiers/remote/redis_credentials.h"
#include "tiers/remote/redis_socket.h"

namespace kvantage::inline remote {

RedisConnection::~RedisConnection() = default;

void RedisConnection::close() { stream_.reset(); }

Error RedisConnection::not_connected() const { return {ErrorCode::io, where_ + ": not connected"}; }

tl::unexpected<Error> RedisConnection::broken(const std::string& reason) {
  close();
  return fail(ErrorCode::io, where_ + ": " + reason);
}

Expected<std::unique_ptr<RedisConnection>> RedisConnection::connect(const RedisUrl& url, const RedisTimeouts& timeouts,
                                                                    const RedisTransport& transport,
                                                                    const GiveUp& give_up) {
  const WaitLimit limit(transport.clock(), timeouts.connect_seconds, give_up);
  KV_ASSIGN(auto stream, transport.open ? transport.open(url, limit) : RedisSocket::connect(url, limit));
  std::unique_ptr<RedisConnection> connection(new RedisConnection(std::move(stream), transport.clock(), url, timeouts));
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
    KV_ASSIGN(const auto reply, command(words, give_up));
    if (reply.is_error()) {
      if (try_again(reply)) return broken("the server is still loading its data");
      if (reply.text.find("without any password") != std::string::npos ||
          reply.text.find("no password is set") != std::string::npos)
        return refused("a password is given but the server has none", "leave it out");
      return refused("the server refuses the password", "correct it in url=, in " + credentials_help(url));
    }
  }
  const std::string database = std::to_string(url.database);
  KV_ASSIGN(const auto reply, url.database != 0 ? command({"SELECT", database}, give_up) : command({"PING"}, give_up));
  if (!reply.is_error()) return {};
  if (try_again(reply)) return broken("the server is still loading its data");
  if (reply.text.starts_with("NOAUTH") || reply.text.find("operation not permitted") != std::string::npos)
    return refused("the server wants a password",
                   "write url=redis://user:password@host:port, or put it in " + credentials_help(url));
  if (reply.text.starts_with("DENIED"))
    return refused("the server is in protected mode and answers only its own machine", "set a password there");
  if (reply.text.starts_with("NOPERM"))
    return refused("this user lacks permission (" + reply.text + ")", "use another");
  if (url.database != 0)
    return refused("database " + database + " is not there (" + reply.text + ")",
                   "choose one that is, mostly 0 to 15; a cluster has only 0");
  return broken(reply.text);
}

bool RedisConnection::alive() const {
  return stream_ != nullptr && begin_ == end_ && parser_.empty() && stream_->quiet();
}

Status RedisConnection::send(std::initializer_list<std::string_view> words, std::span<const std::byte> payload,
                             const GiveUp& give_up) {
  return send(std::span(words.begin(), words.size()), payload, give_up);
}

Status RedisConnection::send(std::span<const std::string_view> words, std::span<const std::byte> payload,
                             const GiveUp& give_up) {
  return send_within(words, payload, limit(give_up));
}

Status RedisConnection::send_within(std::span<const std::string_view> words, std::span<const std::byte> payload,
                                    const WaitLimit& limit) {
  if (stream_ == nullptr) return tl::unexpected(not_connected());
  // As the protocol writes a command; libvalkey's own would copy the payload.
  const bool has_payload = payload.data() != nullptr;
  std::string head = "*" + std::to_string(words.size() + (has_payload ? 1 : 0)) + "\r\n";
  for (const std::string_view word : words)
    head.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
  if (has_payload) head.append("$").append(std::to_string(payload.size())).append("\r\n");
  char ending[] = {'\r', '\n'};
  std::array<iovec, 3> parts{{{head.data(), head.size()},
                              {const_cast<std::byte*>(payload.data()), payload.size()},
                              {ending, has_payload ? sizeof ending : 0}}};
  Status sent = stream_->write_all(parts, limit);
  if (!sent) close();
  return sent;
}

Expected<std::size_t> RedisConnection::read_some(std::span<const iovec> parts, const WaitLimit& limit) {
  if (stream_ == nullptr) return tl::unexpected(not_connected());
  auto got = stream_->read_some(parts, limit);
  if (!got) close();  // answers are still on their way
  return got;
}

Status RedisConnection::fill(std::span<std::byte> target, const WaitLimit& limit) {
  const std::size_t ready = std::min(target.size(), end_ - begin_);
  if (ready > 0) std::memcpy(target.data(), received_.data() + begin_, ready);
  begin_ += ready;
  target = target.subspan(ready);
  // Also reads the bytes after the target: mostly the end of this reply and the start of the next.
  while (!target.empty()) {
    const std::array<iovec, 2> parts{{{target.data(), target.size()}, {received_.data(), received_.size()}}};
    KV_ASSIGN(const auto got, read_some(parts, limit));
    const std::size_t into = std::min(target.size(), got);
    begin_ = 0;
    end_ = got - into;
    target = target.subspan(into);
  }
  return {};
}

Expected<std::string_view> RedisConnection::receive_line(const WaitLimit& limit) {
  while (true) {
    const std::string_view seen(received_.data() + begin_, end_ - begin_);
    if (const std::size_t ending = seen.find("\r\n"); ending != std::string_view::npos) {
      begin_ += ending + 2;
      return seen.substr(0, ending);
    }
    if (begin_ > 0) {
      std::memmove(received_.data(), received_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == received_.size()) return broken("an answer that is not a reply");
    const std::array<iovec, 1> part{{{received_.data() + end_, received_.size() - end_}}};
    KV_ASSIGN(const auto got, read_some(part, limit));
    end_ += got;
  }
}

Expected<BulkReply> RedisConnection::receive_into(std::span<std::byte> target, const GiveUp& give_up) {
  const WaitLimit within = limit(give_up);
  KV_ASSIGN(const auto line, receive_line(within));
  if (line.starts_with('-')) return BulkReply{BulkOutcome::refused, refusal_text(line.substr(1))};
  std::int64_t length = 0;
  const char* const last = line.data() + line.size();
  if (!line.starts_with('$') || std::from_chars(line.data() + 1, last, length).ptr != last)
    return broken("an answer that is not a value");
  if (length < 0) return BulkReply{BulkOutcome::absent, {}};
  std::byte ending[2];
  if (static_cast<std::uint64_t>(length) != target.size()) {
    if (length == 0) {  // GETRANGE of a missing key
      KV_TRY(fill(ending, within));
      return BulkReply{BulkOutcome::absent, {}};
    }
    close();
    return BulkReply{BulkOutcome::other_length, {}};
  }
  KV_TRY(fill(target, within));
  KV_TRY(fill(ending, within));
  if (ending[0] != std::byte{'\r'} || ending[1] != std::byte{'\n'}) return broken("an answer that does not end");
  return BulkReply{};
}

Expected<RedisReply> RedisConnection::receive(const GiveUp& give_up) { return receive_within(limit(give_up)); }

Expected<RedisReply> RedisConnection::receive_within(const WaitLimit& limit) {
  const auto refused = [this](const Error& error) {
    close();
    return fail(error.code, where_ + ": " + error.message);
  };
  while (true) {
    if (stream_ == nullptr) return tl::unexpected(not_connected());
    auto reply = parser_.next();
    if (!reply) return refused(reply.error());
    if (*reply) return std::move(**reply);
    if (begin_ == end_) {
      const std::array<iovec, 1> part{{{received_.data(), received_.size()}}};
      KV_ASSIGN(const auto got, read_some(part, limit));
      begin_ = 0;
      end_ = got;
    }
    if (const Status fed = parser_.feed({received_.data() + begin_, end_ - begin_}); !fed) return refused(fed.error());
    begin_ = end_;
  }
}

Expected<RedisReply> RedisConnection::command(std::initializer_list<std::string_view> words, const GiveUp& give_up) {
  return command(std::span(words.begin(), words.size()), give_up);
}

Expected<RedisReply> RedisConnection::command(std::span<const std::string_view> words, const GiveUp& give_up) {
  const WaitLimit within = limit(give_up);
  KV_TRY(send_within(words, {}, within));
  return receive_within(within);
}

}  // namespace kvantage::inline remote
