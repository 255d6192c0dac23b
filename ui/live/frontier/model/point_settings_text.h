// The setting of a measured point as lines for a tooltip: budgets and speeds, methods, removed fractions.
#pragma once

#include <QString>

#include "core/ports/session.h"

namespace kvantage {

/// `mixed`: the settings changed while the point's requests were served, and these are the last.
QString point_settings_text(const SessionSettings& settings, bool mixed = false);

}  // namespace kvantage
