#include "app/wiring/session_tiers.h"

#include <algorithm>

#include "app/wiring/gpu_module.h"
#include "core/base/counted.h"
#include "core/model/memory.h"
#include "tiers/buffer_pool.h"
#include "tiers/faulty_tier.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/kinds/tier_places.h"
#include "tiers/kinds/tier_text.h"
#include "tiers/throttled_tier.h"
#include "tiers/uring_device.h"

namespace kvantage::inline wiring {
namespace {

// Place-specific checks of settings, which may come from a file.
Status check_of_settings(const TierConfig& config) {
  if (const Status sound = check_place(config); !sound)
    return fail(ErrorCode::usage, "tiers: " + config.name + ": " + sound.error().message);
  if (const std::string home = password_home(config); !home.empty())
    return fail(ErrorCode::usage,
                "tiers: " + config.name + ": settings must not contain a password; put it in " + home);
  if (const std::string part = local_part(config); !part.empty())
    return fail(
        ErrorCode::rejected_input,
        "tier '" + config.name + "': " + part +
            " names a file or folder of this machine, which a file must not choose; give this tier with --tier, "
            "or leave that out");
  return {};
}

// The plan of a sweep comes as texts, but from whoever can write to the server.
Status check_of_plan(const TierConfig& config) {
  const std::string part = local_part(config);
  if (part.empty()) return {};
  return fail(ErrorCode::rejected_input,
              "tier '" + config.name + "': " + part +
                  " names a file or folder of this machine, which the plan of a sweep must not choose; start the sweep "
                  "without it");
}

/// Less is a number whose unit was forgotten: an entry has a header and keys and values of some tokens.
constexpr std::uint64_t smallest_budget = 4096;

// It serves no request: serving options of a tier are rejected rather than ignored.
Status check_archive(const TierConfig& config) {
  const auto refuse = [](const std::string& reason) {
    return fail(ErrorCode::usage, "tier 'archive': " + reason +
                                      "; write archive=unlimited,path=DIR or archive=unlimited,url=redis://host:port");
  };
  if (config.budget.is_given()) return refuse("it keeps the original of every context and has no budget");
  if (config.throttle.any()) return refuse("it serves no requests, so throttling has no effect");
  if (!config.faults.empty()) return refuse("faults apply only to tiers that serve requests");
  return {};
}

// A named folder may also contain tiers of other models and workloads.
void keep_apart(TierConfig& config, const std::string& scope) {
  if (const auto path = config.options.find("path"); path != config.options.end())
    path->second = (std::filesystem::path(path->second) / scope).string();
}

// At the start, a folder that cannot be opened is a wrong choice of folder, not a device failure.
OpenedTier open_chosen_tier(const TierConfig& config, const OpenTierOptions& options) {
  auto tier = open_tier(config, options);
  if (!tier && (tier.error().code == ErrorCode::io || tier.error().code == ErrorCode::not_found))
    return fail(ErrorCode::rejected_input, tier.error().message);
  return tier;
}

}  // namespace

Expected<ChosenTiers> choose_tiers(const std::vector<std::string>& texts, const SessionSettings& settings,
                                   UrlSource source) {
  ChosenTiers chosen{.tiers = {}, .archive = settings.archive, .source = source, .archive_source = UrlSource::file};
  KV_TRY(check_of_settings(chosen.archive));
  if (texts.empty()) {
    chosen.source = UrlSource::file;
    chosen.tiers = settings.tiers;
    for (const TierConfig& config : chosen.tiers) KV_TRY(check_of_settings(config));
  }
  std::size_t archives = 0;
  KV_ASSIGN(auto written, parse_tiers(texts));
  for (TierConfig& config : written) {
    if (source == UrlSource::file) KV_TRY(check_of_plan(config));
    // Files give bytes, and may have been written by an earlier version.
    if (const std::uint64_t bytes = config.budget.bytes(); bytes > 0 && bytes < smallest_budget)
      return fail(ErrorCode::usage, "tier '" + config.name + "': a budget of " + counted(bytes, "byte") +
                                        " holds no cache; give it a unit, like " + std::to_string(bytes) + "MiB");
    if (!config.is_archive()) {
      chosen.tiers.push_back(std::move(config));
      continue;
    }
    if (++archives > 1) return fail(ErrorCode::usage, "tier 'archive': is given twice; remove one");
    chosen.archive = std::move(config);
    chosen.archive_source = source;
    if (chosen.archive.budget.is_unlimited()) chosen.archive.budget = {};  // the archive never has one
  }
  KV_TRY(check_archive(chosen.archive));
  if (chosen.tiers.empty())
    return fail(ErrorCode::usage, "no tier is given; add --tier dram=64MiB (and more, fastest first)");
  for (const TierConfig& config : chosen.tiers) {
    // A workload's file names folders with this: settings must not bypass the checks.
    if (const Status plain = check_tier_name(config.name); !plain)
      return fail(ErrorCode::usage, "tier '" + config.name + "': " + plain.error().message);
    if (role_of(config.name) != TierRole::serving)
      return fail(ErrorCode::usage, "tier '" + config.name + "': the name is taken (the archive keeps originals and " +
                                        "serves no request, prefill is what was computed); choose another, like ssd");
  }
  KV_TRY(check_places(chosen.tiers, chosen.archive));
  return chosen;
}

Expected<std::shared_ptr<Accelerator>> accelerator_for(const ChosenTiers& chosen) {
  const auto needing =
      std::ranges::find_if(chosen.tiers, [](const TierConfig& config) { return kind_of(config).needs_accelerator(); });
  if (needing == chosen.tiers.end()) return nullptr;
  auto accelerator = open_accelerator();
  if (!accelerator)
    return fail(ErrorCode::rejected_input,
                "tier '" + needing->name + "': " + accelerator.error().message + "; without a GPU leave the tier out");
  return std::shared_ptr<Accelerator>(std::move(*accelerator));
}

namespace {

/// Of the transfer buffers: a larger cache cannot be loaded at once. They are mapped as they are used, but taken whole
/// where they are pinned.
std::size_t transfer_bytes(bool pinned) {
  constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
  return std::clamp(available_memory_bytes() / 16, gibibyte / 2, (pinned ? 4 : 16) * gibibyte);
}

}  // namespace

Expected<OpenedTiers> open_tiers(const ChosenTiers& chosen, const std::shared_ptr<Accelerator>& accelerator,
                                 const std::filesystem::path& folder, const std::function<bool()>& stop,
                                 Executor& executor) {
  OpenedTiers opened;
  OpenTierOptions options{.executor = executor};
  options.give_up = stop;
  options.accelerator = accelerator;
  options.store_directory = folder;
  options.scope = folder.filename().string();
  auto throttled = std::make_shared<std::vector<ThrottledTier*>>();
  auto faulty = std::make_shared<std::vector<FaultyTier*>>();
  std::vector<std::shared_ptr<FileDevice>> devices;
  for (TierConfig config : chosen.tiers) {
    // A bandwidth relative to prefill is set once prefill is timed; until then the tier runs at full speed.
    const TierLimits limits{config.throttle.bytes_per_second, config.throttle.latency_seconds};
    config.throttle = {};
    config.faults = {};  // the engine injects them, once the tier is open and timed
    keep_apart(config, options.scope);
    options.url_source = chosen.source;
    std::shared_ptr<FaultyDevice> device;
    if (kind_of(config).supports_fault_injection())
      device = std::make_shared<FaultyDevice>(executor.clock(), make_file_device(), 1, FaultPlan{}, PowerCuts::never);
    options.device = device;
    KV_ASSIGN(auto tier, open_chosen_tier(config, options));
    // Always wrapped: a window may throttle a tier or inject faults at run time. An inactive wrapper passes calls
    // through.
    faulty->push_back(nullptr);
    if (device != nullptr) {
      devices.push_back(device);
      auto faulted = std::make_unique<FaultyTier>(std::move(tier), std::move(device));
      faulty->back() = faulted.get();
      tier = std::move(faulted);
    }
    auto decorated = std::make_unique<ThrottledTier>(std::move(tier), limits);
    throttled->push_back(decorated.get());
    opened.tiers.push_back(std::move(decorated));
  }
  options.device = nullptr;
  options.scope += "-archive";  // an original and an uncompressed entry of a tier share a key but differ in bytes
  options.url_source = chosen.archive_source;
  TierConfig archive = chosen.archive;
  keep_apart(archive, options.scope);
  KV_ASSIGN(auto tier, open_chosen_tier(archive, options));
  opened.archive = std::move(tier);
  // Pinned buffers allow direct device copies without staging.
  const BufferPool::Pin pin =
      accelerator ? [accelerator](std::span<std::byte> memory) { return accelerator->pin(memory); } : BufferPool::Pin();
  auto lender = std::make_unique<BufferPool>(transfer_bytes(accelerator != nullptr), pin);
  if (accelerator == nullptr) lender->register_with(std::move(devices));
  opened.lender = std::move(lender);
  opened.rethrottle = [throttled](std::size_t index, const TierConfig& config) -> Status {
    return throttled->at(index)->set_limits({config.throttle.bytes_per_second, config.throttle.latency_seconds});
  };
  opened.inject = [faulty](std::size_t index, const std::string& text) -> Status {
    KV_ASSIGN(const auto faults, parse_faults(text));
    if (FaultyTier* faulted = faulty->at(index)) faulted->inject(faults);
    return {};
  };
  return opened;
}

Expected<OpenedTiers> open_free_tiers(const ChosenTiers& chosen, const std::shared_ptr<Accelerator>& accelerator,
                                      const std::filesystem::path& folder, const std::function<bool()>& stop,
                                      Executor& executor) {
  constexpr int last_folder = 9;
  auto opened = open_tiers(chosen, accelerator, folder, stop, executor);
  if (opened || opened.error().code != ErrorCode::busy) return opened;
  const std::string why = opened.error().message.substr(0, opened.error().message.find("; "));
  for (int number = 2; number <= last_folder && !opened && opened.error().code == ErrorCode::busy; ++number) {
    const std::filesystem::path other = folder.string() + "-" + std::to_string(number);
    opened = open_tiers(chosen, accelerator, other, stop, executor);
    if (opened) opened->notes.push_back(why + "; this session keeps its entries in " + other.string());
  }
  return opened;
}

}  // namespace kvantage::inline wiring
