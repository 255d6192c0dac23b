#include "tiers/kinds/remote_kind.h"

#include <algorithm>
#include <cctype>

#include "core/base/duration.h"
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
  if (config.options.contains("seal_key_file") && config.option("seal_key_file").empty())
    return usage_of_server("seal_key_file is empty; write seal_key_file=FILE, a file with 64 hexadecimal digits");
  return config.options.contains("prefix") ? check_prefix(config.option("prefix")) : Status{};
}

// 0 if missing.
double seconds_of(const TierConfig& config, const char* key) { return parse_duration(config.option(key)).value_or(0); }

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
  if (const double seconds = seconds_of(config, "connect"); seconds > 0) settings.timeouts.connect_seconds = seconds;
  if (const double seconds = seconds_of(config, "timeout"); seconds > 0) settings.timeouts.command_seconds = seconds;
  if (const std::string& file = config.option("seal_key_file"); !file.empty()) {
    auto key = SealKey::read(file);
    if (!key) return fail(key.error().code, "tier " + config.name + ": " + key.error().message);
    settings.seal_key = std::move(*key);
  }
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
  if (!config.options.contains("ca")) return url;
  if (config.option("ca").empty()) return usage_of_server("ca is empty; write ca=FILE, a PEM file of certificates");
  if (!url.tls)
    return usage_of_server("ca belongs to a remote store with TLS; add url=rediss://host:port, or leave it out");
  url.authorities = config.option("ca");
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
