// What a report says, once, in the order in which it is read: every writer turns this into its format and takes no
// figure from elsewhere. A part that is added here is missed by a test in every format that leaves it out.
#pragma once

#include <string>
#include <vector>

#include "core/report/figure_list.h"
#include "core/report/report.h"

namespace kvantage {

struct ReportField {
  std::string name, value;
};

/// Faults injected on purpose into one tier under one policy.
struct ReportFault {
  std::string policy, tier, faults;
};

struct RowFigures {
  std::string policy;
  std::vector<ReportFigure> figures;
};

struct ReportContent {
  std::string title, claim;
  std::string marks;                     // what stands behind figures that are not measured
  std::vector<ReportPlot> charts;        // of the rows, then of the journals
  std::vector<Table> tables;             // what people read first, rounded
  std::vector<std::string> commands;     // what repeats it
  std::vector<ReportField> settings;     // as asked for
  std::vector<ReportField> environment;  // where it ran, without the commands
  std::vector<ReportFault> faults;
  std::vector<RowFigures> figures;   // with every digit
  std::vector<Table> figure_tables;  // the same, with six digits that count
  std::vector<MetricDefinition> definitions;
};

ReportContent content_of(const RunReport& report);

/// "ttft_seconds [s] = t(first answer token) - t(arrival): Time to first token, ..."
std::string definition_text(const MetricDefinition& metric);

}  // namespace kvantage
