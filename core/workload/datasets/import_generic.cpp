#include "core/workload/datasets/import_generic.h"

#include <algorithm>
#include <optional>

#include "core/workload/datasets/choices.h"
#include "core/workload/datasets/field_path.h"

namespace kvantage::inline datasets {
namespace {

/// Paths that are joined with "+", outside of quotes.
std::vector<std::string> joined_paths(std::string_view text) {
  std::vector<std::string> paths;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (text[i] != '+' || quoted)) continue;
    paths.emplace_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return paths;
}

/// Values of a list that a question, an answer or an option has: of a list on the way, or the items of the one value.
std::vector<const Json*> items_of(const FoundValues& found) {
  if (found.of_list || found.values.empty() || !found.values.front()->is_array()) return found.values;
  std::vector<const Json*> items;
  items.reserve(found.values.front()->size());
  for (const Json& item : *found.values.front()) items.push_back(&item);
  return items;
}

/// Reads entries by a map.
class EntryReader {
 public:
  EntryReader(const FieldMap& map, std::string family) : map_(map), family_(std::move(family)) {}

  /// Notes how the answers of an entry name options. All entries come first, then read().
  Status note_indices(const DataEntry& entry) {
    if (map_.find("choices") == nullptr || map_.find("answers") == nullptr || map_.find("question") == nullptr)
      return {};
    KV_ASSIGN(const auto questions, questions_of(entry));
    for (std::size_t q = 0; q < questions.size(); ++q) {
      KV_ASSIGN(const auto answers, texts_for(entry, "answers", questions.size(), q));
      KV_ASSIGN(const auto options, options_for(entry, questions.size(), q));
      if (options.size() > 1) indices_.note(options, answers);
    }
    return {};
  }
  const OptionIndices& indices() const { return indices_; }

  Status read(const DataEntry& entry, std::size_t number, Imported& imported) const {
    ImportedContext context{
        .id = family_ + "-" + std::to_string(number), .family = family_, .text = {}, .questions = {}};
    if (const std::string* path = map_.find("id")) {
      KV_ASSIGN(const auto id, optional_text(entry, *path, "id"));
      if (!is_blank_text(id)) context.id = family_ + "-" + id.substr(0, 80);
    }
    KV_ASSIGN(context.text, text_at(entry, "context"));
    if (map_.find("question") == nullptr) {
      if (is_blank_text(context.text)) {
        ++imported.entries.read;
        ++imported.entries.dropped["empty question or text"];
      } else {
        imported.contexts.push_back(std::move(context));  // a text that no entry asks about
      }
      return {};
    }
    KV_ASSIGN(const auto questions, questions_of(entry));
    for (std::size_t q = 0; q < questions.size(); ++q) {
      KV_ASSIGN(auto question, question_of(entry, questions, q, imported));
      ++imported.entries.read;
      if (is_blank_text(questions[q]) || is_blank_text(context.text))
        ++imported.entries.dropped["empty question or text"];
      else if (!question)
        ++imported.entries.dropped["answer names no option"];
      else
        context.questions.push_back(*std::move(question));
    }
    imported.contexts.push_back(std::move(context));
    return {};
  }

 private:
  tl::unexpected<Error> missing(const DataEntry& entry, std::string_view key, const std::string& path) const {
    return fail(ErrorCode::rejected_input, entry.where + ": field '" + printable(path) + "' (" + std::string(key) +
                                               ") is missing; its fields are " +
                                               listed_fields(field_paths(*entry.json)));
  }
  std::string named(const DataEntry& entry, const std::string& path) const {
    return entry.where + ": field '" + printable(path) + "'";
  }

  /// All values of a key as one text.
  Expected<std::string> text_at(const DataEntry& entry, std::string_view key) const {
    std::string text;
    for (const std::string& path : joined_paths(*map_.find(key))) {
      const FoundValues found = is_constant(path) ? FoundValues{} : values_at(*entry.json, path);
      if (found.values.empty() && !is_constant(path)) return missing(entry, key, path);
      std::string part = is_constant(path) ? constant_text(path) : std::string();
      for (const Json* value : found.values) {
        KV_ASSIGN(const auto one, text_of_value(*value, named(entry, path)));
        if (!one.empty()) part += (part.empty() ? "" : "\n\n") + one;
      }
      if (!part.empty()) text += (text.empty() ? "" : "\n\n") + part;
    }
    return text;
  }
  Expected<std::string> optional_text(const DataEntry& entry, const std::string& path, std::string_view key) const {
    const FoundValues found = values_at(*entry.json, path);
    if (found.values.empty()) return missing(entry, key, path);
    const Json& value = *found.values.front();
    return value.is_object() || value.is_array() ? Expected<std::string>(std::string())
                                                 : text_of_value(value, named(entry, path));
  }

