// Options that the figures of KVPR share.
#pragma once

#include <vector>

#include "core/experiments/paper_figures.h"

namespace kvantage::inline kvpr_figures {

inline constexpr const char* on_random_opt =
    " A random-weight OPT of 4 layers with heads 64 wide, on a tier in memory throttled to a bandwidth, by default so "
    "that loading a token takes as long as recomputing it.";

/// Of a figure that is made at three bandwidths by default.
inline constexpr const char* on_swept_opt =
    " A random-weight OPT of 4 layers with heads 64 wide, on a tier in memory throttled to bandwidths below, at and "
    "above the one where loading a token takes as long as recomputing it.";

FigureSetting width_setting(const char* column_width);
FigureSetting bandwidth_setting();
/// In `settings`: a quarter, once and four times the break-even bandwidth by default.
std::vector<FigureSetting> with_swept_bandwidth(std::vector<FigureSetting> settings);
/// In `settings`: break-even alone by default, and says why.
std::vector<FigureSetting> with_costly_bandwidth(std::vector<FigureSetting> settings);
FigureSetting blocks_setting();

/// Lengths, seed and bandwidth, as each of these has them.
std::vector<FigureSetting> step_settings(const char* prompt, const char* generated);
/// With blocks: for a figure with its own widths.
std::vector<FigureSetting> length_settings(const char* prompt, const char* generated);
/// With a width, without blocks: for a figure of a single step.
std::vector<FigureSetting> single_settings(const char* prompt, const char* generated);
/// With blocks and a width.
std::vector<FigureSetting> offload_settings(const char* prompt, const char* generated,
                                            const char* column_width = "1024");
/// With a largest batch as well.
std::vector<FigureSetting> batch_settings(const char* prompt, const char* generated, const char* batch,
                                          const char* column_width);

}  // namespace kvantage::inline kvpr_figures
