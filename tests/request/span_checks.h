// The conservation law of time lines: what the spans of a request add up to is the split of TTFT that it reports.
#pragma once

#include <QtTest>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/engine/engine.h"
#include "core/request/span_log.h"

namespace kvantage::test {

constexpr double span_tolerance_seconds = 2e-6;  // times are kept in whole nanoseconds, and summed

inline void compare_seconds(double spans, double timing, const char* what, const RequestRecord& record) {
  QVERIFY2(std::abs(spans - timing) < span_tolerance_seconds,
           qPrintable(QString("request %1: %2: %3 s in spans, %4 s in its timing")
                          .arg(record.id)
                          .arg(what)
                          .arg(spans, 0, 'g', 9)
                          .arg(timing, 0, 'g', 9)));
}

// The conservation law, for one request.
inline void check_spans(const RequestSpans& spans, const RequestRecord& record) {
  const RequestTiming& t = record.timing;
  compare_seconds(span_seconds(spans, RequestSpan::Kind::queue), t.queue_seconds, "queueing", record);
  compare_seconds(span_seconds(spans, RequestSpan::Kind::lookup), t.lookup_seconds, "lookup", record);
  compare_seconds(span_seconds(spans, RequestSpan::Kind::wait), t.load_seconds, "waiting for bytes", record);
  compare_seconds(span_seconds(spans, RequestSpan::Kind::unpack), t.decode_seconds, "unpacking", record);
  compare_seconds(span_seconds(spans, RequestSpan::Kind::context_prefill), t.context_prefill_seconds, "context prefill",
                  record);
  compare_seconds(span_seconds(spans, RequestSpan::Kind::question_prefill), t.question_prefill_seconds,
                  "question prefill", record);

  // On the engine's thread one thing is done at a time, so that the parts and what is between them add up to TTFT.
  std::vector<RequestSpan> engine;
  for (const RequestSpan& span : spans.spans)
    if (span.kind != RequestSpan::Kind::read) engine.push_back(span);
  // One that takes no virtual time comes before the one that begins at its end.
  std::ranges::sort(engine, {}, [](const RequestSpan& span) { return std::pair(span.start_ns, span.end_ns()); });
  std::int64_t end = 0, between = 0, busy = 0;
  const auto ttft_ns = static_cast<std::int64_t>(t.ttft_seconds * 1e9);
  for (const RequestSpan& span : engine) {
    QVERIFY2(span.start_ns >= end,
             qPrintable(QString("request %1: %2 begins %3 ns before the end of what was before it")
                            .arg(record.id)
                            .arg(to_string(span.kind))
                            .arg(end - span.start_ns)));
    QVERIFY(span.duration_ns >= 0);
    if (span.kind != RequestSpan::Kind::decode) {
      QVERIFY2(span.end_ns() <= ttft_ns + 2000, to_string(span.kind));
      between += span.start_ns - end;
      busy += span.duration_ns;
      end = span.end_ns();
    } else {
      QVERIFY(span.start_ns + 2000 >= ttft_ns);
      end = span.end_ns();
    }
  }
  double parts = 0;
  for (const RequestSpan::Kind kind :
       {RequestSpan::Kind::queue, RequestSpan::Kind::lookup, RequestSpan::Kind::wait, RequestSpan::Kind::unpack,
        RequestSpan::Kind::context_prefill, RequestSpan::Kind::question_prefill})
    parts += span_seconds(spans, kind);
  QVERIFY2(parts <= t.ttft_seconds + span_tolerance_seconds, "parts are more than the whole");
  QVERIFY(std::abs(parts - static_cast<double>(busy) * 1e-9) < 1e-9);
  QVERIFY2(between >= 0, "spans overlap");

  // Reads are the tier's: one after the other, and what they bring is what the request says.
  std::uint64_t read = 0;
  std::int64_t read_end = std::numeric_limits<std::int64_t>::min();
  for (const RequestSpan& span : spans.spans) {
    if (span.kind != RequestSpan::Kind::read) continue;
    QVERIFY(span.start_ns >= read_end);
    QVERIFY(span.end_ns() <= ttft_ns + 2000);
    read_end = span.end_ns();
    read += span.bytes;
  }
  if (read > 0 && record.source != "prefill") QCOMPARE(read, record.bytes_loaded);
}

inline void check_all_spans(const Engine& engine, const std::vector<RequestRecord>& records) {
  std::size_t found = 0;
  for (const RequestRecord& record : records) {
    const auto spans = engine.spans_of(record.id);
    QVERIFY2(spans, qPrintable(QString("request %1 has none").arg(record.id)));
    QCOMPARE(spans->request, record.id);
    check_spans(*spans, record);
    ++found;
  }
  QVERIFY(found > 0);
}

inline int spans_of_kind(const RequestSpans& spans, RequestSpan::Kind kind) {
  return static_cast<int>(std::ranges::count(spans.spans, kind, &RequestSpan::kind));
}

}  // namespace kvantage::test
