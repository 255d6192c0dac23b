// A server in memory that answers what RedisStore sends, in virtual time: a reply is there after the latency of the
// server and the time that its bytes take. It can be silent, gone, or emptied. tests/tiers/remote_virtual_test.cpp
// compares its answers with those of redis-server.
#pragma once

#include <charconv>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tiers/remote/redis_scripts.h"
#include "tiers/remote/transport.h"

namespace kvantage::test {

class MemoryRedis {
 public:
  using Words = std::vector<std::string>;
  double latency_seconds = 2e-4, bytes_per_second = 1e9;

  explicit MemoryRedis(Executor& executor) : executor_(executor) {}

  RedisTransport transport() {
    return {.executor = executor_,
            .open = [this](const RedisUrl& url, const WaitLimit&) -> Expected<std::unique_ptr<ByteStream>> {
              if (gone_) return fail(ErrorCode::io, url.shown() + ": connection refused");
              return std::make_unique<Stream>(*this, url.shown());
            }};
  }
  /// Refuses connections and breaks those there are.
  void set_gone(bool gone) {
    gone_ = gone;
    if (gone) ++life_;
  }
  /// Takes commands and answers none, until it speaks again.
  void set_silent(bool silent) { silent_ = silent; }
  /// What FLUSHALL does.
  void empty() {
    texts_.clear();
    hashes_.clear();
    leases_.clear();
  }
  std::size_t chunks() const {
    std::size_t found = 0;
    for (const auto& [key, text] : texts_) found += key.find(":c:") != std::string::npos ? 1 : 0;
    return found;
  }
  std::size_t fields(std::string_view suffix) const {
    std::size_t found = 0;
    for (const auto& [key, hash] : hashes_) found += key.ends_with(suffix) ? hash.size() : 0;
    return found;
  }
  /// Every command with its answer, as bytes of the protocol, since log() was asked for.
  std::vector<std::pair<Words, std::string>>& log() {
    logs_ = true;
    return log_;
  }

 private:
  class Stream final : public ByteStream {
   public:
    Stream(MemoryRedis& server, std::string where) : server_(server), where_(std::move(where)), life_(server.life_) {}

    Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit) override {
      std::unique_lock lock(mutex_);
      for (;;) {
        if (life_ != server_.life_) return broken("the server closed the connection");
        if (limit.given_up()) return fail(ErrorCode::cancelled, where_ + ": cancelled");
        if (limit.over()) return broken("no whole answer within " + std::to_string(limit.seconds()) + " s");
        const double now = limit.clock().seconds();
        if (!server_.silent_ && !replies_.empty() && replies_.front().due <= now) break;
        const double next = server_.silent_ || replies_.empty() ? patience : replies_.front().due - now;
        (void)limit.clock().wait(lock, never_, std::min(patience, std::max(next, 1e-6)), [] { return false; });
      }
      std::size_t taken = 0;
      for (const iovec& part : parts) {
        std::string& text = replies_.front().text;
        const std::size_t step = std::min(part.iov_len, text.size() - at_);
        std::memcpy(part.iov_base, text.data() + at_, step);
        at_ += step;
        taken += step;
      }
      if (at_ == replies_.front().text.size()) {
        replies_.pop_front();
        at_ = 0;
      }
      return taken;
    }
    Status write_all(std::span<iovec> parts, const WaitLimit& limit) override {
      if (life_ != server_.life_) return broken("the server closed the connection");
      std::string text;
      for (const iovec& part : parts) text.append(static_cast<const char*>(part.iov_base), part.iov_len);
      const Words words = parse(text);
      std::string answer = server_.answer(words);
      const std::int64_t bytes = static_cast<std::int64_t>(text.size() + answer.size());
      const double begin = std::max(limit.clock().seconds(), replies_.empty() ? 0 : replies_.back().due);
      const double due = begin + server_.latency_seconds + static_cast<double>(bytes) / server_.bytes_per_second;
      replies_.push_back({due, std::move(answer)});
      return {};
    }
    bool quiet() const override { return life_ == server_.life_ && replies_.empty(); }

   private:
    static constexpr double patience = 0.01;  // how often GiveUp is asked
    struct Reply {
      double due;
      std::string text;
    };
    tl::unexpected<Error> broken(const std::string& reason) const {
      return fail(ErrorCode::io, where_ + ": " + reason);
    }
    static Words parse(std::string_view text) {
      const auto number = [&text] {
        std::size_t value = 0;
        std::from_chars(text.data() + 1, text.data() + text.size(), value);
        text.remove_prefix(text.find('\n') + 1);
        return value;
      };
      Words words(number());
      for (std::string& word : words) {
        const std::size_t length = number();
        word = text.substr(0, length);
        text.remove_prefix(length + 2);
      }
      return words;
    }

