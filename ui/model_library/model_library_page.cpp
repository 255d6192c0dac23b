#include "ui/model_library/model_library_page.h"

#include <QDir>
#include <QFileDialog>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "ui/files/path_kind.h"
#include "ui/live/dock_registry.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/welcome/recent_files.h"

namespace kvantage {

ModelLibraryPage::~ModelLibraryPage() { keep_speed(); }

void ModelLibraryPage::attach(std::shared_ptr<const ModelCatalog> catalog, Open open) {
  open_model_ = std::move(open);
  library_.attach(std::move(catalog), [this] {
    QStringList models;
    for (const QString& path : RecentFiles(settings_).paths())
      if (kind_of_path(path) == PathKind::model) models << path;
    return models;
  });
  show_chosen();
}

void ModelLibraryPage::offer_products(const QString& of_session) {
  session_products_ = of_session;
  products_->choose(of_session);
  products_->show();
}

void ModelLibraryPage::set_theme(const Theme&) { update(); }

void ModelLibraryPage::choose(const QString& path) {
  const int row = library_.row_of(path);
  if (row >= 0) list_->setCurrentIndex(library_.index(row, 0));
}

void ModelLibraryPage::open_chosen() {
  const LibraryEntry* entry = library_.entry(library_.row_of(chosen_));
  if (entry != nullptr && open_->isEnabled()) open_model_(entry->path);
}

void ModelLibraryPage::ask_for_folder() {
  auto* dialog = new QFileDialog(this, tr("Folder to look for models in"));
  dialog->setObjectName(QStringLiteral("modelFolderDialog"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, &library_, &ModelLibrary::add_folder);
  connect(dialog, &QFileDialog::fileSelected, this, &ModelLibraryPage::show_chosen);
  dialog->open();
}

void ModelLibraryPage::show_folders() {
  QMenu* menu = folders_->menu();
  menu->clear();
  for (const QString& folder : library_.folders())
    menu->addAction(tr("Remove %1").arg(QDir::toNativeSeparators(folder).replace('&', QStringLiteral("&&"))), this,
                    [this, folder] {
                      library_.remove_folder(folder);
                      show_chosen();
                    });
}

std::optional<ModelSpeed> ModelLibraryPage::speed_for(const LibraryEntry& entry) const {
  if (entry.is_loaded)
    if (const ModelSpeed live = speed_of(run_); live.is_known()) return live;
  return entry.facts ? speeds_.of(to_q(entry.facts->digest)) : std::nullopt;
}

void ModelLibraryPage::keep_speed() {
  const LibraryEntry* entry = library_.loaded();
  if (entry == nullptr || !entry->facts || entry->is_refused()) return;
  if (const ModelSpeed live = speed_of(run_); live.is_known()) speeds_.keep(to_q(entry->facts->digest), live, today_());
}

void ModelLibraryPage::show_chosen() {
  folders_->setEnabled(!library_.folders().isEmpty());
  const LibraryEntry* entry = library_.entry(library_.row_of(chosen_));
  const bool is_open = entry != nullptr && entry->is_loaded &&
                       (session_products_.isEmpty() || products_->products() == session_products_);
  open_->setEnabled(entry != nullptr && !is_open && !entry->is_refused() && open_model_ != nullptr);
  title_->setText(entry != nullptr ? entry->name : tr("No model selected"));
  path_->setText(entry != nullptr ? QDir::toNativeSeparators(entry->path) : QString());
  context_->setEnabled(entry != nullptr && entry->facts && !entry->is_refused());
  if (entry == nullptr || !entry->facts) {
    const QString reading =
        library_.reader().has_catalog() ? tr("Reading…") : tr("This window cannot read facts of models.");
    verdict_->setText(entry != nullptr ? reading : QString());
    facts_.show_rows({});
    return;
  }
  const int positions = std::max(entry->facts->caches.max_positions, 1);
  {
    const QSignalBlocker quiet(context_);
    context_->setMaximum(positions);
    context_->setValue(std::min(library_.context_tokens(), positions));
  }
  const ModelFit fit{library_.estimate(*entry), library_.reader().memory().total_bytes, context_->value()};
  verdict_->setText(ModelFactsTable::verdict(*entry->facts, fit, entry->is_loaded));
  facts_.show_rows(ModelFactsTable::rows_of(*entry->facts, fit, speed_for(*entry)));
}

void ModelLibraryPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  library_.set_active(true);
  library_.refresh();
  memory_timer_.start();
  show_chosen();
}

void ModelLibraryPage::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  library_.set_active(false);
  memory_timer_.stop();
  keep_speed();
}

QWidget* make_model_library_page(const DockContext& context) {
  KnownModels known;
  for (const ShippedModelEntry& model : context.options.shipped_models)
    known.included.push_back({model.folder, core_text(model.name)});
  if (context.options.model_path) {
    const QString first = known.included.empty() ? QString() : known.included.front().path;
    const QString loaded = context.options.model_path->isEmpty() ? first : *context.options.model_path;
    if (!loaded.isEmpty()) known.loaded = loaded;
  }
  auto* page = new ModelLibraryPage(context.run, known, context.options.settings_file);
  ModelLibraryPage::Open open;
  if (context.options.check_model)  // as dropping it: the window asks before it ends the run
    open = [&links = context.links, page](const QString& path) {
      emit links.modelWanted(path, page->products().products());
    };
  page->attach(context.options.model_catalog, open);
  if (open) page->offer_products(to_q(context.session.live().settings().products));
  return page;
}

}  // namespace kvantage
