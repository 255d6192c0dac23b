#include "ui/files/remote_question.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace kvantage {
namespace {

struct RemoteQuestion {
  Q_DECLARE_TR_FUNCTIONS(RemoteQuestion)
};

}  // namespace

bool ask_for_remotes(QWidget* parent, const QString& workload, const QStringList& addresses) {
  QMessageBox box(
      QMessageBox::Warning, RemoteQuestion::tr("Connect to a server?"),
      RemoteQuestion::tr("The files of “%1” name a server: %2").arg(workload, addresses.join(QStringLiteral(", "))),
      QMessageBox::NoButton, parent);
  box.setObjectName(QStringLiteral("remoteQuestion"));
  box.setTextFormat(Qt::PlainText);  // the names are another's
  box.setInformativeText(RemoteQuestion::tr(
      "Connecting sends KV caches of this session, and your saved password for this host, if any. Connect only if you "
      "trust the server."));
  QPushButton* connect = box.addButton(RemoteQuestion::tr("&Connect"), QMessageBox::AcceptRole);
  QPushButton* cancel = box.addButton(RemoteQuestion::tr("&Do not connect"), QMessageBox::RejectRole);
  connect->setToolTip(RemoteQuestion::tr("Connect, and keep KV caches on this server"));
  cancel->setToolTip(RemoteQuestion::tr("Connect to no server (Esc)"));
  box.setDefaultButton(cancel);
  box.setEscapeButton(cancel);
  box.exec();
  return box.clickedButton() == connect;
}

}  // namespace kvantage