    MemoryRedis& server_;
    const std::string where_;
    const int life_;
    std::deque<Reply> replies_;
    std::size_t at_ = 0;  // of the first reply, read already
    std::mutex mutex_;
    std::condition_variable never_;
  };

  using Hash = std::map<std::string, std::string>;
  static std::string bulk(std::string_view text) {
    return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
  }
  static std::string bulk(const std::string* text) { return text != nullptr ? bulk(*text) : "$-1\r\n"; }
  static std::string number(std::int64_t value) { return ":" + std::to_string(value) + "\r\n"; }
  static std::string list(const Words& items) {
    std::string text = "*" + std::to_string(items.size()) + "\r\n";
    for (const std::string& item : items) text += bulk(std::string_view(item));
    return text;
  }
  template <class Map>
  static const std::string* find(const Map& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }
  const std::string* field(const std::string& hash, const std::string& name) const {
    const auto found = hashes_.find(hash);
    return found == hashes_.end() ? nullptr : find(found->second, name);
  }
  bool set_field(const std::string& hash, const std::string& name, const std::string& text) {
    return hashes_[hash].insert_or_assign(name, text).second;
  }
  std::int64_t drop_field(const std::string& hash, const std::string& name) {
    const auto found = hashes_.find(hash);
    if (found == hashes_.end()) return 0;
    const auto dropped = static_cast<std::int64_t>(found->second.erase(name));
    if (found->second.empty()) hashes_.erase(found);
    return dropped;
  }
  std::int64_t raise(const std::string& key) {
    std::int64_t value = 0;
    if (const std::string* text = find(texts_, key)) std::from_chars(text->data(), text->data() + text->size(), value);
    texts_[key] = std::to_string(++value);
    return value;
  }

  std::string answer(const Words& words) {
    std::string text = run(words);
    if (logs_) log_.emplace_back(words, text);
    return text;
  }
  std::string run(const Words& words) {
    const std::string& name = words[0];
    if (name == "PING") return "+PONG\r\n";
    if (name == "SELECT") return "+OK\r\n";
    if (name == "GET") return bulk(find(texts_, words[1]));
    if (name == "GETRANGE") return range(words);
    if (name == "SET") {
      if (words.size() > 3 && texts_.contains(words[1])) return "$-1\r\n";  // NX
      texts_[words[1]] = words[2];
      return "+OK\r\n";
    }
    if (name == "INCR") return number(raise(words[1]));
    if (name == "HGET") return bulk(field(words[1], words[2]));
    if (name == "HSET") return number(set_field(words[1], words[2], words[3]) ? 1 : 0);
    if (name == "HDEL") return number(drop_field(words[1], words[2]));
    if (name == "HGETALL" || name == "HMGET") return many(words);
    if (name == "UNLINK") {
      std::int64_t dropped = 0;
      for (std::size_t i = 1; i < words.size(); ++i) dropped += static_cast<std::int64_t>(texts_.erase(words[i]));
      return number(dropped);
    }
    if (name == "ZREM") return number(static_cast<std::int64_t>(leases_.erase(words[2])));
    if (name == "SCAN") {
      Words keys;
      const std::string base = words[3].substr(0, words[3].size() - 1);
      for (const auto& [key, text] : texts_)
        if (key.find(":c:") != std::string::npos) keys.push_back(key);
      return "*2\r\n" + bulk("0") + list(keys);
    }
    if (name == "EVAL") return script(words);
    return "-ERR unknown command '" + name + "'\r\n";
  }
  std::string range(const Words& words) const {
    const std::string* text = find(texts_, words[1]);
    const std::size_t begin = std::stoull(words[2]), end = std::stoull(words[3]) + 1;
    if (text == nullptr || begin >= text->size()) return bulk("");
    return bulk(std::string_view(*text).substr(begin, end - begin));
  }
  std::string many(const Words& words) const {
    if (words[0] == "HGETALL") {
      Words items;
      if (const auto hash = hashes_.find(words[1]); hash != hashes_.end())
        for (const auto& [key, text] : hash->second) items.insert(items.end(), {key, text});
      return list(items);
    }
    std::string text = "*" + std::to_string(words.size() - 2) + "\r\n";
    for (std::size_t i = 2; i < words.size(); ++i) text += bulk(field(words[1], words[i]));
    return text;
  }

