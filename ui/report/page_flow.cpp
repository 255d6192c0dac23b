#include "ui/report/page_flow.h"

#include <algorithm>
#include <numeric>

#include "ui/report/chart_picture.h"
#include "ui/report/findings.h"
#include "ui/report/table_columns.h"

namespace kvantage::inline report_pages {
namespace {

using Style = PageText::Style;
constexpr double margin = page_margin, foot = 24 * units_per_point, no_bottom = 1e9;
constexpr TextLook title_look{.size = 150, .bold = true}, heading_look{.size = 100, .bold = true},
    lead_look{.size = 90}, body_look{.size = 80}, note_look{.size = 72, .muted = true},
    command_look{.size = 72, .fixed = true}, footer_look{.size = 65, .muted = true};

TextLook look_of(Style style) {
  switch (style) {
    case Style::title:
      return title_look;
    case Style::heading:
      return heading_look;
    case Style::lead:
      return lead_look;
    case Style::body:
      return body_look;
    case Style::note:
      return note_look;
    case Style::command:
      return command_look;
  }
  return body_look;
}

TextLook bold_of(TextLook look) {
  look.bold = true;
  return look;
}

}  // namespace

QSizeF page_size(bool landscape) {
  const QSizeF upright(595.2756 * units_per_point, 841.8898 * units_per_point);
  return landscape ? upright.transposed() : upright;
}

double PageFlow::width() const { return page_size(landscape_).width() - 2 * margin; }
double PageFlow::bottom() const { return endless_ ? no_bottom : page_size(landscape_).height() - margin - foot; }

void PageFlow::begin_page() {
  layout_.pages.push_back({landscape_, section_});
  y_ = margin;
}

void PageFlow::begin_section(std::size_t section, bool landscape) {
  section_ = section;
  landscape_ = landscape;
  begin_page();
}

void PageFlow::need(double height) {
  if (y_ > margin && height > room()) begin_page();
}

void PageFlow::skip(double height) {
  if (y_ > margin) y_ += height;
}

PageItem& PageFlow::put(PageItem::Kind kind, const QRectF& box) {
  PageItem& item = layout_.items.emplace_back();
  item.kind = kind;
  item.page = layout_.pages.size() - 1;
  item.box = box;
  return item;
}

void PageFlow::put_text(double x, double width, const QString& text, const TextLook& look, bool right) {
  if (text.isEmpty()) return;
  const double own = text_width(text, look);
  PageItem& item = put(PageItem::Kind::text, QRectF(right ? x + width - own : x, y_, own, line_height(look)));
  item.text = text;
  item.look = look;
}

void PageFlow::rule(double width) { put(PageItem::Kind::rule, QRectF(margin, y_, width, 5)); }

void PageFlow::paragraph(const QString& text, const TextLook& look, double keep) {
  const std::vector<QString> lines = wrapped_lines(text, look, width());
  const double height = line_height(look);
  need(std::min(height * static_cast<double>(lines.size()) + keep, bottom() - margin));
  for (const QString& line : lines) {
    need(height);
    put_text(margin, width(), line, look);
    y_ += height;
  }
}

void PageFlow::heading(const std::string& text, double keep) {
  skip(100);
  paragraph(page_line(text), heading_look, keep);
  y_ += 20;
}

void PageFlow::add(const PageText& text) {
  if (text.text.empty()) return;
  if (text.style == Style::heading) return heading(text.text, 400);
  paragraph(page_line(text.text), look_of(text.style), text.style == Style::title ? 400 : 0);
  y_ += text.style == Style::title || text.style == Style::lead ? 60 : 15;
}

void PageFlow::add(const PageChart& chart) {
  const QSizeF size = chart_size(chart.plot, width() / units_per_point) * units_per_point;
  if (size.isEmpty()) return;
  heading(chart.plot.title, size.height() + 250);
  add_plot(chart);
  if (chart.plot.note.empty()) return;
  y_ += 20;
  paragraph(page_line(chart.plot.note), note_look);
}

void PageFlow::add_plot(const PageChart& chart) {
  const QSizeF size = chart_size(chart.plot, width() / units_per_point) * units_per_point;
  if (size.isEmpty()) return;
  layout_.charts.push_back(chart);
  put(PageItem::Kind::chart, QRectF(QPointF(margin, y_), size)).chart = layout_.charts.size() - 1;
  y_ += size.height() + 20;
  legend(chart);
}

void PageFlow::legend(const PageChart& chart) {
  constexpr double swatch = 170, after_swatch = 50, apart = 160;
  const double height = line_height(note_look);
  TextLook look = note_look;
  look.muted = false;
  double x = margin;
  for (const LegendEntry& entry : legend_of(chart)) {
    const double before = entry.swatch ? swatch + after_swatch : 0;
    const std::vector<QString> lines = wrapped_lines(entry.text, look, width() - before);
    double wide = 0;
    for (const QString& line : lines) wide = std::max(wide, text_width(line, look));
    if (x > margin && x + before + wide > margin + width()) {
      x = margin;
      y_ += height;
    }
    need(height);
    if (entry.swatch) put(PageItem::Kind::swatch, QRectF(x, y_, swatch, height)).swatch = entry.look;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) y_ += height;
      need(height);
      put_text(x + before, wide, lines[i], look);
    }
    x += before + wide + apart;
  }
  y_ += height;
}

void PageFlow::add(const Table& table) {
  if (table.rows.empty() || table.columns.empty()) return;
  if (!table.title.empty()) heading(table.title, 500);
  if (!table.note.empty()) {
    paragraph(page_line(table.note), note_look, 300);
    y_ += 20;
  }
  for (const std::vector<std::size_t>& part : column_parts(table, width())) columns(table, part);
}

