// A stored form in memory, ready to be written to a tier, and how it is made.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compress/scorers/observation.h"
#include "core/kv/serial.h"
#include "core/ports/storage_tier.h"
#include "core/runtime/catalog.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline store {

struct SerializedEntry {
  EntryInfo info;
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::shared_ptr<const std::vector<std::byte>> kept_map = {};  // as ContextDetails
};

/// A context's uncompressed cache, with what is known of it beside.
struct Original {
  KvCache cache;
  Observation observed;
};

/// What a tier keeps beside an entry so that a restart can place it without reading it.
struct EntryLabel {
  Digest128 context;
  std::string method;
  double removed_fraction = 0;
  std::string text() const;
  /// Nothing: it was not written by a session.
  static std::optional<EntryLabel> parse(const std::string& text);
};

/// Makes entries of contexts.
class EntryMaker {
 public:
  EntryMaker(ModelRuntime& runtime, const Catalog& catalog) : runtime_(runtime), catalog_(catalog) {}

  /// `cache` as it is, which was made by `configuration`. queries: kept beside an original; may be null.
  Expected<SerializedEntry> serialize(std::size_t context, const KvCache& cache, const WindowQueries* queries,
                                      const Configuration& configuration) const;
  /// `original` by `configuration`; what its method needs and is not known yet is observed. cancelled: stop said so.
  Expected<SerializedEntry> compress(std::size_t context, Original& original, const Configuration& configuration,
                                     const std::function<bool()>& stop) const;
  /// Which tokens the entry of `header` keeps, made of the cache that it holds; null where it keeps all, or is coded.
  static std::shared_ptr<const std::vector<std::byte>> kept_map_of(const KvCache& cache, const EntryHeader& header);

 private:
  ModelRuntime& runtime_;
  const Catalog& catalog_;
};

}  // namespace kvantage::inline store
