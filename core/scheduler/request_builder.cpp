#include "core/scheduler/request_builder.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/kv/codecs/codec.h"
#include "core/policy/policy.h"
#include "core/policy/utility.h"

namespace kvantage::inline scheduler {
namespace {

/// Null: none.
std::shared_ptr<const DecodeEvictionSetting> setting_of(const std::string& text) {
  const auto parsed = parse_decode_eviction(text);
  return parsed && *parsed ? std::make_shared<const DecodeEvictionSetting>(**parsed) : nullptr;
}

}  // namespace

const CatalogQuestion& RequestBuilder::question_of(const Arrival& arrival) const {
  return services_.catalog.details(arrival.context).questions[arrival.question];
}

int RequestBuilder::longest_answer(const CatalogQuestion& question) const {
  return question.max_answer_tokens > 0 ? question.max_answer_tokens : max_answer_tokens_;
}

std::size_t RequestBuilder::prompt_tokens(const Arrival& arrival) const {
  return services_.catalog.details(arrival.context).tokens.size() + question_of(arrival).tokens.size();
}

std::size_t RequestBuilder::blocks_needed(const Arrival& arrival) const {
  const ModelRuntime& runtime = services_.runtime;
  const int answer = std::min(longest_answer(question_of(arrival)), runtime.pool->block_tokens());
  const std::size_t prompt = prompt_tokens(arrival);
  const std::size_t whole = runtime.blocks_for(prompt + static_cast<std::size_t>(answer));
  const ContextState& state = services_.catalog.state(arrival.context);
  std::optional<DecodeChoice> choice;
  const auto eviction = eviction_for(state.profile.get(), choice);
  // A context to be stored is needed whole, and so is one that is restored from another form.
  const bool comes_by_layers = state.placement.stored() ? state.placement.method == "none" : !keeps_originals_;
  if (eviction == nullptr || !comes_by_layers || !cut_in_prefill_.contains(eviction.get())) return whole;
  // Only the layer that is filled holds all tokens; those before it were cut to the budget.
  const auto layers = static_cast<std::size_t>(runtime.model->kv_shape().layers);
  const auto kept = static_cast<std::size_t>(eviction->budget.of_prompt(static_cast<int>(prompt)) + answer);
  return std::min(whole, (whole + (layers - 1) * runtime.blocks_for(kept)) / layers);
}

void RequestBuilder::use(std::string policy, bool attend_quantized, const std::string& decode_eviction,
                         const std::vector<std::string>& decode_options) {
  policy_ = std::move(policy);
  const auto made = make_policy(policy_);
  keeps_originals_ = !made || (*made)->is_planner() || (*made)->admission(ContextState{}).stored();
  const auto reads = made ? (*made)->question_time_reads() : std::nullopt;
  important_tokens_.reset();
  if (reads) important_tokens_ = ImportantTokensRule{.kept = reads->kept, .probes = reads->probes};
  if (!reads) services_.store.chunk_copies().clear();  // this policy may need their space
  attend_quantized_ = attend_quantized;
  planned_ = decode_eviction == planned_decode_eviction;
  decode_eviction_ = planned_ ? nullptr : setting_of(decode_eviction);
  decode_options_.clear();
  for (const std::string& option : decode_options) decode_options_[option] = setting_of(option);
  cut_in_prefill_.clear();
  const auto note = [this](const std::shared_ptr<const DecodeEvictionSetting>& eviction) {
    if (eviction && cuts_in_prefill(*services_.runtime.model, *eviction)) cut_in_prefill_.insert(eviction.get());
  };
  note(decode_eviction_);
  for (const auto& [text, eviction] : decode_options_) note(eviction);
}

void RequestBuilder::use_methods(const std::vector<std::string>& methods) {
  records_inputs_ = services_.runtime.model->device() == nullptr &&
                    (names_layer_inputs(policy_) || std::ranges::any_of(methods, names_layer_inputs));
}

// By the profile at this moment: a context whose options are not measured yet keeps all entries.
std::shared_ptr<const DecodeEvictionSetting> RequestBuilder::eviction_for(const ContextProfile* profile,
                                                                          std::optional<DecodeChoice>& chosen) const {
  if (!planned_) return decode_eviction_;
  DecodeChoice& choice = chosen.emplace();
  if (profile == nullptr) return nullptr;
  const std::vector<DecodeOption>& options = profile->decode_options;
  const DecodeOption* best = best_decode_option(options, services_.catalog.snapshot().alpha);
  if (best == nullptr) return nullptr;
  const auto measured = std::ranges::count_if(options, [](const DecodeOption& option) { return option.n > 0; });
  choice = {best->option, static_cast<int>(measured), best->estimate(), best->inter_token_seconds,
            best->decode_seconds()};
  const auto setting = decode_options_.find(best->option);
  return setting == decode_options_.end() ? nullptr : setting->second;
}

void RequestBuilder::reserve_for_decode(ServedRequest& request) const {
  const OffloadedDecodeStage* offloaded = request.task->offload();
  if (offloaded != nullptr && offloaded->is_offloaded()) request.reserved_blocks = 0;
  const ModelRuntime& runtime = services_.runtime;
  if (request.task->evicted_unseen_rows()) {
    const std::size_t held = request.task->cache().held_bytes() / runtime.pool->block_bytes();
    request.reserved_blocks = std::min(request.reserved_blocks, held + runtime.blocks_for(1));
  }
  const auto budget = request.task->decode().budget();
  if (!budget) return;
  const auto kept = static_cast<std::size_t>(*budget + runtime.pool->block_tokens());
  request.reserved_blocks = std::min(request.reserved_blocks, runtime.blocks_for(kept));
}

RequestStart RequestBuilder::start_of(const Arrival& arrival) const {
  const ContextFacts& facts = services_.catalog.facts(arrival.context);
  const CatalogQuestion& question = question_of(arrival);
  RequestStart start;
  start.asked = {.id = arrival.id,
                 .context = facts.key,
                 .context_id = facts.id,
                 .family = facts.family,
                 .question = question.text,
                 .reference_answer = {},
                 .gold = question.gold,
                 .held_out = question.held_out,
                 .in_profile = question.in_profile};
  start.policy = policy_;
  start.alpha = services_.catalog.snapshot().alpha;
  return start;
}

RequestInput RequestBuilder::input_of(const Arrival& arrival) {
  const ContextState& state = services_.catalog.state(arrival.context);
  const CatalogQuestion& question = question_of(arrival);
  RequestInput input;
  input.start = start_of(arrival);
  if (state.last_access == 0) input.start.miss_reason = compulsory_miss;  // kept only if it is a miss
  const Snapshot& known = services_.catalog.snapshot();
  const Prediction predicted = predict(known, state, state.placement, mean_uncompressed_quality(known));
  // No quality is predicted for a method without a curve (a fixed policy may name any), and none under decode-time
  // eviction, without which curves are measured; the record's choice has that of its option.
  const std::string_view method = state.placement.stored() ? std::string_view(state.placement.method) : "none";
  const bool has_curve =
      state.profile != nullptr &&
      std::ranges::find(state.profile->points, method, &ProfilePoint::method) != state.profile->points.end();
  input.decode_eviction = eviction_for(state.profile.get(), input.start.choice);
  input.start.predicted_quality = has_curve && input.decode_eviction == nullptr ? predicted.quality : -1;
  input.start.predicted_ttft_seconds = predicted.ttft_seconds;
  // What the question will need is not known yet; other forms are loaded whole.
  if (important_tokens_ && state.placement.stored() && names_token_chunks(state.placement.method))
    input.start.predicted_quality = input.start.predicted_ttft_seconds = -1;
  input.reading.important_tokens = important_tokens_;
  input.context_tokens = services_.catalog.details(arrival.context).tokens;
  input.question_tokens = question.tokens;
  input.max_answer_tokens = longest_answer(question);
  input.reading.attend_quantized =
      attend_quantized_ && services_.runtime.model->device() == nullptr;  // devices read plain rows only
  input.keeps_original = keeps_originals_;
  input.arrival_ns = arrival.arrival_ns;
  offloads_.apply(arrival.offload_failed, input);
  input.records_inputs = records_inputs_ && input.decode_offload == nullptr;
  return input;
}

ServedRequest RequestBuilder::make(const Arrival& arrival, RequestInput input, FoundHit found) const {
  ServedRequest request;
  request.arrival = arrival;
  request.entry = found.hit ? found.hit->context : arrival.context;
  request.entry_header = services_.catalog.details(request.entry).header;
  request.reserved_blocks = blocks_needed(arrival);
  request.shown_bytes = std::make_shared<std::size_t>(0);
  input.start.prefetch_seconds = found.prefetch_seconds;
  request.task = std::make_unique<RequestTask>(
      services_.runtime, services_.lender, serving_clock_, std::move(input), std::move(found.hit), found.lookup_seconds,
      [&events = services_.events, id = arrival.id, shown = request.shown_bytes,
       already = arrival.shown_bytes](const std::string& part) {
        const std::size_t before = *shown;
        *shown += part.size();
        if (*shown <= already) return;  // shown before the request was preempted
        events.publish(events::TokenEmitted{id, part.substr(std::max(before, already) - before)});
      },
      std::move(found.begun_load));
  return request;
}

void RequestBuilder::refuse(const Arrival& arrival) const {
  RequestStart start = start_of(arrival);
  start.miss_reason = to_string(ErrorCode::no_space);
  const ModelRuntime& runtime = services_.runtime;
  const std::size_t tokens = prompt_tokens(arrival), block_bytes = runtime.pool->block_bytes();
  EventBus& events = services_.events;
  const AskedQuestion& asked = start.asked;
  events.publish(events::RequestStarted{asked.id, asked.context_id, asked.family, asked.question});
  events.publish(events::Message{
      "error", "request refused: context '" + asked.context_id + "' and its question, " + std::to_string(tokens) +
                   " tokens, need " + format_bytes(runtime.blocks_for(tokens + 1) * block_bytes) +
                   " of KV blocks and there are " + format_bytes(runtime.pool->capacity_blocks() * block_bytes) +
                   "; give a shorter context"});
  events::RequestFinished ended{initial_record(std::move(start))};
  ended.record.cancelled = true;
  events.publish(std::move(ended));
}

}  // namespace kvantage::inline scheduler
