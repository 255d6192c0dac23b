#include "core/quality/racing_cells.h"

#include <algorithm>

#include "core/compress/method.h"

namespace kvantage::inline quality {
namespace {

int profile_questions(const ContextDetails& details) {
  return static_cast<int>(std::ranges::count(details.questions, false, &CatalogQuestion::held_out));
}

// Coarse batches do not depend on answers to others: so many answers, as a share of the contexts, share one plan.
constexpr std::size_t contexts_an_answer = 8;
constexpr std::int64_t settings_interval_ns = 1'000'000'000;  // between plans for another alpha or other budgets

/// Of a cell whose scores nobody kept, nothing can be asked again: it counts as asked everything.
CellAnswers answers_to(const ProfileCell& cell, int questions) {
  CellAnswers answers = answers_of(cell.scores);
  if (cell.scores.empty() && cell.point.n > 0) {
    answers.n = std::max(cell.point.n, questions);
    answers.sum = answers.squares = answers.n * cell.point.quality;
    answers.first = cell.point.quality;
  }
  answers.bytes = cell.point.bytes;
  answers.kept_tokens = cell.point.kept_tokens;
  return answers;
}

}  // namespace

bool RacingCells::use(bool on, const CurveCandidates& candidates, double good_enough) {
  const bool changed = on != on_ || (on && candidates != candidates_);
  stale_ = stale_ || changed || good_enough != rules_.good_enough;
  on_ = on;
  candidates_ = candidates;
  rules_.good_enough = good_enough;
  return changed;
}

std::vector<GridForm> RacingCells::candidate_forms() const {
  std::vector<GridForm> forms{{"none", 0}};
  for (const std::string& text : candidates_.methods) {
    const auto method = parse_method(text);
    if (text == "none" || !method || left_out_.contains(text)) continue;
    std::vector<double> fractions = (*method)->fractions_of(candidates_.removed_fractions);
    std::ranges::sort(fractions);
    for (const double fraction : fractions) forms.push_back({text, fraction});
  }
  return forms;
}

void RacingCells::learn(const std::map<std::size_t, std::vector<ProfileCell>>& cells) {
  stale_ = true;
  schedule_.batches.clear();  // their forms are of the grid before
  start_.reset();
  if (!on_) {
    grid_.reset();
    beliefs_.reset();
    return;
  }
  const Catalog& catalog = services_.catalog;
  std::vector<GridContext> contexts;
  contexts.reserve(catalog.size());
  for (std::size_t c = 0; c < catalog.size(); ++c)
    contexts.push_back({catalog.facts(c).family, catalog.facts(c).tokens, profile_questions(catalog.details(c))});
  grid_ = std::make_shared<MeasuredGrid>(candidate_forms(), std::move(contexts));
  for (const auto& [context, measured] : cells) read_cells(context, measured);
  beliefs_.emplace(*grid_);
  shares_ = form_shares(catalog.snapshot(), *grid_);
}

void RacingCells::read_cells(std::size_t context, const std::vector<ProfileCell>& cells) {
  for (const ProfileCell& cell : cells) {
    const std::size_t form = grid_->form_of(cell.point.method, cell.point.removed_fraction);
    if (form < grid_->forms().size())
      grid_->cell(context, form) = answers_to(cell, grid_->contexts()[context].questions);
  }
}

void RacingCells::learn(std::size_t context, const std::vector<ProfileCell>& cells) {
  if (aside_ != nullptr) grid_ = std::make_shared<MeasuredGrid>(*grid_);  // it reads the other
  const auto asked = [&] {
    std::size_t sum = 0;
    for (std::size_t f = 0; f < grid_->forms().size(); ++f) sum += static_cast<std::size_t>(grid_->cell(context, f).n);
    return sum;
  };
  const std::size_t before = asked();
  read_cells(context, cells);
  const std::size_t added = std::max(asked(), before) - before;
  answers_since_ += added;
  ScheduleState& state = schedule_.state;
  state.answers += added;
  state.answers_left -= std::min(state.answers_left, added);
  // What is left of the context's coarse batch is as a plan would say. Batches of the race are not used any more.
  const auto batch = std::ranges::find(schedule_.batches, context, &ProfileBatch::context);
  if (batch == schedule_.batches.end() || batch->stage != ProfileStage::coarse) return;
  const int batch_before = batch->answers();
  for (CellRequest& cell : batch->cells) {
    const int n = std::clamp(grid_->cell(context, cell.form).n, cell.first, cell.first + cell.count);
    cell.count -= n - cell.first;
    cell.first = n;
  }
  std::erase_if(batch->cells, [](const CellRequest& cell) { return cell.count == 0; });
  state.coarse_left -= std::min(state.coarse_left, static_cast<std::size_t>(batch_before - batch->answers()));
  if (batch->cells.empty()) schedule_.batches.erase(batch);
}

std::vector<std::uint64_t> RacingCells::budgets() const {
  const Snapshot& live = services_.catalog.snapshot();
  std::vector<std::uint64_t> bytes;
  bytes.reserve(live.tiers.size());
  for (const TierState& tier : live.tiers) bytes.push_back(tier.budget_bytes);
  return bytes;
}

// The schedule depends on alpha and budgets, too. What contexts are asked about changes with every request and enters
// with the next plan. In the race the next batch depends on the answers to the last; before, coarse batches follow in
// the order of one plan, whenever it is renewed. So batches are a function of the answers, wherever a session resumed.
bool RacingCells::is_due(const MayMeasure& may_measure, bool aside) const {
  if (stale_) return true;
  if (answers_since_ > 0) {
    if (answers_since_ * contexts_an_answer >= grid_->contexts().size()) return true;
    const auto batch = std::ranges::find_if(schedule_.batches, may_measure, &ProfileBatch::context);
    if (batch == schedule_.batches.end() || batch->stage != ProfileStage::coarse) return true;
  }
  if (services_.catalog.snapshot().alpha == alpha_ && budgets() == budgets_) return false;
  return !aside || services_.clock.monotonic_ns() - planned_ns_ >= settings_interval_ns;
}

void RacingCells::take(RacingPlan plan) {
  beliefs_ = std::move(plan.beliefs);
  shares_ = std::move(plan.shares);
  schedule_ = std::move(plan.schedule);
  if (schedule_.start) start_ = schedule_.start;
  answers_since_ = 0;
  renewed_ = true;
}

bool RacingCells::ready(const MayMeasure& may_measure, bool aside) {
  if (!pools()) return true;
  if (aside_ != nullptr) {
    if (aside && !aside_->has_ended()) return false;
    auto plan = aside_->take();
    if (aside_->grid() == grid_)
      take(std::move(*plan));
    else
      stale_ = true;  // there are other answers meanwhile
    aside_.reset();
  }
  if (!is_due(may_measure, aside)) return true;
  const Snapshot& live = services_.catalog.snapshot();
  stale_ = false;
  std::vector<std::uint64_t> present_budgets = budgets();
  if (live.alpha != alpha_ || present_budgets != budgets_) start_.reset();
  alpha_ = live.alpha;
  budgets_ = std::move(present_budgets);
  planned_ns_ = services_.clock.monotonic_ns();
  if (aside && executor_ != nullptr) {
    aside_ = std::make_unique<RacingPlanAside>(*executor_, live, grid_, rules_, start_);
    return false;
  }
  take(make_racing_plan(live, *grid_, rules_, start_));
  return true;
}

void RacingCells::catch_up() {
  if (schedule_.state.full_answers == 0 && answers_since_ == 0) return;  // nobody profiled
  stale_ = stale_ || answers_since_ > 0;
  (void)ready([](std::size_t) { return true; }, false);
}

const ScheduledBatch* RacingCells::next(const MayMeasure& may_measure) {
  if (!pools()) return nullptr;
  const auto batch = std::ranges::find_if(schedule_.batches, may_measure, &ProfileBatch::context);
  if (batch == schedule_.batches.end()) return nullptr;
  batch_ = {batch->context, {}};
  batch_.cells.reserve(batch->cells.size());
  for (const CellRequest& cell : batch->cells) {
    const GridForm& form = grid_->forms()[cell.form];
    batch_.cells.push_back({form.method, form.removed_fraction, cell.first, cell.count});
  }
  return &batch_;
}

// With the last coarse answer comes the plan that says what is left of the race.
bool RacingCells::has_coarse() const {
  const ScheduleState& state = schedule_.state;
  return state.full_answers > 0 && state.stage != ProfileStage::coarse;
}

/// Of contexts that wait for their coarse answers and whose caches were not computed yet.
double RacingCells::prefill_seconds_left() const {
  const Snapshot& live = services_.catalog.snapshot();
  double seconds = 0;
  for (const ProfileBatch& batch : schedule_.batches)
    if (batch.stage == ProfileStage::coarse && !services_.catalog.residency(batch.context).archived)
      seconds += live.prefill.seconds(services_.catalog.facts(batch.context).tokens);
  return seconds;
}

std::optional<ProfilingGauge> RacingCells::gauge() const {
  if (!on_) return std::nullopt;
  const ScheduleState& state = schedule_.state;
  const auto pace = pace_.seconds_per_answer();
  const double prefill = pace && !has_coarse() ? prefill_seconds_left() : 0;
  return ProfilingGauge{.answers = state.answers,
                        .full_answers = state.full_answers,
                        .answers_left = state.answers_left,
                        .seconds_left = pace ? static_cast<double>(state.answers_left) * *pace + prefill : -1,
                        .may_rise = state.may_rise,
                        .half_width = state.half_width,
                        .has_coarse = has_coarse(),
                        // By the present rule, which may have changed since the plan.
                        .is_good_enough = has_coarse() && answers_since_ == 0 && state.may_rise <= rules_.good_enough};
}

void RacingCells::complete(std::size_t context, std::vector<ProfilePoint>& points) const {
  for (const ProfilePoint& point : grid_points(services_.catalog.facts(context), context, *grid_, *beliefs_, shares_)) {
    const auto known = std::ranges::find_if(points, [&](const ProfilePoint& other) {
      return other.method == point.method && other.removed_fraction == point.removed_fraction;
    });
    if (known == points.end())
      points.push_back(point);
    else
      *known = point;
  }
}

}  // namespace kvantage::inline quality
