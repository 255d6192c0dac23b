// What the parts that start and run requests see of the queue, the batch and the planner of hits.
#pragma once

#include <cstddef>
#include <vector>

#include "core/scheduler/served_request.h"

namespace kvantage::inline scheduler {

/// Requests that are not running yet.
class WaitingRequests {
 public:
  virtual ~WaitingRequests() = default;
  /// Current requests per second; 0: closed loop.
  virtual double rate() const = 0;
  /// Whether the sequence has no requests left.
  virtual bool exhausted() const = 0;
  /// Whether the next request of the sequence, or its end, is due.
  virtual bool is_due() const = 0;
  /// Whether a preempted request restarts before the rest of the sequence.
  virtual bool has_put_back() const = 0;
  /// Requests of the sequence taken so far.
  virtual std::size_t taken() const = 0;
  /// Context of the next request of the sequence.
  virtual std::size_t next_context() const = 0;
};

/// Where the scheduler takes requests from, and puts preempted ones back.
class RequestSource : public WaitingRequests {
 public:
  virtual Arrival front() const = 0;
  virtual void pop() = 0;
  /// A restarted request precedes the rest of the sequence.
  virtual void put_back(const Arrival& arrival) = 0;
  virtual void drop_put_back() = 0;
};

/// Requests that share the model.
class RunningRequests {
 public:
  virtual ~RunningRequests() = default;
  virtual bool has_free_place() const = 0;
  /// Oldest first.
  virtual const std::vector<ServedRequest>& requests() const = 0;
};

/// Says how a stored context is served.
class HitChoice {
 public:
  virtual ~HitChoice() = default;
  /// Sets hit.choice for a request about `context`; null: load it.
  virtual void choose(CacheHit& hit, std::size_t context) = 0;
};

}  // namespace kvantage::inline scheduler
