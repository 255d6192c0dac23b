#include "core/quality/profile_grid.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/statistics.h"
#include "core/compress/method.h"
#include "core/text/quality.h"

namespace kvantage::inline quality {

namespace {

// Share of the uncompressed quality below which smaller forms are not measured.
constexpr double lost_for_good = 0.5;
constexpr double far_behind = 0.25;  // in quality; two standard errors of a difference over a dozen questions

const ProfileCell* find_cell(const std::vector<ProfileCell>& cells, const ProfilePoint& point) {
  const auto found = std::ranges::find_if(cells, [&](const ProfileCell& cell) {
    return cell.point.method == point.method && cell.point.removed_fraction == point.removed_fraction;
  });
  return found == cells.end() ? nullptr : &*found;
}

double mean_quality_of(const std::vector<ProfileCell>& cells, const std::string& method) {
  std::vector<double> qualities;
  for (const ProfileCell& cell : cells)
    if (cell.point.method == method) qualities.push_back(cell.point.quality);
  return mean_of(qualities);
}

}  // namespace

ProfileGrid::ProfileGrid(const ContextFacts& facts, const ContextDetails& details, ProfilePlan plan, bool with_chance)
    : plan_(std::move(plan)) {
  add_cells(facts);
  if (plan_.cells.empty())
    add_groups(details);
  else
    add_scheduled_groups(details, with_chance);
  if (!with_chance || groups_.empty() || groups_.front().cell != 0) return;
  Group chance{0, true, groups_.front().asked};
  std::erase_if(chance.asked, [](const Asked& asked) { return !asked.scored; });
  if (!chance.asked.empty()) groups_.push_back(std::move(chance));
}

void ProfileGrid::add_cells(const ContextFacts& facts) {
  const auto add_cell = [&](const std::string& method, double removed_fraction) {
    ProfileCell cell;
    cell.context = facts.key;
    cell.context_id = facts.id;
    cell.family = facts.family;
    cell.point.method = method;
    cell.point.removed_fraction = removed_fraction;
    cells_.push_back(std::move(cell));
  };
  add_cell("none", 0.0);
  for (const ScheduledCell& wanted : plan_.cells) {
    const auto parsed = parse_method(wanted.method);
    if (wanted.method == "none" || !parsed) continue;
    needs_.include((*parsed)->info().needs);
    add_cell(wanted.method, wanted.removed_fraction);
  }
  if (!plan_.cells.empty()) return;
  if (!plan_.before.empty())
    std::ranges::stable_sort(plan_.methods, std::ranges::greater(),
                             [&](const std::string& method) { return mean_quality_of(plan_.before, method); });
  for (const std::string& method : plan_.methods) {
    const auto parsed = parse_method(method);
    if (method == "none" || !parsed) continue;  // unknown methods were rejected with the settings
    needs_.include((*parsed)->info().needs);    // observations for all cells are made at once
    for (const double fraction : (*parsed)->fractions_of(plan_.removed_fractions)) add_cell(method, fraction);
  }
}

void ProfileGrid::add_groups(const ContextDetails& details) {
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    Group group{cell, false, {}};
    std::size_t asked = 0;
    for (std::size_t question = 0; question < details.questions.size(); ++question) {
      const bool chosen = plan_.asked.empty() ? !details.questions[question].held_out
                                              : std::ranges::find(plan_.asked, question) != plan_.asked.end();
      const bool scored = chosen && (plan_.questions == 0 || asked < plan_.questions);
      const bool reference = cell == 0 && (scored || plan_.reference_answers);
      if (!scored && !reference) continue;
      if (scored) ++asked;
      group.asked.push_back({question, reference, scored});
    }
    if (!group.asked.empty()) groups_.push_back(std::move(group));
  }
}

