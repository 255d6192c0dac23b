// Exports hold texts of private documents.
#pragma once

#include <QSaveFile>

namespace kvantage {

/// Opens the file for writing so that it is the user's alone (mode 0600), whatever the umask.
inline bool open_private(QSaveFile& file) {
  return file.open(QIODevice::WriteOnly) && file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
}

}  // namespace kvantage