  Expected<std::vector<std::string>> questions_of(const DataEntry& entry) const {
    const std::string& path = *map_.find("question");
    std::vector<std::string> questions;
    if (is_constant(path) || joined_paths(path).size() > 1) {
      KV_ASSIGN(auto question, text_at(entry, "question"));
      questions.push_back(std::move(question));
      return questions;
    }
    const FoundValues found = values_at(*entry.json, path);
    if (found.values.empty()) return missing(entry, "question", path);
    const std::vector<const Json*> items = items_of(found);
    questions.reserve(items.size());
    for (const Json* item : items) {
      KV_ASSIGN(auto question, text_of_value(*item, named(entry, path)));
      questions.push_back(std::move(question));
    }
    return questions;
  }

  /// Nothing where there are options, and an answer that names none of them: it would be scored by words that no model
  /// says.
  Expected<std::optional<ImportedQuestion>> question_of(const DataEntry& entry,
                                                        const std::vector<std::string>& questions, std::size_t q,
                                                        Imported& imported) const {
    ImportedQuestion made{.question = questions[q], .golds = {}, .max_answer_tokens = 0};
    KV_ASSIGN(made.golds, texts_for(entry, "answers", questions.size(), q));
    KV_ASSIGN(const auto options, options_for(entry, questions.size(), q));
    if (options.size() < 2) {  // one text is no choice, such as a list in a cell of a table
      if (!made.golds.empty()) ++imported.metrics["token_f1"];
      return made;
    }
    ChoiceQuestion choice = choice_question(made.question, options, made.golds, indices_.first());
    if (!choice.golds.empty() && !choice.is_letter) return std::nullopt;
    if (!choice.golds.empty()) ++imported.metrics["choice"];
    made.question = std::move(choice.question);
    made.golds = std::move(choice.golds);
    return made;
  }

  /// Of question q of `count`: the q-th of as many, or for one question all of them.
  Expected<std::vector<std::string>> texts_for(const DataEntry& entry, std::string_view key, std::size_t count,
                                               std::size_t q) const {
    const std::string* path = map_.find(key);
    if (path == nullptr) return std::vector<std::string>();
    if (is_constant(*path)) return std::vector<std::string>{constant_text(*path)};
    const FoundValues found = values_at(*entry.json, *path);
    if (found.values.empty()) return missing(entry, key, *path);
    if (!found.of_list && found.values.front()->is_null()) return std::vector<std::string>();
    if (count == 1 && !found.of_list) return texts_of_value(*found.values.front(), named(entry, *path));
    const std::vector<const Json*> items = items_of(found);
    if (items.size() == count) return texts_of_value(*items[q], named(entry, *path));
    if (count == 1) {
      std::vector<std::string> all;
      for (const Json* item : items) {
        KV_ASSIGN(const auto texts, texts_of_value(*item, named(entry, *path)));
        all.insert(all.end(), texts.begin(), texts.end());
      }
      return all;
    }
    return fail(ErrorCode::rejected_input, named(entry, *path) + " has " + std::to_string(items.size()) + " " +
                                               std::string(key) + " for " + std::to_string(count) +
                                               " questions; correct the entry, or map another field");
  }

  Expected<std::vector<std::string>> options_for(const DataEntry& entry, std::size_t count, std::size_t q) const {
    std::vector<std::string> options;
    const std::string* path = map_.find("choices");
    if (path == nullptr) return options;
    const std::vector<std::string> paths = joined_paths(*path);
    if (paths.size() > 1) {
      options.reserve(paths.size());
      for (const std::string& one : paths) {
        const FoundValues found = values_at(*entry.json, one);
        if (found.values.empty()) return missing(entry, "choices", one);
        KV_ASSIGN(auto option, text_of_value(*found.values.front(), named(entry, one)));
        options.push_back(std::move(option));
      }
      return options;
    }
    const FoundValues found = values_at(*entry.json, *path);
    if (found.values.empty() || (!found.of_list && found.values.front()->is_null())) return options;
    const std::vector<const Json*> items = items_of(found);
    const bool one_each = found.of_list || (count > 1 && items.size() == count && items.front()->is_array());
    const Json& list = one_each && q < items.size() ? *items[q] : *found.values.front();
    if (list.is_object() && !list.contains("text")) {  // {"A": "...", "B": "..."}
      for (const auto& [letter, option] : list.items()) {
        KV_ASSIGN(auto text, text_of_value(option, named(entry, *path)));
        options.push_back(std::move(text));
      }
      return options;
    }
    return texts_of_value(list, named(entry, *path));
  }

