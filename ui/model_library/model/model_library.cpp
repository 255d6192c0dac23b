#include "ui/model_library/model/model_library.h"

#include <QDir>
#include <QFileInfo>
#include <QFont>
#include <algorithm>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

const QString library_folders_key = QStringLiteral("models/folders");

/// As the recent files hold paths.
QString whole_path(const QString& path) { return QDir::cleanPath(QFileInfo(path).absoluteFilePath()); }

/// The same for all ways to a model; of what is not there the path.
QString identity_of(const QString& path) {
  const QString canonical = QFileInfo(path).canonicalFilePath();
  return canonical.isEmpty() ? whole_path(path) : canonical;
}

}  // namespace

ModelLibrary::ModelLibrary(QSettings& settings, KnownModels known, QObject* parent)
    : QAbstractTableModel(parent), settings_(settings), known_(std::move(known)) {
  connect(&reader_, &ModelReader::searched, this, [this] {
    list();
    read_next();
  });
  connect(&reader_, &ModelReader::memoryRead, this, &ModelLibrary::show_all);
  connect(&reader_, &ModelReader::factsRead, this, [this](const QString& path) {
    if (const int row = row_of(path); row >= 0) entries_[static_cast<std::size_t>(row)].facts = reader_.facts(path);
    show_all();  // whether others fit depends on the loaded one
    read_next();
  });
  list();
}

void ModelLibrary::attach(std::shared_ptr<const ModelCatalog> catalog, std::function<QStringList()> recent) {
  reader_.set_catalog(std::move(catalog));
  recent_ = std::move(recent);
  list();
  if (active_) refresh();
}

void ModelLibrary::set_active(bool active) {
  active_ = active;
  if (active) read_next();
}

void ModelLibrary::refresh() {
  list();
  reader_.read_memory();
  reader_.search(folders());
  read_next();
}

void ModelLibrary::read_loaded() {
  if (const LibraryEntry* entry = loaded(); entry != nullptr && !entry->facts) reader_.read(entry->path);
}

void ModelLibrary::want(const QString& path) {
  wanted_ = path;
  read_next();
}

QStringList ModelLibrary::folders() const { return settings_.value(library_folders_key).toStringList(); }

void ModelLibrary::add_folder(const QString& folder) {
  QStringList all = folders();
  if (const QString whole = whole_path(folder); !all.contains(whole)) {
    all << whole;
    settings_.setValue(library_folders_key, all);
  }
  refresh();
}

void ModelLibrary::remove_folder(const QString& folder) {
  QStringList all = folders();
  all.removeAll(folder);
  settings_.setValue(library_folders_key, all);
  refresh();
}

void ModelLibrary::set_context_tokens(int tokens) {
  if (tokens == context_tokens_) return;
  context_tokens_ = tokens;
  show_all();
}

void ModelLibrary::list() {
  std::vector<LibraryEntry> entries;
  QStringList identities;
  const QString first = known_.included.empty() ? QString() : identity_of(known_.included.front().path);
  const auto add = [&](const QString& path, const QString& name, LibraryEntry::Source source, const QString& below) {
    const QString identity = path.isEmpty() ? QString() : identity_of(path);
    if (identity.isEmpty() || identities.contains(identity)) return;
    identities << identity;
    LibraryEntry& entry = entries.emplace_back();
    entry.path = path;
    entry.name = name.isEmpty() ? QFileInfo(whole_path(path)).fileName() : name;
    entry.source = source;
    entry.below = below;
    entry.is_default = identity == first;
    entry.facts = reader_.facts(path);
  };
  const auto included_name = [this](const QString& path) {
    const auto known = std::ranges::find(known_.included, identity_of(path),
                                         [](const KnownModel& model) { return identity_of(model.path); });
    return known == known_.included.end() ? QString() : known->name;
  };
  using Source = LibraryEntry::Source;
  if (known_.loaded) {
    add(*known_.loaded, included_name(*known_.loaded), Source::loaded, {});
    if (!entries.empty()) entries.front().is_loaded = true;
  }
  for (const KnownModel& model : known_.included) add(model.path, model.name, Source::included, {});
  for (const QString& path : recent_ ? recent_() : QStringList()) add(path, {}, Source::recent, {});
  for (const FoundModels& found : reader_.found())
    for (const FoundModel& model : found.models)
      add(to_q(model.path), to_q(model.name), found.is_shared_cache ? Source::shared_cache : Source::folder,
          found.folder);
  beginResetModel();
  entries_ = std::move(entries);
  endResetModel();
}

