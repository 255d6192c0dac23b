#include "ui/papers/charts/paper_format_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/widgets/button_tips.h"

namespace kvantage {
namespace {

void name_choice(QComboBox& box, const QString& name, const QString& tip) {
  box.setAccessibleName(name);
  box.setToolTip(tip);
  box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box.setMinimumContentsLength(20);
}

}  // namespace

PaperFormatDialog::PaperFormatDialog(QWidget* parent)
    : QDialog(parent), width_(new QComboBox), font_(new QComboBox), size_(new QComboBox) {
  setObjectName(QStringLiteral("paperFormat"));
  setWindowTitle(tr("Picture for a paper"));
  setAttribute(Qt::WA_DeleteOnClose);
  name_choice(*width_, tr("Width of the picture"), tr("Width of the picture on paper, in mm"));
  name_choice(*font_, tr("Font of the picture"), tr("Font of all text in the picture"));
  name_choice(*size_, tr("Text size of the picture"), tr("Size of axis labels, in points; other text in proportion"));
  for (const PaperWidth width : {PaperWidth::one_column, PaperWidth::two_columns}) {
    const QString mm = QString::number(paper_width_mm(width));
    width_->addItem(width == PaperWidth::one_column ? tr("1 column (%1 mm)").arg(mm) : tr("2 columns (%1 mm)").arg(mm),
                    static_cast<int>(width));
  }
  const QString own = tr("as in the window");
  font_->addItem(own, QString());
  const QStringList families = paper_font_families();
  for (const QString& family : families) font_->addItem(family, family);
  size_->addItem(own, 0.0);
  for (const double points : paper_font_points) size_->addItem(tr("%1 pt").arg(points), points);
  const PaperFormat last = last_paper_format();
  width_->setCurrentIndex(width_->findData(static_cast<int>(last.width)));
  font_->setCurrentIndex(std::max(0, font_->findData(last.font.family)));  // it may be gone
  size_->setCurrentIndex(std::max(0, size_->findData(last.font.points)));

  auto* form = new QFormLayout;
  form->addRow(tr("Width"), width_);
  form->addRow(tr("Font"), font_);
  form->addRow(tr("Text size"), size_);
  auto* note = new QLabel(tr("PDF and PNG include the font. An SVG names it, and needs it where it is shown."));
  note->setProperty("muted", true);
  note->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  QPushButton* go = buttons->addButton(tr("&Export…"), QDialogButtonBox::AcceptRole);
  go->setToolTip(tr("Choose where to save the picture"));
  go->setDefault(true);
  add_button_tips(*buttons);
  auto* column = new QVBoxLayout(this);
  column->addLayout(form);
  column->addWidget(note);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    const PaperFormat wanted = format();
    set_last_paper_format(wanted);
    accept();  // before another dialog opens, which this one would be in front of
    emit chosen(wanted);
  });
}

PaperFormat PaperFormatDialog::format() const {
  return {static_cast<PaperWidth>(width_->currentData().toInt()),
          {font_->currentData().toString(), size_->currentData().toDouble()}};
}

void ask_paper_format(QWidget* parent, std::function<void(const PaperFormat& format)> chosen) {
  auto* dialog = new PaperFormatDialog(parent);
  QObject::connect(dialog, &PaperFormatDialog::chosen, parent, std::move(chosen));
  dialog->open();
}

}  // namespace kvantage
