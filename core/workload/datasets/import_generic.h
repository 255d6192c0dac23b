// Data sets in no format of their own: entries with a context, a question and its answers, in fields of any name. Known
// names are found; others are named by a map ("context=input,question=instructions,answers=outputs").
#pragma once

#include <array>
#include <string_view>

#include "core/workload/datasets/import_workload.h"

namespace kvantage::inline datasets {

/// What a map may name. Several fields are joined with "+"; a text in double quotes stands for itself.
inline constexpr std::array<std::string_view, 5> entry_keys{"context", "question", "answers", "choices", "id"};

/// Lists of entries in an object, of which a file for import has one.
inline constexpr std::array<std::string_view, 5> split_names{"train", "validation", "dev", "test", "eval"};

/// One entry: an object, with its place for messages.
struct DataEntry {
  const Json* json = nullptr;
  std::string where;
};
/// Entries of documents: a document that is a list, an object of entries by number or by id (objects of the same
/// fields), or one with a list of them under a known name ("data", "rows", "examples") has several.
std::vector<DataEntry> entries_of(std::span<const ImportDocument> documents);
/// Those of one document; `is_only_one`: the file has no other.
void add_entries(const Json& json, const std::string& where, bool is_only_one, std::vector<DataEntry>& entries);

/// What the names of an entry's fields suggest. Keys that nothing fits are left out.
FieldMap guessed_map(const Json& entry);
/// A user's map, with guesses for what it leaves out.
FieldMap completed_map(const FieldMap& given, const Json& entry);
/// Keys that are required and that the map does not have: "context", "question".
std::vector<std::string> missing_keys(const FieldMap& map, bool texts_only);

bool is_generic(const Json& first_document);
/// Several questions about a context: a list of them (with as many answers), or a field of a list ("turns.input").
/// rejected_input names all missing fields, and those that there are.
Status read_generic(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                    const ImportOptions& options, Imported& imported);

}  // namespace kvantage::inline datasets
