// The tiers of a session: options and settings are checked, then opened with wrappers for throttling and fault
// injection.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/ports/accelerator.h"
#include "tiers/remote/redis_credentials.h"

namespace kvantage::inline wiring {

/// Complete: including paths and passwords, which settings omit.
struct ChosenTiers {
  std::vector<TierConfig> tiers;  // fastest first
  TierConfig archive;
  UrlSource source = UrlSource::user, archive_source = UrlSource::user;  // origin of the urls
};

/// `texts` as for --tier, fastest first, replace those of `settings`; the archive is one of them. usage: invalid tiers
/// or combinations; rejected_input: a file or folder of this machine in what comes from a file. `texts` come from
/// `source`, `settings` from a file.
Expected<ChosenTiers> choose_tiers(const std::vector<std::string>& texts, const SessionSettings& settings,
                                   UrlSource source = UrlSource::user);

/// Null if no tier uses its memory. rejected_input: there is no device.
Expected<std::shared_ptr<Accelerator>> accelerator_for(const ChosenTiers& chosen);

/// The tiers of one model and workload below `folder`; other models use separate ones. rejected_input: a folder or
/// server that cannot be opened; cancelled shortly after `stop` returns true.
Expected<OpenedTiers> open_tiers(const ChosenTiers& chosen, const std::shared_ptr<Accelerator>& accelerator,
                                 const std::filesystem::path& folder, const std::function<bool()>& stop,
                                 Executor& executor);

/// The same below the first of `folder`, "folder-2" to "folder-9" whose tiers no other process has open, with a note
/// where that is not the first. A separate folder keeps its entries, too, for the next time it is used.
Expected<OpenedTiers> open_free_tiers(const ChosenTiers& chosen, const std::shared_ptr<Accelerator>& accelerator,
                                      const std::filesystem::path& folder, const std::function<bool()>& stop,
                                      Executor& executor);

}  // namespace kvantage::inline wiring
