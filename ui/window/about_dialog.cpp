#include "ui/window/about_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/look/icons.h"
#include "ui/text/core_text.h"
#include "ui/widgets/button_tips.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

// Names and licenses are in no language.
const std::vector<Component>& components() {
  const auto q = [](const char* text) { return QString::fromUtf8(text); };
  const QString shipped = AboutDialog::tr("included"), linked = AboutDialog::tr("linked"),
                compiled_in = AboutDialog::tr("compiled in");
  static const std::vector<Component> all = {
      {AboutDialog::tr("Default model (resources/model)"), q("GPL-3.0-only"), shipped},
      {AboutDialog::tr("Sample workloads"), q("CC0-1.0"), shipped},
      {q("Qt 6: Core, Gui, Widgets, Svg"), q("LGPL-3.0"), linked},
      {q("Qt 6: Charts"), q("GPL-3.0"), linked},
      {q("libtorch 2.11, with libgomp"), q("BSD-3-Clause; GPL-3.0 with GCC exception"),
       AboutDialog::tr("fetched, linked")},
      {q("SQLite3"), AboutDialog::tr("public domain"), linked},
      {q("ICU"), q("Unicode-3.0"), linked},
      {q("PCRE2"), q("BSD-3-Clause"), linked},
      {q("zstd (libzstd)"), q("BSD-3-Clause"), linked},
      {q("xxHash (libxxhash)"), q("BSD-2-Clause"), linked},
      {q("liburing"), q("LGPL-2.1 or MIT"), linked},
      {q("libvalkey"), q("BSD-3-Clause"), compiled_in},
      {q("tree-sitter"), q("MIT"), compiled_in},
      {q("tree-sitter-python"), q("MIT"), compiled_in},
      {q("muParser"), q("BSD-2-Clause"), linked},
      {q("libcurl"), q("curl (MIT style)"), linked},
      {q("expat"), q("MIT"), linked},
      {q("libyaml"), q("MIT"), linked},
      {q("coinor-cbc"), q("EPL-2.0"), linked},
      {q("OpenSSL"), q("Apache-2.0"), linked},
      {q("spdlog, with fmt"), q("MIT"), linked},
      {q("nlohmann_json"), q("MIT"), compiled_in},
      {q("tl-expected"), q("CC0-1.0"), compiled_in},
      {q("CLI11"), q("BSD-3-Clause"), compiled_in},
      {q("all-MiniLM-L6-v2"), q("Apache-2.0"), AboutDialog::tr("fetched, for the cosine metric only")},
      {q("libarrow, libparquet"), q("Apache-2.0"), AboutDialog::tr("fetched, for Parquet only")},
  };
  return all;
}

AboutDialog::AboutDialog(const ProgramFacts& facts, QWidget* parent) : QDialog(parent) {
  setObjectName("aboutDialog");
  setWindowTitle(tr("About KVantage"));
  setAttribute(Qt::WA_DeleteOnClose);
  facts_ =
      (facts.changed ? tr("KVantage %1, commit %2 with local changes, Qt %3") : tr("KVantage %1, commit %2, Qt %3"))
          .arg(facts.version.isEmpty() ? tr("(unknown version)") : facts.version,
               facts.commit.isEmpty() ? tr("unknown") : facts.commit, QString::fromLatin1(qVersion()));
  QString shown = facts_;
  const auto add = [&](const QString& english) {
    facts_ += '\n' + english;
    shown += '\n' + core_text(english);
  };
  if (!facts.hardware.isEmpty()) add(facts.hardware);
  if (facts.device) add(facts.device());
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
  auto* what =
      new QLabel(tr("A workbench for KV-cache compression and eviction. License: GPL-3.0-only, without any warranty."));
  what->setWordWrap(true);
  auto* told = new QLabel(shown);
  told->setObjectName("aboutFacts");
  told->setProperty("muted", true);
  told->setWordWrap(true);
  told->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QLabel* label : {title, what, told}) words->addWidget(label);
  head->addLayout(words, 1);
  column->addLayout(head);
  auto* table = new QTableWidget(static_cast<int>(components().size()), 3);
  table->setHorizontalHeaderLabels({tr("Component"), tr("License"), tr("How it is included")});
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setAccessibleName(tr("Licenses"));
  table->setToolTip(tr("Components that ship with KVantage or are linked into it, and their licenses"));
  int row = 0;
  for (const Component& part : components()) {
    int cell = 0;
    for (const QString& text : {part.name, part.license, part.how}) {
      auto* item = new QTableWidgetItem(text);
      item->setToolTip(text);
      table->setItem(row, cell++, item);
    }
    ++row;
  }
  show_as_rows(*table);
  fit_columns(*table, {tr("Default model (resources/model)") + ' ', QStringLiteral("BSD-3-Clause; GPL-3.0 with GCC "),
                       QString()});
  column->addWidget(table, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* copy = buttons->addButton(tr("C&opy"), QDialogButtonBox::ActionRole);
  copy->setToolTip(tr("Copy version, commit and hardware for a bug report"));
  connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(facts_); });
  auto* qt = buttons->addButton(tr("About &Qt"), QDialogButtonBox::ActionRole);
  qt->setToolTip(tr("About Qt"));
  connect(qt, &QPushButton::clicked, this, [this] { QMessageBox::aboutQt(this); });
  add_button_tips(*buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  column->addWidget(buttons);
  const QSize room = parent != nullptr ? parent->window()->size() : QSize(1280, 800);
  resize(QSize(fontMetrics().averageCharWidth() * 118, fontMetrics().height() * 30).boundedTo(room));
}

}  // namespace kvantage
