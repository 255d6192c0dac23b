// Reports for tests of their pages, and what a reader of the laid out pages sees.
#pragma once

#include <QStringList>

#include <string>

#include "tests/support/report_parts.h"
#include "ui/report/chart_picture.h"
#include "ui/report/page_items.h"

namespace kvantage::test {

/// So many runs of long names and different budgets, without a journal.
inline RunReport report_of_many(int runs) {
  std::vector<PolicyRun> many;
  for (int i = 0; i < runs; ++i) {
    many.push_back(
        sample_run(static_cast<std::uint64_t>(i) + 1, "fixed(streaming_llm(sinks=4),0." + std::to_string(i) + ")", 40));
    many.back().tiers[0].budget_bytes = (static_cast<std::uint64_t>(i) + 1) << 20;
  }
  return build_report(Json{{"quality_metric", "token_f1"}}, Json{{"workload", "many"}, {"model", "default"}}, many);
}

/// Names that are long, foreign, or made to break out.
inline RunReport hostile_report() {
  const std::string evil =
      "<b>\x01\x1b[31m \xff</b> \xe2\x80\xae漢字 naïve – “q” " + std::string(700, 'x') + " ]]> (a\\b)";
  std::vector<PolicyRun> runs{sample_run(5, evil, 30), sample_run(6, evil + " 2", 30)};
  for (PolicyRun& run : runs) {
    run.tiers[0].name = evil;
    for (RequestRecord& record : run.records) {
      if (record.source == "dram") record.source = evil;
      record.quality[evil] = 0.5;
    }
  }
  return build_report(Json{{evil, evil}, {"quality_metric", "token_f1"}},
                      Json{{"command", evil}, {"workload", evil}, {"model_note", evil}, {"list", {evil, 1}}}, runs);
}

/// All that a chart says in letters: axes, and what is beside its marks.
inline QString text_of_chart(const PageChart& chart, const QSizeF& size) {
  const ChartPicture picture(chart, size);
  QString text;
  const auto axes = picture.chart().axes();
  for (const QAbstractAxis* axis : axes) text += axis->titleText() + ' ';
  for (const ChartLabel& label : picture.labels()) text += label.text + ' ';
  return text;
}

/// In reading order; of pages of this section, or of all.
inline QString text_of(const PageLayout& layout, std::optional<std::size_t> section = {}) {
  QString text;
  for (const PageItem& item : layout.items) {
    if (section && layout.pages[item.page].section != *section) continue;
    if (item.kind == PageItem::Kind::text) text += item.text + ' ';
    if (item.kind == PageItem::Kind::chart)
      text += text_of_chart(layout.charts[item.chart], item.box.size() / units_per_point);
  }
  return text;
}

inline qsizetype pages_of_section(const PageLayout& layout, std::size_t section) {
  return std::ranges::count(layout.pages, section, &PlacedPage::section);
}

}  // namespace kvantage::test
