#include "ui/live/tiers/model/hit_rate_model.h"

#include <algorithm>
#include <utility>

#include "ui/text/words.h"

namespace kvantage {

namespace {

using HitChunk = HitRateModel::Chunk;

/// Both as one, with every second sum; the last of each is among them.
std::shared_ptr<HitChunk> thinned_chunks(const HitChunk& one, const HitChunk& next) {
  auto made = std::make_shared<HitChunk>(HitChunk{one.before, one.columns, {}, {}, 2 * one.stride});
  made->cells.reserve((one.cells.size() + next.cells.size()) / 2);
  made->seconds.reserve((one.size() + next.size()) / 2);
  for (const HitChunk* from : {&one, &next})
    for (std::size_t at = 1; at < from->size(); at += 2) {
      const auto row = from->cells.begin() + static_cast<std::ptrdiff_t>(at * from->columns);
      made->cells.insert(made->cells.end(), row, row + static_cast<std::ptrdiff_t>(from->columns));
      made->seconds.push_back(from->seconds[at]);
    }
  return made;
}

}  // namespace

HitRateModel::HitRateModel(QObject* parent) : QObject(parent) {}

void HitRateModel::clear() {
  content_.sums.assign(content_.sums.size(), Weights{});
  content_.chunks.clear();
  content_.requests = 0;
  emit changed();
}

void HitRateModel::swap_content(HitRateModel& other) {
  std::swap(content_, other.content_);
  emit changed();
}

void HitRateModel::set_content(const Content& content) {
  content_ = content;
  emit changed();
}

std::size_t HitRateModel::free_column() {
  for (std::size_t column = 1; column < content_.sums.size(); ++column)
    if (content_.sums[column] == Weights{} && std::ranges::find(content_.columns, column) == content_.columns.end())
      return column;
  content_.sums.emplace_back();
  return content_.sums.size() - 1;
}

void HitRateModel::insert_source(std::size_t at, const QString& name) {
  content_.sources.insert(content_.sources.begin() + static_cast<std::ptrdiff_t>(at), name);
  content_.columns.insert(content_.columns.begin() + static_cast<std::ptrdiff_t>(at), free_column());
}

// A source that is no tier and has served (write-back) stays.
void HitRateModel::set_tiers(const std::vector<TierState>& tiers) {
  std::vector<QString> names;
  const QString prefill = QStringLiteral("prefill");
  for (const TierState& tier : tiers) names.push_back(to_q(tier.name));
  for (std::size_t i = 0; i < content_.sources.size(); ++i)
    if (const QString& name = content_.sources[i]; name != prefill && std::ranges::find(names, name) == names.end() &&
                                                   content_.sums[content_.columns[i]] != Weights{})
      names.push_back(name);
  names.push_back(prefill);
  if (names == content_.sources) return;
  const std::vector<QString> known = std::exchange(content_.sources, {});
  const std::vector<std::size_t> columns = std::exchange(content_.columns, {});
  constexpr std::size_t none = 0;  // column 0 is no source's
  for (const QString& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    content_.sources.push_back(name);
    content_.columns.push_back(found == known.end() ? none : columns[static_cast<std::size_t>(found - known.begin())]);
  }
  for (std::size_t& column : content_.columns)  // of new ones, when those of known ones are taken
    if (column == none) column = free_column();
  emit changed();
}

void HitRateModel::request_finished(const RequestRecord& record, std::uint64_t full_bytes, double seconds) {
  if (record.cancelled) return;
  const QString source = to_q(record.source);
  const QString prefill_name = QStringLiteral("prefill");
  std::vector<QString>& sources = content_.sources;
  auto found = std::find(sources.begin(), sources.end(), source);
  if (found == sources.end()) {
    const bool has_prefill = !sources.empty() && sources.back() == prefill_name;
    insert_source(sources.size() - (has_prefill ? 1 : 0), source);
    found = std::find(sources.begin(), sources.end(), source);
  }
  const bool hit = record.source != "prefill";
  // A partial hit serves its prefix from the tier; the rest was prefilled.
  const double tokens = std::max(1, record.context_tokens);
  const double hit_tokens =
      hit ? (record.prefix_hit_tokens > 0 ? std::min<double>(record.prefix_hit_tokens, tokens) : tokens) : 0;
  const double hit_bytes = hit ? static_cast<double>(record.bytes_loaded) : 0;
  const double prefill_bytes = static_cast<double>(full_bytes) * (1 - hit_tokens / tokens);

  const auto add = [&](std::size_t index, double requests, double token_count, double byte_count) {
    for (const std::size_t column : {content_.columns[index], std::size_t{0}}) {
      Weights& weights = content_.sums[column];
      weights[by_requests] += requests;
      weights[by_tokens] += token_count;
      weights[by_bytes] += byte_count;
    }
  };
  add(static_cast<std::size_t>(found - sources.begin()), 1, hit ? hit_tokens : tokens, hit ? hit_bytes : prefill_bytes);
  const auto prefill = std::find(sources.begin(), sources.end(), prefill_name);
  if (hit && hit_tokens < tokens && prefill != sources.end())
    add(static_cast<std::size_t>(prefill - sources.begin()), 0, tokens - hit_tokens, prefill_bytes);
  ++content_.requests;
  keep_sums(seconds);
  emit changed();
}

void HitRateModel::keep_sums(double seconds) {
  auto& chunks = content_.chunks;
  const std::size_t columns = content_.sums.size();
  if (chunks.empty() || chunks.back()->columns != columns || chunks.back()->size() >= chunk_requests) {
    if (chunks.size() >= max_chunks) thin_chunks();
    chunks.push_back(std::make_shared<Chunk>(Chunk{content_.requests - 1, columns, {}}));
  } else if (chunks.back().use_count() > 1)
    chunks.back() = std::make_shared<Chunk>(*chunks.back());
  chunks.back()->cells.insert(chunks.back()->cells.end(), content_.sums.begin(), content_.sums.end());
  chunks.back()->seconds.push_back(seconds);
}

// Of the older half, those with most sums for their requests. A chunk that ended early, as a source appeared, may have
// no neighbor to go with.
void HitRateModel::thin_chunks() {
  auto& chunks = content_.chunks;
  const std::size_t older = chunks.size() / 2;
  const auto is_pair = [&](std::size_t i) {
    const Chunk &one = *chunks[i], &next = *chunks[i + 1];
    return one.columns == next.columns && one.stride == next.stride && one.size() % 2 == 0 && next.size() % 2 == 0;
  };
  std::uint64_t finest = 0;  // 0: there is no pair
  for (std::size_t i = 0; i + 1 < older; ++i)
    if (is_pair(i) && (finest == 0 || chunks[i]->stride < finest)) finest = chunks[i]->stride;
  std::vector<std::shared_ptr<Chunk>> kept;
  kept.reserve(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const bool pair = i + 1 < older && chunks[i]->stride == finest && is_pair(i);
    kept.push_back(pair ? thinned_chunks(*chunks[i], *chunks[i + 1]) : chunks[i]);
    if (pair) ++i;
  }
  chunks = std::move(kept);
}

std::uint64_t HitRateModel::requests_at(double seconds) const {
  const auto& chunks = content_.chunks;
  const auto after = std::partition_point(chunks.begin(), chunks.end(),
                                          [&](const auto& chunk) { return chunk->seconds.front() <= seconds; });
  if (after == chunks.begin()) return 0;
  const Chunk& chunk = **(after - 1);
  const auto end = std::upper_bound(chunk.seconds.begin(), chunk.seconds.end(), seconds);
  return chunk.before + chunk.stride * static_cast<std::uint64_t>(end - chunk.seconds.begin());
}

double HitRateModel::seconds_of(std::uint64_t requests) const {
  const Place place = requests > content_.requests ? Place{} : place_of(requests);
  return place.chunk == nullptr ? 0 : place.chunk->seconds[place.at];
}

HitRateModel::Place HitRateModel::place_of(std::uint64_t end) const {
  const auto& chunks = content_.chunks;
  auto found =
      std::partition_point(chunks.begin(), chunks.end(), [&](const auto& chunk) { return chunk->end() < end; });
  if (end == 0 || found == chunks.end()) return {};
  const std::uint64_t sums = (end - (*found)->before) / (*found)->stride;
  if (sums > 0) return {found->get(), static_cast<std::size_t>(sums) - 1};
  if (found == chunks.begin()) return {};
  --found;  // before the first sum of its chunk
  return {found->get(), (*found)->size() - 1};
}

double HitRateModel::sum(const Place& place, std::size_t column, Measure measure) {
  if (place.chunk == nullptr || column >= place.chunk->columns) return 0;  // before the source was known
  return place.chunk->cells[place.at * place.chunk->columns + column][measure];
}

HitRateModel::Place HitRateModel::begin_of(const Place& last, std::uint64_t end, int window) const {
  const auto wanted = static_cast<std::uint64_t>(std::max(window, 0));
  const std::uint64_t length = last.chunk == nullptr ? wanted : std::max(wanted, last.chunk->stride);
  return window > 0 && end > length ? place_of(end - length) : Place{};
}

double HitRateModel::rate_after(std::size_t source, Measure measure, std::uint64_t end, int window) const {
  const Place last = place_of(end), first = begin_of(last, end, window);
  const double total = sum(last, 0, measure) - sum(first, 0, measure);
  const std::size_t column = content_.columns[source];
  return total > 0 ? (sum(last, column, measure) - sum(first, column, measure)) / total : 0;
}

std::uint64_t HitRateModel::window_after(std::uint64_t end, int window) const {
  const Place last = place_of(end);
  return std::max(static_cast<std::uint64_t>(std::max(window, 0)),
                  last.requests() - begin_of(last, end, window).requests());
}

std::vector<QPointF> HitRateModel::series(std::size_t source, Measure measure, int window, int limit) const {
  return series_between(source, measure, window, limit, 1, requests());
}

std::vector<QPointF> HitRateModel::series_between(std::size_t source, Measure measure, int window, int limit,
                                                  std::uint64_t first, std::uint64_t last) const {
  std::vector<QPointF> points;
  first = std::max<std::uint64_t>(first, 1);
  last = std::min(last, requests());
  if (source >= sources().size() || first > last) return points;
  const std::uint64_t n = last - first + 1;
  const auto gaps = static_cast<std::uint64_t>(std::max(limit, 2) - 1);
  const std::uint64_t stride = std::max<std::uint64_t>(1, (n + gaps - 1) / gaps);
  points.reserve(static_cast<std::size_t>(n / stride) + 3);
  // At the same requests wherever the part begins: a line that moves does not flicker.
  for (std::uint64_t end = first - (first - 1) % stride; end <= last; end += stride)
    points.emplace_back(static_cast<double>(end), rate_after(source, measure, end, window));
  if (points.back().x() < static_cast<double>(last))
    points.emplace_back(static_cast<double>(last), rate_after(source, measure, last, window));
  return points;
}

double HitRateModel::latest(std::size_t source, Measure measure, int window) const {
  return source >= sources().size() || requests() == 0 ? -1 : rate_after(source, measure, requests(), window);
}

}  // namespace kvantage
