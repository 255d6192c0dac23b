// Tier places: how a tier of each kind is checked, opened, recorded and reached. core/ports/tier_kind.h has the
// properties of kinds for the rest of the program.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/executor.h"
#include "core/ports/accelerator.h"
#include "core/ports/file_device.h"
#include "core/ports/storage_tier.h"
#include "core/ports/tier_config.h"
#include "tiers/server_access.h"

namespace kvantage::inline kinds {

struct OpenTierOptions {
  Executor& executor;                                  // for its threads and waits; outlives the tier
  std::filesystem::path store_directory = {};          // for file tiers without a path of their own
  std::string scope = "common";                        // in a remote store: entries of other scopes are invisible
  std::shared_ptr<FileDevice> device = nullptr;        // null: make_file_device()
  std::shared_ptr<Accelerator> accelerator = nullptr;  // memory for tiers of kind device; null: there is none
  double scrub_seconds = 1.0;              // pause between two memory entries verified in the background; 0 = none
  GiveUp give_up = {};                     // polled while waiting for a server
  UrlSource url_source = UrlSource::user;  // which passwords a server may get, and whether consent for its host was
                                           // given
};

using OpenedTier = Expected<std::unique_ptr<StorageTier>>;

struct ServerAddress {
  std::string host;
  int port = 0;  // 0: any, of servers that name each other
};

/// Kind-specific code for tiers. `open` is required; empty functions have no effect.
struct TierPlace {
  std::function<OpenedTier(const TierConfig& config, const OpenTierOptions& options)> open;
  /// Checks option values, beyond check_tier(). usage error with the reason and the right form; no password.
  std::function<Status(const TierConfig& config)> check = {};
  /// Identity of the place, which two tiers of one session must not share; empty: unique.
  std::function<std::string(const TierConfig& config)> where = {};
  /// For a checked tier: removes options that settings must not contain, above all passwords.
  std::function<void(TierConfig& config)> hide = {};
  /// Every server that the tier may contact.
  std::function<std::vector<ServerAddress>(const TierConfig& config)> servers = {};
  /// Where a password that the options hold belongs instead; empty: they hold none.
  std::function<std::string(const TierConfig& config)> password_home = {};
  /// Part of an option's value that names a file of this machine, as a message calls it; empty: there is none.
  std::function<std::string(const TierConfig& config)> local_part = {};
};

/// The place of a registered kind.
const TierPlace& place_of(const TierKind& kind);

/// Adds a kind to the built-in ones, before any session opens. usage error for an id that is taken or an incomplete
/// row.
Status register_tier_kind(TierKind kind, TierPlace place);

/// check_tier() and the place's own checks. usage error as there.
Status check_place(const TierConfig& config);

/// TierPlace::password_home; empty where the kind has no passwords.
std::string password_home(const TierConfig& config);

/// What of the tier names a file or folder of this machine, as a message calls it: "path=", "?ca= of its url". Only the
/// machine's user may choose that. Empty: nothing does.
std::string local_part(const TierConfig& config);

/// A checked tier in the form that settings hold, show and record: without passwords and machine-specific options.
TierConfig recorded_form(TierConfig config);

/// Opens the tier, throttled and with faults if configured, with the existing entries of its place. Faults begin once
/// it is open. A percentage budget must be resolved before. An unreachable server is not an error; a password missing
/// in the url comes from with_credentials(). Errors: usage, busy, io, cancelled, rejected_input, unauthorized; one line
/// that names the tier and its place.
OpenedTier open_tier(const TierConfig& config, const OpenTierOptions& options);

}  // namespace kvantage::inline kinds
