// Rows of a table stand for contexts: the one under the mouse is shown in other views while it is there.
#pragma once

#include "ui/session/selection.h"

class QTableView;

namespace kvantage {

/// `role`: under which the table's model tells the context of a row. The selection outlives the table.
void tell_hovered_context(QTableView& table, int role, Selection& selection);

}  // namespace kvantage
