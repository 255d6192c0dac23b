// Expected quality of a context on questions outside its profile. The mean over a dozen profiling questions is noisy,
// and a policy picks the best of dozens of such means. The winner was lucky, and later answers score below the promise.
// So each mean is shrunk towards the effect of the same method and removed fraction on other contexts, half from its
// family and half from all:
//     expected = (n * measured + k * others) / (n + k),   k = 8 questions' worth.
// Shrinkage after James and Stein; k was chosen by holding questions out (docs/quality.md).
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/policy/types.h"

namespace kvantage::inline policy {

class QualityPool {
 public:
  /// Adds a measured point of one context; n = 0 or NaN quality is skipped.
  void add(const std::string& family, const ProfilePoint& point);
  /// Of a point that was added; its own share is excluded from the others' mean.
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

}  // namespace kvantage::inline policy
