#include "core/experiments/studies/figure_progress.h"

#include <algorithm>
#include <utility>

namespace kvantage::inline studies {
namespace {

constexpr std::int64_t between_parts_ns = 200'000'000;

}  // namespace

void FigureProgress::expect_cells(std::size_t cells) {
  const std::lock_guard lock(mutex_);
  cells_ = times_ * cells;
  say(where());
}

void FigureProgress::begin_cell(const std::string& what, std::uint64_t requests) {
  const std::lock_guard lock(mutex_);
  cell_ = what;
  requests_ = requests;
  finished_ = 0;
  reported_ns_.reset();
  say(where());
}

void FigureProgress::end_cell(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  ++done_;
  cell_.clear();
  requests_ = finished_ = 0;
  OrderedJson line = where();
  if (!run_id.empty()) line["run"] = run_id;
  say(line);
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
  const std::int64_t now_ns = clock_.monotonic_ns();
  if (reported_ns_ && now_ns - *reported_ns_ < between_parts_ns) return;
  reported_ns_ = now_ns;
  say(where());
}

OrderedJson FigureProgress::where() const {
  OrderedJson line{{"cells_done", done_}, {"cells", cells_}};
  if (!cell_.empty()) line["cell"] = cell_;
  if (requests_ > 0) line["part"] = std::min(1.0, static_cast<double>(finished_) / static_cast<double>(requests_));
  return line;
}

void FigureProgress::say(const OrderedJson& line) {
  if (write_) write_(dump_json(line));
}

}  // namespace kvantage::inline studies
