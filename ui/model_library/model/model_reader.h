// Reads facts of models, one after the other, on a thread; looks for models in folders, and at the free memory.
#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <memory>
#include <vector>

#include "core/ports/model_catalog.h"
#include "ui/session/background_worker.h"

namespace kvantage {

/// What was found in a folder.
struct FoundModels {
  QString folder;
  bool is_shared_cache = false;  // of Hugging Face's tools
  std::vector<FoundModel> models;
};

class ModelReader : public QObject {
  Q_OBJECT
 public:
  using Facts = std::shared_ptr<const ModelFacts>;

  explicit ModelReader(QObject* parent = nullptr) : QObject(parent) {}
  /// Null: nothing is read or found.
  void set_catalog(std::shared_ptr<const ModelCatalog> catalog);
  bool has_catalog() const { return catalog_ != nullptr; }
  /// Null: not read yet.
  Facts facts(const QString& path) const;
  /// While one is read, nothing: whoever wants more asks again when it has been.
  void read(const QString& path);
  /// What was read, and what is being read.
  void forget();
  /// In these and in the shared cache.
  void search(const QStringList& folders);
  const std::vector<FoundModels>& found() const { return found_; }
  void read_memory();
  const MemoryReading& memory() const { return memory_; }

 signals:
  void factsRead(const QString& path);
  void searched();
  void memoryRead();

 private:
  std::shared_ptr<const ModelCatalog> catalog_;
  std::map<QString, Facts> facts_;  // by path
  std::vector<FoundModels> found_;
  MemoryReading memory_;
  bool reading_ = false;
  quint64 generation_ = 0;   // answers to what was asked before forget() do not count
  BackgroundWorker worker_;  // last: its thread ends before the rest goes
};

}  // namespace kvantage
