// Follow-up of requests: scores answers, fits costs, keeps computed caches, and dispatches events to the policy.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/policy/policy.h"
#include "core/ports/session.h"
#include "core/request/span_log.h"
#include "core/scheduler/request_scheduler.h"
#include "core/store/engine_services.h"

namespace kvantage::inline engine {

/// What a request leads to in the other parts of the session (session_parts.cpp).
class OutcomeParts {
 public:
  virtual ~OutcomeParts() = default;

  virtual void poll_tiers(const std::vector<TierConfig>& tiers) = 0;
  virtual void learn_costs(const RequestTask& task, const Configuration& served_from) = 0;
  virtual void learn_hit(RequestTask& task, std::size_t entry, const Configuration& served_from) = 0;
  virtual void publish_costs() = 0;

  virtual const Policy& policy() const = 0;
  virtual void dispatch_event(const PolicyEvent& event) = 0;

  virtual void measure_quality(RequestTask& task, std::size_t context, std::size_t question) = 0;
  /// As DriftMonitor::note_answer().
  virtual bool note_answer(const CacheUse& use, const AnswerScores& scores, std::size_t context, std::size_t question,
                           std::size_t entry) = 0;
  virtual void count_first_token() = 0;
  virtual void count_serving(double seconds) = 0;
  /// Of an answer that was decoded with eviction.
  virtual void count_decoding(const EvictionWork& answer) = 0;

  virtual void recheck_curves() = 0;
  virtual bool free_memory_of_profile() = 0;
  virtual bool free_memory_of_inspection() = 0;
  virtual void retry_profile() = 0;
  virtual void retry_inspection() = 0;
};

class RequestOutcomes final : public RequestListener {
 public:
  /// parts, spans: must outlive this. tiers: the session's, as of the start of a request.
  RequestOutcomes(const EngineServices& services, OutcomeParts& parts, SpanKeeper& spans,
                  const std::vector<TierConfig>& tiers)
      : services_(services), parts_(parts), spans_(spans), tiers_(tiers) {}

  void about_to_begin() override { parts_.poll_tiers(tiers_); }
  void context_served(ServedRequest& request) override;
  void answered(ServedRequest& request) override;
  void ended(ServedRequest& request) override;
  bool free_memory() override;
  void room_again() override;

  /// Whether a request has progressed since the last call far enough for placement to get a turn.
  bool take_placing_turn() { return std::exchange(placing_turn_, false); }
  /// Whether a request ended since the last call.
  bool take_ended() { return std::exchange(ended_, false); }

 private:
  void keep_original(ServedRequest& request);

  EngineServices services_;
  OutcomeParts& parts_;
  SpanKeeper& spans_;
  const std::vector<TierConfig>& tiers_;
  bool placing_turn_ = false, ended_ = false;
};

}  // namespace kvantage::inline engine
