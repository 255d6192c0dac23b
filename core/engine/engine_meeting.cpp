// Compute-or-load: whether the front of a stored context, or all of it, is computed while its back is read, decided for
// each request by the fits as they stand.
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
                                       .intake_seconds_per_byte = costs_->intake_seconds_per_byte()});
  if (hit.choice != nullptr && hit.choice->reads_nothing && unread_tiers_[placement.tier].is_due(*hit.choice))
    hit.choice = nullptr;
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
