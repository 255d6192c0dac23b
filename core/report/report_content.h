// The content of a report, once, in reading order: every writer formats this and takes no metric from another place. A
// test fails for every format that omits a part added here.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/metric_list.h"
#include "core/report/report.h"

namespace kvantage::inline report {

struct ReportField {
  std::string name, value;
};

/// Faults injected into one tier under one policy.
struct ReportFault {
  std::string policy, tier, faults;
};

struct RowMetrics {
  std::string policy;
  std::vector<ReportMetric> metrics;
};

struct ReportContent {
  std::string title, claim;
  std::vector<std::string> notes;        // of the models, after the claim
  std::string marks;                     // the markers of metrics that are not measured
  std::vector<ReportPlot> charts;        // of the rows, then of the journals
  std::vector<Table> tables;             // the main tables, rounded
  std::vector<std::string> commands;     // reproduction commands
  std::vector<ReportField> settings;     // as requested
  std::vector<ReportField> environment;  // where it ran, without the commands
  std::vector<ReportFault> faults;
  std::vector<RowMetrics> metrics;   // with every digit
  std::vector<Table> metric_tables;  // the same, with six significant digits
  std::vector<MetricDefinition> definitions;
};

ReportContent content_of(const RunReport& report);

/// The fields of an object, texts as they are and all else as JSON; of none where it is something else.
std::vector<ReportField> fields_of(const Json& object, const char* left_out = "");
/// The commands that a recorded environment names: one, or a list of them.
std::vector<std::string> commands_of(const Json& environment);

/// "ttft_seconds [s] = t(first answer token) - t(arrival): Time to first token, ..."
std::string definition_text(const MetricDefinition& metric);

}  // namespace kvantage::inline report
