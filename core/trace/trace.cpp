#include "core/trace/trace.h"

#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "core/trace/row_source.h"

namespace kvantage::inline trace {
namespace {

// Waiting rows may hold texts; beyond this the window is shorter than its number of rows.
constexpr std::size_t max_window_bytes = std::size_t{64} << 20;

std::size_t bytes_of(const TraceRequest& request) {
  return request.blocks.size() * sizeof(std::uint64_t) + request.input_text.size() + request.output_text.size();
}

}  // namespace

struct TraceReader::Waiting {
  std::int64_t nanoseconds = 0;
  TraceRequest request;

  /// For a heap whose front is the earliest; ties keep file order.
  static bool later(const Waiting& a, const Waiting& b) {
    return a.nanoseconds != b.nanoseconds ? a.nanoseconds > b.nanoseconds : a.request.row > b.request.row;
  }
};

std::uint64_t TraceCounts::all_dropped() const {
  return std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& reason) { return sum + reason.second; });
}

TraceReader::TraceReader(std::unique_ptr<RowSource> rows, TraceFacts facts, const TraceOptions& options)
    : rows_(std::move(rows)), facts_(facts), options_(options) {}
TraceReader::~TraceReader() = default;

Status TraceReader::fill_window() {
  const auto drop = [this](std::string_view reason) {
    const auto found = counts_.dropped.find(reason);
    ++(found != counts_.dropped.end() ? found->second : counts_.dropped[std::string(reason)]);
  };
  while (!ended_ && window_.size() < options_.window_rows && window_bytes_ < max_window_bytes) {
    TraceRow row;
    KV_ASSIGN(const auto there, rows_->next(row));
    if (!there) {
      ended_ = true;
      break;
    }
    ++counts_.rows_read;
    if (!row.dropped.empty()) {
      drop(row.dropped);
    } else if (last_ && row.nanoseconds < *last_) {
      drop(drop_reason::out_of_order);
    } else {
      window_bytes_ += bytes_of(row.request);
      window_.push_back({row.nanoseconds, std::move(row.request)});
      std::ranges::push_heap(window_, Waiting::later);
      ++counts_.waiting;
    }
  }
  return {};
}

// Also accounts for rows that were read ahead.
void TraceReader::end_early() {
  ended_ = true;
  if (!window_.empty()) counts_.dropped[std::string(drop_reason::beyond_limit)] += window_.size();
  counts_.waiting = 0;
  window_.clear();
}

Expected<std::optional<TraceRequest>> TraceReader::next() {
  if (options_.limit > 0 && counts_.emitted == options_.limit) {
    end_early();
    return std::nullopt;
  }
  if (auto filled = fill_window(); !filled) {
    ended_ = true;
    return tl::unexpected(std::move(filled).error());
  }
  if (window_.empty()) return std::nullopt;
  std::ranges::pop_heap(window_, Waiting::later);
  Waiting earliest = std::move(window_.back());
  window_.pop_back();
  window_bytes_ -= bytes_of(earliest.request);
  --counts_.waiting;
  ++counts_.emitted;
  if (!first_) first_ = earliest.nanoseconds;
  last_ = earliest.nanoseconds;
  earliest.request.arrival_seconds = static_cast<double>(earliest.nanoseconds - *first_) * 1e-9 * options_.time_scale;
  return std::move(earliest.request);
}

std::uint64_t own_context(std::uint64_t row) { return mixed_bits(row + splitmix_step); }

std::uint64_t tokens_of_bytes(std::uint64_t bytes, double bytes_per_token) {
  if (bytes == 0) return 0;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(bytes) / bytes_per_token + 0.5));
}

}  // namespace kvantage::inline trace
