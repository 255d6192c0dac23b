#include "ui/files/import_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QThread>
#include <QVBoxLayout>
#include <memory>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/widgets/button_tips.h"

namespace kvantage {
namespace {

QString import_text(const std::string& text) { return QString::fromStdString(text); }

}  // namespace

ImportDialog::ImportDialog(const QString& path, DataPreview preview, DataImport host, QWidget* parent)
    : QDialog(parent), path_(path), preview_(std::move(preview)), host_(std::move(host)) {
  setObjectName(QStringLiteral("importDialog"));
  setWindowTitle(tr("Import a data set"));
  auto* page = new QVBoxLayout(this);
  const QString name = QFileInfo(path).fileName();
  auto* head = new QLabel(
      preview_.has_fields_of_its_own()
          ? tr("%1: %n entry(s) in the format %2, whose fields are known.", nullptr, static_cast<int>(preview_.entries))
                .arg(name, import_text(preview_.format))
          : tr("%1: %n entry(s). Choose the field of each part.", nullptr, static_cast<int>(preview_.entries))
                .arg(name));
  head->setTextFormat(Qt::PlainText);  // the name is another's
  head->setWordWrap(true);
  page->addWidget(head);
  if (!preview_.has_fields_of_its_own()) add_fields(*page);
  add_preview(*page);
  auto* form = new QFormLayout;
  lengths_ = new QComboBox;
  lengths_->setAccessibleName(tr("Contexts that are too long"));
  lengths_->setToolTip(tr("What happens to contexts that the model cannot serve with a question and an answer"));
  const std::pair<QString, LongContextAction> actions[] = {
      {tr("Split into parts"), LongContextAction::split},
      {tr("Cut in the middle"), LongContextAction::truncate_middle},
      {tr("Cut at the end"), LongContextAction::truncate_end},
      {tr("Leave out"), LongContextAction::skip}};
  for (const auto& [text, action] : actions) lengths_->addItem(text, static_cast<int>(action));
  form->addRow(tr("Contexts that are too long"), lengths_);
  page->addLayout(form);
  missing_ = new QLabel;
  missing_->setObjectName(QStringLiteral("importMissing"));
  missing_->setWordWrap(true);
  reason_ = new QLabel;
  reason_->setObjectName(QStringLiteral("importReason"));
  reason_->setTextFormat(Qt::PlainText);
  reason_->setWordWrap(true);
  reason_->hide();
  page->addWidget(missing_);
  page->addWidget(reason_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  import_ = buttons->addButton(tr("&Import"), QDialogButtonBox::AcceptRole);
  import_->setToolTip(tr("Make a workload of this file, and offer to open it"));
  add_button_tips(*buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &ImportDialog::begin);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  page->addWidget(buttons);
  show_missing();
}

ImportDialog::~ImportDialog() {
  if (thread_ == nullptr) return;
  thread_->wait();  // a file of the largest size allowed takes seconds
  delete thread_;
}

void ImportDialog::add_fields(QVBoxLayout& page) {
  auto* form = new QFormLayout;
  const std::pair<const char*, QString> keys[] = {
      {"context", tr("Context")}, {"question", tr("Question")}, {"answers", tr("Answers")}, {"choices", tr("Choices")}};
  const QString tips[] = {tr("The text that questions are about"), tr("What is asked; a list asks several questions"),
                          tr("Reference answers; without them the answer with the full KV cache is the reference"),
                          tr("Options of a multiple-choice question")};
  int row = 0;
  for (const auto& [key, label] : keys) {
    auto* box = new QComboBox;
    box->setObjectName(QStringLiteral("import_") + QLatin1String(key));
    box->setAccessibleName(label);
    box->setToolTip(tips[row++]);
    box->addItem(tr("none"), QString());
    for (const auto& [field, ignored] : preview_.first) box->addItem(import_text(field), import_text(field));
    if (const std::string* field = preview_.map.find(key)) {
      if (box->findData(import_text(*field)) < 0) box->addItem(import_text(*field), import_text(*field));  // several
      box->setCurrentIndex(box->findData(import_text(*field)));
    }
    connect(box, &QComboBox::currentIndexChanged, this, &ImportDialog::show_missing);
    boxes_[key] = box;
    form->addRow(label, box);
  }
  page.addLayout(form);
}

void ImportDialog::add_preview(QVBoxLayout& page) {
  table_ = new QTableWidget(static_cast<int>(preview_.first.size()), 2);
  table_->setObjectName(QStringLiteral("importPreview"));
  table_->setAccessibleName(tr("First entry"));
  table_->setToolTip(tr("The fields of the file and the beginnings of their texts in the first entry"));
  table_->setHorizontalHeaderLabels({tr("Field"), tr("First entry")});
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setTabKeyNavigation(false);  // Tab moves on to the next control
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setStretchLastSection(true);
  for (int row = 0; row < table_->rowCount(); ++row) {
    const auto& [field, text] = preview_.first[static_cast<std::size_t>(row)];
    table_->setItem(row, 0, new QTableWidgetItem(import_text(field)));
    table_->setItem(row, 1, new QTableWidgetItem(import_text(text)));
  }
  table_->resizeColumnToContents(0);
  page.addWidget(table_);
}

FieldMap ImportDialog::map() const {
  FieldMap map;
  for (const auto& [key, box] : boxes_)
    if (const QString field = box->currentData().toString(); !field.isEmpty()) map.set(key, field.toStdString());
  if (const std::string* id = boxes_.empty() ? nullptr : preview_.map.find("id")) map.set("id", *id);
  return map;
}

QString ImportDialog::missing() const {
  if (preview_.has_fields_of_its_own()) return {};
  // Texts without questions get probes.
  return map().find("context") == nullptr ? tr("No field is chosen for the context.") : QString();
}

void ImportDialog::show_missing() {
  QString text = missing();
  import_->setEnabled(text.isEmpty());
  if (text.isEmpty() && !preview_.has_fields_of_its_own() && map().find("question") == nullptr)
    text = tr("No field is chosen for the question: questions are generated.");
  missing_->setText(text);
  missing_->setVisible(!text.isEmpty());
}

void ImportDialog::show_reason(const QString& reason) {
  reason_->setText(reason);
  reason_->setVisible(!reason.isEmpty());
}

void ImportDialog::begin() {
  if (thread_ != nullptr || !missing().isEmpty()) return;
  import_->setEnabled(false);
  show_reason(tr("Importing…"));
  auto result = std::make_shared<Expected<QString>>();
  const auto action = static_cast<LongContextAction>(lengths_->currentData().toInt());
  thread_ = QThread::create([import = host_.import, path = path_, fields = map(), action, result] {
    *result = import(path, fields, action);
  });
  connect(thread_, &QThread::finished, this, [this, result] {
    thread_->deleteLater();
    thread_ = nullptr;
    import_->setEnabled(true);
    if (!*result) return show_reason(core_text(result->error().message));
    emit imported(**result);
    accept();
  });
  thread_->start();
}

void import_data(const QString& path, const DataImport& host, QWidget* parent,
                 const std::function<void(const QString& reason)>& refused,
                 const std::function<void(const QString& folder)>& imported, const std::function<void()>& read) {
  auto preview = std::make_shared<Expected<DataPreview>>();
  QThread* thread = QThread::create([look = host.preview, path, preview] { *preview = look(path); });
  QObject::connect(thread, &QThread::finished, parent, [preview, path, host, parent, refused, imported, read] {
    if (!*preview) return refused(core_text(preview->error().message));
    read();
    auto* dialog = new ImportDialog(path, *std::move(*preview), host, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &ImportDialog::imported, parent, imported);
    dialog->open();
  });
  // A window that closes meanwhile leaves the thread to end by itself.
  QObject::connect(thread, &QThread::finished, thread, &QObject::deleteLater);
  thread->start();
}

}  // namespace kvantage
