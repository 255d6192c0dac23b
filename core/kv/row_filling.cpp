#include "core/kv/row_filling.h"

#include <algorithm>
#include <utility>

#include "core/kv/row_copy.h"

namespace kvantage::inline kv {
namespace {

/// Keys and values that one task writes at least, where its head has so many.
constexpr std::size_t part_bytes = std::size_t{256} << 10;
/// Below, waking a second thread takes longer than what it saves.
constexpr std::size_t copied_bytes_worth_splitting = std::size_t{1} << 20;
constexpr std::size_t decoded_bytes_worth_splitting = std::size_t{256} << 10;
/// Of a layer that is longer, few rows are still in a core's own caches when attention reads them. Blocks that are not
/// there either would be read first, only to be overwritten.
constexpr std::size_t copied_bytes_past_caches = std::size_t{4} << 20;

}  // namespace

void RowFilling::add(std::vector<RowRun> runs, std::span<const std::byte> keys, std::span<const std::byte> values) {
  if (runs.empty() && codec_ == nullptr) return;
  const std::size_t count = runs.empty() ? 0 : runs.back().first + runs.back().count;
  rows_.push_back({std::move(runs), keys, values, static_cast<int>(count)});
}

std::vector<RowFilling::Part> RowFilling::parts() const {
  const std::size_t row = 2 * shape_.bytes_per_row();
  std::vector<Part> all;
  for (const Rows& rows : rows_) {
    if (decodes_whole()) {
      for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values}) all.push_back({&rows, 0, 0, kind});
      continue;
    }
    for (std::size_t first = 0; first < rows.runs.size();) {
      std::size_t last = first;
      for (std::size_t bytes = 0; last < rows.runs.size() && bytes < part_bytes; ++last)
        bytes += rows.runs[last].count * row;
      all.push_back({&rows, first, last, ExtentKind::keys});
      first = last;
    }
  }
  return all;
}

Status RowFilling::decode_whole(const Part& part, bool past_caches) const {
  const Rows& rows = *part.rows;
  const bool keys = part.kind == ExtentKind::keys;
  const std::size_t row = shape_.bytes_per_row(), bytes = static_cast<std::size_t>(rows.count) * row;
  const std::span<const std::byte> stored = keys ? rows.keys : rows.values;
  if (rows.runs.size() == 1)
    return codec_->decode(codec_rows(rows, part.kind), stored, {keys ? rows.runs[0].keys : rows.runs[0].values, bytes});
  const auto decoded = std::make_unique_for_overwrite<std::byte[]>(bytes);
  KV_TRY(codec_->decode(codec_rows(rows, part.kind), stored, {decoded.get(), bytes}));
  fill_runs(rows.runs, keys ? decoded.get() : nullptr, keys ? nullptr : decoded.get(), row, past_caches);
  return {};
}

Status RowFilling::write(const Part& part, bool past_caches) const {
  if (decodes_whole()) return decode_whole(part, past_caches);
  const Rows& rows = *part.rows;
  const std::size_t row = shape_.bytes_per_row();
  const auto runs = std::span(rows.runs).subspan(part.first, part.last - part.first);
  if (codec_ == nullptr) {
    fill_runs(runs, rows.keys.data(), rows.values.data(), row, past_caches);
    return {};
  }
  const RowRanges& ranges = *codec_->ranges();
  for (const RowRun& run : runs) {
    const int first = static_cast<int>(run.first), count = static_cast<int>(run.count);
    ranges.decode(codec_rows(rows, ExtentKind::keys), rows.keys, first, count, {run.keys, run.count * row});
    ranges.decode(codec_rows(rows, ExtentKind::values), rows.values, first, count, {run.values, run.count * row});
  }
  return {};
}

Status RowFilling::fill(const RunTasks& on_threads) const {
  std::size_t bytes = 0;
  for (const Rows& rows : rows_) {
    bytes += 2 * static_cast<std::size_t>(rows.count) * shape_.bytes_per_row();
    if (codec_ == nullptr || codec_->ranges() == nullptr) continue;
    KV_TRY(codec_->ranges()->check(codec_rows(rows, ExtentKind::keys), rows.keys));
    KV_TRY(codec_->ranges()->check(codec_rows(rows, ExtentKind::values), rows.values));
  }
  const std::vector<Part> tasks = parts();
  const bool past_caches = bytes >= copied_bytes_past_caches;
  const std::size_t worth = codec_ == nullptr ? copied_bytes_worth_splitting : decoded_bytes_worth_splitting;
  if (!on_threads || tasks.size() < 2 || bytes < worth) {
    for (const Part& task : tasks) KV_TRY(write(task, past_caches));
    return {};
  }
  std::vector<Status> written(tasks.size());
  on_threads(tasks.size(), [&](std::size_t task) { written[task] = write(tasks[task], past_caches); });
  for (Status& status : written) KV_TRY(std::move(status));
  return {};
}

}  // namespace kvantage::inline kv