void PageFlow::columns(const Table& table, const std::vector<std::size_t>& shown) {
  ColumnFit fit = fit_columns(table, shown, width());
  if (!fit.fits) {  // so few that they cannot be shown apart: even numbers are broken then
    const double gaps = column_gap(fit.look) * static_cast<double>(fit.widths.size() - 1);
    const double all = std::accumulate(fit.widths.begin(), fit.widths.end(), 0.0);
    for (double& one : fit.widths) one *= (width() - gaps) / all;
  }
  const TextLook head_look = bold_of(fit.look);
  std::vector<bool> left;
  std::vector<std::vector<QString>> head;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    left.push_back(shown[i] < table.rows.front().size() && table.rows.front()[shown[i]].left);
    head.push_back(wrapped_lines(page_line(table.columns[shown[i]]), head_look, fit.widths[i]));
  }
  const bool titled = std::ranges::any_of(shown, [&](std::size_t column) { return !table.columns[column].empty(); });
  std::vector<std::vector<std::vector<QString>>> rows;
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::vector<QString>>& cells = rows.emplace_back();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const QString text = shown[i] < row.size() ? page_line(row[shown[i]].text) : QString();
      cells.push_back(wrapped_lines(text, fit.look, fit.widths[i]));
    }
  }
  const double height = line_height(fit.look);
  if (titled) {
    need(height * 4);
    table_head(head, fit.widths, left, head_look);
  }
  for (const std::vector<std::vector<QString>>& cells : rows) {
    std::size_t lines = 1;
    for (const std::vector<QString>& cell : cells) lines = std::max(lines, cell.size());
    const std::size_t page = layout_.pages.size();
    need(std::min(height * static_cast<double>(lines), bottom() - margin - 3 * height));
    if (titled && layout_.pages.size() > page) table_head(head, fit.widths, left, head_look);
    table_row(cells, fit.widths, left, fit.look);
  }
  y_ += 80;
}

void PageFlow::table_head(const std::vector<std::vector<QString>>& cells, const std::vector<double>& widths,
                          const std::vector<bool>& left, const TextLook& look) {
  table_row(cells, widths, left, look);
  rule(std::accumulate(widths.begin(), widths.end(), column_gap(look) * static_cast<double>(widths.size() - 1)));
  y_ += 20;
}

void PageFlow::table_row(const std::vector<std::vector<QString>>& cells, const std::vector<double>& widths,
                         const std::vector<bool>& left, const TextLook& look) {
  const double height = line_height(look), top = y_;
  std::size_t lines = 1;
  for (const std::vector<QString>& cell : cells) lines = std::max(lines, cell.size());
  const auto put_line = [&](std::size_t column, std::size_t line) {
    double x = margin;
    for (std::size_t i = 0; i < column; ++i) x += widths[i] + column_gap(look);
    if (line < cells[column].size()) put_text(x, widths[column], cells[column][line], look, !left[column]);
  };
  if (top + height * static_cast<double>(lines) <= bottom()) {  // cell by cell, as it is read
    for (std::size_t column = 0; column < cells.size(); ++column) {
      y_ = top;
      for (std::size_t line = 0; line < lines; ++line, y_ += height) put_line(column, line);
    }
    y_ = top + height * static_cast<double>(lines);
    return;
  }
  for (std::size_t line = 0; line < lines; ++line) {  // higher than a page
    need(height);
    for (std::size_t column = 0; column < cells.size(); ++column) put_line(column, line);
    y_ += height;
  }
}

PageLayout PageFlow::take(const QString& title) {
  PageLayout layout = std::move(layout_);
  if (endless_) return layout;
  const std::size_t count = layout.pages.size();
  for (std::size_t page = 0; page < count; ++page) {
    const QSizeF size = page_size(layout.pages[page].landscape);
    const QString number = QStringLiteral("page %1 of %2").arg(page + 1).arg(count);
    const double top = size.height() - margin, wide = text_width(number, footer_look);
    const double name_room = size.width() - 2 * margin - wide - 200;
    const QString name = wrapped_lines(title, footer_look, name_room).front();
    for (const auto& [text, x, width] :
         {std::tuple{name, margin, text_width(name, footer_look)}, {number, size.width() - margin - wide, wide}}) {
      if (text.isEmpty()) continue;
      PageItem item{.page = page, .box = QRectF(x, top, width, line_height(footer_look))};
      item.text = text;
      item.look = footer_look;
      layout.items.push_back(item);
    }
  }
  return layout;
}

PlacedChart layout_of(const PageChart& chart) {
  PageFlow flow(true);
  flow.begin_section(0, false);
  flow.add_plot(chart);
  const double height = flow.used_height();
  return {flow.take({}), QSizeF(page_size(false).width() - 2 * margin, height)};
}

PageLayout layout_of(const ReportPages& pages) {
  PageFlow flow;
  for (std::size_t s = 0; s < pages.sections.size(); ++s) {
    flow.begin_section(s, pages.sections[s].landscape);
    for (const PageBlock& block : pages.sections[s].blocks) std::visit([&](const auto& one) { flow.add(one); }, block);
  }
  return flow.take(page_line(pages.title));
}

PageLayout layout_of(const RunReport& report) {
  const ReportContent content = content_of(report);
  const auto named = named_runs(report);
  const auto fits = [&](std::size_t runs) {
    const PageLayout layout = layout_of(ReportPages{content.title, findings_of(report, content, named, runs)});
    return layout.pages.size() <= 2;
  };
  std::size_t runs = std::clamp<std::size_t>(report.rows.size(), 1, max_finding_runs);
  while (runs > 1 && !fits(runs)) --runs;
  return layout_of(pages_of(report, runs));
}

}  // namespace kvantage::inline report_pages
