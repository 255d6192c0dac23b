// Computes a context, or what follows a prefix of it that is in the cache.
#pragma once

#include <memory>

#include "core/request/request_state.h"

namespace kvantage::inline requests {

class ContextPrefillStage {
 public:
  /// from_token: the cache holds the context below it. exact_below: uncompressed, so that this gives an original.
  ContextPrefillStage(RequestState& state, std::size_t from_token, bool exact_below);

  /// One layer of one chunk. no_space: the pool is full, and the same step may be tried again once it is not.
  Status compute();
  /// A step was tried.
  bool has_begun() const { return has_begun_; }
  bool done() const { return prefill_ == nullptr; }
  /// The cache is the uncompressed one of the whole context, once this is done.
  bool gives_original() const { return gives_original_; }
  /// After done(); empty where it is no original.
  WindowQueries take_queries() { return std::move(queries_); }

 private:
  RequestState& state_;
  bool gives_original_;
  bool has_begun_ = false;
  std::unique_ptr<PrefillTask> prefill_;
  WindowQueries queries_;
};

}  // namespace kvantage::inline requests
