#include "core/quality/schedule/racing_schedule.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/quality/schedule/coarse_forms.h"

namespace kvantage::inline schedule {
namespace {

constexpr double worth_asking = 0.5;  // of a context's greatest stake

class Scheduling {
 public:
  Scheduling(const Snapshot& live, const MeasuredGrid& grid, const GridBeliefs& beliefs, const RacingRules& rules,
             const std::optional<RaceState>& start)
      : live_(live), grid_(grid), beliefs_(beliefs), rules_(rules), start_(start), coarse_forms_(grid) {}

  ProfileSchedule schedule() {
    ProfileSchedule made;
    ScheduleState& state = made.state;
    state.answers = grid_.answers();
    state.full_answers = grid_.full_answers();
    const std::size_t contexts = grid_.contexts().size();
    std::vector<bool> coarse(contexts, false);
    for (const std::size_t c : by_demand()) {
      ProfileBatch batch = coarse_batch(c);
      if (batch.cells.empty()) continue;
      coarse[c] = true;
      state.coarse_left += static_cast<std::size_t>(batch.answers());
      made.batches.push_back(std::move(batch));
    }
    state.race_left = state.answers_left = state.coarse_left;
    state.half_width = median_half_width();
    if (state.answers > 0) race(made, coarse);
    state.stage = state.coarse_left > 0  ? ProfileStage::coarse
                  : made.batches.empty() ? ProfileStage::done
                                         : ProfileStage::racing;
    return made;
  }

 private:
  std::vector<std::size_t> by_demand() const {
    std::vector<std::size_t> order(grid_.contexts().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t c) { return live_.contexts[c].frequency; });
    return order;
  }

  void ask(ProfileBatch& batch, std::size_t form, int until) const {
    const int asked = grid_.cell(batch.context, form).n;
    const int last = std::min(until, grid_.contexts()[batch.context].questions);
    if (last > asked) batch.cells.push_back({form, asked, last - asked});
  }

  ProfileBatch coarse_batch(std::size_t context) const {
    ProfileBatch batch{context, ProfileStage::coarse, {}};
    for (const std::size_t form : coarse_forms_.of(context)) ask(batch, form, rules_.first_questions);
    return batch;
  }

  double median_half_width() const {
    std::vector<double> halves;
    halves.reserve(grid_.contexts().size() * grid_.forms().size());
    for (std::size_t c = 0; c < grid_.contexts().size(); ++c)
      for (std::size_t f = 0; f < grid_.forms().size(); ++f)
        halves.push_back((beliefs_.of(c, f).high - beliefs_.of(c, f).low) / 2);
    if (halves.empty()) return 0;
    const auto middle = halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2);
    std::ranges::nth_element(halves, middle);
    return *middle;
  }

