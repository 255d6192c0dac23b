// A model's matrices on a slower tier, one entry per layer: W_K and W_V, then all others, each with its XXH3 (KVPR,
// paper 004, section 3.3).
#pragma once

#include <memory>
#include <vector>

#include "core/base/digest.h"
#include "core/model/lent_weights.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline kvpr {

/// Location of a layer's matrices.
struct WeightEntry {
  Digest128 key;
  ReadExtent keys_values, others;
  std::size_t key_value_bytes = 0, other_bytes = 0;  // without padding
};

class OffloadedWeights {
 public:
  /// Writes all layers; `model`, which must outlive this, as must `tier`, keeps its own as LentWeights says. The
  /// destructor erases the entries and restores the model. Errors: those of LentWeights and of the tier.
  static Expected<std::unique_ptr<OffloadedWeights>> write(Transformer& model, StorageTier& tier, std::string_view name,
                                                           LentWeights::Own own = LentWeights::Own::removed);
  ~OffloadedWeights();
  OffloadedWeights(const OffloadedWeights&) = delete;
  OffloadedWeights& operator=(const OffloadedWeights&) = delete;

  const WeightEntry& layer(int layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  LentWeights& lent() { return *lent_; }
  /// Bytes on the tier, padding included.
  std::uint64_t bytes() const { return bytes_; }

 private:
  OffloadedWeights(StorageTier& tier, std::unique_ptr<LentWeights> lent) : tier_(tier), lent_(std::move(lent)) {}

  StorageTier& tier_;
  std::unique_ptr<LentWeights> lent_;
  std::vector<WeightEntry> layers_;
  std::uint64_t bytes_ = 0;
};

}  // namespace kvantage::inline kvpr
