// The Pipeline dock over made-up time lines of requests.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "tests/ui/window/scripted_session.h"
#include "ui/live/requests/pipeline_dock.h"
#include "ui/session/run_model.h"

namespace kvantage::pipeline_bench {

using Kind = RequestSpan::Kind;
inline constexpr std::int64_t ms = 1'000'000;

class ScriptedSpans final : public SpanSource {
 public:
  std::shared_ptr<const RequestSpans> spans_of(std::uint64_t request) const override {
    const auto found = kept.find(request);
    return found == kept.end() ? nullptr : found->second;
  }
  void add(RequestSpans spans) {
    const std::uint64_t id = spans.request;
    kept[id] = std::make_shared<const RequestSpans>(std::move(spans));
  }
  std::map<std::uint64_t, std::shared_ptr<const RequestSpans>> kept;
};

/// Two layers from a tier, the second read while the first is unpacked and computed, then one decoded token.
inline RequestSpans two_layers(std::uint64_t request) {
  RequestSpans spans{.request = request, .layers = 2, .spans = {}};
  const auto add = [&spans](Kind kind, int layer, std::int64_t start, std::int64_t length, std::uint64_t bytes = 0,
                            int tokens = 0) {
    spans.spans.push_back({.kind = kind,
                           .layer = static_cast<std::int16_t>(layer),
                           .step = 0,
                           .tokens = tokens,
                           .start_ns = start * ms,
                           .duration_ns = length * ms,
                           .bytes = bytes});
  };
  add(Kind::queue, -1, 0, 2);
  add(Kind::lookup, -1, 2, 1);
  add(Kind::wait, -1, 3, 4);
  add(Kind::read, 0, 3, 4, 4'000'000);
  add(Kind::unpack, 0, 7, 1, 4'000'000);
  add(Kind::read, 1, 7, 4, 8'000'000);
  add(Kind::question_prefill, 0, 8, 2, 0, 18);
  add(Kind::wait, -1, 10, 1);
  add(Kind::unpack, 1, 11, 1, 8'000'000);
  add(Kind::question_prefill, 1, 12, 2, 0, 18);
  for (int layer = 0; layer < 2; ++layer)
    spans.spans.push_back({.kind = Kind::decode,
                           .layer = static_cast<std::int16_t>(layer),
                           .step = 1,
                           .tokens = 3,
                           .start_ns = (16 + 2 * layer) * ms,
                           .duration_ns = 2 * ms});
  return spans;
}

inline RequestRecord record_of(std::uint64_t id, const char* context) {
  RequestRecord record;
  record.id = id;
  record.context_id = context;
  record.source = "ssd";
  record.method = "keydiff";
  record.removed_fraction = 0.6;
  record.answer_tokens = 2;
  record.provenance = Provenance::throttled;
  RequestTiming& t = record.timing;
  t.queue_seconds = 0.002;
  t.lookup_seconds = 0.001;
  t.load_seconds = 0.005;
  t.decode_seconds = 0.002;
  t.question_prefill_seconds = 0.004;
  t.ttft_service_seconds = 0.0125;
  t.ttft_seconds = 0.0145;
  return record;
}

struct Bench {
  ScriptedSession session;
  RunModel run{session};
  ScriptedSpans spans;
  std::unique_ptr<PipelineDock> dock;

  Bench() {
    dock = std::make_unique<PipelineDock>(run, &spans);
    dock->resize(900, 300);
    dock->show();
  }
  void answer(std::uint64_t id, const char* context, bool with_spans = true) {
    if (with_spans) spans.add(two_layers(id));
    run.requests.request_started({id, context, "news", "where?"});
    run.requests.request_finished(record_of(id, context));
    emit run.servedChanged();
    dock->flush();
  }
};

}  // namespace kvantage::pipeline_bench
