// Names of tier counters and of their reasons as people read them. Exports and JSON keep the identifiers.
#pragma once

#include <QString>

namespace kvantage {

/// "read_bytes" -> "Bytes read"; an identifier without a name stays as it is.
QString counter_name(const QString& id);
/// "no_space" -> "full", "in" -> "to the device"; others stay as they are.
QString counter_reason(const QString& id);

}  // namespace kvantage
