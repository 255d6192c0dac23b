// A tier as a user writes it, and the tier made from it. The text form is that of `--tier`:
//   dram=64MiB    ssd=1GiB,path=DIR    ssd=256MiB,bandwidth=200MB/s,latency=1ms    archive=unlimited,path=DIR
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/ports/file_device.h"
#include "core/ports/storage_tier.h"

namespace kvantage {

struct TierSpec {
  std::string name;                       // "dram" is host memory; every other name is a folder
  std::uint64_t capacity_bytes = 0;       // 0 = unlimited
  std::filesystem::path path;             // empty: a folder of that name under OpenTierOptions::store_directory
  double bandwidth_bytes_per_second = 0;  // 0 = as fast as it is
  double latency_seconds = 0;             // added to every read and write

  bool in_memory() const { return name == "dram"; }
  bool shaped() const { return bandwidth_bytes_per_second > 0 || latency_seconds > 0; }
};

/// Reads "NAME=BYTES[,path=DIR][,bandwidth=BYTES/s][,latency=TIME]"; BYTES may be "unlimited". A usage error names the
/// option, the reason and the right form. A path cannot contain a comma.
Expected<TierSpec> parse_tier_option(std::string_view text);
/// What parse_tier_option reads back.
std::string to_string(const TierSpec& spec);

struct OpenTierOptions {
  std::filesystem::path store_directory;  // for tiers in folders without a path of their own
  std::shared_ptr<FileDevice> device;     // null: PosixDevice
  double scrub_seconds = 1.0;  // pause between two entries of host memory checked in the background; 0 = none
};

/// The tier, shaped if the spec says so, with the entries its folder already holds. Errors: busy, io, rejected_input;
/// one line that names the tier and its folder.
Expected<std::unique_ptr<StorageTier>> open_tier(const TierSpec& spec, const OpenTierOptions& options = {});

}  // namespace kvantage
