#include "core/experiments/figures/figure_host.h"

#include <algorithm>
#include <cstdio>

#include "core/model/fixed_load.h"

namespace kvantage::inline figures {

void FigureHost::print(const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::max(0, std::vsnprintf(nullptr, 0, format, arguments))), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  write(text);
}

Calibration& FigureHost::calibration() {
  if (!calibration_) calibration_.emplace(clock(), run_fixed_load);
  return *calibration_;
}

FigureResult FigureHost::noted(FigureResult result) {
  settle_time_findings(result, calibration());
  if (!model_note_.empty()) result.findings.insert(result.findings.begin(), model_note_);
  return result;
}

void FigureHost::show(const FigureResult& result, bool json) {
  write((json ? dump_json(to_json(noted(result)), 2) : to_text(noted(result))) + "\n");
}

void FigureHost::show_all(const std::vector<FigureResult>& results, bool json) {
  if (!json) {
    for (const FigureResult& result : results) show(result, false);
    return;
  }
  Json all = Json::array();
  for (const FigureResult& result : results) all.push_back(to_json(noted(result)));
  write(dump_json(all, 2) + "\n");
}

}  // namespace kvantage::inline figures
