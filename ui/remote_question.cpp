#include "ui/remote_question.h"

#include <QMessageBox>
#include <QObject>
#include <QPushButton>

namespace kvantage {

bool ask_for_remotes(QWidget* parent, const QString& workload, const QStringList& addresses) {
  QMessageBox box(
      QMessageBox::Warning, QObject::tr("Connect to a server?"),
      QObject::tr("The files of “%1” name a server: %2").arg(workload, addresses.join(QStringLiteral(", "))),
      QMessageBox::NoButton, parent);
  box.setObjectName(QStringLiteral("remoteQuestion"));
  box.setTextFormat(Qt::PlainText);  // the names are another's
  box.setInformativeText(
      QObject::tr("Connecting sends it the KV caches of this session, and the password that you keep for this host, if "
                  "any. Connect only if you know the server."));
  QPushButton* connect = box.addButton(QObject::tr("&Connect"), QMessageBox::AcceptRole);
  QPushButton* cancel = box.addButton(QObject::tr("&Do not connect"), QMessageBox::RejectRole);
  box.setDefaultButton(cancel);
  box.setEscapeButton(cancel);
  box.exec();
  return box.clickedButton() == connect;
}

}  // namespace kvantage
