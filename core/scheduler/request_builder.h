// Builds requests from arrivals: the initial record, the block reservation, and the task that serves it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/request/request_task.h"
#include "core/scheduler/decode_offloads.h"
#include "core/scheduler/served_request.h"
#include "core/store/engine_services.h"

namespace kvantage::inline scheduler {

class RequestBuilder {
 public:
  /// max_answer_tokens: for questions without a limit.
  RequestBuilder(const EngineServices& services, const Clock& serving_clock, int max_answer_tokens)
      : services_(services),
        serving_clock_(serving_clock),
        max_answer_tokens_(max_answer_tokens),
        offloads_(services) {}

  /// policy: the active one, for the record. attend_quantized: as in RequestInput. decode_eviction, decode_options:
  /// valid and canonical.
  void use(std::string policy, bool attend_quantized, const std::string& decode_eviction = "none",
           const std::vector<std::string>& decode_options = {});
  /// Candidate methods: whether computed contexts keep their layer inputs for entries that hold them.
  void use_methods(const std::vector<std::string>& methods);
  DecodeOffloads& offloads() { return offloads_; }

  /// Tokens of context and question.
  std::size_t prompt_tokens(const Arrival& arrival) const;
  /// Initial blocks. Most answers are short; a request that runs out of blocks anyway is preempted and restarts. A
  /// prompt that is cut layer by layer while it is prefilled or loaded needs one layer of all its tokens.
  std::size_t blocks_needed(const Arrival& arrival) const;
  /// After the prompt was cut to the budget of decode-time eviction: reserves no more than that and a block per
  /// head. The same for a context that was loaded without rows past windows. Nothing for one on a tier.
  void reserve_for_decode(ServedRequest& request) const;
  /// The record before service.
  RequestStart start_of(const Arrival& arrival) const;
  /// The task's input, with predictions by costs and curves. Call before the lookup, after the arrival got its time.
  RequestInput input_of(const Arrival& arrival);
  ServedRequest make(const Arrival& arrival, RequestInput input, FoundHit found) const;
  /// Ends a request whose prompt can never fit in the pool, and reports it.
  void refuse(const Arrival& arrival) const;

 private:
  const CatalogQuestion& question_of(const Arrival& arrival) const;
  int longest_answer(const CatalogQuestion& question) const;
  std::shared_ptr<const DecodeEvictionSetting> eviction_for(const ContextProfile* profile,
                                                            std::optional<DecodeChoice>& chosen) const;

  EngineServices services_;
  const Clock& serving_clock_;
  int max_answer_tokens_;
  std::string policy_;
  bool attend_quantized_ = false, keeps_originals_ = true, records_inputs_ = false;
  std::optional<ImportantTokensRule> important_tokens_;           // nothing: stored contexts are read whole
  std::shared_ptr<const DecodeEvictionSetting> decode_eviction_;  // null: none
  bool planned_ = false;                                          // one of decode_options_ for each request
  std::map<std::string, std::shared_ptr<const DecodeEvictionSetting>> decode_options_;  // by text
  std::set<const DecodeEvictionSetting*> cut_in_prefill_;                               // of these
  DecodeOffloads offloads_;
};

}  // namespace kvantage::inline scheduler
