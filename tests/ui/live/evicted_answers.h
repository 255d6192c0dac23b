// Answers that were decoded with and without eviction, by what they held in memory and how good they are.
#pragma once

#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/live_window.h"
#include "tests/ui/live/live_run_readings.h"
#include "ui/text/words.h"

namespace live_run_test {

using namespace kvantage;
using namespace kvantage::test;

struct Means {
  double held = 0, quality = 0, itl = 0;
};
/// Bytes that a request in flight held in the pool, in the samples without any eviction so far, and in those whose
/// requests were all cut to their budget.
struct PoolBytes {
  std::vector<double> whole, cut;
};
inline PoolBytes pool_bytes_of(const CollectingSink& sink) {
  PoolBytes bytes;
  for (const auto& [pool] : sink.all<events::PoolSampled>()) {
    if (pool.requests == 0) continue;
    const double each = static_cast<double>(pool.request_bytes) / pool.requests;
    if (pool.decoding.answers == 0 && pool.in_flight.answers == 0)
      bytes.whole.push_back(each);
    else if (pool.budgeted_slots > 0 && pool.budgeted_slots == pool.live_slots)
      bytes.cut.push_back(each);
  }
  return bytes;
}
inline double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Each row of the Requests dock says its own numbers, before the change and under `eviction`, where an answer ends
/// with less KV cache.
inline void check_rows(const RequestsModel& requests, const std::string& eviction) {
  std::vector<double> before, under, held_before, held_under;
  for (int row = 0; row < requests.rowCount(); ++row) {
    const RequestRecord& record = requests.row(row)->record;
    const bool evicts = record.decoding.eviction == eviction;
    if (requests.row(row)->running || record.answer_tokens < 2 || (!evicts && !record.decoding.eviction.empty()))
      continue;
    (evicts ? under : before).push_back(record.timing.mean_itl_seconds);
    (evicts ? held_under : held_before).push_back(static_cast<double>(record.decoding.held_bytes));
    QCOMPARE(requests.index(row, RequestsModel::inter_token).data().toString(),
             seconds_text(record.timing.mean_itl_seconds));
    if (!evicts) continue;
    QCOMPARE(requests.index(row, RequestsModel::peak_kv).data().toString(),
             bytes_text(static_cast<double>(record.decoding.peak_bytes)));
    QVERIFY(requests.index(row, RequestsModel::peak_kv).data(Qt::ToolTipRole).toString().contains("budget"));
  }
  QVERIFY(!before.empty() && !under.empty());
  QVERIFY(median_of(before) > 0 && median_of(under) > 0);
  QVERIFY2(median_of(held_under) > 0 && median_of(held_under) < median_of(held_before),
           qPrintable(QString("%1 and %2 bytes").arg(median_of(held_before)).arg(median_of(held_under))));
}

/// The same question on the same form of the same context.
inline std::string key_of(const RequestRecord& record) {
  return record.context_id + record.question + record.method + std::to_string(record.removed_fraction);
}
struct Again {
  int same = 0, other = 0;  // answers that held as many bytes and were as good as before the change, and that did not
};
/// Of answers after the last one with eviction, whose question was asked on the same form before the first one.
inline Again compare_with_before(const std::vector<RequestRecord>& records) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const RequestRecord& record : records)
    if (!record.decoding.eviction.empty()) {
      first = std::min(first, record.id);
      last = std::max(last, record.id);
    }
  std::map<std::string, const RequestRecord*> before;
  for (const RequestRecord& record : records)
    if (record.id < first && !record.cancelled) before.emplace(key_of(record), &record);
  Again again;
  for (const RequestRecord& record : records) {
    const auto known = before.find(key_of(record));
    if (record.id <= last || record.cancelled || known == before.end()) continue;
    const bool same = record.decoding.held_bytes == known->second->decoding.held_bytes &&
                      record.quality.at("token_f1") == known->second->quality.at("token_f1");
    ++(same ? again.same : again.other);
  }
  return again;
}
/// Those of more than a token that were decoded under `eviction`; compulsory misses are left out.
inline std::vector<RequestRecord> answers_under(const CollectingSink& sink, const std::string& eviction) {
  std::vector<RequestRecord> records;
  for (const RequestRecord& record : sink.records())
    if (record.decoding.eviction == eviction && counts(record) && record.answer_tokens > 1) records.push_back(record);
  return records;
}
/// A step reads as many KV entries as the budget allows: where all requests are cut, every head of a layer holds the
/// budget within one page, as whole pages are evicted and one fills. share: of the prompt.
inline void check_reads_follow_budget(const CollectingSink& sink, const std::string& eviction, double share,
                                      const SessionInfo& info) {
  for (const RequestRecord& record : answers_under(sink, eviction)) {
    const int prompt = record.context_tokens + record.question_tokens;
    QCOMPARE(record.decoding.budget_tokens, static_cast<int>(std::lround(share * prompt)));
  }
  std::uint64_t samples = 0;
  for (const auto& [pool] : sink.all<events::PoolSampled>()) {
    if (pool.budgeted_slots == 0 || pool.budgeted_slots != pool.live_slots) continue;
    const auto pages = static_cast<std::uint64_t>(pool.requests * info.layers * info.kv_heads * pool.block_tokens);
    QVERIFY2(pool.live_slots + pages >= pool.budget_slots && pool.live_slots <= pool.budget_slots + pages,
             qPrintable(QString("%1 entries, budget %2").arg(pool.live_slots).arg(pool.budget_slots)));
    ++samples;
  }
  QVERIFY(samples >= 8);
}
/// What was evicted was the request's own: stored contexts answer as before.
inline void check_same_answers(const std::vector<RequestRecord>& records) {
  std::map<std::string, std::string> answers;
  for (const RequestRecord& record : records) {
    const auto [same, is_first] = answers.emplace(key_of(record), record.answer);
    QVERIFY2(is_first || same->second == record.answer, same->first.c_str());
  }
}
inline Means means_of(const std::vector<RequestRecord>& records) {
  Means means;
  for (const RequestRecord& record : records) {
    means.held += static_cast<double>(record.decoding.held_bytes) / static_cast<double>(records.size());
    means.quality += record.quality.at("token_f1") / static_cast<double>(records.size());
    means.itl += record.timing.mean_itl_seconds / static_cast<double>(records.size());
  }
  return means;
}

}  // namespace live_run_test
