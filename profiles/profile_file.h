// A profile as a small text file, so that a workload can ship with its quality curves: one cell per line, sorted,
// numbers in their shortest round-trip form. Keyed by the digests of model and workload: importing an unrelated profile
// is harmless, as no lookup finds it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/ports/stores.h"

namespace kvantage::inline profiles {

struct ProfileFile {
  ProfileScope scope;
  std::vector<ProfileCell> cells;  // ascending by (context_id, context, method, removed_fraction)
};

/// The text form; the same bytes whatever the order of cells. Ends with a newline.
std::string profile_to_text(const ProfileFile& file);
/// Strict: unknown or missing fields, wrong types, values out of range and duplicate cells are rejected_input. `name`
/// comes first in the message.
Expected<ProfileFile> profile_from_text(const std::string& text, const std::string& name);

/// Adds the file's cells that the store lacks (local measurements are kept). Returns how many: none where the file
/// belongs to another workload than `workload`, whatever its name.
Expected<std::size_t> import_profile(ProfileStore& store, const std::filesystem::path& path, const Digest128& workload);
/// Writes what the store has for `scope`; returns how many cells. not_found when there are none.
Expected<std::size_t> export_profile(ProfileStore& store, const ProfileScope& scope, const std::filesystem::path& path);

}  // namespace kvantage::inline profiles
