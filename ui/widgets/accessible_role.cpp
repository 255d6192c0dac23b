#include "ui/widgets/accessible_role.h"

#include <QAccessibleWidget>
#include <QVariant>
#include <QWidget>

namespace kvantage {
namespace {

constexpr const char* accessible_role_property = "kvantage.role";

QAccessibleInterface* face_of_painted_view(const QString&, QObject* object) {
  auto* view = qobject_cast<QWidget*>(object);
  const QVariant role = view != nullptr ? view->property(accessible_role_property) : QVariant();
  return role.isValid() ? new QAccessibleWidget(view, static_cast<QAccessible::Role>(role.toInt())) : nullptr;
}

}  // namespace

void set_accessible_role(QWidget& view, QAccessible::Role role) {
  QAccessible::installFactory(face_of_painted_view);  // once for each application, however often it is asked
  view.setProperty(accessible_role_property, static_cast<int>(role));
  // A screen reader that was told of the view's name has made a face of it already.
  QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&view);
  if (face != nullptr && face->role() != role) QAccessible::deleteAccessibleInterface(QAccessible::uniqueId(face));
}

}  // namespace kvantage
