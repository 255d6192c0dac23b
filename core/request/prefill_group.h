// A step of several requests' prefills that is computed as one (core/model/batch/batch_prefill.h): the weights of a
// layer are read once, and each request gets the numbers that it gets alone. Requests of a group stay together through
// the layers of a chunk, as all of them advance by one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/request/request_task.h"

namespace kvantage::inline requests {

class PrefillGroup {
 public:
  /// clock: of serving; must outlive this. max_tokens: of the steps of all requests, unless the first alone has more.
  PrefillGroup(const Clock& clock, int max_tokens) : clock_(clock), max_tokens_(max_tokens) {}

  /// Whether take() would take it.
  bool fits(RequestTask& task) const;
  /// Takes a request if its next step is nothing but a layer of one chunk of its context or question, the same layer as
  /// of those before it. A whole chunk is only taken as the first: its products gain little from others, and an older
  /// request would wait for it. Tasks must outlive this, and be left alone until compute().
  bool take(RequestTask& task);

  struct Outcome {
    Status status;
    bool computed = false;  // false: the step can be tried again
  };
  /// Computes the step of each, in the order in which they were taken. Errors as RequestTask::compute().
  std::vector<Outcome> compute();

 private:
  struct Member {
    RequestTask* task = nullptr;
    PrefillTask* prefill = nullptr;
    PrefillStep step = {};
  };
  static std::optional<Member> member_of(RequestTask& task);
  bool fits(const Member& member) const;

  const Clock& clock_;
  int max_tokens_;
  int tokens_ = 0;  // of all members
  std::vector<Member> members_;
};

}  // namespace kvantage::inline requests
