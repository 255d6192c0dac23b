// What a context will score on questions that were not asked while it was profiled. The mean over a dozen profiling
// questions is noisy, and a policy picks the best of dozens of such means: what it picked was lucky, and the answers
// that follow are worse than promised. So each mean is drawn towards what the same method and removed fraction does to
// other contexts, half by those of its family and half by all:
//     expected = (n * measured + k * others) / (n + k),   k = 8 questions' worth.
// Shrinkage after James and Stein; k by holding questions out (docs/quality.md).
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/policy/types.h"

namespace kvantage {

class QualityPool {
 public:
  /// A measured point of one context; n = 0 or a quality that is no number is passed over.
  void add(const std::string& family, const ProfilePoint& point);
  /// Of a point that was added; its own share is taken out of what the others say.
  double expected(const std::string& family, const ProfilePoint& point) const;

 private:
  struct Sum {
    double quality = 0;
    int contexts = 0;
  };
  using Cell = std::pair<std::string, std::int64_t>;  // method, removed fraction in millionths
  static Cell cell_of(const ProfilePoint& point);
  std::map<Cell, Sum> all_;
  std::map<std::pair<std::string, Cell>, Sum> families_;
};

}  // namespace kvantage
