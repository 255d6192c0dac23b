#include "core/quality/quality_curves.h"

#include <algorithm>
#include <ranges>
#include <tuple>

#include "core/compress/method.h"

namespace kvantage::inline quality {

void QualityCurves::forget() {
  cells_.clear();
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
  if (found == cells_.end()) return false;
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

void QualityCurves::replace(std::size_t context, std::vector<ProfileCell> cells) { cells_[context] = std::move(cells); }

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
  if (curve) KV_TRY(store.save_profile(scope, cells_[context]));
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
}

bool QualityCurves::is_candidate(const ProfilePoint& point) const {
  if (point.method == "none") return true;
  if (std::ranges::find(candidates_.methods, point.method) == candidates_.methods.end()) return false;
  return point.removed_fraction == 0 ||  // a method that only quantizes
         std::ranges::find(candidates_.removed_fractions, point.removed_fraction) !=
             candidates_.removed_fractions.end();
}

void QualityCurves::use(std::size_t context) {
  ContextProfile chosen;
  const ContextFacts& facts = services_.catalog.facts(context);
  for (const ProfileCell& cell : cells_.at(context)) {
    if (!is_candidate(cell.point)) continue;
    chosen.points.push_back(cell.point);
    // The pool holds answers to the earlier questions: no evidence for a context whose questions drifted.
    if (!first_cells_.contains(context))
      chosen.points.back().expected_quality = pool_.expected(facts.family, cell.point);
  }
  // In database order, so that plans are the same for new and reloaded measurements.
  std::ranges::sort(chosen.points, {},
                    [](const ProfilePoint& point) { return std::tie(point.method, point.removed_fraction); });
  chosen.chance = chance_.chance_on(context);
  chosen.decode_options = options_.of(context);
  services_.catalog.profile(context) = std::make_shared<const ContextProfile>(std::move(chosen));
  services_.catalog.mark_changed();
}

void QualityCurves::use_all() {
  for (const auto& [context, ignored] : cells_) use(context);
}

}  // namespace kvantage::inline quality
