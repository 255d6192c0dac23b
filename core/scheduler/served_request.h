// A request from its place in the queue to its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/request/cache_hit.h"
#include "core/request/load_task.h"
#include "core/request/request_task.h"

namespace kvantage::inline scheduler {

/// A request in the queue, with everything needed to start or restart it.
struct Arrival {
  std::size_t context = 0, question = 0;  // indices in the catalog
  std::uint64_t id = 0;                   // 0: not started yet
  std::int64_t arrival_ns = 0;            // on the serving clock; 0: when it starts
  std::size_t shown_bytes = 0;            // of its answer, before it was preempted
  bool counted = false;                   // already counted in its context's frequency
  bool offload_failed = false;            // a tier failed while it decoded: it begins again without decode_offload
};

/// A started request.
struct ServedRequest {
  Arrival arrival;
  std::unique_ptr<RequestTask> task;
  std::size_t entry = 0;                          // context whose stored entry serves it
  std::weak_ptr<const EntryHeader> entry_header;  // at the start: shows whether the entry was rewritten since
  std::size_t reserved_blocks = 0;
  std::shared_ptr<std::size_t> shown_bytes = {};  // bytes of its answer streamed so far
  bool held_up = false;                           // a profiling step delayed it, which may happen only once
  bool waited_beside_profiling = false;           // it was waiting for bytes during the last such step
  bool noted = false;                             // its first token is out and the listener was notified
};

/// The stored entry that serves a request, if any, and the cost of the lookup.
struct FoundHit {
  std::optional<CacheHit> hit;
  std::unique_ptr<LoadTask> begun_load;  // a load of the hit's entry in progress
  double lookup_seconds = 0;
  double prefetch_seconds = 0;  // since its prefetch started
};

}  // namespace kvantage::inline scheduler
