// Tiers in a bucket of an object store.
#include "tiers/kinds/server_options.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/queued_tier.h"
#include "tiers/remote/redis_url.h"
#include "tiers/s3/s3_store.h"

namespace kvantage::inline kinds {
namespace {

tl::unexpected<Error> usage_of_bucket(const std::string& reason) { return fail(ErrorCode::usage, reason); }

Expected<S3Url> bucket_url(const TierConfig& config) {
  if (!config.options.contains("url")) return usage_of_bucket("a bucket needs its address; add url=s3://BUCKET/PREFIX");
  KV_ASSIGN(auto url, parse_s3_url(config.option("url"), s3_defaults()));
  KV_TRY(read_authorities(config, url.tls, "ca belongs to TLS; write endpoint=https://HOST:PORT, or leave it out",
                          url.authorities));
  return url;
}

Status check_bucket_tier(const TierConfig& config) {
  KV_TRY(bucket_url(config));
  KV_TRY(check_seal_key_file(config));
  if (!has_s3())
    return usage_of_bucket(
        "this program was built without S3; install libcurl and expat (libcurl4-openssl-dev, "
        "libexpat1-dev) and build it with -DKVANTAGE_S3=ON");
  return {};
}

OpenedTier open_bucket(const TierConfig& config, const OpenTierOptions& options) {
  KV_ASSIGN(auto url, bucket_url(config));
  auto keys = s3_keys_for(url, options.url_source);
  if (!keys) return fail(keys.error().code, "tier " + config.name + ": " + keys.error().message);
  S3StoreOptions settings{.executor = options.executor, .access = {std::move(url), std::move(*keys), {}}};
  settings.scope = options.scope;
  S3Timeouts& timeouts = settings.access.timeouts;
  timeouts.connect_seconds = option_seconds(config, "connect", timeouts.connect_seconds);
  timeouts.answer_seconds = option_seconds(config, "timeout", timeouts.answer_seconds);
  KV_ASSIGN(settings.seal_key, read_seal_key(config));
  settings.give_up = options.give_up;
  // Every read is verified there.
  return QueuedTier::open(std::make_unique<S3Store>(config.name, std::move(settings)), config.budget.capacity_bytes(),
                          0, options.executor);
}

// Identified by its text: two names of one host are two places.
std::string bucket_place(const TierConfig& config) {
  auto url = bucket_url(config);
  if (!url) return {};
  url->host = host_key(url->host);
  return url->address();
}

}  // namespace

TierPlace s3_tier_place() {
  return {.open = open_bucket,
          .check = check_bucket_tier,
          .where = bucket_place,
          // With the endpoint that the environment names: the record says where entries went.
          .hide =
              [](TierConfig& config) {
                const auto url = bucket_url(config);
                config.options["url"] = url ? url->shown() : std::string();
              },
          .servers = [](const TierConfig& config) -> std::vector<ServerAddress> {
            const auto url = bucket_url(config);
            if (!url) return {};
            return {{url->server_host(), url->port}};
          }};
}

}  // namespace kvantage::inline kinds
