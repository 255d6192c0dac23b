// The fields of every event and record as written in journals. Private to events.cpp: callers use to_json/from_json.
#pragma once

#include "core/policy/types_json.h"
#include "core/ports/events.h"

namespace kvantage {

template <>
struct JsonNames<Provenance> {
  static constexpr std::array<std::pair<Provenance, std::string_view>, 5> list{{{Provenance::measured, "measured"},
                                                                                {Provenance::throttled, "shaped"},
                                                                                {Provenance::simulated, "modelled"},
                                                                                {Provenance::predicted, "predicted"},
                                                                                {Provenance::imported, "imported"}}};
};

}  // namespace kvantage

namespace kvantage::inline ports {

// Within a specialization of JsonFields<...> `T` is the struct; the name in JSON is the member's name, or for _AS the
// one that files had first.
#define KV_FIELD(member) json_member(#member, &T::member)
#define KV_FIELD_AS(name, member) json_member(name, &T::member)
#define KV_ADDED_FIELD(member) json_added(#member, &T::member)
#define KV_ADDED_FIELD_AS(name, member) json_added(name, &T::member)
#define KV_FIELDS(type, ...)                              \
  template <>                                             \
  struct JsonFields<type> {                               \
    using T = type;                                       \
    static constexpr auto list = std::tuple(__VA_ARGS__); \
  }

}  // namespace kvantage::inline ports

