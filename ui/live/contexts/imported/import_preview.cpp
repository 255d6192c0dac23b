#include "ui/live/contexts/imported/import_preview.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>
#include <set>

#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

constexpr int preview_rows = 6;

/// What a key is for people; the keys of --map.
QString import_key_text(std::string_view key) {
  if (key == "dataset") return ImportPreview::tr("Data set");
  if (key == "method") return ImportPreview::tr("Method");
  if (key == "removed") return ImportPreview::tr("Removed fraction");
  if (key == "kept") return ImportPreview::tr("Kept fraction");
  if (key == "quality") return ImportPreview::tr("Quality");
  if (key == "n") return ImportPreview::tr("Questions (n)");
  if (key == "quality_low") return ImportPreview::tr("95 % from");
  if (key == "quality_high") return ImportPreview::tr("95 % to");
  if (key == "kept_bytes") return ImportPreview::tr("Share of bytes kept");
  return ImportPreview::tr("Model");
}

}  // namespace

ImportPreview::ImportPreview(const QString& path, const QString& date, QWidget* parent)
    : QDialog(parent),
      path_(from_q(path)),
      date_(from_q(date)),
      dataset_(new QLineEdit),
      method_(new QLineEdit),
      removed_(new QLineEdit),
      model_(new QLineEdit),
      metric_(new QLineEdit),
      rows_(new QTableWidget),
      status_(plain_label()),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setObjectName("importPreview");
  setWindowTitle(tr("Import %1").arg(QFileInfo(path).fileName()));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  column->addWidget(rows_);
  auto* form = new QFormLayout;
  column->addLayout(form);
  const auto table = foreign_table(path_);
  if (table && !table->columns.empty()) {
    show_rows(*table);
    add_columns(*table, *form);
  } else {
    rows_->hide();
  }
  const auto field = [&](QLineEdit& edit, const QString& name, const QString& tip) {
    edit.setAccessibleName(name);
    edit.setToolTip(tip);
    form->addRow(name, &edit);
    connect(&edit, &QLineEdit::textEdited, this, &ImportPreview::read);
  };
  field(*dataset_, tr("Data set of all rows"), tr("Name of the data set, where the file names none"));
  field(*method_, tr("Method of all rows"), tr("Method that was measured, where the file names none, e.g. snapkv"));
  field(*removed_, tr("Removed in all rows"), tr("Removed share of the tokens, from 0 up to but not including 1"));
  field(*model_, tr("Model"), tr("Model that was measured, where the file does not say"));
  field(*metric_, tr("Metric"), tr("Metric of kvpress to take, where there are several"));
  status_->setWordWrap(true);
  status_->setAccessibleName(tr("What the import makes"));
  column->addWidget(status_);
  column->addWidget(buttons_);
  import_button().setText(tr("Import"));
  import_button().setToolTip(tr("Shows the curves, labeled imported with their source"));
  buttons_->button(QDialogButtonBox::Cancel)->setToolTip(tr("Imports nothing"));
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons_, &QDialogButtonBox::accepted, this, [this] {
    if (!profile_) return;
    emit imported(*profile_, how_);
    accept();
  });
  read();
}

QComboBox* ImportPreview::column(const std::string& key) {
  const auto found = columns_.find(key);
  return found == columns_.end() ? nullptr : found->second;
}

void ImportPreview::add_columns(const TextTable& table, QFormLayout& form) {
  std::vector<WantedColumn> wanted = profile_columns();
  static_cast<void>(find_columns(table, {}, wanted, "table"));  // by name: nothing can be missing
  for (const WantedColumn& one : wanted) {
    auto* box = new QComboBox;
    box->addItem(tr("none"), -1);
    for (std::size_t i = 0; i < table.columns.size(); ++i) box->addItem(to_q(table.columns[i]), static_cast<int>(i));
    box->setCurrentIndex(one.column ? static_cast<int>(*one.column) + 1 : 0);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(12);
    const QString name = import_key_text(one.key);
    box->setAccessibleName(tr("Column: %1").arg(name));
    box->setToolTip(tr("Column of the file that has it"));
    form.addRow(name, box);
    columns_[std::string(one.key)] = box;
    connect(box, &QComboBox::activated, this, &ImportPreview::read);
  }
}

void ImportPreview::show_rows(const TextTable& table) {
  const int count = std::min(preview_rows, static_cast<int>(table.rows.size()));
  rows_->setColumnCount(static_cast<int>(table.columns.size()));
  rows_->setRowCount(count);
  QStringList heads;
  for (const std::string& column : table.columns) heads << to_q(column);
  rows_->setHorizontalHeaderLabels(heads);
  for (int r = 0; r < count; ++r)
    for (int c = 0; c < rows_->columnCount(); ++c) {
      const std::string& text = table.rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      rows_->setItem(r, c, new QTableWidgetItem(to_q(text.substr(0, 200))));
    }
  rows_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  rows_->setTabKeyNavigation(false);  // Tab moves on to the next control
  rows_->verticalHeader()->hide();
  rows_->setAccessibleName(tr("First rows of the file"));
  rows_->setToolTip(tr("First rows of the file"));
}

void ImportPreview::read() {
  ForeignOptions options;
  for (const auto& [key, box] : columns_)
    options.columns.emplace_back(key, box->currentIndex() > 0 ? from_q(box->currentText()) : std::string());
  options.dataset = from_q(dataset_->text().trimmed());
  options.method = from_q(method_->text().trimmed());
  options.model = from_q(model_->text().trimmed());
  options.metric = from_q(metric_->text().trimmed());
  options.date = date_;
  bool is_number = false;
  if (const double removed = QLocale().toDouble(removed_->text().trimmed(), &is_number); is_number)
    options.removed_fraction = removed;
  how_ = options;
  profile_.reset();
  import_button().setEnabled(false);
  status_->setText(tr("Reading…"));
  job_.start([this, number = ++number_, path = path_, options](const LatestJob::GivenUp& given_up) {
    auto read = read_foreign(path, options);
    if (given_up()) return;
    QMetaObject::invokeMethod(
        this, [this, number, read = std::move(read)] { take(number, read); }, Qt::QueuedConnection);
  });
}

void ImportPreview::take(std::uint64_t number, const Expected<ImportedProfile>& read) {
  if (number != number_) return;
  if (!read) {
    status_->setText(core_text(read.error().message));
    return;
  }
  profile_ = *read;
  std::set<std::string> datasets, methods;
  for (const ImportedPoint& point : read->points) {
    datasets.insert(point.dataset);
    methods.insert(point.method);
  }
  status_->setText(tr("Points: %1, data sets: %2, methods: %3")
                       .arg(QString::number(read->points.size()), QString::number(datasets.size()),
                            QString::number(methods.size())));
  import_button().setEnabled(true);
}

}  // namespace kvantage
