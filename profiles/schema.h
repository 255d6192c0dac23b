// The tables, as a list of migration steps: a new file runs all, an older file the missing ones, in one transaction.
// PRAGMA user_version counts the completed steps, PRAGMA application_id identifies our files. Released steps never
// change; docs/file-formats.md describes the result.
#pragma once

#include <cstdint>

#include "core/sqlite/sqlite.h"

namespace kvantage::inline profiles {

inline constexpr std::int64_t application_id = 0x4b56616e;  // "KVan"
/// Version of the newest supported schema.
std::int64_t known_schema_version();

/// Checks that `database` is ours, undamaged (fully up to 64 MiB, else its catalog only) and of a known version.
/// Returns the version, 0 for an empty file.
Expected<std::int64_t> check_schema(Database& database);
/// Migrates an empty or older file to the known version; all or nothing.
Status migrate_schema(Database& database);

}  // namespace kvantage::inline profiles
