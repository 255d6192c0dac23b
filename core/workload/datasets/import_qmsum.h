// QMSum (Zhong et al. 2021): a line is a meeting with its transcript, general and specific queries. One context per
// meeting.
#pragma once

#include "core/workload/datasets/import_workload.h"

namespace kvantage::inline datasets {

bool is_qmsum(const Json& first_document);
/// Transcript lines "Speaker: words"; queries in file order, general ones first. rejected_input names line and field.
Status read_qmsum(std::span<const ImportDocument> documents, const std::filesystem::path& file,
                  const ImportOptions& options, Imported& imported);

}  // namespace kvantage::inline datasets
