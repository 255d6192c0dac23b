// Where a session keeps its files: its store, the database in it, and what takes their place where they fail.
#pragma once

#include <filesystem>
#include <string>

#include "app/wiring/session_setup.h"

namespace kvantage::inline wiring {

/// The folder of these options' tier files.
std::filesystem::path store_folder(const SessionOptions& options);
/// Whether `error`, which kept a session of these options from opening, is about that folder.
bool is_about_store(const SessionOptions& options, const Error& error);
/// A new folder for a session of its own, beside the store or, where nothing can be written there, among the temporary
/// files. It exists afterwards.
Expected<std::filesystem::path> fresh_store(const SessionOptions& options);
/// kvantage.db in that folder.
std::filesystem::path default_database(const SessionOptions& options);

struct DatabaseBeside {
  std::filesystem::path path;  // the default, or if unusable kvantage-2.db, kvantage-3.db, ...
  std::string why;             // why the default one is not used; empty: it is usable
};
/// For callers that prefer a fallback to an error. Checks files and creates none.
DatabaseBeside usable_database(const SessionOptions& options);

}  // namespace kvantage::inline wiring
