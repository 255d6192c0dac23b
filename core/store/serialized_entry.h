// A stored form in memory, ready to be written to a tier, and its construction.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compress/scorers/observation.h"
#include "core/kv/serial.h"
#include "core/kvpr/stored_inputs.h"
#include "core/ports/storage_tier.h"
#include "core/runtime/catalog.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline store {

struct SerializedEntry {
  EntryInfo info;
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::shared_ptr<const std::vector<std::byte>> kept_map = {};  // as in ContextDetails
};

/// A context's uncompressed cache, with its observations.
struct Original {
  KvCache cache;
  Observation observed;
  std::shared_ptr<const LayerInputs> inputs = {};  // null: recorded again where needed, by a prefill
};

/// Metadata that a tier stores with an entry, so that a restart can place it without reading it.
struct EntryLabel {
  Digest128 context;
  std::string method;
  double removed_fraction = 0;
  std::string text() const;
  /// Nothing: not written by a session.
  static std::optional<EntryLabel> parse(const std::string& text);
};

/// Builds entries of contexts.
class EntryMaker {
 public:
  EntryMaker(ModelRuntime& runtime, const Catalog& catalog) : runtime_(runtime), catalog_(catalog) {}

  /// `cache` unchanged, which `configuration` produced. queries: stored with an original; may be null. inputs: as in
  /// kvantage::serialize().
  Expected<SerializedEntry> serialize(std::size_t context, const KvCache& cache, const WindowQueries* queries,
                                      const Configuration& configuration, const LayerInputRows* inputs = nullptr) const;
  /// Applies `configuration` to `original`, with missing observations of its method made first. cancelled: `stop`
  /// returned true.
  Expected<SerializedEntry> compress(std::size_t context, Original& original, const Configuration& configuration,
                                     const std::function<bool()>& stop) const;
  /// Kept tokens of the entry of `header`, from its cache; null if it keeps all or is encoded.
  static std::shared_ptr<const std::vector<std::byte>> kept_map_of(const KvCache& cache, const EntryHeader& header);

 private:
  Expected<std::shared_ptr<const LayerInputs>> inputs_of(std::size_t context, Original& original, double share,
                                                         const std::function<bool()>& stop) const;

  ModelRuntime& runtime_;
  const Catalog& catalog_;
};

}  // namespace kvantage::inline store
