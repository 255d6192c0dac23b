#include "core/workload/asked_question.h"

#include <algorithm>

namespace kvantage::inline workload {
namespace {

constexpr const char* family_of_texts = "asked";
constexpr const char* name_suffix = "-asked";

/// Of the context that is asked, which a text of the user's own becomes where it is not there yet.
Expected<std::size_t> context_of(Workload& workload, const KeptQuestion& asked) {
  const auto index = [&](const auto& found) { return static_cast<std::size_t>(found - workload.contexts.begin()); };
  if (!asked.context.empty()) {
    const auto found = std::ranges::find(workload.contexts, asked.context, &WorkloadContext::id);
    if (found == workload.contexts.end())
      return fail(ErrorCode::usage, "context '" + asked.context + "' is not in workload '" + workload.name +
                                        "'; choose one of its contexts");
    return index(found);
  }
  if (asked.text.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(ErrorCode::usage, "the text is empty; paste or open one");
  const auto same = std::ranges::find(workload.contexts, asked.text, &WorkloadContext::text);
  if (same != workload.contexts.end()) return index(same);
  const auto id_of = [](int number) { return std::string(family_of_texts) + "-" + std::to_string(number); };
  int number = 1;
  while (std::ranges::find(workload.contexts, id_of(number), &WorkloadContext::id) != workload.contexts.end()) ++number;
  workload.contexts.push_back({id_of(number), family_of_texts, asked.text});
  return workload.contexts.size() - 1;
}

}  // namespace

Expected<Workload> with_question(Workload workload, const KeptQuestion& asked) {
  if (asked.question.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(ErrorCode::usage, "the question is empty; type one");
  KV_ASSIGN(const auto context, context_of(workload, asked));
  const bool known = std::ranges::any_of(workload.questions, [&](const WorkloadQuestion& question) {
    return question.context == context && question.question == asked.question;
  });
  if (known)
    return fail(ErrorCode::usage,
                "context '" + workload.contexts[context].id + "' has this question already; ask another one");
  WorkloadQuestion added;
  added.context = context;
  added.question = asked.question;
  added.gold = asked.answer;
  workload.questions.push_back(std::move(added));
  if (!workload.name.ends_with(name_suffix)) workload.name += name_suffix;
  return workload;
}

}  // namespace kvantage::inline workload
