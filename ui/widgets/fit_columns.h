// First widths of a table's columns: wide enough for their title and for a typical text, in the font that is really
// used. The user may drag them afterwards.
#pragma once

#include <QStringList>
#include <QTableView>

namespace kvantage {

/// `typical`: one text per column; kept, to fit again when the text size changes. Call when the table is about to be
/// shown: its font is unknown before.
void fit_columns(QTableView& table, const QStringList& typical);

}  // namespace kvantage
