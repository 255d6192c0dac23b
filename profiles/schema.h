// The tables, as the list of steps that led to them: a new file runs all, an older file those that it lacks, in one
// transaction. PRAGMA user_version counts the steps done, PRAGMA application_id tells our files from others'.
// A step once released never changes; docs/file-formats.md describes the result.
#pragma once

#include <cstdint>

#include "core/sqlite/sqlite.h"

namespace kvantage {

inline constexpr std::int64_t application_id = 0x4b56616e;  // "KVan"
/// Version of the newest schema that this program knows.
std::int64_t known_schema_version();

/// Checks that `database` is ours, undamaged (in full up to 64 MiB, else its catalogue only) and of a known version.
/// Version, 0 for an empty file.
Expected<std::int64_t> check_schema(Database& database);
/// Brings an empty or older file to the known version; all or nothing.
Status migrate_schema(Database& database);

}  // namespace kvantage
