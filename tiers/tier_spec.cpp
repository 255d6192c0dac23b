#include "tiers/tier_spec.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/base/duration.h"
#include "core/base/units.h"
#include "tiers/dram_tier.h"
#include "tiers/faulty_tier.h"
#include "tiers/queued_tier.h"
#include "tiers/redis_store.h"
#include "tiers/shaped_tier.h"
#include "tiers/ssd_tier.h"
#include "tiers/uring_device.h"

namespace kvantage {
namespace {

constexpr const char* known_options =
    "path, bandwidth, latency, faults, and url, ca, prefix, connect, timeout of a remote store";

tl::unexpected<Error> spec_usage(std::string_view option, const std::string& reason) {
  constexpr std::size_t max_bytes = 120;  // of a message of one line
  std::string shown = without_credentials(option);
  if (shown.size() > max_bytes) shown = shown.substr(0, max_bytes) + "...";
  return fail(ErrorCode::usage, "tier '" + shown + "': " + reason);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// A wait for a server that never answers would be no limit at all.
Expected<double> parse_limit(std::string_view option, std::string_view key, std::string_view value) {
  const auto seconds = parse_duration(value);
  if (!seconds || *seconds <= 0)
    return spec_usage(option, std::string(key) + " '" + std::string(value) + "': " +
                                  (seconds ? "zero leaves no time" : seconds.error().message) + "; write it like 2s");
  return *seconds;
}

Status read_prefix(std::string_view option, std::string_view value, TierSpec& spec) {
  const bool plain = std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':';
  });
  if (value.empty() || value.size() > 64 || !plain)
    return spec_usage(option, "prefix is up to 64 letters, digits, -, _, . and :; write prefix=NAME");
  spec.prefix = value;
  return {};
}

Status read_setting(std::string_view option, std::string_view key, std::string_view value, TierSpec& spec,
                    std::string& authorities) {
  if (key == "path") {
    if (value.empty()) return spec_usage(option, "path is empty; write path=DIR");
    spec.path = value;
    return {};
  }
  if (key == "bandwidth") {
    if (!value.ends_with("/s")) return spec_usage(option, "bandwidth needs a unit per second; write it like 200MB/s");
    const auto bytes = parse_bytes(value.substr(0, value.size() - 2));
    if (!bytes) return spec_usage(option, "bandwidth: " + bytes.error().message);
    if (*bytes == 0) return spec_usage(option, "bandwidth is zero; leave it out for full speed");
    spec.bandwidth_bytes_per_second = static_cast<double>(*bytes);
    return {};
  }
  if (key == "latency") {
    const auto seconds = parse_duration(value);
    if (!seconds)
      return spec_usage(option,
                        "latency '" + std::string(value) + "': " + seconds.error().message + "; write it like 1ms");
    spec.latency_seconds = *seconds;
    return {};
  }
  if (key == "url") {
    auto url = parse_redis_url(value);
    if (!url) return spec_usage(option, url.error().message);
    spec.url = std::move(*url);
    return {};
  }
  if (key == "ca") {
    if (value.empty()) return spec_usage(option, "ca is empty; write ca=FILE, a PEM file of certificates");
    authorities = value;
    return {};
  }
  if (key == "faults") {
    const auto faults = parse_faults(value);
    if (!faults) return spec_usage(option, faults.error().message);
    if (!faults->plan.any())
      return spec_usage(option, "faults is empty; write it like faults=flip_on_read:0.01+seed:7, or leave it out");
    spec.faults = *faults;
    return {};
  }
  if (key == "prefix") return read_prefix(option, value, spec);
  if (key == "connect" || key == "timeout") {
    KV_ASSIGN(const auto seconds, parse_limit(option, key, value));
    (key == "connect" ? spec.connect_seconds : spec.timeout_seconds) = seconds;
    return {};
  }
  return spec_usage(option, "unknown option '" + std::string(key) + "'; known are " + known_options);
}

}  // namespace

Expected<TierSpec> parse_tier_option(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ',');
  const std::string_view head = parts.front();
  const std::size_t equals = head.find('=');
  if (equals == std::string_view::npos) return spec_usage(text, "no size; write NAME=BYTES, like dram=64MiB");
  TierSpec spec;
  spec.name = head.substr(0, equals);
  const bool plain = std::all_of(spec.name.begin(), spec.name.end(),
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  if (spec.name.empty() || !plain || spec.name.size() > 32)
    return spec_usage(text, "a name is up to 32 letters, digits, - and _; like dram, ssd or archive");
  const std::string_view budget = head.substr(equals + 1);
  if (budget != "unlimited") {
    const auto bytes = parse_bytes(budget);
    if (!bytes) return spec_usage(text, bytes.error().message);
    if (*bytes == 0) return spec_usage(text, "budget is zero; give the bytes that it may hold, or leave the tier out");
    spec.capacity_bytes = *bytes;
  }
  // A comma in a password cuts it in two, and no part of it is to be repeated.
  for (std::size_t i = 2; i < parts.size(); ++i)
    if (text.find(",url=") != std::string_view::npos && parts[i].find('@') != std::string_view::npos &&
        !parts[i].starts_with("url=") && !parts[i].starts_with("path=") && !parts[i].starts_with("ca="))
      return spec_usage(text, "a comma ends an option; write one in a user or password as %2C");
  std::string authorities;  // of the url, which may follow
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t sign = parts[i].find('=');
    if (sign == std::string_view::npos)
      return spec_usage(
          text, std::string(1, '\'').append(parts[i]) + "' is no option; write OPTION=VALUE with " + known_options);
    KV_TRY(read_setting(text, parts[i].substr(0, sign), parts[i].substr(sign + 1), spec, authorities));
  }
  if (!authorities.empty()) {
    if (!spec.remote() || !spec.url->tls)
      return spec_usage(text, "ca belongs to a remote store with TLS; add url=rediss://host:port, or leave it out");
    spec.url->authorities = authorities;
  }
  if (spec.remote() && !spec.path.empty())
    return spec_usage(text, "a tier has a path or a url, not both; leave one out");
  if (!spec.remote() && (!spec.prefix.empty() || spec.connect_seconds > 0 || spec.timeout_seconds > 0))
    return spec_usage(text, "prefix, connect and timeout belong to a remote store; add url=redis://host:port");
  if (spec.in_memory() && !spec.path.empty())
    return spec_usage(text, "dram is host memory and has no path; name it ssd");
  if (spec.in_device() && !spec.path.empty())
    return spec_usage(text, "device is the memory of a GPU and has no path; name it ssd");
  if (spec.faults.plan.any() && !spec.in_folder())
    return spec_usage(text, std::string("faults strike files, and ") +
                                (spec.remote()      ? "a remote store"
                                 : spec.in_device() ? "device memory"
                                                    : "host memory") +
                                " has none; give them to a tier in a folder, like ssd");
  return spec;
}

