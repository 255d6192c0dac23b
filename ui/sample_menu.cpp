#include "ui/sample_menu.h"

#include <QCoreApplication>

namespace kvantage {
namespace {

struct SampleMenuText {
  Q_DECLARE_TR_FUNCTIONS(SampleMenuText)
};

}  // namespace

QMenu* make_sample_menu(const std::vector<SampleEntry>& samples, const std::function<void(const QString& path)>& open,
                        QWidget* parent) {
  auto* menu = new QMenu(SampleMenuText::tr("Open &sample"), parent);
  menu->setToolTipsVisible(true);
  for (const SampleEntry& sample : samples) {
    QAction* action = menu->addAction(sample.name);
    action->setToolTip(sample.description);
    action->setStatusTip(sample.description);
    QObject::connect(action, &QAction::triggered, menu, [open, path = sample.path] { open(path); });
  }
  return menu;
}

}  // namespace kvantage
