// Progress of a figure as JSON lines on stderr for a parent process (`--progress json`): session startup stages, start
// and end of cells, recorded run ids. docs/reproduce.md documents the fields.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/base/json.h"
#include "core/ports/events.h"

namespace kvantage::cli {

class FigureProgress final : public EventSink {
 public:
  /// `lines` false: no output.
  explicit FigureProgress(bool lines) : lines_(lines) {}

  /// Cells of the whole figure, over all seeds.
  void expect_cells(std::size_t cells);
  /// `requests`: that the cell will serve; 0: no request progress.
  void begin_cell(const std::string& what, std::uint64_t requests = 0);
  /// `run_id`: of the recorded run; empty: none.
  void end_cell(const std::string& run_id = {});
  /// Stages of loading and profiling, and requests of the current cell. Any thread.
  void publish(const Event& event) override;

 private:
  void say(OrderedJson line);
  OrderedJson where() const;

  const bool lines_;
  std::mutex mutex_;
  std::size_t cells_ = 0, done_ = 0;
  std::string cell_;
  std::uint64_t requests_ = 0, finished_ = 0;
  std::chrono::steady_clock::time_point said_;
};

}  // namespace kvantage::cli
