// A server on a loopback port that answers commands as a test says: a store's answers, and in the place of some of them
// whatever a hostile or confused server may send.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/scripted_listener.h"

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

class CommandPeer : public ScriptedPeer {
 public:
  using Message = Words;
  using ScriptedPeer::ScriptedPeer;

  std::optional<Words> read() {
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
  std::optional<std::size_t> number_after(char sign) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n")) == std::string::npos)
      if (!receive()) return std::nullopt;
    std::size_t number = 0;
    const bool right =
        received_[0] == sign && std::from_chars(received_.data() + 1, received_.data() + end, number).ec == std::errc{};
    received_.erase(0, end + 2);
    return right ? std::optional(number) : std::nullopt;
  }
};

class ScriptedServer : public ScriptedListener<CommandPeer> {
 public:
  explicit ScriptedServer(Script script = {}) : ScriptedListener(std::move(script), answer_of_empty_store) {}

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port()); }
  std::vector<Words> commands() const { return messages(); }
};

}  // namespace kvantage::test
