// How often contexts were asked for outlives a restart, as what was stored because of it does: a policy that knew
// nothing of it would let the first newcomer push out what is asked for most.
#include <algorithm>

#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

std::string key_of(const Digest128& model, const Digest128& workload) {
  return "frequencies/" + model.hex() + "/" + workload.hex();
}

}  // namespace

// A store that holds nothing begins anew.
Status Engine::Worker::load_frequencies() {
  if (engine_.profiles_ == nullptr) return {};
  bool warm = false;
  for (std::size_t c = 0; c < catalogue_->size(); ++c) warm = warm || catalogue_->state(c).placement.stored();
  if (!warm) return {};
  const auto saved = engine_.profiles_->load_value(key_of(runtime_->digest(), engine_.config_.workload.digest()));
  if (!saved) return tl::unexpected(saved.error());
  if (!saved->has_value() || !(*saved)->is_object()) return {};
  for (std::size_t c = 0; c < catalogue_->size(); ++c) {
    ContextState& state = catalogue_->state(c);
    const auto found = (*saved)->find(state.id);
    if (found != (*saved)->end() && found->is_number())
      state.frequency = std::max(state.frequency, found->get<double>());
  }
  return {};
}

Status Engine::Worker::save_frequencies() {
  if (engine_.profiles_ == nullptr) return {};
  Json frequencies = Json::object();
  for (std::size_t c = 0; c < catalogue_->size(); ++c)
    frequencies[catalogue_->state(c).id] = catalogue_->state(c).frequency;
  return engine_.profiles_->save_value(key_of(runtime_->digest(), engine_.config_.workload.digest()), frequencies);
}

}  // namespace kvantage
