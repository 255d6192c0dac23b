// SQuAD v1.1 and v2.0 (Rajpurkar et al. 2016, 2018) and data sets in the same format, like XQuAD: articles of
// paragraphs, each with questions and one or more answers. All answers are accepted; unanswerable questions are dropped
// and counted.
#pragma once

#include "core/workload/datasets/import_workload.h"

namespace kvantage::inline datasets {

bool is_squad(const Json& first_document);
/// A context is a paragraph, or with options.squad.whole_articles an article. rejected_input has the path of the field.
Status read_squad(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                  const ImportOptions& options, Imported& imported);

}  // namespace kvantage::inline datasets
