// Workloads on disk: strict reading, deterministic writing.
#include <algorithm>
#include <set>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/json_fields.h"
#include "core/base/names.h"
#include "core/base/seeded_hash.h"
#include "core/workload/arrivals_json.h"
#include "core/workload/json_lines.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {
namespace {

constexpr const char* format_name = "kvantage-workload";
constexpr int format_version = 1;

// Assigns an Expected<T> to a target or returns its error.
template <class T>
Status take_field(Expected<T> value, T& target) {
  KV_ASSIGN(target, std::move(value));
  return {};
}

// Line of the value that an error is about: searches for the keys that it names, up to the quoted one, each after the
// previous. 0: none was found.
std::size_t line_of_refusal(std::string_view text, std::string_view refusal) {
  refusal = refusal.substr(0, refusal.find("; "));
  std::size_t at = std::string_view::npos, from = 0;
  for (std::size_t begin = 0; begin < refusal.size();) {
    std::size_t end = begin;
    while (end < refusal.size() && (std::isalnum(static_cast<unsigned char>(refusal[end])) != 0 || refusal[end] == '_'))
      ++end;
    const std::string key = "\"" + std::string(refusal.substr(begin, end - begin)) + "\"";
    for (std::size_t found = end > begin ? text.find(key, from) : std::string_view::npos;
         found != std::string_view::npos; found = text.find(key, found + 1)) {
      const std::size_t behind = text.find_first_not_of(" \t\r\n", found + key.size());
      if (behind == std::string_view::npos || text[behind] != ':') continue;
      at = found;
      from = found + key.size();
      break;
    }
    if (at != std::string_view::npos && from > 0 && begin > 0 && refusal[begin - 1] == '\'') break;
    begin = end + 1;
  }
  return at == std::string_view::npos ? 0 : static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n')) + 1;
}

Status read_head_fields(const Json& json, const std::string& name, Workload& workload);

Status read_head(const std::filesystem::path& path, Workload& workload) {
  constexpr std::uint64_t max_bytes = std::uint64_t{16} << 20;
  KV_ASSIGN(const auto text, read_text_file(path, max_bytes));
  const std::string name = path.string();
  KV_ASSIGN(const auto json, parse_json(text, name));
  Status read = read_head_fields(json, name, workload);
  if (read || !read.error().message.starts_with(name + ":")) return read;
  const std::string refusal = read.error().message.substr(name.size());
  const std::size_t line = line_of_refusal(text, refusal);
  return line == 0 ? read : fail(read.error().code, name + ":" + std::to_string(line) + refusal);
}

Status read_head_fields(const Json& json, const std::string& name, Workload& workload) {
  KV_TRY(refuse_unknown_fields(
      json, {"format", "version", "name", "licence", "seed", "arrivals", "description", "made_by"}, name));
  std::string format;
  int version = 0;
  KV_TRY(take_field(json_field<std::string>(json, "format", name), format));
  KV_TRY(take_field(json_field<int>(json, "version", name), version));
  if (format != format_name || version != format_version)
    return fail(ErrorCode::rejected_input, name + ": is '" + printable(format) + "' version " +
                                               std::to_string(version) + "; this program reads " + format_name +
                                               " version 1");
  KV_TRY(take_field(json_field<std::string>(json, "name", name), workload.name));
  KV_TRY(check_name(workload.name, name));
  KV_TRY(take_field(json_field_or<std::string>(json, "licence", name, ""), workload.license));
  KV_TRY(take_field(json_field_or<std::uint64_t>(json, "seed", name, 0), workload.seed));
  KV_TRY(take_field(json_field_or<std::string>(json, "description", name, ""), workload.description));
  KV_TRY(take_field(json_field_or<std::string>(json, "made_by", name, ""), workload.made_by));
  if (!json.contains("arrivals")) return {};
  return take_field(arrivals_from_json(json.at("arrivals"), name), workload.arrivals);
}

Status too_many(const std::string& name, const char* what, std::size_t most) {
  return fail(ErrorCode::rejected_input, name + ": a workload has at most " + std::to_string(most) + " " + what +
                                             "; split it into several workloads");
}

std::vector<const std::string*> field_texts(const Workload& workload) {
  std::vector<const std::string*> texts{&workload.name, &workload.license, &workload.description, &workload.made_by};
  for (const WorkloadContext& context : workload.contexts)
    texts.insert(texts.end(), {&context.id, &context.family, &context.text});
  for (const WorkloadQuestion& question : workload.questions) {
    texts.insert(texts.end(), {&question.question, &question.gold});
    for (const std::string& gold : question.other_golds) texts.push_back(&gold);
  }
  return texts;
}

/// `split` is the text of that field.
Status check_question(const WorkloadQuestion& question, const std::string& split, const std::string& name) {
  if (question.question.empty())
    return fail(ErrorCode::rejected_input, name + ": field 'question' is empty; write the question");
  if (split != "profile" && split != "held_out")
    return fail(ErrorCode::rejected_input,
                name + ": field 'split' is '" + printable(split) + "'; write profile or held_out");
  if (!question.other_golds.empty() && question.gold.empty())
    return fail(ErrorCode::rejected_input,
                name + ": field 'other_golds' needs a 'gold'; use the first of them as 'gold'");
  if (std::ranges::find(question.other_golds, "") != question.other_golds.end())
    return fail(ErrorCode::rejected_input, name + ": field 'other_golds' holds an empty answer; remove it");
  if (question.phase != 0 && question.phase != 1)
    return fail(ErrorCode::rejected_input, name + ": field 'phase' is " + std::to_string(question.phase) +
                                               "; write 0 (asked before a drift) or 1 (after it)");
  if (question.max_answer_tokens < 0 || question.max_answer_tokens > max_answer_tokens)
    return fail(ErrorCode::rejected_input, name + ": field 'max_answer_tokens' is " +
                                               std::to_string(question.max_answer_tokens) + "; give 1 to " +
                                               std::to_string(max_answer_tokens) + ", or leave it out");
  if (question.phase != 0 && split == "profile")
    return fail(ErrorCode::rejected_input,
                name + ": field 'phase' is 1 in a profile question; profiles know phase 0 only, make it held_out");
  return {};
}

}  // namespace