std::string to_string(const TierSpec& spec) {
  std::string text =
      spec.name + "=" + (spec.capacity_bytes == 0 ? std::string("unlimited") : std::to_string(spec.capacity_bytes));
  if (!spec.path.empty()) text += ",path=" + spec.path.string();
  if (spec.url) text += ",url=" + spec.url->shown();
  if (!spec.prefix.empty()) text += ",prefix=" + spec.prefix;
  if (spec.connect_seconds > 0) text += ",connect=" + shortest_number(spec.connect_seconds) + "s";
  if (spec.timeout_seconds > 0) text += ",timeout=" + shortest_number(spec.timeout_seconds) + "s";
  if (spec.bandwidth_bytes_per_second > 0)
    text += ",bandwidth=" + shortest_number(spec.bandwidth_bytes_per_second) + "B/s";
  if (spec.latency_seconds > 0) text += ",latency=" + shortest_number(spec.latency_seconds) + "s";
  if (spec.faults.plan.any()) text += ",faults=" + to_string(spec.faults);
  return text;
}

namespace {

Executor& executor_of(const OpenTierOptions& options) {
  return options.executor != nullptr ? *options.executor : system_executor();
}

Expected<std::unique_ptr<StorageTier>> open_remote(const TierSpec& spec, const OpenTierOptions& options) {
  auto url = with_credentials(*spec.url, spec.url_source);
  if (!url) return fail(url.error().code, "tier " + spec.name + ": " + url.error().message);
  RedisStoreOptions settings;
  settings.url = std::move(*url);
  if (!spec.prefix.empty()) settings.prefix = spec.prefix;
  settings.scope = options.scope;
  if (spec.connect_seconds > 0) settings.timeouts.connect_seconds = spec.connect_seconds;
  if (spec.timeout_seconds > 0) settings.timeouts.command_seconds = spec.timeout_seconds;
  settings.give_up = options.give_up;
  // Every read is verified there.
  return QueuedTier::open(std::make_unique<RedisStore>(spec.name, std::move(settings)), spec.capacity_bytes, 0,
                          executor_of(options));
}

}  // namespace

Expected<std::unique_ptr<StorageTier>> open_tier(const TierSpec& spec, const OpenTierOptions& options) {
  Expected<std::unique_ptr<StorageTier>> tier;
  if (spec.remote()) {
    tier = open_remote(spec, options);
  } else if (spec.in_device()) {
    if (options.accelerator == nullptr)
      return fail(ErrorCode::rejected_input,
                  "tier 'device': no GPU is used here; leave the tier out, or see what 'kvantage-cli device' says");
    KV_ASSIGN(auto store, options.accelerator->open_store(spec.name, spec.capacity_bytes));
    tier = QueuedTier::open(std::move(store), spec.capacity_bytes, options.scrub_seconds, executor_of(options));
  } else if (spec.in_memory()) {
    tier = QueuedTier::open(std::make_unique<DramStore>(spec.name), spec.capacity_bytes, options.scrub_seconds,
                            executor_of(options));
  } else {
    if (spec.path.empty() && options.store_directory.empty())
      return spec_usage(spec.name, "no folder; write " + spec.name + "=BYTES,path=DIR");
    std::shared_ptr<FileDevice> device = options.device != nullptr ? options.device : make_file_device();
    std::shared_ptr<FaultyDevice> faulty;
    if (spec.faults.plan.any())
      device = faulty = std::make_shared<FaultyDevice>(executor_of(options).clock(), device, spec.faults.seed,
                                                       FaultPlan{}, PowerCuts::never);
    KV_ASSIGN(auto store,
              SsdStore::open(spec.name, spec.path.empty() ? options.store_directory / spec.name : spec.path, device));
    // Every read is verified there.
    tier = QueuedTier::open(std::move(store), spec.capacity_bytes, 0, executor_of(options));
    if (tier && faulty != nullptr) {
      auto struck = std::make_unique<FaultyTier>(std::move(*tier), std::move(faulty));
      struck->inject(spec.faults);
      tier = std::move(struck);
    }
  }
  if (!tier || !spec.shaped()) return tier;
  return std::make_unique<ShapedTier>(std::move(*tier),
                                      TierShape{spec.bandwidth_bytes_per_second, spec.latency_seconds});
}

}  // namespace kvantage
