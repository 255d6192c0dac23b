#include "core/experiments/studies/figure_host.h"

#include <algorithm>
#include <cstdio>

#include "core/model/fixed_load.h"

namespace kvantage::inline studies {

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

Expected<RecordedRun> FigureSession::recorded(const std::string& run_id) {
  return fail(ErrorCode::not_found, "run '" + run_id + "' is in no database of this session; serve it again");
}

Expected<std::unique_ptr<FigureSession>> FigureHost::open_session(const FigureArguments&, std::uint64_t,
                                                                  const std::vector<std::string>&) {
  return fail(ErrorCode::usage, "figures that serve sessions cannot be made here; use kvantage-cli reproduce");
}

Calibration& FigureHost::calibration() {
  if (!calibration_) calibration_.emplace(clock(), run_fixed_load);
  return *calibration_;
}

FigureResult FigureHost::noted(FigureResult result) {
  settle_time_findings(result, calibration());
  settle_claims(result, claims_, calibration().disturbed());
  if (!model_note_.empty()) result.findings.insert(result.findings.begin(), model_note_);
  return result;
}

void FigureHost::show(const FigureResult& result, bool json) {
  const FigureResult& shown = shown_.emplace_back(noted(result));
  if (json && !shown.more.empty()) {  // a line, these members last
    OrderedJson line = to_json(shown);
    line.update(shown.more);
    return show_json(line);
  }
  write((json ? dump_json(to_json(shown), 2) : to_text(shown)) + "\n");
}

void FigureHost::show_all(const std::vector<FigureResult>& results, bool json) {
  Json all = Json::array();
  for (const FigureResult& result : results) {
    if (!json) {
      show(result, false);
      continue;
    }
    all.push_back(to_json(shown_.emplace_back(noted(result))));
  }
  if (json) write(dump_json(all, 2) + "\n");
}

}  // namespace kvantage::inline studies