Status check_workload_links(const std::filesystem::path& folder) {
  for (const char* name : {"workload.json", "contexts.jsonl", "questions.jsonl", "schedule.jsonl", "session.json"})
    if (leads_outside(folder, folder / name))
      return fail(ErrorCode::rejected_input,
                  (folder / name).string() + ": is a link to a file outside its folder; copy the file into it");
  return {};
}

Expected<Workload> read_workload_head(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return fail(ErrorCode::rejected_input,
                folder.string() +
                    (std::filesystem::exists(folder, ignored) ? ": is not a workload folder" : ": no such folder") +
                    "; give a folder with workload.json, contexts.jsonl and questions.jsonl");
  KV_TRY(check_workload_links(folder));
  Workload workload;
  KV_TRY(read_head(folder / "workload.json", workload));
  return workload;
}

Expected<Workload> read_workload(const std::filesystem::path& folder) {
  KV_ASSIGN(auto head, read_workload_head(folder));
  Workload workload = std::move(head);

  SeededMap<std::string, std::size_t> by_id;
  const auto read_context = [&](const Json& json, const std::string& name) -> Status {
    if (workload.contexts.size() == max_workload_contexts) return too_many(name, "contexts", max_workload_contexts);
    KV_TRY(refuse_unknown_fields(json, {"id", "family", "text"}, name));
    WorkloadContext context;
    KV_TRY(take_field(json_field<std::string>(json, "id", name), context.id));
    KV_TRY(take_field(json_field_or<std::string>(json, "family", name, "text"), context.family));
    KV_TRY(take_field(json_field<std::string>(json, "text", name), context.text));
    if (context.id.empty())
      return fail(ErrorCode::rejected_input, name + ": field 'id' is empty; give each context a name");
    if (context.text.empty())
      return fail(ErrorCode::rejected_input, name + ": field 'text' is empty; remove the context or give it text");
    if (!by_id.emplace(context.id, workload.contexts.size()).second)
      return fail(ErrorCode::rejected_input,
                  name + ": id '" + printable(context.id) + "' is given twice; ids must differ");
    workload.contexts.push_back(std::move(context));
    return {};
  };
  KV_TRY(for_each_json_line(folder / "contexts.jsonl", max_workload_text_bytes, read_context));
  if (workload.contexts.empty())
    return fail(ErrorCode::rejected_input,
                (folder / "contexts.jsonl").string() + ": holds no context; add at least one");

  std::set<Digest128> asked;  // not the texts again
  std::size_t other_golds = 0;
  const auto read_question = [&](const Json& json, const std::string& name) -> Status {
    if (workload.questions.size() == max_workload_questions) return too_many(name, "questions", max_workload_questions);
    KV_TRY(refuse_unknown_fields(
        json, {"context", "question", "gold", "other_golds", "split", "phase", "max_answer_tokens"}, name));
    WorkloadQuestion question;
    std::string context, split;
    KV_TRY(take_field(json_field<std::string>(json, "context", name), context));
    KV_TRY(take_field(json_field<std::string>(json, "question", name), question.question));
    KV_TRY(take_field(json_field_or<std::string>(json, "gold", name, ""), question.gold));
    KV_TRY(take_field(json_field_or<std::vector<std::string>>(json, "other_golds", name, {}), question.other_golds));
    KV_TRY(take_field(json_field_or<int>(json, "phase", name, 0), question.phase));
    KV_TRY(take_field(json_field_or<int>(json, "max_answer_tokens", name, 0), question.max_answer_tokens));
    KV_TRY(take_field(json_field_or<std::string>(json, "split", name, "held_out"), split));
    const auto found = by_id.find(context);
    if (found == by_id.end())
      return fail(ErrorCode::rejected_input, name + ": field 'context' names '" + printable(context) +
                                                 "', which contexts.jsonl does not have; correct it");
    KV_TRY(check_question(question, split, name));
    other_golds += question.other_golds.size();
    if (other_golds > max_workload_other_golds) return too_many(name, "other answers", max_workload_other_golds);
    if (!asked.insert(digest_of(std::to_string(found->second) + "\n" + question.question)).second)
      return fail(ErrorCode::rejected_input,
                  name + ": the same question about '" + printable(context) + "' appears above; remove one");
    question.context = found->second;
    question.split = split == "profile" ? QuestionSplit::profile : QuestionSplit::held_out;
    workload.questions.push_back(std::move(question));
    return {};
  };
  KV_TRY(for_each_json_line(folder / "questions.jsonl", max_workload_text_bytes, read_question));
  const std::filesystem::path schedule = folder / "schedule.jsonl";
  if (!is_there(schedule)) return workload;
  KV_TRY(read_schedule(schedule, workload));
  return workload;
}