void ModelLibrary::read_next() {
  if (!active_) return;
  const LibraryEntry* next = entry(row_of(wanted_));
  if (next == nullptr || next->facts) {
    const auto unread = std::ranges::find_if(entries_, [](const LibraryEntry& one) { return !one.facts; });
    next = unread == entries_.end() ? nullptr : &*unread;
  }
  if (next != nullptr) reader_.read(next->path);
}

void ModelLibrary::show_all() {
  if (!entries_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

const LibraryEntry* ModelLibrary::entry(int row) const {
  return row >= 0 && row < rowCount() ? &entries_[static_cast<std::size_t>(row)] : nullptr;
}

int ModelLibrary::row_of(const QString& path) const {
  const auto found = std::ranges::find(entries_, path, &LibraryEntry::path);
  return found == entries_.end() ? -1 : static_cast<int>(found - entries_.begin());
}

const LibraryEntry* ModelLibrary::loaded() const {
  const auto found = std::ranges::find(entries_, true, &LibraryEntry::is_loaded);
  return found == entries_.end() ? nullptr : &*found;
}

std::uint64_t ModelLibrary::available_bytes() const {
  const std::uint64_t available = reader_.memory().available_bytes;
  if (available == 0) return 0;
  const LibraryEntry* frees = loaded();
  return available + (frees != nullptr && frees->facts ? frees->facts->weights.loaded_bytes : 0);
}

std::optional<MemoryEstimate> ModelLibrary::estimate(const LibraryEntry& entry) const {
  if (!entry.facts || entry.is_refused() || available_bytes() == 0) return std::nullopt;
  const int tokens = std::min(context_tokens_, std::max(entry.facts->caches.max_positions, 1));
  return estimate_memory(*entry.facts, tokens, available_bytes());
}

QString ModelLibrary::state_text(const LibraryEntry& entry) const {
  if (entry.is_refused()) return tr("cannot be opened");
  if (!entry.facts) return reader_.has_catalog() ? tr("not read yet") : QString();
  const auto memory = estimate(entry);
  if (!memory) return QStringLiteral("–");
  return memory->fits ? tr("fits") : tr("does not fit");
}

int ModelLibrary::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}
int ModelLibrary::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant ModelLibrary::data(const QModelIndex& index, int role) const {
  const LibraryEntry* one = entry(index.row());
  if (one == nullptr || !index.isValid()) return {};
  if (role == path_role) return one->path;
  if (role == Qt::ToolTipRole)
    return one->is_refused() ? core_text(one->facts->refusal) : QDir::toNativeSeparators(one->path);
  if (role == Qt::FontRole && one->is_loaded) {
    QFont font;
    font.setBold(true);
    return font;
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case name_column:
      return one->name;
    case source_column: {
      if (one->is_loaded) return one->is_default ? tr("loaded, default model") : tr("loaded");
      if (one->is_default) return tr("default model");
      using Source = LibraryEntry::Source;
      return one->source == Source::included       ? tr("included")
             : one->source == Source::recent       ? tr("recent")
             : one->source == Source::shared_cache ? tr("Hugging Face cache")
                                                   : QFileInfo(one->below).fileName();
    }
    case size_column:
      return one->facts && one->facts->weights.file_bytes > 0
                 ? bytes_text(static_cast<double>(one->facts->weights.file_bytes))
                 : QString();
    case memory_column:
      return state_text(*one);
    default:
      return {};
  }
}

QVariant ModelLibrary::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
  const bool tip = role == Qt::ToolTipRole;
  switch (section) {
    case name_column:
      return tip ? tr("Name of the model; the loaded one is bold") : tr("Model");
    case source_column:
      return tip ? tr("Where it comes from") : tr("Source");
    case size_column:
      return tip ? tr("Bytes of its tensors on disk") : tr("Size");
    case memory_column:
      return tip ? tr("Whether weights, workspace and the KV cache of one context fit into the free memory")
                 : tr("Memory");
    default:
      return {};
  }
}

}  // namespace kvantage
