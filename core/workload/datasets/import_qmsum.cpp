#include "core/workload/datasets/import_qmsum.h"

namespace kvantage::inline datasets {
namespace {

constexpr int summary_tokens = 512;  // answers are summaries; the limit of LongBench

Expected<std::string> transcript_of(const Json& meeting, const std::string& where) {
  KV_ASSIGN(const auto list, json_list(meeting, "meeting_transcripts", where));
  const Json& turns = *list;
  std::string text;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const std::string name = where + ": meeting_transcripts[" + std::to_string(i) + "]";
    KV_ASSIGN(const auto speaker, json_field<std::string>(turns[i], "speaker", name));
    KV_ASSIGN(const auto content, json_field<std::string>(turns[i], "content", name));
    text += (text.empty() ? "" : "\n") + speaker + ": " + content;
  }
  return text;
}

}  // namespace

bool is_qmsum(const Json& first) { return first.is_object() && first.contains("meeting_transcripts"); }

Status read_qmsum(std::span<const ImportDocument> documents, const std::filesystem::path& file, const ImportOptions&,
                  Imported& imported) {
  for (const ImportDocument& document : documents) {
    KV_ASSIGN(auto text, transcript_of(document.json, document.where));
    ImportedContext context{
        .id = "qmsum-" + file.stem().string() + "-" + std::to_string(&document - documents.data() + 1),
        .family = "qmsum",
        .text = std::move(text),
        .questions = {}};
    for (const char* list_name : {"general_query_list", "specific_query_list"}) {
      KV_ASSIGN(const auto found, json_list(document.json, list_name, document.where));
      const Json& list = *found;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = document.where + ": " + list_name + "[" + std::to_string(i) + "]";
        KV_ASSIGN(const auto query, json_field<std::string>(list[i], "query", where));
        KV_ASSIGN(const auto answer, json_field<std::string>(list[i], "answer", where));
        ++imported.entries.read;
        if (query.empty() || answer.empty() || context.text.empty()) {
          ++imported.entries.dropped["empty question, answer or text"];
          continue;
        }
        ++imported.metrics["rouge_l"];
        context.questions.push_back({query, {answer}, summary_tokens});
      }
    }
    imported.contexts.push_back(std::move(context));
  }
  return {};
}

}  // namespace kvantage::inline datasets
