// Colors of the series of a chart.
#pragma once

#include <array>
#include <cstdint>

namespace kvantage::inline report {

struct SeriesColor {
  std::uint32_t light, dark;  // 0xrrggbb, on a light and on a dark page
};
/// After Okabe and Ito (safe for color-blind readers), lighter on a dark page.
inline constexpr std::array<SeriesColor, 8> series_colors{{{0x0072b2, 0x56b4e9},
                                                           {0xd55e00, 0xf28e4b},
                                                           {0x009e73, 0x35c99c},
                                                           {0xb0508f, 0xd98fc0},
                                                           {0xa07a00, 0xe0b83c},
                                                           {0x3a9bd0, 0x9ad0f5},
                                                           {0x6b6b6b, 0xa8a8a8},
                                                           {0x7b3294, 0xc2a5cf}}};

/// 0xrrggbb; `share` of `color`, 0 to 1, on a page of another.
std::uint32_t color_on(std::uint32_t page, std::uint32_t color, double share);
/// A pale area in the color of a series.
inline constexpr double pale_share = 0.18;

}  // namespace kvantage::inline report
