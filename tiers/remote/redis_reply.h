// Replies of a Redis server. libvalkey parses them; what they may take is limited here, because the server is
// another's: its size, its elements, its depth and the length of a line are all counted while it arrives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

struct valkeyReader;

namespace kvantage {

struct RedisReply {
  enum class Kind : std::uint8_t { nil, text, integer, list, error };
  Kind kind = Kind::nil;
  std::string text;  // also of errors
  std::int64_t integer = 0;
  std::vector<RedisReply> items;

  bool is_error() const { return kind == Kind::error; }
  bool is_text() const { return kind == Kind::text; }
};

/// What a server says when it refuses, fit for a message of one line: cut at 200 bytes, without control characters.
std::string refusal_text(std::string_view text);

/// What one reply may take. A store of 500,000 entries and headers of 64 labels of 1 MiB are within.
struct ReplyLimits {
  std::uint64_t bytes = std::uint64_t{128} << 20;      // as sent
  std::uint64_t elements = std::uint64_t{1} << 20;     // of all lists together
  std::uint64_t line_bytes = std::uint64_t{64} << 10;  // of an error, a status or the length of a value
  int depth = 8;                                       // of lists in lists
};

class ReplyParser {
 public:
  explicit ReplyParser(const ReplyLimits& limits = {});
  ~ReplyParser();
  ReplyParser(const ReplyParser&) = delete;
  ReplyParser& operator=(const ReplyParser&) = delete;

  /// Takes bytes as they arrived; they may end anywhere.
  Status feed(std::string_view bytes);
  /// The next whole reply, nothing while it is not all there. rejected_input: it is none, or takes more than it may;
  /// the parser is of no use then.
  Expected<std::optional<RedisReply>> next();

  /// What the reply that is parsed now takes, and why it is refused.
  struct Ledger {
    ReplyLimits limits;
    std::uint64_t bytes = 0;
    std::uint64_t elements = 0;
    std::string refusal;
  };

 private:
  Status check_unfinished();
  tl::unexpected<Error> refused(const std::string& otherwise) const;

  Ledger ledger_;
  std::unique_ptr<valkeyReader, void (*)(valkeyReader*)> reader_;
};

}  // namespace kvantage
