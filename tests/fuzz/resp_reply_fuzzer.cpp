// links: tiers_remote
// Replies of a Redis server, cut into pieces as a network does.
#include "tests/fuzz/fuzzing.h"
#include "tiers/remote/redis_reply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  if (size < 1) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  const std::string text = test::text_of(data + 1, size - 1);
  ReplyParser parser({.bytes = 1 << 16, .elements = 1000, .line_bytes = 300, .depth = 4});
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (const Status fed = parser.feed(std::string_view(text).substr(at, piece)); !fed) {
      test::check_refusal(fed.error());
      return 0;
    }
    for (;;) {
      const auto reply = parser.next();
      if (!reply) {
        test::check_refusal(reply.error());
        return 0;
      }
      if (!*reply) break;
      test::must_hold((*reply)->items.size() <= 1000 && (*reply)->text.size() <= 1 << 16,
                      "a reply is within its limits");
      if ((*reply)->is_error())
        test::must_hold(refusal_text((*reply)->text).find('\n') == std::string::npos, "a quoted error is one line");
    }
  }
  return 0;
}
