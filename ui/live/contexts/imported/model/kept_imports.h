// Imports that the settings file keeps for the next start of the window: where each was read, how, and what it made.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/imported/read_foreign.h"

namespace kvantage {

struct KeptImport {
  QString path;        // absolute, of a file or folder
  ForeignOptions how;  // with the day of the import
  std::string digest;  // of what it made
  bool operator==(const KeptImport&) const = default;
};

inline constexpr std::size_t max_kept_imports = 64;

/// `path` as it was given, relative or not.
KeptImport kept_import(const QString& path, const ForeignOptions& how, const ImportedProfile& made);

Json to_json(const std::vector<KeptImport>& kept);
/// Leaves out what is no import, and what is beyond max_kept_imports.
std::vector<KeptImport> kept_imports_from(const Json& json);

/// One that was read at a later start.
struct ImportReadAgain {
  std::optional<ImportedProfile> profile;  // nothing: it is gone, or cannot be read any more
  KeptImport kept;                         // with the digest of now
  QString trouble;                         // in a line: gone, not to be read, or changed; empty: as it was
};
/// Waits for the file system.
ImportReadAgain read_again(const KeptImport& kept);

}  // namespace kvantage
