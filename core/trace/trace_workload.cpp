#include "core/trace/trace_workload.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/base/digest.h"
#include "core/eviction/key_index.h"

namespace kvantage::inline trace {
namespace {

/// Requests by context, to fit a similar popularity.
class ArrivalCounts {
 public:
  void add(std::uint64_t context) {
    const std::uint32_t number = contexts_.number(context);
    if (number == counts_.size()) counts_.push_back(0);
    ++counts_[number];
  }
  double exponent() const {
    std::vector<std::uint32_t> sorted = counts_;
    std::ranges::sort(sorted, std::greater<>());
    double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const double x = std::log(static_cast<double>(i + 1)), y = std::log(static_cast<double>(sorted[i]));
      n += 1;
      x_sum += x;
      y_sum += y;
      xx += x * x;
      xy += x * y;
    }
    const double spread = n * xx - x_sum * x_sum;
    return spread > 0 ? std::clamp(-(n * xy - x_sum * y_sum) / spread, 0.0, 10.0) : 0;
  }

 private:
  KeyIndex contexts_;
  std::vector<std::uint32_t> counts_;  // by number; of at most max_requests
};

void set_process(Workload& workload) {
  workload.arrivals.requests = workload.schedule.size();
  workload.arrivals.requests_per_second = std::min(1e6, recorded_rate(workload.schedule));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// Where the question starts: after the last empty line, else line, else blank, within the maximum question length.
std::size_t question_begin(std::string_view text, std::size_t max_bytes) {
  const std::size_t earliest = text.size() > max_bytes ? text.size() - max_bytes : 1;
  for (const std::string_view mark : {"\n\n", "\n", ". ", " "}) {
    const std::size_t found = text.rfind(mark, text.size() - std::min(text.size(), mark.size() + 1));
    if (found != std::string_view::npos && found + mark.size() >= earliest && found > 0 &&
        !is_blank(text.substr(found)))
      return found + mark.size();
  }
  std::size_t at = earliest;
  while (at < text.size() && !begins_letter(text[at])) ++at;
  return at;
}

/// The start of a text with at most this many tokens, cut at a line end where one is near.
std::string beginning_of(std::string text, std::size_t tokens, const CountTokens& count) {
  if (text.size() > max_counted_bytes) {
    std::size_t keep = max_counted_bytes;
    while (!begins_letter(text[keep])) --keep;
    text.resize(keep);
  }
  for (std::size_t now = count(text); now > tokens; now = count(text)) {
    auto keep = static_cast<std::size_t>(static_cast<double>(text.size()) * static_cast<double>(tokens) /
                                         static_cast<double>(now));
    keep = std::min(keep, text.size() - 1);
    if (const std::size_t line = text.rfind('\n', keep); line != std::string::npos && line > keep - keep / 8)
      keep = line;
    while (keep > 0 && !begins_letter(text[keep])) --keep;
    text.resize(keep);
  }
  return text;
}

}  // namespace

Expected<Workload> workload_of_trace(TraceReader& trace, const TraceWorkloadOptions& options,
                                     TraceWorkloadReport& report) {
  if (!trace.facts().has_text)
    return fail(ErrorCode::rejected_input, "a trace in " + std::string(trace.facts().format) +
                                               " holds no texts; give --workload, whose texts its requests are about");
  Workload workload;
  workload.name = options.name;
  workload.license = options.license;
  workload.seed = options.seed;
  ArrivalCounts arrivals;
  std::map<Digest128, std::size_t> by_text;
  std::map<std::pair<std::size_t, std::string>, std::size_t> asked;
  std::uint64_t text_bytes = 0;
  constexpr std::size_t min_context_bytes = 64;
  for (;;) {
    KV_ASSIGN(auto next, trace.next());
    if (!next) break;
    ++report.requests;
    std::size_t replaced = 0;
    const auto text = cleaned_text(next->input_text, "input", replaced);
    if (!text) {
      ++report.dropped["no text"];
      continue;
    }
    const std::string_view whole = trimmed(*text);
    const std::size_t at = whole.size() < min_context_bytes ? 0 : question_begin(whole, options.question_bytes);
    std::string question(trimmed(whole.substr(at))), context(trimmed(whole.substr(0, at)));
    if (context.size() < min_context_bytes || question.empty()) {
      ++report.dropped["too short for a context and a question"];
      continue;
    }
    const std::size_t before = context.size();
    context = beginning_of(std::move(context), options.context_tokens, options.count_tokens);
    const auto [place, fresh] = by_text.try_emplace(digest_of(context), workload.contexts.size());
    if (fresh) {
      if (context.size() < before) ++report.cut_contexts;
      char id[64];
      std::snprintf(id, sizeof id, "%08llx-%zu", static_cast<unsigned long long>(next->context >> 32),
                    workload.contexts.size() + 1);
      text_bytes += context.size();
      workload.contexts.push_back({id, "trace", std::move(context)});
    }
    if (workload.schedule.size() >= max_requests)
      return fail(ErrorCode::rejected_input, "the trace has more than 10,000,000 requests; give fewer with --limit");
    arrivals.add(place->second);
    ++report.scheduled;
    text_bytes += question.size();  // schedule.jsonl has it in each line
    const auto [same, first] = asked.try_emplace({place->second, question}, workload.questions.size());
    workload.schedule.push_back({next->arrival_seconds, place->second, same->second});
    if (text_bytes > max_workload_text_bytes || workload.contexts.size() > max_workload_contexts ||
        workload.questions.size() >= max_workload_questions)
      return fail(ErrorCode::rejected_input,
                  "the trace has more texts than a workload holds (" + std::to_string(max_workload_text_bytes >> 20) +
                      " MiB, " + std::to_string(max_workload_contexts) + " contexts, " +
                      std::to_string(max_workload_questions) + " questions); give fewer requests with --limit");
    if (!first) continue;
    WorkloadQuestion made;
    made.context = place->second;
    made.question = std::move(question);
    if (options.gold) made.gold = std::string(trimmed(next->output_text));
    text_bytes += made.gold.size();
    workload.questions.push_back(std::move(made));
    ++report.questions;
  }
  report.rows = trace.counts();
  report.contexts = workload.contexts.size();
  if (workload.questions.empty())
    return fail(ErrorCode::rejected_input, "the trace has no request with a context and a question; give another");
  workload.arrivals.zipf_exponent = arrivals.exponent();
  set_process(workload);
  return workload;
}

Status take_arrivals_of_trace(TraceReader& trace, Workload& workload) {
  ArrivalCounts arrivals;
  workload.schedule.clear();
  for (;;) {
    KV_ASSIGN(auto next, trace.next());
    if (!next) break;
    if (workload.schedule.size() >= max_requests)
      return fail(ErrorCode::rejected_input, "the trace has more than 10,000,000 requests; give fewer with --limit");
    arrivals.add(next->context);
    workload.schedule.push_back({next->arrival_seconds, {}, {}});
  }
  if (!trace.facts().has_times)
    return fail(ErrorCode::rejected_input, "the trace has no arrival times; serve the workload with --rate instead");
  if (trace.counts().emitted == 0) return fail(ErrorCode::rejected_input, "the trace has no request; give another");
  if (trace.facts().names_contexts) workload.arrivals.zipf_exponent = arrivals.exponent();
  workload.arrivals.bursts.reset();
  set_process(workload);
  return {};
}

}  // namespace kvantage::inline trace
