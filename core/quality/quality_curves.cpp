#include "core/quality/quality_curves.h"

#include <algorithm>
#include <ranges>
#include <tuple>

#include "core/compress/method.h"

namespace kvantage::inline quality {
namespace {

std::string partial_key(const ProfileScope& scope) {
  return "partial_curves/" + scope.quality_metric + "/" + scope.model.hex() + "/" + scope.workload.hex();
}
/// Of one context: whether its curve is partial. Without it the list of earlier versions says so, under partial_key().
std::string partial_key(const ProfileScope& scope, const std::string& context_id) {
  return partial_key(scope) + "/" + context_id;
}

}  // namespace

void QualityCurves::forget() {
  cells_.clear();
  partial_.clear();
  partial_changed_.clear();
  first_cells_.clear();
  options_.forget();
  for (std::size_t c = 0; c < services_.catalog.size(); ++c) services_.catalog.profile(c) = nullptr;
}

void QualityCurves::use_candidates(CurveCandidates candidates) {
  candidates_ = std::move(candidates);
  options_.use(candidates_.decode_options);
}

// A context's key includes instruction set and kernel revision, because they affect the last bits; quality does not
// depend on them. Cells of another CPU (a shipped profile) are used where there are none of this one.
Status QualityCurves::load(const ProfileScope& scope, ProfileStore* store, const ShippedProfiles& shipped) {
  Catalog& catalog = services_.catalog;
  forget();
  if (store == nullptr) return {};
  KV_ASSIGN(auto cells, store->load_profiles(scope));
  if (cells.empty() && shipped.import) {
    for (const auto& file : shipped.files) {
      if (std::error_code ignored; !std::filesystem::exists(file, ignored)) continue;
      KV_TRY(shipped.import(*store, file));
    }
    KV_ASSIGN(cells, store->load_profiles(scope));
  }
  std::map<std::size_t, std::vector<ProfileCell>> of_others;
  for (ProfileCell& cell : cells) {
    if (const auto context = catalog.index_of(cell.context)) {
      cells_[*context].push_back(std::move(cell));
    } else if (const auto named = catalog.index_of_id(cell.context_id)) {
      auto& others = of_others[*named];
      if (others.empty() || others.front().context == cell.context) others.push_back(std::move(cell));
    }
  }
  cells_.merge(of_others);
  KV_ASSIGN(const auto partial, store->load_value(partial_key(scope)));
  if (partial.has_value() && partial->is_array())
    for (const Json& id : *partial)
      if (const auto context = id.is_string() ? catalog.index_of_id(id.get<std::string>()) : std::nullopt)
        partial_.insert(*context);
  for (const auto& [context, ignored] : cells_) {
    KV_ASSIGN(const auto own, store->load_value(partial_key(scope, catalog.facts(context).id)));
    if (!own.has_value() || !own->is_boolean()) continue;
    if (own->get<bool>())
      partial_.insert(context);
    else
      partial_.erase(context);
  }
  KV_TRY(options_.load(scope, *store));
  pool();
  for (const auto& [context, ignored] : cells_) {
    use(context);
    const ContextFacts& facts = catalog.facts(context);
    services_.events.publish(
        events::ContextProfiled{facts.key, facts.id, facts.family, *catalog.profile(context), 0.0, true});
  }
  return {};
}

bool QualityCurves::complete(std::size_t context) const {
  return curve_complete(context) && options_.missing(context).empty();
}

bool QualityCurves::curve_complete(std::size_t context) const {
  const auto found = cells_.find(context);
  if (found == cells_.end() || partial_.contains(context)) return false;
  const auto has = [&](const std::string& method, double removed_fraction) {
    return std::ranges::any_of(found->second, [&](const ProfileCell& cell) {
      return cell.point.method == method && cell.point.removed_fraction == removed_fraction;
    });
  };
  if (!has("none", 0.0)) return false;
  for (const std::string& method : candidates_.methods) {
    const auto parsed = parse_method(method);
    if (method == "none" || !parsed) continue;
    for (const double fraction : (*parsed)->fractions_of(candidates_.removed_fractions))
      if (!has(method, fraction)) return false;
  }
  return true;
}

std::size_t QualityCurves::complete_contexts() const {
  return static_cast<std::size_t>(std::ranges::count_if(std::views::iota(std::size_t{0}, services_.catalog.size()),
                                                        [this](std::size_t c) { return complete(c); }));
}

const std::vector<ProfileCell>& QualityCurves::first_cells(std::size_t context) {
  const auto first = first_cells_.find(context);
  return first == first_cells_.end() ? cells_[context] : first->second;
}

void QualityCurves::replace(std::size_t context, std::vector<ProfileCell> cells) {
  cells_[context] = std::move(cells);
  const bool partial = pooled_ != nullptr && pooled_->pools();
  const bool changed = partial ? partial_.insert(context).second : partial_.erase(context) > 0;
  if (changed) partial_changed_.insert(context);
}

void QualityCurves::replace_after_drift(std::size_t context, std::vector<ProfileCell> cells) {
  const std::vector<ProfileCell>& first = first_cells_.try_emplace(context, cells_[context]).first->second;
  double before_sum = 0, now_sum = 0;
  std::vector<ProfileCell> left_out;
  for (const ProfileCell& before : first) {
    const auto after = std::ranges::find_if(cells, [&](const ProfileCell& cell) {
      return cell.point.method == before.point.method && cell.point.removed_fraction == before.point.removed_fraction;
    });
    if (after == cells.end()) {
      left_out.push_back(before);
    } else if (!holds_original(before.point.method, before.point.removed_fraction)) {
      before_sum += before.point.quality;
      now_sum += after->point.quality;
    }
  }
  const double kept_share = before_sum > 0 ? std::clamp(now_sum / before_sum, 0.0, 1.0) : 1.0;
  for (ProfileCell& cell : left_out) {
    scale_quality(cell.point, kept_share);
    cells.push_back(std::move(cell));
  }
  cells_[context] = std::move(cells);
}

Status QualityCurves::save(const ProfileScope& scope, ProfileStore& store, std::size_t context, bool curve) {
  if (curve) {
    // Cells without the mark count as a whole curve: it is there before them, and goes after them.
    const bool changed = partial_changed_.contains(context), partial = partial_.contains(context);
    const std::string mark = partial_key(scope, services_.catalog.facts(context).id);
    if (changed && partial) KV_TRY(store.save_value(mark, true));
    KV_TRY(store.save_profile(scope, cells_[context]));
    if (changed && !partial) KV_TRY(store.save_value(mark, false));
    partial_changed_.erase(context);
  }
  return options_.save(scope, store, context);
}

void QualityCurves::restore_first() {
  const auto before = std::exchange(first_cells_, {});
  for (const auto& [context, cells] : before) cells_[context] = cells;
  pool();
  for (const auto& [context, ignored] : before) use(context);
}

void QualityCurves::pool() {
  options_.pool();
  pool_ = {};
  for (const auto& [context, cells] : cells_)
    for (const ProfileCell& cell : cells) pool_.add(services_.catalog.facts(context).family, cell.point);
  if (pooled_ != nullptr) pooled_->learn(cells_);
}

// Points of a pooling grid have their expected quality from it, so that pool_ may lag until the next pool().
void QualityCurves::pool(std::size_t context) {
  if (pooled_ == nullptr || !pooled_->pools()) return pool();
  if (!candidates_.decode_options.empty()) options_.pool();
  pooled_->learn(context, cells_[context]);
}

bool QualityCurves::is_candidate(const ProfilePoint& point) const {
  if (point.method == "none") return true;
  if (std::ranges::find(candidates_.methods, point.method) == candidates_.methods.end()) return false;
  return point.removed_fraction == 0 ||  // a method that only quantizes
         std::ranges::find(candidates_.removed_fractions, point.removed_fraction) !=
             candidates_.removed_fractions.end();
}

void QualityCurves::use(std::size_t context) {
  if (const auto measured = cells_.find(context); measured != cells_.end())
    show(context, measured->second, chance_.chance_on(context));
}

void QualityCurves::show(std::size_t context, const std::vector<ProfileCell>& cells, const ProfileChance& chance) {
  ContextProfile chosen;
  const ContextFacts& facts = services_.catalog.facts(context);
  for (const ProfileCell& cell : cells) {
    if (!is_candidate(cell.point)) continue;
    chosen.points.push_back(cell.point);
    // The pool holds answers to the earlier questions: no evidence for a context whose questions drifted.
    if (!first_cells_.contains(context))
      chosen.points.back().expected_quality = pool_.expected(facts.family, cell.point);
  }
  if (pooled_ != nullptr && pooled_->pools() && !first_cells_.contains(context))
    pooled_->complete(context, chosen.points);
  // In database order, so that plans are the same for new and reloaded measurements.
  std::ranges::sort(chosen.points, {},
                    [](const ProfilePoint& point) { return std::tie(point.method, point.removed_fraction); });
  chosen.chance = chance;
  chosen.decode_options = options_.of(context);
  services_.catalog.profile(context) = std::make_shared<const ContextProfile>(std::move(chosen));
  services_.catalog.mark_changed();
}

// Chance has not changed: it is computed from all answers of a family, which takes longer than all else here.
std::size_t QualityCurves::refresh(std::size_t first, std::size_t most) {
  auto next = cells_.lower_bound(first);
  for (std::size_t done = 0; next != cells_.end() && done < most; ++next, ++done) {
    const auto& [context, cells] = *next;
    const auto shown = services_.catalog.profile(context);
    if (shown != nullptr && !first_cells_.contains(context)) show(context, cells, shown->chance);
  }
  return next == cells_.end() ? services_.catalog.size() : next->first;
}

void QualityCurves::use_all() {
  for (const auto& [context, ignored] : cells_) use(context);
}

}  // namespace kvantage::inline quality
