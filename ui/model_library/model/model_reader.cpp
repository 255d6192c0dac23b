#include "ui/model_library/model/model_reader.h"

#include <utility>

#include "core/base/thread_priority.h"
#include "ui/text/words.h"

namespace kvantage {

void ModelReader::set_catalog(std::shared_ptr<const ModelCatalog> catalog) {
  forget();
  catalog_ = std::move(catalog);
}

ModelReader::Facts ModelReader::facts(const QString& path) const {
  const auto known = facts_.find(path);
  return known == facts_.end() ? nullptr : known->second;
}

void ModelReader::read(const QString& path) {
  if (!catalog_ || reading_) return;
  reading_ = true;
  worker_.run(
      [catalog = catalog_, path](const std::atomic<bool>&) {
        rank_this_thread(ThreadPriority::forecasts);  // the session goes first
        return std::make_shared<const ModelFacts>(catalog->read(from_q(path)));
      },
      [this, path, generation = generation_](const Facts& facts) {
        if (generation != generation_) return;
        reading_ = false;
        facts_[path] = facts;
        emit factsRead(path);
      });
}

void ModelReader::forget() {
  ++generation_;
  reading_ = false;
  facts_.clear();
}

void ModelReader::search(const QStringList& folders) {
  if (!catalog_) return;
  worker_.run(
      [catalog = catalog_, folders](const std::atomic<bool>& cancelled) {
        rank_this_thread(ThreadPriority::forecasts);
        std::vector<FoundModels> found;
        found.reserve(static_cast<std::size_t>(folders.size()) + 1);
        for (const QString& folder : folders)
          found.push_back({folder, false, catalog->models_below(from_q(folder), cancelled)});
        if (const std::string cache = catalog->shared_cache(); !cache.empty())
          found.push_back({to_q(cache), true, catalog->models_below(cache, cancelled)});
        return found;
      },
      [this](std::vector<FoundModels> found) {
        found_ = std::move(found);
        emit searched();
      });
}

void ModelReader::read_memory() {
  if (!catalog_) return;
  worker_.run([catalog = catalog_](const std::atomic<bool>&) { return catalog->memory(); },
              [this](const MemoryReading& memory) {
                memory_ = memory;
                emit memoryRead();
              });
}

}  // namespace kvantage
