// What parts of the scheduler work between, without any of them: requests that the test begins itself, and a list of
// those that come next.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/scheduler/scheduler_ports.h"
#include "tests/support/engine_parts_work.h"

namespace kvantage::test {

struct ServedParts {
  explicit ServedParts(Workload of = small_workload(2, 8, 3), ModelRuntimeOptions options = with_pool(16 << 20))
      : workload(std::move(of)), parts(workload, std::move(options)) {}
  /// One that has begun, with what the lookup found.
  ServedRequest request_with(std::uint64_t id, std::size_t context, FoundHit found) {
    ServedRequest request;
    request.arrival = {.context = context, .question = 0, .id = id};
    request.entry = found.hit ? found.hit->context : context;
    request.entry_header = parts.catalog->details(request.entry).header;
    RequestInput input = input_of(parts, context, 0);
    input.start.asked.id = id;
    input.start.asked.context_id = parts.catalog->facts(context).id;
    input.decode_eviction = eviction;
    request.task = std::make_unique<RequestTask>(
        *parts.runtime, parts.lender, parts.serving_clock, std::move(input), std::move(found.hit), found.lookup_seconds,
        [](const std::string&) {}, std::move(found.begun_load));
    return request;
  }
  ServedRequest request(std::uint64_t id, std::size_t context = 0, std::optional<CacheHit> hit = std::nullopt) {
    FoundHit found;
    found.hit = std::move(hit);
    return request_with(id, context, std::move(found));
  }
  /// Of a context that is stored; the entry's header is still to be read.
  CacheHit hit_of(std::size_t context) {
    CacheHit hit = parts.store->find(parts.catalog->details(context).tokens).value();
    hit.header = nullptr;
    return hit;
  }
  /// Until it has its first token.
  static void bring_to_tokens(ServedRequest& request) {
    const auto has_token = [&] { return request.task->done() || request.task->needs() == RequestTask::Need::token; };
    for (int turn = 0; !has_token(); ++turn) {
      if (turn > 1000) qFatal("a request does not progress");
      must(request.task->poll(0.001));
      must(request.task->compute());
    }
  }
  /// Of the requests from now on.
  void evict(const std::string& setting) {
    eviction = std::make_shared<const DecodeEvictionSetting>(parse_decode_eviction(setting).value().value());
  }

  Workload workload;
  EngineParts parts;
  std::shared_ptr<const DecodeEvictionSetting> eviction;  // null: none
};

/// The first two requests ask about different contexts.
inline Workload two_contexts_in_turn(int sentences = 8) {
  for (std::uint64_t seed = 1;; ++seed) {
    Workload workload = small_workload(2, sentences, seed);
    const auto sequence = workload.requests(2, 4);
    if (sequence[0].context != sequence[1].context) return workload;
  }
}

/// Requests of a workload, one after the other or at equal intervals.
class ListedRequests final : public RequestSource {
 public:
  ListedRequests(const Workload& workload, const Catalog& catalog, const Clock& clock)
      : workload_(workload), catalog_(catalog), clock_(clock) {}
  /// rate: requests per second, 0: each is due at once.
  void begin(std::uint64_t limit, double rate) {
    sequence_ = workload_.requests(limit, 4);
    next_ = 0;
    again_.clear();
    change_rate(rate);
  }
  void change_rate(double rate) {
    rate_ = rate;
    start_ns_ = clock_.monotonic_ns();
  }

  double rate() const override { return rate_; }
  bool exhausted() const override { return next_ >= sequence_.size(); }
  bool is_due() const override { return exhausted() || rate_ <= 0 || clock_.monotonic_ns() >= due_ns(); }
  bool has_put_back() const override { return !again_.empty(); }
  std::size_t taken() const override { return next_; }
  std::size_t next_context() const override {
    return *catalog_.index_of_id(workload_.contexts[sequence_[next_].context].id);
  }
  Arrival front() const override {
    if (!again_.empty()) return again_.front();
    Arrival arrival{.context = next_context()};
    const auto& questions = catalog_.details(arrival.context).questions;
    const std::string& text = workload_.questions[sequence_[next_].question].question;
    arrival.question =
        static_cast<std::size_t>(std::ranges::find(questions, text, &CatalogQuestion::text) - questions.begin());
    if (rate_ > 0) arrival.arrival_ns = due_ns();
    return arrival;
  }
  void pop() override {
    if (again_.empty())
      ++next_;
    else
      again_.pop_front();
  }
  void put_back(const Arrival& arrival) override { again_.push_front(arrival); }
  void drop_put_back() override { again_.clear(); }

 private:
  std::int64_t due_ns() const { return start_ns_ + static_cast<std::int64_t>(1e9 / rate_ * double(next_ + 1)); }

  const Workload& workload_;
  const Catalog& catalog_;
  const Clock& clock_;
  std::vector<WorkloadRequest> sequence_;
  std::deque<Arrival> again_;
  std::size_t next_ = 0;
  double rate_ = 0;
  std::int64_t start_ns_ = 0;
};

/// Every stored context is loaded.
struct AlwaysLoad final : HitChoice {
  void choose(CacheHit& hit, std::size_t context) override {
    hit.choice = nullptr;
    asked.push_back(context);
  }
  std::vector<std::size_t> asked;  // contexts
};

}  // namespace kvantage::test
