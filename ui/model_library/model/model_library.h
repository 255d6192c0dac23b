// The models that the window knows of: the loaded one, those that come with the program, recent ones, and those found
// in the user's folders and in Hugging Face's cache. A row each, with its facts as soon as they are read.
#pragma once

#include <QAbstractTableModel>
#include <QSettings>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/fits/model_memory.h"
#include "core/ports/model_catalog.h"
#include "ui/model_library/model/model_reader.h"

namespace kvantage {

/// A model that is known without looking for it.
struct KnownModel {
  QString path, name;
};

/// What the window says of its models.
struct KnownModels {
  std::vector<KnownModel> included = {};  // with the program; the default model first
  std::optional<QString> loaded = {};     // path of the one that serves; nothing: none does, or nobody shall know
};

struct LibraryEntry {
  enum class Source { loaded, included, recent, folder, shared_cache };

  QString path, name;
  Source source = Source::recent;
  QString below = {};  // the user's folder that it was found in
  bool is_loaded = false, is_default = false;
  std::shared_ptr<const ModelFacts> facts = {};  // null: not read yet
  bool is_refused() const { return facts != nullptr && !facts->refusal.empty(); }
};

class ModelLibrary : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { name_column, source_column, size_column, memory_column, column_count };
  enum Role { path_role = Qt::UserRole + 1 };
  static constexpr int default_context_tokens = 4096;

  /// The user's folders are kept in `settings`.
  ModelLibrary(QSettings& settings, KnownModels known, QObject* parent = nullptr);
  /// `recent`: paths of models, latest first, asked at each refresh. Without a catalog nothing is found or read.
  void attach(std::shared_ptr<const ModelCatalog> catalog, std::function<QStringList()> recent);
  /// While it is not shown, nothing is read or looked for but what read_loaded() asks for.
  void set_active(bool active);
  /// Lists again, and looks into the folders and at the free memory.
  void refresh();
  void read_loaded();
  /// This one is read before the others.
  void want(const QString& path);

  QStringList folders() const;
  void add_folder(const QString& folder);
  void remove_folder(const QString& folder);
  void set_context_tokens(int tokens);
  int context_tokens() const { return context_tokens_; }

  const LibraryEntry* entry(int row) const;
  int row_of(const QString& path) const;
  const LibraryEntry* loaded() const;
  /// Free now, with what the loaded model's weights take: opening another model frees it. 0: not known.
  std::uint64_t available_bytes() const;
  /// Nothing while facts or free memory are not known.
  std::optional<MemoryEstimate> estimate(const LibraryEntry& entry) const;
  /// "fits" and so on.
  QString state_text(const LibraryEntry& entry) const;
  ModelReader& reader() { return reader_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void list();
  void read_next();
  void show_all();

  QSettings& settings_;
  KnownModels known_;
  std::function<QStringList()> recent_;
  std::vector<LibraryEntry> entries_;
  QString wanted_;
  int context_tokens_ = default_context_tokens;
  bool active_ = false;
  ModelReader reader_;
};

}  // namespace kvantage
