#include "ui/widgets/banner.h"

#include <QHBoxLayout>
#include <QStyle>
#include <QToolButton>

namespace kvantage {
namespace {
int rank(const QString& level) {
  return level == "error" ? 2 : level == "warning" ? 1 : 0;
}
}  // namespace

Banner::Banner(QWidget* parent) : QFrame(parent), label_(new QLabel) {
  setObjectName("banner");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 5, 5, 5);
  label_->setWordWrap(true);
  label_->setAccessibleName(QStringLiteral("Message"));
  label_->setToolTip(QStringLiteral("What the program has to say; the text can be selected and copied"));
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  row->addWidget(label_, 1);
  auto* close = new QToolButton;
  close->setText(QStringLiteral("✕"));
  close->setToolTip(QStringLiteral("Dismiss"));
  close->setAccessibleName(QStringLiteral("Dismiss message"));
  row->addWidget(close, 0, Qt::AlignTop);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  hide();
}

void Banner::show_message(const QString& level, const QString& text) {
  if (isVisible() && rank(level) < rank(level_)) return;
  level_ = level;
  label_->setText(text);
  label_->setAccessibleName(level + ": " + text);
  setAccessibleName(level + ": " + text);
  setProperty("level", level);
  style()->unpolish(this);
  style()->polish(this);
  show();
}

}  // namespace kvantage
