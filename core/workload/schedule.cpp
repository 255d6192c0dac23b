#include "core/workload/schedule.h"

#include <cmath>
#include <map>

#include "core/base/json.h"
#include "core/base/seeded_hash.h"
#include "core/workload/json_lines.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {

double recorded_rate(const std::vector<ScheduledRequest>& schedule) {
  if (schedule.size() < 2) return 0;
  const double seconds = schedule.back().arrival_seconds - schedule.front().arrival_seconds;
  const double rate = seconds > 0 ? static_cast<double>(schedule.size() - 1) / seconds : 0;
  return std::isfinite(rate) ? rate : 0;  // of the least seconds it is not
}

double scheduled_gap(const std::vector<ScheduledRequest>& schedule, std::uint64_t i) {
  const double rate = recorded_rate(schedule);
  const std::uint64_t at = i % schedule.size();
  if (i == 0) return schedule.front().arrival_seconds * rate;
  if (at == 0) return rate > 0 ? 1 : 0;
  return (schedule[at].arrival_seconds - schedule[at - 1].arrival_seconds) * rate;
}

Status read_schedule(const std::filesystem::path& file, Workload& workload) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;
  SeededMap<std::string, std::size_t> contexts;
  for (std::size_t c = 0; c < workload.contexts.size(); ++c) contexts.emplace(workload.contexts[c].id, c);
  std::map<std::pair<std::size_t, std::string>, std::size_t> questions;
  for (std::size_t q = 0; q < workload.questions.size(); ++q)
    if (workload.questions[q].split == QuestionSplit::held_out)
      questions.emplace(std::pair(workload.questions[q].context, workload.questions[q].question), q);
  std::vector<bool> askable(workload.contexts.size());
  for (const auto& [key, q] : questions) askable[key.first] = true;

  std::vector<ScheduledRequest> schedule;
  const auto read_line = [&](const Json& json, const std::string& where) -> Status {
    KV_TRY(refuse_unknown_fields(json, {"arrival_seconds", "context", "question"}, where));
    ScheduledRequest request;
    KV_ASSIGN(const auto seconds, json_field<double>(json, "arrival_seconds", where));
    if (!(seconds >= 0 && seconds <= max_arrival_seconds))
      return fail(
          ErrorCode::rejected_input,
          where + ": field 'arrival_seconds' is out of range; give seconds from 0 to 10^9 after the start of the run");
    if (!schedule.empty() && seconds < schedule.back().arrival_seconds)
      return fail(
          ErrorCode::rejected_input,
          where + ": field 'arrival_seconds' is earlier than the line above; put the lines in order of arrival");
    request.arrival_seconds = seconds;
    KV_ASSIGN(const auto context, json_field_or<std::string>(json, "context", where, ""));
    KV_ASSIGN(const auto question, json_field_or<std::string>(json, "question", where, ""));
    if (context.empty() && !question.empty())
      return fail(ErrorCode::rejected_input,
                  where + ": field 'question' has no 'context'; name the context that it is about");
    if (!context.empty()) {
      const auto found = contexts.find(context);
      if (found == contexts.end())
        return fail(ErrorCode::rejected_input, where + ": field 'context' names '" + printable(context) +
                                                   "', which contexts.jsonl does not have; correct it");
      if (!askable[found->second])
        return fail(ErrorCode::rejected_input, where + ": field 'context' names '" + printable(context) +
                                                   "', which has no held-out question; add one to questions.jsonl");
      request.context = found->second;
    }
    if (!question.empty()) {
      const auto found = questions.find({*request.context, question});
      if (found == questions.end())
        return fail(ErrorCode::rejected_input, where + ": field 'question' is not a held-out question about '" +
                                                   printable(context) + "' in questions.jsonl; correct it");
      request.question = found->second;
    }
    if (schedule.size() >= max_requests)
      return fail(ErrorCode::rejected_input,
                  where + ": exceeds the limit of a run (10,000,000 requests); remove lines");
    schedule.push_back(request);
    return {};
  };
  KV_TRY(for_each_json_line(file, max_bytes, read_line));
  if (schedule.empty())
    return fail(ErrorCode::rejected_input,
                file.string() + ": holds no request; add lines, or remove the file to have arrivals drawn");
  workload.schedule = std::move(schedule);
  workload.arrivals.requests = workload.schedule.size();
  workload.arrivals.requests_per_second = std::min(1e6, recorded_rate(workload.schedule));
  return {};
}

std::string schedule_to_text(const Workload& workload) {
  const auto written = [](const auto& value) { return dump_json(Json(value)); };
  constexpr std::size_t bytes_of_most_lines = 48;
  std::string text;
  text.reserve(workload.schedule.size() * bytes_of_most_lines);
  for (const ScheduledRequest& request : workload.schedule) {
    text += "{\"arrival_seconds\":" + written(request.arrival_seconds);
    if (request.context) text += ",\"context\":" + written(workload.contexts[*request.context].id);
    if (request.question) text += ",\"question\":" + written(workload.questions[*request.question].question);
    text += "}\n";
  }
  return text;
}

Digest128 schedule_digest(const Workload& workload) { return digest_of(schedule_to_text(workload)); }

}  // namespace kvantage::inline workload
