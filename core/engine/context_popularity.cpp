#include "core/engine/context_popularity.h"

#include <algorithm>

namespace kvantage::inline engine {

Status ContextPopularity::load() {
  if (profiles_ == nullptr) return {};
  Catalogue& catalogue = services_.catalogue;
  bool warm = false;
  for (std::size_t c = 0; c < catalogue.size(); ++c) warm = warm || catalogue.state(c).placement.stored();
  if (!warm) return {};
  KV_ASSIGN(const auto saved, profiles_->load_value(key_));
  if (!saved.has_value() || !saved->is_object()) return {};
  for (std::size_t c = 0; c < catalogue.size(); ++c) {
    ContextState& state = catalogue.state(c);
    const auto found = saved->find(state.id);
    if (found != saved->end() && found->is_number()) state.frequency = std::max(state.frequency, found->get<double>());
  }
  return {};
}

Status ContextPopularity::save() const {
  if (profiles_ == nullptr) return {};
  Json frequencies = Json::object();
  for (std::size_t c = 0; c < services_.catalogue.size(); ++c)
    frequencies[services_.catalogue.state(c).id] = services_.catalogue.state(c).frequency;
  return profiles_->save_value(key_, frequencies);
}

void ContextPopularity::forget() {
  for (std::size_t c = 0; c < services_.catalogue.size(); ++c) {
    services_.catalogue.state(c).frequency = 0;
    services_.catalogue.state(c).last_access = 0;
  }
}

}  // namespace kvantage::inline engine
