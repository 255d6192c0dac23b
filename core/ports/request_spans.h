// A measured timeline of one request: each layer that was read, unpacked or computed, and each wait. The newest
// requests are kept in memory; a recorded run has none. Thread-safe and non-blocking.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ports/events.h"

namespace kvantage::inline ports {

struct RequestSpan {
  enum class Kind : std::uint8_t {
    queue,             // from arrival to start of service
    lookup,            // of the longest stored prefix
    wait,              // for tier bytes that the model needed next, including turns of other requests meanwhile
    read,              // by the tier, on its own thread: overlaps with everything else
    write,             // of decode offload: a layer packed for the tier, or (layer -1) waiting until one is written
    unpack,            // from serial form into blocks, decoding included
    context_prefill,   // one layer of one chunk
    question_prefill,  // the same of the question
    prompt_eviction,   // one layer of the prompt cut to the budget of decode-time eviction
    recompute,         // keys and values of a block of one layer, from its layer inputs
    decode             // one layer of one token, batched with other requests in the same pass
  };
  Kind kind = Kind::queue;
  std::int16_t layer = -1;        // -1: none, or all
  std::int32_t step = 0;          // chunk of a prefill; token of a decode, where the one after the first token is 1
  std::int32_t tokens = 0;        // computed: of the chunk, or decoded by all requests of the pass
  std::int32_t batch_tokens = 0;  // of a prefill step with those of other requests, these included; 0: computed alone
  std::int64_t start_ns = 0, duration_ns = 0;  // since the arrival, on the serving clock
  std::uint64_t bytes = 0;                     // read, written or unpacked

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};
/// "tier read", "question prefill", ...
const char* to_string(RequestSpan::Kind kind);

struct RequestSpans {
  std::uint64_t request = 0;
  int layers = 0;
  std::vector<RequestSpan> spans;  // each kind in order of time
  std::size_t left_out = 0;        // decode spans beyond max_spans

  /// Beyond max_layer_spans each decoded token is one span; beyond max_spans tokens are only counted.
  static constexpr std::size_t max_layer_spans = 4096, max_spans = 8192;
};
/// Sum over the spans of one kind.
double span_seconds(const RequestSpans& spans, RequestSpan::Kind kind);

class SpanSource {
 public:
  virtual ~SpanSource() = default;
  /// Null: not answered yet, no longer kept, or of another run.
  virtual std::shared_ptr<const RequestSpans> spans_of(std::uint64_t request) const = 0;
};

}  // namespace kvantage::inline ports
