// Values for tests of the database, all derived from a seed.
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/ports/stores.h"

namespace kvantage {

inline ProfileScope sample_scope(const char* metric = "token_f1") {
  return {digest_of("a model"), digest_of("a workload"), metric};
}

inline std::vector<ProfileCell> sample_cells(std::uint64_t seed, int contexts) {
  Random random(seed);
  std::vector<ProfileCell> cells;
  for (int c = 0; c < contexts; ++c)
    for (const char* method : {"none", "snapkv", "streaming_llm(sinks=4)"}) {
      ProfileCell cell;
      cell.context_id = "context " + std::to_string(c);
      cell.context = digest_of(cell.context_id);
      cell.family = c % 2 == 0 ? "news" : "needle \xc3\xa9\xe2\x82\xac";
      cell.point.method = method;
      cell.point.removed_fraction = random.uniform();
      for (int i = 0; i < 3; ++i) cell.scores.push_back(random.uniform());
      cell.point.quality = (cell.scores[0] + cell.scores[1] + cell.scores[2]) / 3;
      cell.point.quality_low = cell.point.quality / 3;
      cell.point.quality_high = cell.point.quality + 0.1;
      cell.point.n = 3;
      cell.point.bytes = random.next() >> 2;
      cell.point.kept_tokens = static_cast<int>(random.below(4096));
      cells.push_back(cell);
    }
  return cells;
}

inline bool same_cell(const ProfileCell& a, const ProfileCell& b) {
  const auto values = [](const ProfileCell& cell) {
    const ProfilePoint& point = cell.point;
    return std::tuple(cell.context, cell.context_id, cell.family, cell.scores, point.method, point.removed_fraction,
                      point.quality, point.quality_low, point.quality_high, point.n, point.bytes, point.kept_tokens);
  };
  return values(a) == values(b);
}

inline Event token_event(std::uint64_t sequence) {
  Event event;
  event.sequence = sequence;
  event.utc_ns = 1000 + static_cast<std::int64_t>(sequence);
  event.payload = events::TokenEmitted{sequence / 10, "token " + std::to_string(sequence)};
  return event;
}

inline Event finished_event(std::uint64_t sequence, std::uint64_t request) {
  Event event;
  event.sequence = sequence;
  events::RequestFinished finished;
  finished.record.id = request;
  finished.record.context = digest_of("context");
  finished.record.policy = "lru";
  finished.record.quality["token_f1"] = 0.1 + 0.2;
  finished.record.timing.ttft_seconds = 1.0 / 3.0;
  event.payload = finished;
  return event;
}

}  // namespace kvantage
