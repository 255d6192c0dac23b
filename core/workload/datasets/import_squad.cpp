#include "core/workload/datasets/import_squad.h"

#include "core/base/shown_text.h"

namespace kvantage::inline datasets {
namespace {

Expected<std::vector<std::string>> squad_answer_texts(const Json& paragraphs, const std::string& where) {
  std::vector<std::string> found;
  for (std::size_t p = 0; p < paragraphs.size(); ++p) {
    KV_ASSIGN(auto text,
              json_field<std::string>(paragraphs[p], "context", where + ".paragraphs[" + std::to_string(p) + "]"));
    found.push_back(std::move(text));
  }
  return found;
}

Status read_question(const Json& qa, const std::string& where, Imported& imported, ImportedContext& context) {
  KV_ASSIGN(const auto question, json_field<std::string>(qa, "question", where));
  KV_ASSIGN(const auto impossible, json_field_or<bool>(qa, "is_impossible", where, false));
  KV_ASSIGN(const auto answers, json_list(qa, "answers", where));
  std::vector<std::string> golds;
  for (std::size_t i = 0; i < answers->size(); ++i) {
    KV_ASSIGN(auto text, json_field<std::string>((*answers)[i], "text", where + ".answers[" + std::to_string(i) + "]"));
    if (!text.empty()) golds.push_back(std::move(text));
  }
  ++imported.entries.read;
  if (impossible || answers->empty()) {
    ++imported.entries.dropped["unanswerable"];
  } else if (question.find_first_not_of(" \t\r\n") == std::string::npos || golds.empty() || context.text.empty()) {
    ++imported.entries.dropped["empty question, answer or text"];
  } else {
    ++imported.metrics["token_f1"];
    context.questions.push_back({question, std::move(golds), 0});
  }
  return {};
}

}  // namespace

bool is_squad(const Json& first) {
  if (!first.is_object() || !first.contains("data") || !first.at("data").is_array()) return false;
  const Json& data = first.at("data");  // of others it is a list of entries
  return data.empty() || (data.front().is_object() && data.front().contains("paragraphs"));
}

Status read_squad(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                  const ImportOptions& options, Imported& imported) {
  for (const ImportDocument& document : documents) {
    KV_ASSIGN(const auto data, json_list(document.json, "data", document.where));
    for (std::size_t a = 0; a < data->size(); ++a) {
      const std::string article_where = document.where + ": data[" + std::to_string(a) + "]";
      const Json& article = (*data)[a];
      KV_ASSIGN(const auto paragraphs, json_list(article, "paragraphs", article_where));
      KV_ASSIGN(const auto named, json_field_or<std::string>(article, "title", article_where,
                                                             file.stem().string() + "-" + std::to_string(a + 1)));
      const std::string title = shortened(named);  // part of the name of each paragraph
      KV_ASSIGN(const auto texts, squad_answer_texts(*paragraphs, article_where));
      ImportedContext whole{.id = title, .family = "squad", .text = {}, .questions = {}};
      for (const std::string& text : texts)
        if (!text.empty()) whole.text += (whole.text.empty() ? "" : "\n\n") + text;
      for (std::size_t p = 0; p < texts.size(); ++p) {
        const std::string where = article_where + ".paragraphs[" + std::to_string(p) + "]";
        KV_ASSIGN(const auto questions, json_list((*paragraphs)[p], "qas", where));
        ImportedContext paragraph{
            .id = title + "#" + std::to_string(p + 1), .family = "squad", .text = texts[p], .questions = {}};
        ImportedContext& context = options.squad.whole_articles ? whole : paragraph;
        for (std::size_t q = 0; q < questions->size(); ++q)
          KV_TRY(read_question((*questions)[q], where + ".qas[" + std::to_string(q) + "]", imported, context));
        if (!options.squad.whole_articles) imported.contexts.push_back(std::move(paragraph));
      }
      if (options.squad.whole_articles) imported.contexts.push_back(std::move(whole));
    }
  }
  return {};
}

}  // namespace kvantage::inline datasets
