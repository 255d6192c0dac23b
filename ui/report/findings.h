// The first two pages of a report: what was run and the frontier; one table and what is significant.
#pragma once

#include <vector>

#include "core/report/report_content.h"
#include "ui/report/named_runs.h"
#include "ui/report/page_content.h"

namespace kvantage::inline report_pages {

/// Long texts are shortened, and of the runs the first `max_runs` are named, so that each section fits on its page;
/// both say where the rest is.
std::vector<PageSection> findings_of(const RunReport& report, const ReportContent& content,
                                     const std::vector<NamedRun>& runs, std::size_t max_runs);

/// How each run compares with the first in TTFT and quality, judged by whether the 95 % intervals overlap; with a
/// baseline, the differences from it that are significant. No rows: there is nothing to compare.
Table significance_table(const RunReport& report, const std::vector<NamedRun>& runs);

}  // namespace kvantage::inline report_pages
