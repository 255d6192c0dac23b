#include "core/quality/schedule/coarse_forms.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kvantage::inline schedule {
namespace {

constexpr std::size_t coarse_points = 3;

}  // namespace

// The contexts of a group take the coarse points in turn, in the order of the catalog.
CoarseForms::CoarseForms(const MeasuredGrid& grid) : grid_(grid) {
  std::string method;
  for (std::size_t f = 1; f < grid.forms().size(); ++f) {
    if (methods_.empty() || method != grid.forms()[f].method) methods_.push_back({f, 0});
    method = grid.forms()[f].method;
    ++methods_.back().count;
  }
  std::vector<std::size_t> members(grid.groups(), 0);
  places_.reserve(grid.contexts().size());
  for (std::size_t c = 0; c < grid.contexts().size(); ++c) places_.push_back(members[grid.group(c)]++);
  sizes_ = std::move(members);
}

std::vector<std::size_t> CoarseForms::of(std::size_t context) const {
  std::vector<std::size_t> forms{0};
  const std::size_t similar = sizes_[grid_.group(context)];
  const std::size_t share = similar >= coarse_points ? 1 : similar == 2 ? 2 : coarse_points;
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    const MethodForms& method = methods_[m];
    const std::size_t points = std::min(method.count, coarse_points);
    for (std::size_t i = 0; i < std::min(share, points); ++i) {
      const std::size_t point = (places_[context] + m + i) % points;
      const std::size_t at = points > 1 ? point * (method.count - 1) / (points - 1) : 0;
      forms.push_back(method.first + at);
    }
  }
  return forms;
}

}  // namespace kvantage::inline schedule
