// Everything the user can tell a window to do, gathered for the command palette: its menus (those that fill themselves
// when they open included), actions that are in no menu, what a right click in a view offers, buttons, and controls
// by name.
#pragma once

#include <QAction>
#include <vector>

#include "ui/window/model/palette_model.h"

class QAbstractButton;
class QMenu;
class QMainWindow;

namespace kvantage {

/// A property of an action that does for all views what others do for one.
inline constexpr const char* of_all_views_property = "kvantage.ofAllViews";

/// Menus first, in their order, then the rest. Entries hold on to nothing: one whose action or control is gone does
/// nothing.
std::vector<PaletteEntry> palette_entries(QMainWindow& window);
/// Of an action or a menu, as it is shown elsewhere: without mnemonic and ellipsis.
QString without_mnemonic(QString text);
/// Actions at the leaves of a menu, those of submenus included. Lets menus fill themselves as if they were about to
/// open.
std::vector<QAction*> leaf_actions(QMenu& menu);
/// Brings a control before the eyes, whatever dock, tab or scroll area it is in.
void bring_into_view(QWidget& control);
/// `opener` shows `panel`, which is hidden until then: whoever looks for something in the panel presses it.
void set_opener(QWidget& panel, QAbstractButton& opener);
/// The same as bring_into_view, and gives it the keyboard.
void reveal(QWidget& control);

}  // namespace kvantage
