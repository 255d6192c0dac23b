// Time lines without an engine: of any request, two layers that are read one after the other.
#pragma once

#include "core/ports/request_spans.h"

namespace kvantage {

class TwoReads final : public SpanSource {
 public:
  std::shared_ptr<const RequestSpans> spans_of(std::uint64_t request) const override {
    auto spans = std::make_shared<RequestSpans>(RequestSpans{.request = request, .layers = 2, .spans = {}});
    for (int layer = 0; layer < 2; ++layer)
      spans->spans.push_back({.kind = RequestSpan::Kind::read,
                              .layer = static_cast<std::int16_t>(layer),
                              .step = 0,
                              .tokens = 0,
                              .start_ns = layer * 4'000'000,
                              .duration_ns = 4'000'000,
                              .bytes = 1000});
    return spans;
  }
};

}  // namespace kvantage
