// LongBench (Bai et al. 2024) in its two common forms: the data set's jsonl, one line with {context, input, answers,
// dataset, ...}; and files of filled-in prompts with gold answers, an object of numbered entries {origin_prompt, gold,
// ...} as evaluation tools write them. A prompt holds context and question in one string. It is split where the
// published prompt of its task ends the context, so that both forms yield the same two parts.
#pragma once

#include <optional>

#include "core/workload/datasets/import_workload.h"

namespace kvantage::inline datasets {

bool is_longbench(const Json& first_document);
/// Unused fields (prediction, time, length, all_classes, ...) are ignored. rejected_input names the entry.
Status read_longbench(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                      const ImportOptions& options, Imported& imported);

struct LongbenchParts {
  std::string context;
  std::string question;
  bool known_task = false;  // otherwise the last paragraph is the question
};
/// The parts of a filled-in prompt; nothing for a single-paragraph prompt of an unknown task.
std::optional<LongbenchParts> split_longbench_prompt(std::string_view prompt);
/// The same parts from the data set's fields; nothing when there is neither input nor a known task.
std::optional<LongbenchParts> longbench_parts(std::string_view dataset, std::string_view context,
                                              std::string_view input);

}  // namespace kvantage::inline datasets
