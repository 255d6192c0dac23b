#include "core/engine/context_popularity.h"

#include <algorithm>

namespace kvantage::inline engine {

Status ContextPopularity::load() {
  if (profiles_ == nullptr) return {};
  Catalog& catalog = services_.catalog;
  bool warm = false;
  for (std::size_t c = 0; c < catalog.size(); ++c) warm = warm || catalog.residency(c).placement.stored();
  if (!warm) return {};
  KV_ASSIGN(const auto saved, profiles_->load_value(key_));
  if (!saved.has_value() || !saved->is_object()) return {};
  for (std::size_t c = 0; c < catalog.size(); ++c) {
    double& frequency = catalog.demand(c).frequency;
    const auto found = saved->find(catalog.facts(c).id);
    if (found != saved->end() && found->is_number()) frequency = std::max(frequency, found->get<double>());
  }
  return {};
}

Status ContextPopularity::save() const {
  if (profiles_ == nullptr) return {};
  Json frequencies = Json::object();
  for (std::size_t c = 0; c < services_.catalog.size(); ++c)
    frequencies[services_.catalog.facts(c).id] = services_.catalog.demand(c).frequency;
  return profiles_->save_value(key_, frequencies);
}

void ContextPopularity::forget() {
  for (std::size_t c = 0; c < services_.catalog.size(); ++c) services_.catalog.demand(c) = {};
}

}  // namespace kvantage::inline engine
