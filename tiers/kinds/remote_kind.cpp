#include "tiers/kinds/remote_kind.h"

#include <algorithm>
#include <cctype>

#include "tiers/kinds/server_options.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/queued_tier.h"
#include "tiers/remote/redis_credentials.h"
#include "tiers/remote/redis_store.h"

namespace kvantage::inline kinds {
namespace {

tl::unexpected<Error> usage_of_server(const std::string& reason) { return fail(ErrorCode::usage, reason); }

Status check_prefix(const std::string& prefix) {
  constexpr std::size_t max_bytes = 64;
  const bool plain = std::ranges::all_of(
      prefix, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':'; });
  if (prefix.empty() || prefix.size() > max_bytes || !plain)
    return usage_of_server("prefix is up to 64 letters, digits, -, _, . and :; write prefix=NAME");
  return {};
}

Status check_server(const TierConfig& config) {
  KV_TRY(server_url(config));
  KV_TRY(check_seal_key_file(config));
  return config.options.contains("prefix") ? check_prefix(config.option("prefix")) : Status{};
}

OpenedTier open_server(const TierConfig& config, const OpenTierOptions& options) {
  KV_ASSIGN(auto bare, server_url(config));
  // A cluster and Sentinels have a password for each node, found when it is known.
  auto url = bare.deployment.kind == RedisKind::server ? with_credentials(std::move(bare), options.url_source)
                                                       : Expected<RedisUrl>(std::move(bare));
  if (!url) return fail(url.error().code, "tier " + config.name + ": " + url.error().message);
  RedisStoreOptions settings{.transport = {.executor = options.executor}};
  settings.url = std::move(*url);
  settings.url_source = options.url_source;
  settings.measures_memory = true;
  if (const std::string& prefix = config.option("prefix"); !prefix.empty()) settings.prefix = prefix;
  settings.scope = options.scope;
  RedisTimeouts& timeouts = settings.timeouts;
  timeouts.connect_seconds = option_seconds(config, "connect", timeouts.connect_seconds);
  timeouts.command_seconds = option_seconds(config, "timeout", timeouts.command_seconds);
  KV_ASSIGN(settings.seal_key, read_seal_key(config));
  settings.give_up = options.give_up;
  // Every read is verified there.
  return QueuedTier::open(std::make_unique<RedisStore>(config.name, std::move(settings)),
                          config.budget.capacity_bytes(), 0, options.executor);
}

// Identified by its text: two names of one host are two places.
std::string keys_of(const TierConfig& config) {
  auto url = server_url(config);
  if (!url) return {};
  url->user.clear();  // another account sees the same keys
  url->authorities.clear();
  const auto lower = [](std::string& text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  };
  lower(url->host);
  for (RedisAddress& other : url->deployment.more) lower(other.host);
  url->deployment.hosts.clear();
  const std::string& prefix = config.option("prefix");
  return url->shown() + " with prefix " + (prefix.empty() ? std::string(default_prefix) : prefix);
}

void hide_password(TierConfig& config) {
  const auto url = server_url(config);
  config.options["url"] = url ? url->shown() : std::string();
}

std::vector<ServerAddress> servers_of(const TierConfig& config) {
  const auto url = server_url(config);
  std::vector<ServerAddress> servers;
  if (!url) return servers;
  const bool alone = url->deployment.kind == RedisKind::server;
  const auto add = [&servers](const std::string& host, int port) {
    const auto same = [&](const ServerAddress& one) {
      return host_key(one.host) == host_key(host) && one.port == port;
    };
    if (std::ranges::none_of(servers, same)) servers.push_back({host, port});
  };
  for (const RedisAddress& address : url->addresses()) add(address.host, alone ? address.port : 0);
  for (const std::string& host : url->deployment.hosts) add(host, 0);
  return servers;
}

}  // namespace

Expected<RedisUrl> server_url(const TierConfig& config) {
  if (!config.options.contains("url"))
    return usage_of_server("a remote store needs a server; add url=redis://host:port");
  KV_ASSIGN(auto url, parse_redis_url(config.option("url")));
  KV_TRY(read_authorities(config, url.tls,
                          "ca belongs to a remote store with TLS; add url=rediss://host:port, or leave it out",
                          url.authorities));
  return url;
}

TierPlace remote_tier_place() {
  return {.open = open_server,
          .check = check_server,
          .where = keys_of,
          .hide = hide_password,
          .servers = servers_of,
          .password_home = [](const TierConfig& config) -> std::string {
            const auto url = server_url(config);
            return url && !url->password.empty() ? credentials_help(*url) : std::string();
          },
          .local_part = [](const TierConfig& config) -> std::string {
            const auto url = parse_redis_url(config.option("url"));
            return url && !url->authorities.empty() ? "?ca= of its url" : std::string();
          }};
}

}  // namespace kvantage::inline kinds
