#include "core/experiments/figures/kvpr/settings.h"

#include <algorithm>

namespace kvantage::inline kvpr_figures {
namespace {

FigureSetting& bandwidth_of(std::vector<FigureSetting>& settings) {
  return *std::ranges::find(settings, "--bandwidth", &FigureSetting::option);
}

}  // namespace

FigureSetting width_setting(const char* column_width) {
  return {"--width",
          "Model width",
          column_width,
          {},
          "Hidden size of the random-weight model, a multiple of 64; heads are 64 wide",
          true};
}

FigureSetting bandwidth_setting() {
  return {"--bandwidth",
          "Bandwidths (MB/s)",
          {},
          "where loading a token takes as long as recomputing it",
          "Bandwidths that the tier is throttled to, comma-separated: MB/s, or multiples of the break-even one such as "
          "0.25x,1x,4x"};
}

std::vector<FigureSetting> with_swept_bandwidth(std::vector<FigureSetting> settings) {
  FigureSetting& bandwidth = bandwidth_of(settings);
  bandwidth.standard = "0.25x,1x,4x";
  bandwidth.otherwise.clear();
  return settings;
}

std::vector<FigureSetting> with_costly_bandwidth(std::vector<FigureSetting> settings) {
  FigureSetting& bandwidth = bandwidth_of(settings);
  bandwidth.tip += "; break-even alone by default, as this figure takes long at each";
  return settings;
}

FigureSetting blocks_setting() {
  return {"--blocks",
          "Blocks",
          "3",
          {},
          "Number of blocks: each measures every cell once, in an order drawn for it; intervals are over the blocks"};
}

std::vector<FigureSetting> step_settings(const char* prompt, const char* generated) {
  return {{"--context-tokens", "Prompt (tokens)", prompt, {}, "Length of the longest prompt, of random tokens"},
          {"--answer-tokens", "Generated (tokens)", generated, {}, "Maximum number of decoded tokens"},
          {"--seed", "Seed", "1", {}, "Seed of the weights and the prompt"},
          bandwidth_setting()};
}

std::vector<FigureSetting> length_settings(const char* prompt, const char* generated) {
  auto settings = step_settings(prompt, generated);
  settings.push_back(blocks_setting());
  return settings;
}

std::vector<FigureSetting> offload_settings(const char* prompt, const char* generated, const char* column_width) {
  auto settings = length_settings(prompt, generated);
  settings.push_back(width_setting(column_width));
  return settings;
}

std::vector<FigureSetting> single_settings(const char* prompt, const char* generated) {
  auto settings = step_settings(prompt, generated);
  settings.push_back(width_setting("1024"));
  return settings;
}

std::vector<FigureSetting> batch_settings(const char* prompt, const char* generated, const char* batch,
                                          const char* column_width) {
  auto settings = offload_settings(prompt, generated, column_width);
  settings.push_back({"--max-batch", "Sequences", batch, {}, "Maximum batch size", true});
  return settings;
}

}  // namespace kvantage::inline kvpr_figures
