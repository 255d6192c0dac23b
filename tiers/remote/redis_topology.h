// What the nodes of a cluster, and Sentinels, say about other servers. All of it is untrusted: the result names only
// plausible addresses, and RedisLink decides whether they may be contacted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tiers/remote/redis_reply.h"
#include "tiers/remote/redis_url.h"

namespace kvantage::inline remote {

struct SlotRange {
  int first = 0, last = 0;  // inclusive
  RedisAddress master;
  std::vector<RedisAddress> replicas;
};

/// The reply to CLUSTER SLOTS of the node `asked`: whose host stands for addresses without one. Nodes whose address the
/// cluster does not know are left out. rejected_input when it is no such reply, or names a node more than 65,536 times.
Expected<std::vector<SlotRange>> parse_cluster_slots(const RedisReply& reply, const RedisAddress& asked);

/// The reply to SENTINEL get-master-addr-by-name; nothing if the Sentinel watches no such server. rejected_input when
/// it is no such reply.
Expected<std::optional<RedisAddress>> parse_master_address(const RedisReply& reply);

/// MOVED or ASK: the slot is at `to`, for good or for this command.
struct Redirect {
  bool for_good = false;
  int slot = 0;
  RedisAddress to;
};

bool is_redirect(std::string_view refusal);
/// Of an error reply of the node `asked`; nothing if it is malformed.
std::optional<Redirect> parse_redirect(std::string_view refusal, const RedisAddress& asked);

}  // namespace kvantage::inline remote
