#include "ui/report/pdf_file.h"

#include <QBuffer>
#include <QFontInfo>
#include <QHashSeed>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <optional>

#include "core/base/files.h"
#include "ui/report/offscreen_application.h"
#include "ui/report/page_painter.h"

namespace kvantage::inline report_pages {
namespace {

/// A file says what it shows, not when it was made. Bytes keep their places, which the file's table names.
void blank_creation_date(QByteArray& pdf) {
  const qsizetype at = pdf.lastIndexOf("/CreationDate (");
  if (at < 0) return;
  const qsizetype end = pdf.indexOf(')', at);
  for (qsizetype i = at; i <= end; ++i) pdf[i] = ' ';
}

/// QPdfWriter writes fonts in the order of a hash, which is random otherwise.
struct OrderedFonts {
  OrderedFonts() { QHashSeed::setDeterministicGlobalSeed(); }
  ~OrderedFonts() { QHashSeed::resetRandomGlobalSeed(); }
  OrderedFonts(const OrderedFonts&) = delete;
  OrderedFonts& operator=(const OrderedFonts&) = delete;
};

}  // namespace

struct ReportPdf::State {
  PageLayout layout;
  QBuffer buffer;
  std::optional<QPdfWriter> writer;
  QPainter painter;
  std::size_t page = 0;
  std::vector<std::vector<std::size_t>> items;  // by page, places in the layout
};

ReportPdf::ReportPdf(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReportPdf::ReportPdf(ReportPdf&&) noexcept = default;
ReportPdf& ReportPdf::operator=(ReportPdf&&) noexcept = default;
ReportPdf::~ReportPdf() = default;

Expected<ReportPdf> ReportPdf::begin(const RunReport& report) {
  if (QFontInfo(page_font({})).family().isEmpty())
    return fail(ErrorCode::io,
                "report.pdf: this machine has no font to set text in; install one, such as fonts-dejavu-core");
  auto state = std::make_unique<State>();
  state->layout = layout_of(report);
  state->items.resize(state->layout.pages.size());
  for (std::size_t i = 0; i < state->layout.items.size(); ++i) state->items[state->layout.items[i].page].push_back(i);
  state->buffer.open(QIODevice::WriteOnly);
  QPdfWriter& writer = state->writer.emplace(&state->buffer);
  writer.setTitle(page_line(report.title));
  writer.setCreator(QStringLiteral("KVantage"));
  writer.setResolution(units_per_inch);
  writer.setPageSize(QPageSize(QPageSize::A4));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  return ReportPdf(std::move(state));
}

std::size_t ReportPdf::pages() const { return state_->layout.pages.size(); }

bool ReportPdf::paint_next() {
  State& state = *state_;
  if (state.page == state.layout.pages.size()) return false;
  const OrderedFonts ordered;
  state.writer->setPageOrientation(state.layout.pages[state.page].landscape ? QPageLayout::Landscape
                                                                            : QPageLayout::Portrait);
  if (state.page == 0)
    state.painter.begin(&*state.writer);
  else
    state.writer->newPage();
  for (const std::size_t item : state.items[state.page])
    paint_item(state.painter, state.layout.items[item], state.layout);
  return ++state.page < state.layout.pages.size();
}

std::string ReportPdf::take() {
  state_->painter.end();
  QByteArray bytes = state_->buffer.data();
  blank_creation_date(bytes);
  return bytes.toStdString();
}

Status write_report_pdf(const RunReport& report, const std::filesystem::path& path) {
  std::optional<OffscreenApplication> own;
  KV_TRY(need_application(own, "report.pdf"));
  KV_ASSIGN(ReportPdf pdf, ReportPdf::begin(report));
  while (pdf.paint_next()) {
  }
  return write_text_file(path, pdf.take());
}

}  // namespace kvantage::inline report_pages
