#include "core/report/series_colors.h"

#include <cmath>

namespace kvantage::inline report {

std::uint32_t color_on(std::uint32_t page, std::uint32_t color, double share) {
  std::uint32_t mixed = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double below = page >> shift & 0xffU, above = color >> shift & 0xffU;
    mixed |= static_cast<std::uint32_t>(std::lround(below + (above - below) * share)) << shift;
  }
  return mixed;
}

}  // namespace kvantage::inline report
