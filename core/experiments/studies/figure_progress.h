// Progress of a figure as JSON lines for the calling process (`--progress json`): stages of an opening session, start
// and end of cells, the run that each recorded. docs/figures.md lists the fields.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/ports/events.h"

namespace kvantage::inline studies {

class FigureProgress final : public EventSink {
 public:
  /// `write` takes a line without its end, on any thread; empty: no output.
  FigureProgress(const Clock& clock, std::function<void(const std::string& line)> write)
      : clock_(clock), write_(std::move(write)) {}

  /// Cells of the whole figure, over all seeds.
  void expect_cells(std::size_t cells);
  /// The figure measures its cells this many times, one after the other: expect_cells() is then told those of one time.
  void repeat_cells(std::size_t times) { times_ = times; }
  /// Again for a cell that is measured again. `requests`: number that it will serve; 0: no request progress.
  void begin_cell(const std::string& what, std::uint64_t requests = 0);
  /// What it measured is kept. `run_id`: of the recorded run; empty: none.
  void end_cell(const std::string& run_id = {});
  /// Stages of loading and profiling, and requests of the current cell. Any thread.
  void publish(const Event& event) override;

 private:
  void say(const OrderedJson& line);
  OrderedJson where() const;

  const Clock& clock_;
  const std::function<void(const std::string&)> write_;
  std::mutex mutex_;
  std::size_t cells_ = 0, done_ = 0, times_ = 1;
  std::string cell_;
  std::uint64_t requests_ = 0, finished_ = 0;
  std::optional<std::int64_t> reported_ns_;  // time of the last progress line of the cell
};

}  // namespace kvantage::inline studies
