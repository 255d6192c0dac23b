#include "app/wiring/session_tiers.h"

#include <algorithm>

#include "app/wiring/gpu_module.h"
#include "tiers/buffer_pool.h"
#include "tiers/faulty_tier.h"
#include "tiers/shaped_tier.h"
#include "tiers/tier_places.h"
#include "tiers/uring_device.h"

namespace kvantage {
namespace {

Expected<TierSpec> spec_of(const TierSetting& setting) {
  TierSpec spec;
  spec.name = setting.name;
  spec.capacity_bytes = setting.budget_bytes;
  spec.bandwidth_bytes_per_second = setting.shaped_bytes_per_second;
  spec.latency_seconds = setting.shaped_latency_seconds;
  spec.connect_seconds = setting.connect_seconds;
  spec.timeout_seconds = setting.timeout_seconds;
  const auto faults = parse_faults(setting.faults);
  if (!faults) return fail(ErrorCode::usage, "tiers: " + setting.name + ": " + faults.error().message);
  spec.faults = *faults;
  if (setting.url.empty() && setting.prefix.empty()) return spec;
  // Through the text form: one place that knows what fits together.
  KV_ASSIGN(const auto remote,
            parse_tier_option(setting.name + "=unlimited" + (setting.url.empty() ? "" : ",url=" + setting.url) +
                              (setting.prefix.empty() ? "" : ",prefix=" + setting.prefix)));
  if (!remote.url->password.empty())
    return fail(ErrorCode::usage, "tiers: " + setting.name +
                                      ": url holds a password, which settings are no place for; put it in " +
                                      credentials_help(*remote.url));
  spec.url = remote.url;
  spec.url_source = UrlSource::file;
  spec.prefix = remote.prefix;
  return spec;
}

// It serves no request: what makes a tier of one is refused rather than forgotten.
Status check_archive(const TierSpec& spec) {
  const auto refuse = [](const std::string& reason) {
    return fail(ErrorCode::usage, "tier 'archive': " + reason +
                                      "; write archive=unlimited,path=DIR or archive=unlimited,url=redis://host:port");
  };
  if (spec.capacity_bytes != 0) return refuse("it keeps the original of every context and has no budget");
  if (spec.shaped()) return refuse("it serves no request, so a shape would show nowhere");
  if (spec.faults.plan.any()) return refuse("faults strike tiers that serve requests");
  return {};
}

// At the start, a folder that cannot be opened is a wrong choice of folder, not a device that failed under way.
Expected<std::unique_ptr<StorageTier>> open_chosen_tier(const TierSpec& spec, const OpenTierOptions& options) {
  auto tier = open_tier(spec, options);
  if (!tier && (tier.error().code == ErrorCode::io || tier.error().code == ErrorCode::not_found))
    return fail(ErrorCode::rejected_input, tier.error().message);
  return tier;
}

}  // namespace

TierSetting setting_of(const TierSpec& spec) {
  return {.name = spec.name,
          .budget_bytes = spec.capacity_bytes,
          .shaped_bytes_per_second = spec.bandwidth_bytes_per_second,
          .shaped_latency_seconds = spec.latency_seconds,
          .url = spec.url ? spec.url->shown() : std::string(),
          .prefix = spec.prefix,
          .faults = to_string(spec.faults),
          .connect_seconds = spec.connect_seconds,
          .timeout_seconds = spec.timeout_seconds};
}

Expected<ChosenTiers> tier_specs(const std::vector<std::string>& texts, const SessionSettings& settings,
                                 UrlSource source) {
  ChosenTiers chosen;
  KV_ASSIGN(const auto archive, spec_of(settings.archive));
  chosen.archive = archive;
  if (texts.empty())
    for (const TierSetting& tier : settings.tiers) {
      KV_ASSIGN(const auto spec, spec_of(tier));
      chosen.tiers.push_back(spec);
    }
  std::size_t archives = 0;
  for (const std::string& text : texts) {
    KV_ASSIGN(auto spec, parse_tier_option(text));
    spec.url_source = source;
    if (spec.name != "archive") {
      chosen.tiers.push_back(spec);
      continue;
    }
    if (++archives > 1) return fail(ErrorCode::usage, "tier 'archive': is there twice; remove one");
    chosen.archive = spec;
  }
  KV_TRY(check_archive(chosen.archive));
  if (chosen.tiers.empty())
    return fail(ErrorCode::usage, "no tier is given; add --tier dram=64MiB (and more, fastest first)");
  for (const TierSpec& spec : chosen.tiers) {
    // A workload's file names folders with this: what it may not do, it may not do by its settings either.
    KV_TRY(parse_tier_option(spec.name + "=unlimited"));
    if (spec.name == "archive" || spec.name == "prefill")
      return fail(ErrorCode::usage, "tier '" + spec.name + "': the name is taken (the archive keeps originals and " +
                                        "serves no request, prefill is what was computed); choose another, like ssd");
  }
  KV_TRY(check_places(chosen.tiers, chosen.archive));
  return chosen;
}

Expected<std::shared_ptr<Accelerator>> accelerator_for(const ChosenTiers& chosen) {
  if (std::ranges::none_of(chosen.tiers, &TierSpec::in_device)) return nullptr;
  auto accelerator = open_accelerator();
  if (!accelerator)
    return fail(ErrorCode::rejected_input,
                "tier 'device': " + accelerator.error().message + "; without a GPU leave the tier out");
  return std::shared_ptr<Accelerator>(std::move(*accelerator));
}

Expected<OpenedTiers> open_tiers(const ChosenTiers& chosen, const std::shared_ptr<Accelerator>& accelerator,
                                 const std::filesystem::path& folder, const std::function<bool()>& stop,
                                 Executor& executor) {
  OpenedTiers opened;
  OpenTierOptions options;
  options.executor = &executor;
  options.give_up = stop;
  options.accelerator = accelerator;
  options.store_directory = folder;
  options.scope = folder.filename().string();
  auto shaped = std::make_shared<std::vector<ShapedTier*>>();
  auto faulty = std::make_shared<std::vector<FaultyTier*>>();
  for (TierSpec spec : chosen.tiers) {
    const TierShape shape{spec.bandwidth_bytes_per_second, spec.latency_seconds};
    spec.bandwidth_bytes_per_second = 0;
    spec.latency_seconds = 0;
    spec.faults = {};  // the engine lets them strike, once the tier is open and timed
    if (!spec.path.empty()) spec.path /= options.scope;
    std::shared_ptr<FaultyDevice> device;
    if (spec.in_folder())
      device = std::make_shared<FaultyDevice>(executor.clock(), make_file_device(), 1, FaultPlan{}, PowerCuts::never);
    options.device = device;
    KV_ASSIGN(auto tier, open_chosen_tier(spec, options));
    // Always decorated: a window may shape a tier or let it fail while it runs. A decorator that is not asked to do
    // anything hands calls straight through.
    faulty->push_back(nullptr);
    if (device != nullptr) {
      auto struck = std::make_unique<FaultyTier>(std::move(tier), std::move(device));
      faulty->back() = struck.get();
      tier = std::move(struck);
    }
    auto decorated = std::make_unique<ShapedTier>(std::move(tier), shape);
    shaped->push_back(decorated.get());
    opened.tiers.push_back(std::move(decorated));
  }
  options.device = nullptr;
  options.scope += "-archive";  // an original and an uncompressed entry of a tier have one key and other bytes
  TierSpec archive = chosen.archive;
  if (!archive.path.empty()) archive.path /= options.scope;
  KV_ASSIGN(auto tier, open_chosen_tier(archive, options));
  opened.archive = std::move(tier);
  // What a device copies to is pinned, and then its copies need no stop on the way.
  const BufferPool::Pin pin =
      accelerator ? [accelerator](std::span<std::byte> memory) { return accelerator->pin(memory); } : BufferPool::Pin();
  opened.lender = std::make_unique<BufferPool>(std::size_t{512} << 20, pin);
  opened.reshape = [shaped](std::size_t index, const TierSetting& setting) -> Status {
    return shaped->at(index)->set_shape({setting.shaped_bytes_per_second, setting.shaped_latency_seconds});
  };
  opened.inject = [faulty](std::size_t index, const std::string& text) -> Status {
    KV_ASSIGN(const auto faults, parse_faults(text));
    if (FaultyTier* struck = faulty->at(index)) struck->inject(faults);
    return {};
  };
  return opened;
}

}  // namespace kvantage