// Of the uncompressed form first, whose answers are the references of the others.
void ProfileGrid::add_scheduled_groups(const ContextDetails& details, bool with_references) {
  std::vector<std::size_t> profile_questions;
  for (std::size_t question = 0; question < details.questions.size(); ++question)
    if (!details.questions[question].held_out) profile_questions.push_back(question);
  Group uncompressed{0, false, {}};
  std::vector<Group> others;
  for (const ScheduledCell& wanted : plan_.cells) {
    const auto at = std::ranges::find_if(cells_, [&](const ProfileCell& cell) {
      return cell.point.method == wanted.method && cell.point.removed_fraction == wanted.removed_fraction;
    });
    if (at == cells_.end()) continue;  // of an unknown method
    Group group{static_cast<std::size_t>(at - cells_.begin()), false, {}};
    const auto end = std::min(profile_questions.size(), static_cast<std::size_t>(wanted.first + wanted.count));
    for (auto q = static_cast<std::size_t>(wanted.first); q < end; ++q)
      group.asked.push_back({profile_questions[q], group.cell == 0, true});
    if (group.cell == 0)
      uncompressed.asked = std::move(group.asked);
    else if (!group.asked.empty())
      others.push_back(std::move(group));
  }
  if (with_references)
    for (const Group& group : others)
      for (const Asked& asked : group.asked)
        if (!details.questions[asked.question].reference_readable() &&
            std::ranges::find(uncompressed.asked, asked.question, &Asked::question) == uncompressed.asked.end())
          uncompressed.asked.push_back({asked.question, true, false});
  if (!uncompressed.asked.empty()) groups_.push_back(std::move(uncompressed));
  std::ranges::move(others, std::back_inserter(groups_));
}

void ProfileGrid::add_score(double score) {
  if (group().chance)
    chance_scores_.push_back(score);
  else
    cells_[group().cell].scores.push_back(score);
}

void ProfileGrid::finish_group() {
  asked_forms_ += group().chance ? 0 : 1;
  if (!plan_.before.empty() && !group().chance && group().cell > 0) pass_over_smaller_forms();
  ++group_;
}

const ProfileGrid::Group* ProfileGrid::ahead(std::size_t groups) const {
  return group_ + groups < groups_.size() ? &groups_[group_ + groups] : nullptr;
}

void ProfileGrid::leave_out_method(std::size_t groups_ahead) {
  const std::string method = point(groups_ahead).method;
  const auto first = groups_.begin() + static_cast<std::ptrdiff_t>(group_ + groups_ahead);
  const auto end = std::find_if(first, groups_.end(), [&](const Group& other) {
    return other.chance || cells_[other.cell].point.method != method;
  });
  for (auto left_out = first; left_out != end; ++left_out) left_out_.insert(left_out->cell);
  groups_.erase(first, end);
}

// Quality does not rise as more of the context is removed.
void ProfileGrid::pass_over_smaller_forms() {
  const auto measured = [&](std::size_t cell) { return mean_of(cells_[cell].scores); };
  const std::size_t last = group().cell;
  const ProfilePoint& asked = cells_[last].point;
  const double quality = measured(last);
  bool hopeless = quality < lost_for_good * measured(0);
  for (std::size_t cell = 1; cell < last && !hopeless; ++cell)
    hopeless = !passed_over_.contains(cell) && cells_[cell].point.removed_fraction >= asked.removed_fraction &&
               quality < measured(cell) - far_behind;
  if (!hopeless) return;
  for (std::size_t next = group_ + 1; next < groups_.size() && !groups_[next].chance; ++next) {
    ProfilePoint& point = cells_[groups_[next].cell].point;
    const ProfileCell* before = find_cell(plan_.before, point);
    if (point.method != asked.method || before == nullptr) return;
    point.bytes = before->point.bytes;
    point.kept_tokens = before->point.kept_tokens;
    point.quality = point.quality_low = point.quality_high = std::min(quality, before->point.quality);
    passed_over_.insert(groups_[next].cell);
    group_ = next;
  }
}

std::vector<ProfileCell> ProfileGrid::take_cells() {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    ProfileCell& cell = cells_[c];
    if (passed_over_.contains(c)) continue;
    const MeanWithInterval quality = mean_with_interval(cell.scores);
    cell.point.quality = quality.mean;
    cell.point.quality_low = quality.low;
    cell.point.quality_high = quality.high;
    cell.point.n = static_cast<int>(quality.n);
  }
  for (auto cell = left_out_.rbegin(); cell != left_out_.rend(); ++cell)
    cells_.erase(cells_.begin() + static_cast<std::ptrdiff_t>(*cell));
  return std::move(cells_);
}

ContextProfile profile_of(std::span<const ProfileCell> cells) {
  ContextProfile profile;
  for (const ProfileCell& cell : cells) profile.points.push_back(cell.point);
  return profile;
}

}  // namespace kvantage::inline quality
