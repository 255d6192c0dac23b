#include "ui/live/contexts/imported/imported_page.h"

#include <QDate>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMimeData>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {

namespace {

constexpr const char* imports_key = "imported/curves";  // of the settings file

}  // namespace

ImportedPage::ImportedPage(QWidget* parent)
    : QWidget(parent),
      profile_(new QComboBox),
      dataset_(new QComboBox),
      file_(new QPushButton(tr("Import file…"))),
      folder_(new QPushButton(tr("Import folder…"))),
      remove_(new QPushButton(tr("Remove"))),
      source_(plain_label()),
      chart_(new ImportedChart(curves_)) {
  setAcceptDrops(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 0);
  for (QWidget* part : std::initializer_list<QWidget*>{file_, folder_, remove_}) row->addWidget(part);
  row->addStretch(1);
  column->addLayout(row);
  auto* choices = new QHBoxLayout;
  choices->setContentsMargins(8, 2, 8, 0);
  choices->addWidget(profile_);
  choices->addWidget(dataset_);
  choices->addStretch(1);
  column->addLayout(choices);
  for (QComboBox* box : {profile_, dataset_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(10);
  }
  file_->setToolTip(
      tr("Quality curves of others: a table (CSV, JSON), a LongBench result.json or an imported profile"));
  folder_->setToolTip(tr("Quality curves of others: a folder of kvpress evaluation results"));
  remove_->setToolTip(tr("Takes the shown import out of the window; its file stays"));
  profile_->setAccessibleName(tr("Imported profile"));
  profile_->setToolTip(tr("Import whose curves are shown"));
  dataset_->setAccessibleName(tr("Data set"));
  dataset_->setToolTip(tr("Data set of the import"));
  source_->setProperty("muted", true);
  source_->setWordWrap(true);
  source_->setContentsMargins(10, 0, 8, 2);
  source_->setAccessibleName(tr("Source of the imported curves"));
  source_->setToolTip(tr("Measured elsewhere: these curves enter no plan of this session"));
  column->addWidget(source_);
  column->addWidget(chart_, 1);
  connect(file_, &QPushButton::clicked, this, [this] { choose(false); });
  connect(folder_, &QPushButton::clicked, this, [this] { choose(true); });
  connect(remove_, &QPushButton::clicked, &curves_, &ImportedCurves::remove_shown);
  connect(profile_, &QComboBox::activated, &curves_, &ImportedCurves::show_profile);
  connect(dataset_, &QComboBox::textActivated, &curves_, &ImportedCurves::show_dataset);
  connect(&curves_, &ImportedCurves::changed, this, &ImportedPage::show_choices);
  show_choices();
}

void ImportedPage::choose(bool folder) {
  auto* dialog = new QFileDialog(this, folder ? tr("Import folder") : tr("Import file"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
  if (folder) dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { preview(path); });
  dialog->open();
}

ImportPreview* ImportedPage::preview(const QString& path) {
  auto* preview = new ImportPreview(path, QDate::currentDate().toString(Qt::ISODate), this);
  connect(preview, &ImportPreview::imported, &curves_,
          [this, path](const ImportedProfile& profile, const ForeignOptions& how) {
            curves_.add(profile, kept_import(path, how, profile));
          });
  preview->open();
  return preview;
}

void ImportedPage::keep_in(QSettings& settings, const Say& say) {
  kept_ = settings.value(imports_key).toString();
  pending_ = kept_imports_from(Json::parse(from_q(kept_), nullptr, false));
  connect(&curves_, &ImportedCurves::changed, this, [this, &settings] { keep(settings); });
  if (pending_.empty()) return;
  reader_ = std::make_unique<LatestJob>();
  reader_->start([this, &settings, say, kept = pending_](const LatestJob::GivenUp& given_up) {
    std::vector<ImportReadAgain> read;
    read.reserve(kept.size());
    for (const KeptImport& one : kept) {
      if (given_up()) return;
      read.push_back(read_again(one));
    }
    QMetaObject::invokeMethod(
        this,
        [this, &settings, say, read = std::move(read)] {
          take_again(read, say);
          keep(settings);
        },
        Qt::QueuedConnection);
  });
}

void ImportedPage::take_again(const std::vector<ImportReadAgain>& imports, const Say& say) {
  pending_.clear();
  QStringList troubles;
  for (const ImportReadAgain& one : imports) {
    if (!one.trouble.isEmpty()) troubles << one.trouble;
    if (one.profile) curves_.add(*one.profile, one.kept);
  }
  if (!troubles.isEmpty() && say) say(QStringLiteral("warning"), troubles.join('\n'));
}

// Nothing that was not read yet is forgotten.
void ImportedPage::keep(QSettings& settings) {
  std::vector<KeptImport> all = pending_;
  std::ranges::copy(curves_.kept(), std::back_inserter(all));
  const QString text = all.empty() ? QString() : to_q(dump_json(to_json(all)));
  if (text == kept_) return;
  kept_ = text;
  if (text.isEmpty())
    settings.remove(imports_key);
  else
    settings.setValue(imports_key, text);
}

void ImportedPage::show_choices() {
  const QSignalBlocker quiet_profile(profile_), quiet_dataset(dataset_);
  const bool any = curves_.profile() != nullptr;
  profile_->clear();
  profile_->addItems(curves_.names());
  profile_->setCurrentIndex(curves_.shown());
  dataset_->clear();
  dataset_->addItems(curves_.datasets());
  dataset_->setCurrentText(curves_.dataset());
  for (QWidget* part : std::initializer_list<QWidget*>{profile_, dataset_, source_, remove_}) part->setVisible(any);
  source_->setText(curves_.source());
}

void ImportedPage::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() && event->mimeData()->urls().size() == 1 &&
      event->mimeData()->urls().front().isLocalFile())
    event->acceptProposedAction();
}

void ImportedPage::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  preview(event->mimeData()->urls().front().toLocalFile());
}

}  // namespace kvantage
