// What is recorded of a request. The file format of an answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/ports/decoding_record.h"

namespace kvantage::inline ports {

/// From what was measured here to what is furthest from it. imported: measured by others, with its source beside it.
enum class Provenance : std::uint8_t { measured, throttled, simulated, predicted, imported };
const char* to_string(Provenance provenance);     // as files have it: `shaped`, `modelled`
const char* display_name(Provenance provenance);  // as people read it: throttled, simulated

/// Prefill steps of one kind, each a layer of a chunk, that were computed together with those of other requests.
struct SharedSteps {
  int steps = 0;
  double seconds = 0;      // of the whole steps: a part of the prefill's seconds
  double own_seconds = 0;  // of these, the request's share by tokens
};
struct SharedPrefill {
  SharedSteps context = {}, question = {};
};

/// TTFT breakdown. service = lookup + load + decode + context_prefill + question_prefill.
struct RequestTiming {
  double queue_seconds = 0;
  double lookup_seconds = 0;
  double load_seconds = 0;    // waiting for tier bytes that the model needed next
  double device_seconds = 0;  // the tier's own transfer time, throttling included: part of it overlaps with compute
  double decode_seconds = 0;  // unpacking and verifying into blocks
  double context_prefill_seconds = 0;   // on a miss, or the part beyond a prefix hit
  double question_prefill_seconds = 0;  // up to the first answer token
  double ttft_service_seconds = 0;
  double ttft_seconds = 0;  // from arrival, queueing included
  double mean_itl_seconds = 0;
  double e2e_seconds = 0;
  double prefetch_seconds = 0;                  // how long before service its cache started loading; 0: no prefetch
  double measuring_seconds = 0;                 // scoring the answer, afterwards: not part of any other time
  std::vector<double> token_gaps_seconds = {};  // inter-token latencies of the answer
  std::optional<SharedPrefill> shared_prefill = {};  // nothing: each prefill step was computed alone
};

/// For a hit whose context was computed, partly while the rest was loaded or entirely (core/load/load_or_compute.h).
/// Seconds: from the start of that to the first token, the question included.
struct ComputeOrLoadRecord {
  int computed_tokens = 0, loaded_tokens = 0;  // of the context; both 0: not used
  double predicted_seconds = 0;                // by the fits, before it started
  double load_alone_seconds = 0;               // by the same fits: the time to beat
  double seconds = 0;                          // measured
  // Of an entry that was loaded: tokens recomputed from its layer inputs, and the time, a part of decode_seconds.
  int tokens_from_inputs = 0;
  double recompute_seconds = 0;
  bool used() const { return computed_tokens + loaded_tokens > 0; }
};

/// For a hit that read only what the question found important (core/request/important_reads_stage.h).
struct ImportantReadsRecord {
  double kept_share = 0;                           // of tokens that each probe head named
  std::uint64_t probe_bytes = 0, chunk_bytes = 0;  // of the keys of probe heads, and of chunks beside these keys
  std::uint64_t copy_bytes = 0;                    // of these, from copies on faster tiers
  int chunks = 0, chunks_read = 0;                 // over all layers
  int whole_layers = 0;                            // read whole, e.g. because the probe heads disagreed
};

/// Miss reason that no policy can avoid, a compulsory miss: the first request for a context in a session.
inline constexpr const char* compulsory_miss = "first_contact";

/// Miss reason of a stored context: recompute was faster than reading any of it.
inline constexpr const char* recompute_was_faster_reason = "computed_sooner";

/// Source of a hit whose write to a tier was in flight: served from the memory that it is written from.
inline constexpr const char* write_back_source = "write-back";

/// What was asked.
struct AskedQuestion {
  std::uint64_t id = 0;
  Digest128 context;
  std::string context_id, family;
  std::string question, reference_answer, gold;
  bool held_out = true;
  bool in_profile = false;  // re-profiling had measured the context on it before it was asked
};

/// How a request obtained the KV cache of its context.
struct CacheUse {
  std::string source;  // tier name, write_back_source, or "prefill"
  std::string method = "none";
  double removed_fraction = 0;
  int kept_tokens = 0, prefix_hit_tokens = 0;
  std::uint64_t bytes_loaded = 0;
  RequestTiming timing;
  ComputeOrLoadRecord compute_or_load = {};
  std::string miss_reason;  // empty on a hit; compulsory_miss, "absent", "corrupt", "io", ...
  Provenance provenance = Provenance::measured;
};

/// By metric: "token_f1", "exact_match".
struct AnswerScores {
  std::map<std::string, double> quality;
  // The same for the answer with uncompressed KV, and the score expected from an answer to another question.
  std::map<std::string, double> quality_uncompressed, quality_chance;
  double predicted_quality = -1, predicted_ttft_seconds = -1;  // -1: no prediction
};

/// What was answered, in tokens of the model.
struct GivenAnswer {
  std::string answer;
  int context_tokens = 0, question_tokens = 0, answer_tokens = 0;
  bool cancelled = false;
};

/// The file format of an answer. A part takes the base that it needs.
struct RequestRecord : AskedQuestion, CacheUse, AnswerScores, GivenAnswer {
  std::string policy;
  double alpha = 0;
  DecodingRecord decoding = {};
  std::optional<ImportantReadsRecord> important_reads = {};
};

}  // namespace kvantage::inline ports
