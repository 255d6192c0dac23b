// The forms of a report: each its file here and a row of report_files.cpp.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/report.h"

namespace kvantage {

/// Console tables, one row per policy each; plain ASCII, ends with a newline.
std::string to_text(const RunReport& report);
/// One self-contained page with inline SVG, light and dark; well-formed as XML too.
std::string to_html(const RunReport& report);
/// One figure a line, with every digit: policy, figure, part (tier, metric, reason), value, unit, provenance, and of
/// distributions n, contexts, interval, percentiles and the interval of p95.
std::string to_csv(const RunReport& report);
/// The data of the charts, one point a line; units are named in each.
std::string to_charts_csv(const RunReport& report);
/// What is no figure, one a line: claim, commands, where it ran, settings, faults injected, words of the charts,
/// definitions.
std::string to_facts_csv(const RunReport& report);
/// Claim, charts, tables, settings and definitions for \input into a document; what packages they take: latex.h.
std::string to_latex(const RunReport& report);
/// Charts, tables, settings and definitions as a PDF file; the same bytes for the same report.
std::string to_pdf(const RunReport& report);
/// {"format":"kvantage-report","version":1,...}: every figure as {value, unit, provenance}.
Json to_report_json(const RunReport& report);

}  // namespace kvantage
