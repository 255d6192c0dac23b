#include "app/wiring/default_database.h"

#include <system_error>

#include "core/base/files.h"
#include "core/base/folders.h"

namespace kvantage::inline wiring {

std::filesystem::path store_folder(const SessionOptions& options) {
  return options.store.empty() ? cache_directory() / "stores" : options.store;
}

bool is_about_store(const SessionOptions& options, const Error& error) {
  return error.code == ErrorCode::busy || error.message.find(store_folder(options).string()) != std::string::npos;
}

Expected<std::filesystem::path> fresh_store(const SessionOptions& options) {
  constexpr int most = 100;
  std::error_code code;
  std::filesystem::path store = store_folder(options).lexically_normal();
  if (store.filename().empty()) store = store.parent_path();
  for (int number = 2; number <= most; ++number) {
    const std::filesystem::path folder = store.string() + "-" + std::to_string(number);
    if (std::filesystem::exists(folder, code)) continue;
    if (make_writable_folder(folder)) return folder;
    break;  // nor can another one there
  }
  return make_temporary_folder("kvantage-" + store.filename().string());
}

std::filesystem::path default_database(const SessionOptions& options) { return store_folder(options) / "kvantage.db"; }

DatabaseBeside usable_database(const SessionOptions& options) {
  constexpr int most = 100;
  const std::filesystem::path preferred = default_database(options);
  DatabaseBeside found{preferred, {}};
  for (int number = 2;; ++number) {
    if (!is_there(found.path) || number > most) return found;
    const auto opened = open_stores(found.path, StoreAccess::read_write, machine_clock());
    // A read-only folder, a full disk or another window's lock would affect any other file there, too.
    if (opened || (opened.error().code != ErrorCode::rejected_input && opened.error().code != ErrorCode::corrupt))
      return found;
    if (found.why.empty()) found.why = opened.error().message;
    found.path = preferred.parent_path() / ("kvantage-" + std::to_string(number) + ".db");
  }
}

}  // namespace kvantage::inline wiring