Status write_workload(const Workload& workload, const std::filesystem::path& folder) {
  KV_TRY(check_name(workload.name, folder.string()));
  for (const std::string* text : field_texts(workload))
    if (valid_utf8(*text) != *text)
      return fail(ErrorCode::rejected_input,
                  folder.string() + ": '" + printable(text->substr(0, 40)) + "' is not valid UTF-8; convert it");
  KV_TRY(make_writable_folder(folder));
  OrderedJson head{{"format", format_name}, {"version", format_version},
                   {"name", workload.name}, {"licence", workload.license},
                   {"seed", workload.seed}, {"arrivals", arrivals_to_json(workload.arrivals)}};
  if (!workload.description.empty()) head["description"] = workload.description;
  if (!workload.made_by.empty()) head["made_by"] = workload.made_by;
  std::string contexts, questions;
  for (const WorkloadContext& context : workload.contexts)
    contexts += dump_json(OrderedJson{{"id", context.id}, {"family", context.family}, {"text", context.text}}) + "\n";
  for (const WorkloadQuestion& question : workload.questions) {
    OrderedJson line{{"context", workload.contexts[question.context].id}, {"question", question.question}};
    if (!question.gold.empty()) line["gold"] = question.gold;
    if (!question.other_golds.empty()) line["other_golds"] = question.other_golds;
    line["split"] = question.split == QuestionSplit::profile ? "profile" : "held_out";
    if (question.phase != 0) line["phase"] = question.phase;
    if (question.max_answer_tokens != 0) line["max_answer_tokens"] = question.max_answer_tokens;
    questions += dump_json(line) + "\n";
  }
  KV_TRY(write_text_file(folder / "workload.json", dump_json(head, 2) + "\n"));
  KV_TRY(write_text_file(folder / "contexts.jsonl", contexts));
  KV_TRY(write_text_file(folder / "questions.jsonl", questions));
  if (!workload.schedule.empty()) return write_text_file(folder / "schedule.jsonl", schedule_to_text(workload));
  std::error_code ignored;
  std::filesystem::remove(folder / "schedule.jsonl", ignored);  // from an earlier workload in this folder
  return {};
}

}  // namespace kvantage::inline workload
