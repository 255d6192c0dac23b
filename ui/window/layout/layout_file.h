// A layout as a file, to give to others: JSON with the name, the docks that it places, Qt's state of the window and its
// digest.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include "core/base/error.h"

namespace kvantage {

struct LayoutFile {
  QString name;
  QStringList docks;  // ids; for people and for a later version
  QByteArray state;   // of QMainWindow::saveState
};

/// An io error names the file and what the system said.
Status write_layout(const LayoutFile& layout, const QString& path);
/// rejected_input: no layout, another version, cut off or changed; one line that names the file and the fix.
Expected<LayoutFile> read_layout(const QString& path);

}  // namespace kvantage
