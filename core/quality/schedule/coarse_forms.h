// The forms that a context's coarse curves are measured on: uncompressed, and of each method the first, middle and last
// fraction. Of three or more similar contexts each takes one of these, in turn; of two, two each; else one takes all
// three.
#pragma once

#include <cstddef>
#include <vector>

#include "core/quality/schedule/measured_grid.h"

namespace kvantage::inline schedule {

class CoarseForms {
 public:
  /// grid: must outlive this. Depends on its forms and contexts alone.
  explicit CoarseForms(const MeasuredGrid& grid);
  /// Of one context, the uncompressed form first.
  std::vector<std::size_t> of(std::size_t context) const;

 private:
  /// Forms of one method, ascending by removed fraction.
  struct MethodForms {
    std::size_t first = 0, count = 0;
  };

  const MeasuredGrid& grid_;
  std::vector<MethodForms> methods_;
  std::vector<std::size_t> places_, sizes_;  // place of each context in its group; size of each group
};

}  // namespace kvantage::inline schedule
