#include "ui/about_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/icons.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

const std::vector<Component>& components() {
  const auto q = [](const char* text) { return QString::fromUtf8(text); };
  static const std::vector<Component> all = {
      {q("Default model (resources/model)"), q("GPL-3.0-only"), q("shipped")},
      {q("Sample workloads"), q("CC0-1.0"), q("shipped")},
      {q("Qt 6: Core, Gui, Widgets, Svg"), q("LGPL-3.0"), q("linked")},
      {q("Qt 6: Charts"), q("GPL-3.0"), q("linked")},
      {q("libtorch 2.11, with libgomp"), q("BSD-3-Clause; GPL-3.0 with GCC exception"), q("fetched, linked")},
      {q("SQLite3"), q("public domain"), q("linked")},
      {q("ICU"), q("Unicode-3.0"), q("linked")},
      {q("PCRE2"), q("BSD-3-Clause"), q("linked")},
      {q("zstd (libzstd)"), q("BSD-3-Clause"), q("linked")},
      {q("xxHash (libxxhash)"), q("BSD-2-Clause"), q("linked")},
      {q("liburing"), q("LGPL-2.1 or MIT"), q("linked")},
      {q("libvalkey"), q("BSD-3-Clause"), q("compiled in")},
      {q("OpenSSL"), q("Apache-2.0"), q("linked")},
      {q("spdlog, with fmt"), q("MIT"), q("linked")},
      {q("nlohmann_json"), q("MIT"), q("compiled in")},
      {q("tl-expected"), q("CC0-1.0"), q("compiled in")},
      {q("CLI11"), q("BSD-3-Clause"), q("compiled in")},
      {q("all-MiniLM-L6-v2"), q("Apache-2.0"), q("fetched for the metric cosine alone")},
  };
  return all;
}

AboutDialog::AboutDialog(const ProgramFacts& facts, QWidget* parent) : QDialog(parent) {
  setObjectName("aboutDialog");
  setWindowTitle(QStringLiteral("About KVantage"));
  setAttribute(Qt::WA_DeleteOnClose);
  facts_ = QStringLiteral("KVantage %1, commit %2%3, Qt %4%5")
               .arg(facts.version.isEmpty() ? QStringLiteral("of an unknown version") : facts.version,
                    facts.commit.isEmpty() ? QStringLiteral("unknown") : facts.commit,
                    facts.changed ? QStringLiteral(" with changes") : QString(), QString::fromLatin1(qVersion()),
                    facts.hardware.isEmpty() ? QString() : QStringLiteral("\n") + facts.hardware);
  if (facts.device) facts_ += QStringLiteral("\n") + facts.device();
  auto* column = new QVBoxLayout(this);
  auto* head = new QHBoxLayout;
  head->setSpacing(14);
  auto* logo = new QLabel;
  logo->setPixmap(application_icon().pixmap(56, 56));
  head->addWidget(logo, 0, Qt::AlignTop);
  auto* words = new QVBoxLayout;
  auto* title = new QLabel(QStringLiteral("KVantage"));
  QFont big = title->font();
  big.setPointSizeF(big.pointSizeF() * 1.6);
  big.setWeight(QFont::DemiBold);
  title->setFont(big);
  auto* what = new QLabel(QStringLiteral(
      "A workbench for KV-cache compression and eviction. Licence: GPL-3.0-only, without any warranty."));
  what->setWordWrap(true);
  auto* told = new QLabel(facts_);
  told->setObjectName("aboutFacts");
  told->setProperty("muted", true);
  told->setWordWrap(true);
  told->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {title, what, told}) words->addWidget(label);
  head->addLayout(words, 1);
  column->addLayout(head);
  auto* table = new QTableWidget(static_cast<int>(components().size()), 3);
  table->setHorizontalHeaderLabels(
      {QStringLiteral("Part"), QStringLiteral("Licence"), QStringLiteral("How it is here")});
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setAccessibleName(QStringLiteral("Licences"));
  table->setToolTip(QStringLiteral("What ships with the program or is linked to it, and under which terms"));
  int row = 0;
  for (const Component& part : components()) {
    int cell = 0;
    for (const QString& text : {part.name, part.licence, part.how}) {
      auto* item = new QTableWidgetItem(text);
      item->setToolTip(text);
      table->setItem(row, cell++, item);
    }
    ++row;
  }
  show_as_rows(*table);
  fit_columns(*table, {QStringLiteral("Default model (resources/model) "),
                       QStringLiteral("BSD-3-Clause; GPL-3.0 with GCC "), QString()});
  column->addWidget(table, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* copy = buttons->addButton(QStringLiteral("C&opy"), QDialogButtonBox::ActionRole);
  copy->setToolTip(QStringLiteral("Version, commit and hardware, for a report of a fault"));
  connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(facts_); });
  auto* qt = buttons->addButton(QStringLiteral("About &Qt"), QDialogButtonBox::ActionRole);
  qt->setToolTip(QStringLiteral("What Qt says of itself"));
  connect(qt, &QPushButton::clicked, this, [this] { QMessageBox::aboutQt(this); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  column->addWidget(buttons);
  resize(fontMetrics().averageCharWidth() * 118, fontMetrics().height() * 30);
}

}  // namespace kvantage