  /// A script by its text; arguments as tiers/remote/redis_scripts.h names them.
  std::string script(const Words& words) {
    const std::size_t count = std::stoull(words[2]);
    const Words keys(words.begin() + 3, words.begin() + 3 + static_cast<std::ptrdiff_t>(count));
    const Words arguments(words.begin() + 3 + static_cast<std::ptrdiff_t>(count), words.end());
    if (words[1] == redis_scripts::commit) return commit(keys, arguments);
    if (words[1] == redis_scripts::hold) return hold(keys, arguments);
    if (words[1] == redis_scripts::erase) return erase(keys, arguments);
    if (words[1] == redis_scripts::lease) {
      const bool added = leases_.insert_or_assign(arguments[0], now_ms() + std::stod(arguments[1])).second;
      return number(added ? 1 : 0);
    }
    if (words[1] == redis_scripts::claim) return claim(keys, arguments);
    if (words[1] == redis_scripts::lost) {
      const std::string* now = field(keys[0], arguments[0]);
      const bool named = now != nullptr && now->substr(0, now->find(' ')) == arguments[1];
      return number(field(keys[1], arguments[2]) == nullptr && !named ? 1 : 0);
    }
    return "-ERR unknown script\r\n";
  }
  std::string commit(const Words& keys, const Words& arguments) {
    const std::string version = arguments[0] + ":" + arguments[1];
    const std::string* mine = field(keys[0], version);
    if (mine == nullptr || *mine != arguments[5]) return "-KVSWEPT\r\n";
    const std::string* there = field(keys[1], arguments[0]);
    const std::string old = there != nullptr ? *there : std::string();
    if (there != nullptr) {
      const std::string sequence = old.substr(0, old.find(' '));
      if (std::stoull(sequence) >= std::stoull(arguments[1])) return "-KVNEWER\r\n";
      set_field(keys[0], arguments[0] + ":" + sequence, arguments[4] + old.substr(old.rfind(' ')));
      drop_field(keys[3], arguments[0] + ":" + sequence);
    }
    set_field(keys[1], arguments[0], arguments[2]);
    set_field(keys[2], arguments[0], arguments[3]);
    set_field(keys[3], version, arguments[4]);
    drop_field(keys[0], version);
    changed(keys[4], arguments[6]);
    return there != nullptr ? bulk(std::string_view(old)) : "$-1\r\n";
  }
  std::string hold(const Words& keys, const Words& arguments) {
    const std::string* now = field(keys[0], arguments[0]);
    if (now == nullptr || *now != arguments[2]) return number(0);
    const std::string version = arguments[0] + ":" + arguments[1];
    const std::string* holders = field(keys[1], version);
    const std::string all = holders != nullptr ? *holders : std::string();
    for (const std::string& one : names_in(all))
      if (one == arguments[3]) return number(1);
    set_field(keys[1], version, all + " " + arguments[3]);
    return number(1);
  }
  std::string erase(const Words& keys, const Words& arguments) {
    const std::string version = arguments[0] + ":" + arguments[1];
    const std::string* there = field(keys[1], arguments[0]);
    if (there == nullptr || there->substr(0, there->find(' ')) != arguments[1])
      return number(field(keys[0], version) != nullptr ? 1 : 0);
    const std::string chunks = there->substr(there->rfind(' '));
    if (arguments[3] != "1") {
      std::string others;
      const std::string* holders = field(keys[3], version);
      for (const std::string& one : names_in(holders != nullptr ? *holders : std::string()))
        if (one != arguments[2] && lives(one)) others += " " + one;
      if (!others.empty()) {
        set_field(keys[3], version, others);
        return number(0);
      }
    }
    drop_field(keys[1], arguments[0]);
    drop_field(keys[2], arguments[0]);
    set_field(keys[0], version, arguments[2] + chunks);
    drop_field(keys[3], version);
    changed(keys[4], arguments[4]);
    return number(1);
  }
  std::string claim(const Words& keys, const Words& arguments) {
    const std::string* now = field(keys[0], arguments[0]);
    if (now == nullptr || *now != arguments[1]) return number(0);
    const std::size_t space = arguments[1].find(' ');
    if (space != std::string::npos && lives(arguments[1].substr(0, space))) return number(0);
    set_field(keys[0], arguments[0], arguments[2] + (space != std::string::npos ? arguments[1].substr(space) : " 1"));
    return number(1);
  }
  void changed(const std::string& counter, const std::string& start) {
    if (!texts_.contains(counter)) texts_[counter] = start;
    raise(counter);
  }
  double now_ms() const { return static_cast<double>(executor_.clock().utc_ns() / 1'000'000); }
  bool lives(const std::string& workbench) const {
    const auto lease = leases_.find(workbench);
    return lease != leases_.end() && lease->second > now_ms();
  }
  static std::set<std::string> names_in(const std::string& text) {
    std::set<std::string> names;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      if (end > begin) names.insert(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return names;
  }

  Executor& executor_;
  bool gone_ = false, silent_ = false, logs_ = false;
  int life_ = 0;
  std::map<std::string, std::string> texts_;
  std::map<std::string, Hash> hashes_;
  std::map<std::string, double> leases_;
  std::vector<std::pair<Words, std::string>> log_;
};

}  // namespace kvantage::test