namespace kvantage {

KV_FIELDS(SharedSteps, KV_FIELD(steps), KV_FIELD(seconds), KV_FIELD(own_seconds));
KV_FIELDS(SharedPrefill, KV_FIELD(context), KV_FIELD(question));
KV_FIELDS(RequestTiming, KV_FIELD(queue_seconds), KV_FIELD(lookup_seconds), KV_FIELD(load_seconds),
          KV_FIELD(device_seconds), KV_FIELD(decode_seconds), KV_FIELD(context_prefill_seconds),
          KV_FIELD(question_prefill_seconds), KV_FIELD(ttft_service_seconds), KV_FIELD(ttft_seconds),
          KV_FIELD(mean_itl_seconds), KV_FIELD(e2e_seconds), KV_ADDED_FIELD(measuring_seconds),
          KV_ADDED_FIELD(prefetch_seconds), KV_ADDED_FIELD(token_gaps_seconds), KV_ADDED_FIELD(shared_prefill));

KV_FIELDS(ComputeOrLoadRecord, KV_FIELD(computed_tokens), KV_FIELD(loaded_tokens), KV_FIELD(predicted_seconds),
          KV_FIELD(load_alone_seconds), KV_FIELD(seconds), KV_ADDED_FIELD(tokens_from_inputs),
          KV_ADDED_FIELD(recompute_seconds));

KV_FIELDS(ImportantReadsRecord, KV_FIELD(kept_share), KV_FIELD(probe_bytes), KV_FIELD(chunk_bytes),
          KV_FIELD(copy_bytes), KV_FIELD(chunks), KV_FIELD(chunks_read), KV_FIELD(whole_layers));

KV_FIELDS(CompactionCounts, KV_FIELD(passes), KV_FIELD(blocks_freed), KV_FIELD(slot_copies), KV_FIELD(seconds));

KV_FIELDS(DecodeChoice, KV_FIELD(option), KV_FIELD(options), KV_FIELD(predicted_quality),
          KV_FIELD(predicted_itl_seconds), KV_FIELD(predicted_decode_seconds));

KV_FIELDS(OffloadRecord, KV_FIELD(setting), KV_FIELD(not_applied), KV_FIELD(stored_bytes), KV_FIELD(write_seconds),
          KV_FIELD(steps), KV_FIELD(recomputed_tokens), KV_FIELD(streamed_tokens), KV_FIELD(input_bytes),
          KV_FIELD(kv_bytes), KV_FIELD(seconds), KV_FIELD(predicted_seconds), KV_FIELD(waited_seconds),
          KV_FIELD(recompute_seconds), KV_ADDED_FIELD(resident_bytes), KV_ADDED_FIELD(weight_bytes));

KV_FIELDS(SpeculationRecord, KV_FIELD(setting), KV_FIELD(not_applied), KV_FIELD(passes), KV_FIELD(drafted),
          KV_FIELD(accepted));

KV_FIELDS(DecodingRecord, KV_FIELD(eviction), KV_FIELD(not_applied), KV_FIELD(budget_tokens), KV_FIELD(evicted_entries),
          KV_FIELD(peak_bytes), KV_FIELD(held_bytes), KV_FIELD(read_fraction), KV_FIELD(cut_seconds),
          KV_FIELD(deciding_seconds), KV_FIELD(compactions), KV_ADDED_FIELD(blocks_freed),
          KV_ADDED_FIELD(score_buffer_bytes), KV_ADDED_FIELD(choice), KV_ADDED_FIELD(offload),
          KV_ADDED_FIELD(speculation));

KV_FIELDS(RequestRecord, KV_FIELD(id), KV_FIELD(context), KV_FIELD(context_id), KV_FIELD(family), KV_FIELD(question),
          KV_FIELD(answer), KV_FIELD(reference_answer), KV_FIELD(gold), KV_FIELD(held_out), KV_FIELD(policy),
          KV_FIELD(alpha), KV_FIELD(source), KV_FIELD(method), KV_FIELD(removed_fraction), KV_FIELD(context_tokens),
          KV_FIELD(kept_tokens), KV_FIELD(prefix_hit_tokens), KV_FIELD(question_tokens), KV_FIELD(answer_tokens),
          KV_FIELD(bytes_loaded), KV_FIELD(timing), KV_FIELD(quality), KV_FIELD(predicted_quality),
          KV_FIELD(predicted_ttft_seconds), KV_FIELD(miss_reason), KV_FIELD(provenance), KV_FIELD(cancelled),
          KV_ADDED_FIELD(quality_uncompressed), KV_ADDED_FIELD(quality_chance), KV_ADDED_FIELD(compute_or_load),
          KV_ADDED_FIELD(decoding), KV_ADDED_FIELD(important_reads), KV_ADDED_FIELD(in_profile));

KV_FIELDS(events::RunStarted, KV_FIELD(run_id), KV_FIELD(settings));
KV_FIELDS(events::RunFinished, KV_FIELD(run_id), KV_FIELD(outcome), KV_FIELD(requests));
KV_FIELDS(events::RequestStarted, KV_FIELD(id), KV_FIELD(context_id), KV_FIELD(family), KV_FIELD(question));
KV_FIELDS(events::TokenEmitted, KV_FIELD(request), KV_FIELD(text));
KV_FIELDS(events::RequestFinished, KV_FIELD(record));
KV_FIELDS(events::ContextComputed, KV_FIELD(context), KV_FIELD(context_id), KV_FIELD(tokens), KV_FIELD(bytes),
          KV_FIELD(seconds), KV_ADDED_FIELD(archived));
KV_FIELDS(events::ContextProfiled, KV_FIELD(context), KV_FIELD(context_id), KV_FIELD(family), KV_FIELD(profile),
          KV_FIELD(seconds), KV_FIELD(from_store), KV_ADDED_FIELD(after_drift));
KV_FIELDS(events::PlanMade, KV_FIELD(policy), KV_FIELD(alpha), KV_FIELD(mean_quality), KV_FIELD(mean_ttft_seconds),
          KV_FIELD(total_utility), KV_FIELD(actions), KV_FIELD(seconds));
KV_FIELDS(events::PlacementCommitted, KV_FIELD(action), KV_FIELD(context_id), KV_FIELD(seconds));
KV_FIELDS(events::PlacementFailed, KV_FIELD(action), KV_FIELD(context_id), KV_FIELD(reason), KV_ADDED_FIELD(left));
KV_FIELDS(events::ReadFailed, KV_FIELD(context), KV_FIELD(tier), KV_FIELD(reason), KV_ADDED_FIELD(dropped));
KV_FIELDS(events::TierOccupancy, KV_FIELD(tier), KV_FIELD(used_bytes), KV_FIELD(budget_bytes),
          KV_FIELD(bytes_by_method));
KV_FIELDS(events::TierFitted, KV_FIELD(tier), KV_FIELD(model), KV_FIELD(samples), KV_FIELD_AS("shaped", throttled));
KV_FIELDS(events::TierCounted, KV_FIELD(tier), KV_FIELD(kind), KV_FIELD(note), KV_FIELD(reads), KV_FIELD(read_bytes),
          KV_FIELD(writes), KV_FIELD(written_bytes), KV_FIELD(dropped), KV_FIELD(misses), KV_FIELD(failed_writes),
          KV_FIELD(fitted_loads), KV_FIELD(fit_error_median), KV_FIELD(fit_error_p95),
          KV_ADDED_FIELD_AS("faults_struck", injected_faults));
KV_FIELDS(events::SettingChanged, KV_FIELD(name), KV_FIELD(before), KV_FIELD(after));
KV_FIELDS(events::Progress, KV_FIELD(what), KV_FIELD(done), KV_FIELD(total));
KV_FIELDS(events::Message, KV_FIELD(level), KV_FIELD(text));
KV_FIELDS(events::DriftDetected, KV_FIELD(context), KV_FIELD(context_id), KV_FIELD(achieved_quality),
          KV_FIELD(profiled_quality), KV_FIELD(answers), KV_FIELD(questions));
KV_FIELDS(CopyGauge, KV_FIELD(copies), KV_FIELD(bytes), KV_FIELD(seconds), KV_FIELD(waited_seconds),
          KV_FIELD(peak_bytes_per_second));
KV_FIELDS(ModelDeviceGauges, KV_FIELD(device), KV_FIELD(cache_held_bytes), KV_FIELD(cache_total_bytes),
          KV_FIELD(uploaded), KV_FIELD(downloaded));
KV_FIELDS(events::EngineCounted, KV_FIELD(busy_seconds), KV_FIELD(serving_seconds), KV_FIELD(placing_seconds),
          KV_FIELD(profiling_seconds), KV_FIELD(reprofiling_seconds), KV_FIELD(longest_profile_step_seconds),
          KV_FIELD(longest_prefill_step_seconds), KV_FIELD(drifts), KV_FIELD(reprofiles), KV_FIELD(requeued),
          KV_FIELD_AS("most_running", max_running), KV_ADDED_FIELD(model_device));

KV_FIELDS(PrefillModel, KV_FIELD(base_seconds), KV_FIELD(seconds_per_token), KV_FIELD(seconds_per_token_squared));
KV_FIELDS(QuestionModel, KV_FIELD(base_seconds), KV_FIELD(seconds_per_kept_token), KV_ADDED_FIELD(following_layers));
KV_FIELDS(EncodedSize, KV_FIELD(fixed_bytes), KV_FIELD(bytes_per_token));
KV_FIELDS(CodecCost, KV_FIELD(method), KV_FIELD(seconds_per_token), KV_ADDED_FIELD(overlapped_layers),
          KV_ADDED_FIELD(encoded));
KV_FIELDS(TierState, KV_FIELD(name), KV_FIELD(budget_bytes), KV_FIELD(model), KV_FIELD_AS("shaped", throttled));
KV_FIELDS(RecordedContext, KV_FIELD(key), KV_FIELD(id), KV_FIELD(family), KV_FIELD(tokens), KV_FIELD(full_bytes),
          KV_FIELD(frequency), KV_FIELD(last_access), KV_FIELD(placement), KV_FIELD(stored_bytes), KV_FIELD(archived),
          KV_FIELD(profile), KV_ADDED_FIELD(windowed_bytes));
KV_FIELDS(HybridServing, KV_FIELD(methods), KV_FIELD(piece_tokens), KV_FIELD(layers), KV_FIELD(intake_seconds_per_byte),
          KV_ADDED_FIELD(computes_all));
KV_FIELDS(events::SnapshotTaken, KV_FIELD(reason), KV_FIELD(alpha), KV_FIELD(tiers), KV_FIELD(prefill),
          KV_FIELD(question), KV_FIELD(codec_costs), KV_FIELD(contexts), KV_ADDED_FIELD(hybrid),
          KV_ADDED_FIELD(quality_bound));
KV_FIELDS(events::CostsFitted, KV_FIELD(tiers), KV_FIELD(prefill), KV_FIELD(question));
KV_FIELDS(events::CacheCompacted, KV_FIELD(request), KV_FIELD(context_id), KV_FIELD(decoded_tokens),
          KV_FIELD(blocks_freed), KV_FIELD(slot_copies), KV_FIELD(seconds));
KV_FIELDS(DecodingTotals, KV_FIELD(answers), KV_FIELD(evicted_entries), KV_FIELD(deciding_seconds),
          KV_FIELD(compactions), KV_FIELD(blocks_freed), KV_FIELD(score_buffer_bytes));
KV_FIELDS(PoolReport, KV_FIELD(capacity_blocks), KV_FIELD(live_blocks), KV_FIELD(shared_blocks), KV_FIELD(block_bytes),
          KV_FIELD(block_tokens), KV_FIELD(requests), KV_FIELD(request_bytes), KV_FIELD(dead_slots), KV_FIELD(decoding),
          KV_FIELD(live_slots), KV_FIELD(shared_slots), KV_FIELD(budgeted_slots), KV_FIELD(budget_slots),
          KV_FIELD(in_flight), KV_FIELD(step_seconds));
KV_FIELDS(events::PoolSampled, KV_FIELD(pool));

}  // namespace kvantage

#undef KV_FIELDS
#undef KV_ADDED_FIELD_AS
#undef KV_ADDED_FIELD
#undef KV_FIELD_AS
#undef KV_FIELD
