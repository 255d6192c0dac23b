// The default database of a session.
#pragma once

#include <filesystem>
#include <string>

#include "app/wiring/session_setup.h"

namespace kvantage::inline wiring {

/// The folder of these options' tier files.
std::filesystem::path store_folder(const SessionOptions& options);
/// kvantage.db in that folder.
std::filesystem::path default_database(const SessionOptions& options);

struct DatabaseBeside {
  std::filesystem::path path;  // the default, or if unusable kvantage-2.db, kvantage-3.db, ...
  std::string why;             // why the default one is not used; empty: it is usable
};
/// For callers that prefer a fallback to an error. Checks files and creates none.
DatabaseBeside usable_database(const SessionOptions& options);

}  // namespace kvantage::inline wiring