  void race(ProfileSchedule& made, const std::vector<bool>& coarse) const {
    const PlanStakes stakes = plan_stakes(grid_snapshot(live_, grid_, beliefs_), grid_, beliefs_, rules_.alphas);
    ScheduleState& state = made.state;
    state.dropped = stakes.dropped;
    state.may_rise = stakes.may_rise;
    state.is_good_enough = state.coarse_left == 0 && state.may_rise <= rules_.good_enough;
    if (state.is_good_enough) {
      state.race_left = state.answers_left = 0;
      return;
    }
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t c = 0; c < stakes.contexts.size(); ++c)
      if (!coarse[c]) order.emplace_back(std::ranges::max(stakes.contexts[c].stakes), c);
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::size_t left = state.coarse_left;
    for (const ProfileBatch& batch : made.batches) {  // contexts of coarse batches race, too, once these are measured
      const ContextStakes& of = stakes.contexts[batch.context];
      left += left_in_race(batch.context, of);
      for (const CellRequest& cell : batch.cells)
        if (races(of, cell.form)) left -= static_cast<std::size_t>(cell.count);  // of what is coarse already
    }
    for (const auto& [stake, context] : order) {
      if (!(stake > 0)) break;
      ProfileBatch batch = racing_batch(context, stakes.contexts[context]);
      if (batch.cells.empty()) continue;
      left += left_in_race(context, stakes.contexts[context]);
      made.batches.push_back(std::move(batch));
    }
    state.race_left = left;
    if (state.coarse_left > 0) return;
    made.start = start_ ? *start_ : race_start(live_, grid_, rules_.first_questions, rules_.alphas);
    state.answers_left =
        std::min(left, answers_until(rules_.good_enough, *made.start, {state.answers, state.may_rise}));
  }

  static bool races(const ContextStakes& stakes, std::size_t form) {
    return stakes.stakes[form] > 0 || (form == stakes.chosen && std::ranges::max(stakes.stakes) > 0);
  }

  /// Questions that the forms in the race were not asked.
  std::size_t left_in_race(std::size_t context, const ContextStakes& stakes) const {
    std::size_t left = 0;
    for (std::size_t f = 0; f < grid_.forms().size(); ++f)
      if (races(stakes, f))
        left += static_cast<std::size_t>(std::max(0, grid_.contexts()[context].questions - grid_.cell(context, f).n));
    return left;
  }

  ProfileBatch racing_batch(std::size_t context, const ContextStakes& stakes) const {
    ProfileBatch batch{context, ProfileStage::racing, {}};
    std::vector<std::size_t> forms(grid_.forms().size());
    std::iota(forms.begin(), forms.end(), std::size_t{0});
    const double most = std::ranges::max(stakes.stakes);
    std::ranges::stable_sort(forms, std::ranges::greater(), [&](std::size_t f) {
      return f == stakes.chosen ? std::numeric_limits<double>::infinity() : stakes.stakes[f];
    });
    for (const std::size_t form : forms) {
      if (batch.cells.size() == rules_.cells_a_batch) break;
      if (form != stakes.chosen && !(stakes.stakes[form] >= worth_asking * most)) break;
      // Of two that compete, the one with fewer answers: its error is the greater part of their difference's.
      const std::size_t rival = form == stakes.chosen ? forms[forms.size() > 1 ? 1 : 0] : stakes.chosen;
      if (!grid_.exhausted(context, rival) && grid_.cell(context, form).n > grid_.cell(context, rival).n) continue;
      const std::size_t asked = grid_.cell(context, form).n > 0 ? form : bisected(context, form, stakes.dropped);
      if (std::ranges::find(batch.cells, asked, &CellRequest::form) != batch.cells.end()) continue;
      ask(batch, asked, std::max(rules_.first_questions, 2 * grid_.cell(context, asked).n));
    }
    return batch;
  }

  /// The middle of the forms without answers around `form` that are in the race: with it, each half is half as long.
  std::size_t bisected(std::size_t context, std::size_t form, const std::vector<bool>& dropped) const {
    const auto open = [&](std::size_t f) {
      return grid_.cell(context, f).n == 0 && grid_.forms()[f].method == grid_.forms()[form].method;
    };
    std::size_t first = form, last = form;
    while (first > 0 && open(first - 1)) --first;
    while (last + 1 < grid_.forms().size() && open(last + 1)) ++last;
    const std::size_t middle = first + (last - first) / 2;
    return dropped[middle] ? form : middle;
  }

  const Snapshot& live_;
  const MeasuredGrid& grid_;
  const GridBeliefs& beliefs_;
  const RacingRules& rules_;
  const std::optional<RaceState>& start_;
  const CoarseForms coarse_forms_;
};

}  // namespace

int ProfileBatch::answers() const {
  int sum = 0;
  for (const CellRequest& cell : cells) sum += cell.count;
  return sum;
}

ProfileSchedule racing_schedule(const Snapshot& live, const MeasuredGrid& grid, const GridBeliefs& beliefs,
                                const RacingRules& rules, const std::optional<RaceState>& start) {
  return Scheduling(live, grid, beliefs, rules, start).schedule();
}

}  // namespace kvantage::inline schedule
