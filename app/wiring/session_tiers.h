// The tiers of a session: what options and settings say of them, checked, then opened with everything that may shape
// them or let them fail.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/ports/accelerator.h"
#include "tiers/remote/redis_credentials.h"

namespace kvantage {

/// Whole: with the paths and passwords that settings do not hold.
struct ChosenTiers {
  std::vector<TierConfig> tiers;  // fastest first
  TierConfig archive;
  UrlSource source = UrlSource::user, archive_source = UrlSource::user;  // who wrote the urls
};

/// `texts` as after --tier, fastest first, in place of those of `settings`; the archive is named among them. usage:
/// what cannot be, or cannot be together. Urls of `texts` come from `source`, those of `settings` from a file.
Expected<ChosenTiers> choose_tiers(const std::vector<std::string>& texts, const SessionSettings& settings,
                                   UrlSource source = UrlSource::user);

/// Null where no tier lies in its memory. rejected_input: there is none.
Expected<std::shared_ptr<Accelerator>> accelerator_for(const ChosenTiers& chosen);

/// The tiers of one model and workload below `folder`: those of other models never meet. rejected_input: a folder or
/// server that cannot be opened; cancelled soon after `stop` says so.
Expected<OpenedTiers> open_tiers(const ChosenTiers& chosen, const std::shared_ptr<Accelerator>& accelerator,
                                 const std::filesystem::path& folder, const std::function<bool()>& stop,
                                 Executor& executor);

}  // namespace kvantage
