// Compute-or-load: whether the front of a stored context, or all of it, is computed while its back is read, decided for
// each request by the fits as they stand.
#include "core/base/digest.h"
#include "core/engine/compute_or_load_choice.h"
#include "core/engine/engine_worker.h"

namespace kvantage {

// Frozen runs decide alike, and this rests on times.
void Engine::Worker::choose_way(CacheHit& hit, std::size_t context) {
  if (settings_.compute_or_load != "auto" || engine_.config_.frozen || runtime_->model->device() != nullptr)
    return;  // its front is the processor's to compute
  const Snapshot& snapshot = catalogue_->snapshot();
  const Configuration& placement = catalogue_->state(hit.context).placement;
  if (!placement.stored()) return;
  hit.choice = choose_compute_or_load(hit, catalogue_->details(context).tokens,
                                      {.tier = snapshot.tiers[static_cast<std::size_t>(placement.tier)].model,
                                       .prefill = snapshot.prefill,
                                       .question = snapshot.question,
                                       .intake_seconds_per_byte = intake_seconds_per_byte_});
  if (hit.choice != nullptr && hit.choice->reads_nothing && unread_tiers_[placement.tier].is_due(*hit.choice))
    hit.choice = nullptr;
}

// Bytes arrive without the processor; that they are the right ones takes a pass over them.
void Engine::Worker::time_intake() {
  const std::vector<std::byte> bytes(std::size_t{4} << 20, std::byte{1});
  double least = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::int64_t start = clock_.monotonic_ns();
    volatile std::uint64_t sum = checksum_of(bytes);
    (void)sum;
    const double seconds = static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
    if (repeat == 0 || seconds < least) least = seconds;
  }
  intake_seconds_per_byte_ = least / static_cast<double>(bytes.size());
}

// An entry from before the start came with no map; who loaded all of it holds what it keeps.
void Engine::Worker::learn_kept_map(const Running& request) {
  RequestTask& task = *request.task;
  ContextDetails& entry = catalogue_->details(request.entry);
  if (entry.kept_map != nullptr || entry.header == nullptr || entry.header != task.hit()->header ||
      task.hit()->choice != nullptr)
    return;
  if (task.record().context_tokens != static_cast<int>(entry.header->token_ids.size())) return;
  const KvCache context = task.share_context();
  if (context.kept_rows() != entry.header->kept_rows) return;  // of a method that changes what was read
  entry.kept_map = StoreManager::kept_map_of(context, *entry.header);
}

}  // namespace kvantage
