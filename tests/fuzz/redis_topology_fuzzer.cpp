// links: tiers_remote
// What nodes of a cluster and Sentinels say about others: first a line of a refusal, then a reply.
#include "tests/fuzz/fuzzing.h"
#include "tiers/remote/redis_topology.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  const std::string text = test::text_of(data, size);
  const RedisAddress asked{"asked", 6379};
  const auto plausible = [](const RedisAddress& address) {
    test::must_hold(is_host_name(address.host) && address.port > 0 && address.port < 65536, "an address is plausible");
  };
  const std::size_t line = text.find('\n');
  if (const auto redirect = parse_redirect(text.substr(0, line), asked)) {
    plausible(redirect->to);
    test::must_hold(redirect->slot >= 0 && redirect->slot < 16384, "a slot is one of the cluster");
  }
  if (line == std::string::npos) return 0;
  ReplyParser parser({.bytes = 1 << 16, .elements = 1000, .line_bytes = 300, .depth = 4});
  if (!parser.feed(std::string_view(text).substr(line + 1))) return 0;
  const auto reply = parser.next();
  if (!reply || !*reply) return 0;
  if (const auto ranges = parse_cluster_slots(**reply, asked))
    for (const SlotRange& range : *ranges) {
      plausible(range.master);
      for (const RedisAddress& replica : range.replicas) plausible(replica);
      test::must_hold(range.first >= 0 && range.first <= range.last && range.last < 16384, "a range is one of slots");
    }
  else
    test::check_refusal(ranges.error());
  if (const auto master = parse_master_address(**reply); master && *master) plausible(**master);
  return 0;
}
