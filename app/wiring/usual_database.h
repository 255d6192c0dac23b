// Which database a session records into where none was named.
#pragma once

#include <filesystem>
#include <string>

#include "app/wiring/session_setup.h"

namespace kvantage {

/// Where the tiers' files of these options lie.
std::filesystem::path store_folder(const SessionOptions& options);
/// kvantage.db in that folder.
std::filesystem::path usual_database(const SessionOptions& options);

struct DatabaseBeside {
  std::filesystem::path path;  // the usual one, or where that cannot be used kvantage-2.db, kvantage-3.db, ...
  std::string why;             // the usual one is left as it is; empty: it can be used
};
/// For who would rather go on than be refused. Looks into files and makes none.
DatabaseBeside usable_database(const SessionOptions& options);

}  // namespace kvantage
