// Which tier served how much: of all requests, of their tokens or of their bytes; over a sliding window and since the
// start. Everything here is measured. Of a run of more than max_chunks * chunk_requests requests, sums of older ones
// are kept at every second, fourth ... request: a rate there is over a window that ends at the last of them before.
#pragma once

#include <QObject>
#include <QPointF>
#include <QString>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ports/events.h"
#include "ui/live/tiers/model/tier_roles.h"

namespace kvantage {

class HitRateModel : public QObject {
  Q_OBJECT
 public:
  enum Measure { by_requests, by_tokens, by_bytes, measure_count };
  static constexpr int point_limit = 600;
  static constexpr std::size_t chunk_requests = 512, max_chunks = 512;

  using Weights = std::array<double, measure_count>;
  /// Sums over all requests up to each `stride`-th of some in a row. Full ones never change: copies of a content share
  /// them.
  struct Chunk {
    std::uint64_t before = 0;  // requests before its first
    std::size_t columns = 0;
    std::vector<Weights> cells;     // [sums][columns]
    std::vector<double> seconds{};  // [sums], when the last request of each finished
    std::uint64_t stride = 1;       // requests from one sum to the next
    std::size_t size() const { return seconds.size(); }
    std::uint64_t end() const { return before + size() * stride; }
  };
  /// Everything that it knows, cheap to copy. Column 0 sums all sources, the others one each, in the order they
  /// appeared in.
  struct Content {
    std::vector<QString> sources;
    std::vector<std::size_t> columns;  // of the sources
    std::vector<Weights> sums{Weights{}};
    std::vector<std::shared_ptr<Chunk>> chunks;
    std::uint64_t requests = 0;
  };

  explicit HitRateModel(QObject* parent = nullptr);
  void clear();
  void swap_content(HitRateModel& other);
  const Content& content() const { return content_; }
  void set_content(const Content& content);
  /// Sources in the order of drawing: tiers fastest first, then "prefill".
  void set_tiers(const std::vector<TierState>& tiers);
  /// `full_bytes` = uncompressed bytes of the context: what a prefill stands for when counted by bytes.
  /// `seconds`: of the run's clock, not decreasing.
  void request_finished(const RequestRecord& record, std::uint64_t full_bytes, double seconds = 0);

  TierRoles& roles() { return roles_; }

  const std::vector<QString>& sources() const { return content_.sources; }
  std::uint64_t requests() const { return content_.requests; }
  /// How many had finished by then, and when the last of so many did; 0 of none.
  std::uint64_t requests_at(double seconds) const;
  double seconds_of(std::uint64_t requests) const;
  /// Rates 0..1 against the request number; window = 0: cumulative. At most `limit` points, 2 and up.
  std::vector<QPointF> series(std::size_t source, Measure measure, int window, int limit = point_limit) const;
  /// The same of requests `first` (1 and up) to `last` alone, as far as there are such; two points more than `limit` at
  /// most. Points of a part are among those of a longer one of the same stride.
  std::vector<QPointF> series_between(std::size_t source, Measure measure, int window, int limit, std::uint64_t first,
                                      std::uint64_t last) const;
  /// The latest value of the same; -1 before the first request.
  double latest(std::size_t source, Measure measure, int window) const;
  /// The value after so many requests, 1 and up.
  double rate_after(std::size_t source, Measure measure, std::uint64_t end, int window) const;
  /// How many requests that value is over: `window`, or more where sums are thinned.
  std::uint64_t window_after(std::uint64_t end, int window) const;

 signals:
  void changed();

 private:
  /// A chunk and the place of a sum in it; null: of no request.
  struct Place {
    const Chunk* chunk = nullptr;
    std::size_t at = 0;
    std::uint64_t requests() const { return chunk == nullptr ? 0 : chunk->before + chunk->stride * (at + 1); }
  };
  /// The last kept sum of at most `end` requests.
  Place place_of(std::uint64_t end) const;
  /// The sum before the window that ends with `last`.
  Place begin_of(const Place& last, std::uint64_t end, int window) const;
  static double sum(const Place& place, std::size_t column, Measure measure);
  /// That of a source which is gone and served nothing, or another one.
  std::size_t free_column();
  void insert_source(std::size_t at, const QString& name);
  void keep_sums(double seconds);
  void thin_chunks();

  Content content_;
  TierRoles roles_;
};

}  // namespace kvantage
