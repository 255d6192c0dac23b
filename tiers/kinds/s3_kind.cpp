// Tiers in a bucket of an object store.
#include <algorithm>

#include "core/base/duration.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/queued_tier.h"
#include "tiers/remote/entry_seal.h"
#include "tiers/remote/redis_url.h"
#include "tiers/s3/s3_store.h"

namespace kvantage::inline kinds {
namespace {

tl::unexpected<Error> usage_of_bucket(const std::string& reason) { return fail(ErrorCode::usage, reason); }

Expected<S3Url> bucket_url(const TierConfig& config) {
  if (!config.options.contains("url")) return usage_of_bucket("a bucket needs its address; add url=s3://BUCKET/PREFIX");
  KV_ASSIGN(auto url, parse_s3_url(config.option("url"), s3_defaults()));
  if (!config.options.contains("ca")) return url;
  if (config.option("ca").empty()) return usage_of_bucket("ca is empty; write ca=FILE, a PEM file of certificates");
  if (!url.tls) return usage_of_bucket("ca belongs to TLS; write endpoint=https://HOST:PORT, or leave it out");
  url.authorities = config.option("ca");
  return url;
}

Status check_bucket_tier(const TierConfig& config) {
  KV_TRY(bucket_url(config));
  if (config.options.contains("seal_key_file") && config.option("seal_key_file").empty())
    return usage_of_bucket("seal_key_file is empty; write seal_key_file=FILE, a file with 64 hexadecimal digits");
  if (!has_s3())
    return usage_of_bucket(
        "this program was built without S3; install libcurl and expat (libcurl4-openssl-dev, "
        "libexpat1-dev) and build it with -DKVANTAGE_S3=ON");
  return {};
}

// 0 if missing.
double bucket_seconds(const TierConfig& config, const char* key) {
  return parse_duration(config.option(key)).value_or(0);
}

OpenedTier open_bucket(const TierConfig& config, const OpenTierOptions& options) {
  KV_ASSIGN(auto url, bucket_url(config));
  auto keys = s3_keys_for(url, options.url_source);
  if (!keys) return fail(keys.error().code, "tier " + config.name + ": " + keys.error().message);
  S3StoreOptions settings{.executor = options.executor, .access = {std::move(url), std::move(*keys), {}}};
  settings.scope = options.scope;
  S3Timeouts& timeouts = settings.access.timeouts;
  if (const double seconds = bucket_seconds(config, "connect"); seconds > 0) timeouts.connect_seconds = seconds;
  if (const double seconds = bucket_seconds(config, "timeout"); seconds > 0) timeouts.answer_seconds = seconds;
  if (const std::string& file = config.option("seal_key_file"); !file.empty()) {
    auto key = SealKey::read(file);
    if (!key) return fail(key.error().code, "tier " + config.name + ": " + key.error().message);
    settings.seal_key = std::move(*key);
  }
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
