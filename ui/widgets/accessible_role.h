// What a painted view is for a screen reader, which would know it as a nameless part of the window otherwise.
#pragma once

#include <QAccessible>

class QWidget;

namespace kvantage {

/// In the constructor of the view: a face that it has by then is lost. Its name and description stay those of the
/// widget.
void set_accessible_role(QWidget& view, QAccessible::Role role);

}  // namespace kvantage
