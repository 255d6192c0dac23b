#include "tiers/remote/redis_topology.h"

#include "tiers/remote/redis_slots.h"
#include "tiers/url_text.h"

namespace kvantage::inline remote {
namespace {

constexpr std::size_t max_nodes = std::size_t{1} << 16;  // over all ranges: each names its own

tl::unexpected<Error> not_a_topology(const std::string& reason) {
  return fail(ErrorCode::rejected_input, "the node describes no cluster: " + reason);
}

/// [host, port, id, ...]. Nothing for a node whose address is unknown ("?", port 0).
Expected<std::optional<RedisAddress>> read_node(const RedisReply& item, const RedisAddress& asked) {
  constexpr std::int64_t max_port = 65535;
  if (item.kind != RedisReply::Kind::list || item.items.size() < 2 || item.items[1].kind != RedisReply::Kind::integer)
    return not_a_topology("a node without address");
  const RedisReply& host = item.items[0];
  const std::int64_t port = item.items[1].integer;
  if (host.kind != RedisReply::Kind::nil && !host.is_text()) return not_a_topology("a host that is no text");
  if (port < 0 || port > max_port) return not_a_topology("port " + std::to_string(port));
  if (host.text == "?" || port == 0) return std::optional<RedisAddress>();
  if (host.text.empty()) return std::optional(RedisAddress{asked.host, static_cast<int>(port)});
  if (!is_host_name(host.text)) return not_a_topology("a host that is no host name");
  return std::optional(RedisAddress{host.text, static_cast<int>(port)});
}

}  // namespace

Expected<std::vector<SlotRange>> parse_cluster_slots(const RedisReply& reply, const RedisAddress& asked) {
  if (reply.kind != RedisReply::Kind::list) return not_a_topology("an answer that is no list of slots");
  std::vector<SlotRange> ranges;
  std::size_t nodes = 0;
  if (reply.items.size() > static_cast<std::size_t>(slot_count)) return not_a_topology("more ranges than slots");
  ranges.reserve(reply.items.size());
  for (const RedisReply& row : reply.items) {
    const auto is_slot = [](const RedisReply& item) {
      return item.kind == RedisReply::Kind::integer && item.integer >= 0 && item.integer < slot_count;
    };
    if (row.kind != RedisReply::Kind::list || row.items.size() < 3 || !is_slot(row.items[0]) ||
        !is_slot(row.items[1]) || row.items[1].integer < row.items[0].integer)
      return not_a_topology("a range without slots or nodes");
    SlotRange range{static_cast<int>(row.items[0].integer), static_cast<int>(row.items[1].integer), {}, {}};
    bool known = false;
    for (std::size_t i = 2; i < row.items.size(); ++i) {
      KV_ASSIGN(auto node, read_node(row.items[i], asked));
      if (i == 2) known = node.has_value();
      if (++nodes > max_nodes) return not_a_topology("more than " + std::to_string(max_nodes) + " nodes");
      if (!node) continue;
      if (i == 2)
        range.master = std::move(*node);
      else
        range.replicas.push_back(std::move(*node));
    }
    if (known) ranges.push_back(std::move(range));
  }
  return ranges;
}

Expected<std::optional<RedisAddress>> parse_master_address(const RedisReply& reply) {
  if (reply.kind == RedisReply::Kind::nil) return std::optional<RedisAddress>();
  if (reply.kind != RedisReply::Kind::list || reply.items.size() != 2 || !reply.items[0].is_text() ||
      !reply.items[1].is_text() || !is_host_name(reply.items[0].text))
    return fail(ErrorCode::rejected_input, "it names no server as a Sentinel does");
  const auto port = number_within(reply.items[1].text, 1, 65535);
  if (!port) return fail(ErrorCode::rejected_input, "it names a server without port");
  return std::optional(RedisAddress{reply.items[0].text, *port});
}

bool is_redirect(std::string_view refusal) { return refusal.starts_with("MOVED ") || refusal.starts_with("ASK "); }

std::optional<Redirect> parse_redirect(std::string_view refusal, const RedisAddress& asked) {
  if (!is_redirect(refusal)) return std::nullopt;
  Redirect redirect{refusal.starts_with("MOVED "), 0, {}};
  refusal.remove_prefix(refusal.find(' ') + 1);
  const std::size_t gap = refusal.find(' ');
  if (gap == std::string_view::npos) return std::nullopt;
  const auto slot = number_within(refusal.substr(0, gap), 0, slot_count - 1);
  const std::string_view there = refusal.substr(gap + 1);
  const std::size_t colon = there.rfind(':');
  if (!slot || colon == std::string_view::npos) return std::nullopt;
  const auto port = number_within(there.substr(colon + 1), 1, 65535);
  const std::string_view host = there.substr(0, colon);
  if (!port || (!host.empty() && !is_host_name(host))) return std::nullopt;
  redirect.slot = *slot;
  redirect.to = {host.empty() ? asked.host : std::string(host), *port};
  return redirect;
}

}  // namespace kvantage::inline remote
