// Asks before a session connects to servers that a file names.
#pragma once

#include <QString>
#include <QStringList>

class QWidget;

namespace kvantage {

/// Whether the user lets `workload` connect to `addresses` (HOST:PORT). Modal; closing it, Escape and Return are a no.
bool ask_for_remotes(QWidget* parent, const QString& workload, const QStringList& addresses);

}  // namespace kvantage
