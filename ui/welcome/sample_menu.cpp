#include "ui/welcome/sample_menu.h"

#include <QCoreApplication>

#include "ui/text/translated_texts.h"

namespace kvantage {
namespace {

struct SampleMenuText {
  Q_DECLARE_TR_FUNCTIONS(SampleMenuText)
};

}  // namespace

Status translate_samples(std::vector<SampleEntry>& samples, const QString& folder, const QString& language) {
  KV_ASSIGN(const auto texts, read_translated_texts(QStringLiteral("%1/%2.texts").arg(folder, language), language));
  for (SampleEntry& sample : samples) sample.description = translated(texts, sample.description);
  return {};
}

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
