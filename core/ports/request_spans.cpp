#include "core/ports/request_spans.h"

namespace kvantage::inline ports {

const char* to_string(RequestSpan::Kind kind) {
  switch (kind) {
    case RequestSpan::Kind::queue:
      return "queueing";
    case RequestSpan::Kind::lookup:
      return "lookup";
    case RequestSpan::Kind::wait:
      return "waiting for bytes";
    case RequestSpan::Kind::read:
      return "tier read";
    case RequestSpan::Kind::write:
      return "tier write";
    case RequestSpan::Kind::unpack:
      return "unpack";
    case RequestSpan::Kind::context_prefill:
      return "context prefill";
    case RequestSpan::Kind::question_prefill:
      return "question prefill";
    case RequestSpan::Kind::prompt_eviction:
      return "prompt eviction";
    case RequestSpan::Kind::recompute:
      return "recompute";
    case RequestSpan::Kind::decode:
      return "decode";
  }
  return "";
}

double span_seconds(const RequestSpans& spans, RequestSpan::Kind kind) {
  std::int64_t sum = 0;
  for (const RequestSpan& span : spans.spans)
    if (span.kind == kind) sum += span.duration_ns;
  return static_cast<double>(sum) * 1e-9;
}

}  // namespace kvantage::inline ports
