// Replies of a Redis server. libvalkey parses them; their resources are limited here, because the server is untrusted:
// size, elements, depth and line length are all counted on arrival.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

struct valkeyReader;

namespace kvantage::inline remote {

struct RedisReply {
  enum class Kind : std::uint8_t { nil, text, integer, list, error };
  Kind kind = Kind::nil;
  std::string text;  // also for errors
  std::int64_t integer = 0;
  std::vector<RedisReply> items;

  bool is_error() const { return kind == Kind::error; }
  bool is_text() const { return kind == Kind::text; }
};

/// A server's error text for a one-line message: cut at 200 bytes, without control characters.
std::string refusal_text(std::string_view text);

/// Limits per reply. They allow a store of 500,000 entries and headers of 64 labels of 1 MiB.
struct ReplyLimits {
  std::uint64_t bytes = std::uint64_t{128} << 20;      // as sent
  std::uint64_t elements = std::uint64_t{1} << 20;     // over all lists
  std::uint64_t line_bytes = std::uint64_t{64} << 10;  // of an error, a status or a length prefix
  int depth = 8;                                       // of nested lists
};

class ReplyParser {
 public:
  explicit ReplyParser(const ReplyLimits& limits = {});
  ~ReplyParser();
  ReplyParser(const ReplyParser&) = delete;
  ReplyParser& operator=(const ReplyParser&) = delete;

  /// Takes received bytes, split at any position.
  Status feed(std::string_view bytes);
  /// The next complete reply, nothing while it is incomplete. rejected_input: malformed or over a limit; the parser is
  /// then unusable.
  Expected<std::optional<RedisReply>> next();
  /// Whether nothing is left of what was fed but complete replies that were taken.
  bool empty() const { return ledger_.bytes == 0; }

  /// Resources of the current reply, and why it is rejected.
  struct Ledger {
    ReplyLimits limits;
    std::uint64_t bytes = 0;
    std::uint64_t elements = 0;
    std::string refusal;
  };

 private:
  Status check_unfinished();
  tl::unexpected<Error> refused(const std::string& otherwise) const;
  std::string reader_error() const;

  Ledger ledger_;
  std::unique_ptr<valkeyReader, void (*)(valkeyReader*)> reader_;
};

}  // namespace kvantage::inline remote
