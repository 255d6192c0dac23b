#include "app/cli/reproduce/figure_progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kvantage::cli {
namespace {

constexpr std::chrono::milliseconds between_parts{200};

}  // namespace

void FigureProgress::expect_cells(std::size_t cells) {
  const std::lock_guard lock(mutex_);
  cells_ = cells;
  say(where());
}

void FigureProgress::begin_cell(const std::string& what, std::uint64_t requests) {
  const std::lock_guard lock(mutex_);
  cell_ = what;
  requests_ = requests;
  finished_ = 0;
  said_ = {};
  say(where());
}

void FigureProgress::end_cell(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ++done_;
  cell_.clear();
  requests_ = finished_ = 0;
  OrderedJson line = where();
  if (!run_id.empty()) line["run"] = run_id;
  say(std::move(line));
}

void FigureProgress::publish(const Event& event) {
  const std::lock_guard lock(mutex_);
  if (const auto* progress = std::get_if<events::Progress>(&event.payload)) {
    const bool over = progress->total > 0 && progress->done == progress->total;
    if (!over) say({{"stage", progress->what}, {"done", progress->done}, {"total", progress->total}});
    return;
  }
  if (!std::holds_alternative<events::RequestFinished>(event.payload) || cell_.empty()) return;
  ++finished_;
  const auto now = std::chrono::steady_clock::now();
  if (now - said_ < between_parts) return;
  said_ = now;
  say(where());
}

OrderedJson FigureProgress::where() const {
  OrderedJson line{{"cells_done", done_}, {"cells", cells_}};
  if (!cell_.empty()) line["cell"] = cell_;
  if (requests_ > 0) line["part"] = std::min(1.0, static_cast<double>(finished_) / static_cast<double>(requests_));
  return line;
}

void FigureProgress::say(OrderedJson line) {
  if (!lines_) return;
  std::fprintf(stderr, "%s\n", line.dump().c_str());
  std::fflush(stderr);
}

}  // namespace kvantage::cli
