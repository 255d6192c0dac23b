// Tiers in a folder.
#include <system_error>

#include "tiers/kinds/tier_place.h"
#include "tiers/queued_tier.h"
#include "tiers/ssd/ssd_tier.h"
#include "tiers/uring_device.h"

namespace kvantage::inline kinds {
namespace {

OpenedTier open_folder(const TierConfig& config, const OpenTierOptions& options) {
  std::filesystem::path folder = config.option("path");
  if (folder.empty() && !options.store_directory.empty()) folder = options.store_directory / config.name;
  if (folder.empty())
    return fail(ErrorCode::usage, "tier '" + config.name + "': no folder; write " + config.name + "=BYTES,path=DIR");
  KV_ASSIGN(auto store,
            SsdStore::open(config.name, folder, options.device != nullptr ? options.device : make_file_device()));
  return QueuedTier::open(std::move(store), config.budget.capacity_bytes(), 0,
                          options.executor);  // every read is verified
}

Status check_folder(const TierConfig& config) {
  if (config.options.contains("path") && config.option("path").empty())
    return fail(ErrorCode::usage, "path is empty; write path=DIR");
  return {};
}

// Without a path, a folder with the tier's name.
std::string folder_of(const TierConfig& config) {
  const std::filesystem::path path = config.option("path");
  if (path.empty()) return {};
  std::error_code ignored;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

}  // namespace

TierPlace ssd_tier_place() { return {.open = open_folder, .check = check_folder, .where = folder_of}; }

}  // namespace kvantage::inline kinds