  const FieldMap& map_;
  std::string family_;
  OptionIndices indices_;
};

/// Whether a map names fields of a document whose parts look like entries of equal fields: then it is one entry.
bool names_whole(const FieldMap& map, const Json& document, const std::vector<DataEntry>& entries) {
  if (map.empty() || !document.is_object() || document.empty() || entries.empty()) return false;
  return entries.front().json == &document.front() && std::ranges::all_of(map.fields, [&](const auto& one) {
           return std::ranges::all_of(joined_paths(one.second), [&](const std::string& path) {
             return is_constant(path) || !values_at(document, path).values.empty();
           });
         });
}

/// Fields that a map names and that an entry does not have, all of them at once.
Status check_fields(const DataEntry& entry, const FieldMap& map) {
  std::vector<std::string> absent;
  for (const auto& [key, field] : map.fields)
    for (const std::string& path : joined_paths(field))
      if (!is_constant(path) && values_at(*entry.json, path).values.empty())
        absent.push_back("'" + printable(path) + "' (" + key + ")");
  if (absent.empty()) return {};
  std::string names;
  for (const std::string& one : absent) names += (names.empty() ? "" : ", ") + one;
  return fail(ErrorCode::rejected_input, entry.where + ": there is no field " + names + "; its fields are " +
                                             listed_fields(field_paths(*entry.json)));
}

}  // namespace

bool is_generic(const Json& first) {
  std::vector<DataEntry> entries;
  add_entries(first, "", true, entries);
  return !entries.empty() && missing_keys(guessed_map(*entries.front().json), false).empty();
}

std::vector<std::string> missing_keys(const FieldMap& map, bool texts_only) {
  std::vector<std::string> missing;
  for (const char* key : {"context", "question"})
    if (map.find(key) == nullptr && !(texts_only && std::string_view(key) == "question")) missing.emplace_back(key);
  return missing;
}

Status read_generic(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                    const ImportOptions& options, Imported& imported) {
  std::vector<DataEntry> entries = entries_of(documents);
  if (documents.size() == 1 && names_whole(options.source.map, documents.front().json, entries))
    entries = {{&documents.front().json, documents.front().where}};
  if (entries.empty() || !entries.front().json->is_object())
    return fail(ErrorCode::rejected_input, documents.front().where +
                                               ": holds no entry with fields; give objects {...} "
                                               "with a context and a question");
  const DataEntry& first = entries.front();
  const FieldMap map = completed_map(options.source.map, *first.json);
  const bool texts_only = options.source.map.find("context") != nullptr;
  if (const auto missing = missing_keys(map, texts_only); !missing.empty()) {
    std::string keys, form;
    for (const std::string& key : missing) {
      keys += (keys.empty() ? "" : " and ") + key;
      form += (form.empty() ? "" : ",") + key + "=FIELD";
    }
    return fail(ErrorCode::rejected_input, first.where + ": no field is known to hold " + keys +
                                               " (its fields: " + listed_fields(field_paths(*first.json)) +
                                               "); name it with --map " + form);
  }
  KV_TRY(check_fields(first, map));
  if (map.find("question") == nullptr) imported.texts_only = true;
  const std::string stem = file.stem().string();
  EntryReader reader(map, stem.empty() ? "data" : stem);
  for (const DataEntry& entry : entries) {
    if (!entry.json->is_object())
      return fail(ErrorCode::rejected_input,
                  entry.where + ": expected an object {...}, found " + entry.json->type_name() + "; correct it");
    KV_TRY(reader.note_indices(entry));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) KV_TRY(reader.read(entries[i], i + 1, imported));
  imported.map = map;
  if (reader.indices().any()) imported.first_options[file.filename().string()] = reader.indices().first();
  return {};
}

}  // namespace kvantage::inline datasets
