#include "app/wiring/default_database.h"

#include <system_error>

#include "core/base/files.h"

namespace kvantage::inline wiring {

std::filesystem::path store_folder(const SessionOptions& options) {
  return options.store.empty() ? cache_directory() / "stores" : options.store;
}

std::filesystem::path default_database(const SessionOptions& options) { return store_folder(options) / "kvantage.db"; }

DatabaseBeside usable_database(const SessionOptions& options) {
  constexpr int most = 100;
  const std::filesystem::path preferred = default_database(options);
  DatabaseBeside found{preferred, {}};
  for (int number = 2;; ++number) {
    std::error_code code;
    if (!std::filesystem::exists(found.path, code) || number > most) return found;
    const auto opened = open_stores(found.path);
    // A read-only folder, a full disk or another window's lock would affect any other file there, too.
    if (opened || (opened.error().code != ErrorCode::rejected_input && opened.error().code != ErrorCode::corrupt))
      return found;
    if (found.why.empty()) found.why = opened.error().message;
    found.path = preferred.parent_path() / ("kvantage-" + std::to_string(number) + ".db");
  }
}

}  // namespace kvantage::inline wiring
