// Where tiers lie: how a tier of each kind is checked, opened, recorded and reached. core/ports/tier_kind.h has what
// the rest of the program needs to know of a kind.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/executor.h"
#include "core/ports/accelerator.h"
#include "core/ports/file_device.h"
#include "core/ports/storage_tier.h"
#include "core/ports/tier_config.h"
#include "tiers/server_access.h"

namespace kvantage {

struct OpenTierOptions {
  std::filesystem::path store_directory = {};    // for tiers in folders without a path of their own
  std::string scope = "common";                  // in a remote store: entries of other scopes are never seen
  std::shared_ptr<FileDevice> device = nullptr;  // null: make_file_device()
  std::shared_ptr<Accelerator> accelerator =
      nullptr;                             // whose memory a tier of kind device lies in; null: there is none
  double scrub_seconds = 1.0;              // pause between two entries of memory checked in the background; 0 = none
  GiveUp give_up = {};                     // asked while a server is waited for
  Executor* executor = nullptr;            // of its threads; null: system_executor(); outlives the tier
  UrlSource url_source = UrlSource::user;  // which passwords a server may have, and whether its host was asked for
  Executor& threads() const { return executor != nullptr ? *executor : system_executor(); }
};

using OpenedTier = Expected<std::unique_ptr<StorageTier>>;

struct ServerAddress {
  std::string host;
  int port = 0;
};

/// What only the file of a kind knows of its tiers. `open` must be there; what is empty does nothing.
struct TierPlace {
  std::function<OpenedTier(const TierConfig& config, const OpenTierOptions& options)> open;
  /// The values of options, beyond check_tier(). usage error with the reason and the right form; no password.
  std::function<Status(const TierConfig& config)> check = {};
  /// The place as two tiers of one session must not share it; empty: one of its own.
  std::function<std::string(const TierConfig& config)> where = {};
  /// Of a checked tier: options without what settings do not hold, passwords above all.
  std::function<void(TierConfig& config)> hide = {};
  std::function<std::optional<ServerAddress>(const TierConfig& config)> server = {};
};

/// The place of a kind that is registered.
const TierPlace& place_of(const TierKind& kind);

/// Adds a kind to those that the program comes with, before any session opens. usage error for an id that is taken or a
/// row that is not whole.
Status register_tier_kind(TierKind kind, TierPlace place);

/// check_tier() and what the place says of it. usage error as there.
Status check_place(const TierConfig& config);

/// A checked tier as settings hold, show and record it: without passwords and what means nothing on another machine.
TierConfig recorded_form(TierConfig config);

/// The tier, throttled and with faults if the configuration says so, with the entries its place already holds. Faults
/// begin once it is open. A percentage as budget must be resolved before. A server that does not answer is no error; a
/// password that the url leaves out comes from where with_credentials() looks. Errors: usage, busy, io, cancelled,
/// rejected_input; one line that names the tier and its place.
OpenedTier open_tier(const TierConfig& config, const OpenTierOptions& options = {});

}  // namespace kvantage
