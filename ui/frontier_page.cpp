#include "ui/frontier_page.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace kvantage {

FrontierPage::FrontierPage(FrontierModel& model, QWidget* parent) : QWidget(parent), chart_(new FrontierChart(model)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(11, 7, 10, 0);
  auto* title = new QLabel(QStringLiteral("Frontier"));
  title->setProperty("heading", true);
  head->addWidget(title);
  head->addStretch(1);
  auto* family_label = new QLabel(QStringLiteral("Family"));
  family_label->setProperty("muted", true);
  auto* family = new QComboBox;
  family->setObjectName("frontierFamily");
  family->setAccessibleName(QStringLiteral("Family shown in the Frontier"));
  family->setToolTip(QStringLiteral("Show contexts of one family only: curves, modelled and measured points"));
  family->addItem(QStringLiteral("all"), QString());
  family_label->setBuddy(family);
  head->addWidget(family_label);
  head->addSpacing(4);
  head->addWidget(family);
  column->addLayout(head);
  column->addWidget(chart_, 1);
  connect(&model, &FrontierModel::familiesChanged, this, [&model, family] {
    const QSignalBlocker quiet(family);
    const QString shown = model.family();
    family->clear();
    family->addItem(QStringLiteral("all"), QString());
    for (const QString& name : model.families()) family->addItem(name, name);
    family->setCurrentIndex(std::max(0, family->findData(shown)));
  });
  connect(family, &QComboBox::currentIndexChanged, this,
          [&model, family](int index) { model.set_family(family->itemData(index).toString()); });
}

}  // namespace kvantage
