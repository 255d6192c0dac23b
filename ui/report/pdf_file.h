// A report as a PDF file by QPdfWriter: text with embedded fonts, charts as lines and areas.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/report/report.h"

namespace kvantage::inline report_pages {

/// Painted page by page, so that a window stays responsive meanwhile. Needs a QApplication and its thread. The same
/// report gives the same bytes with the same fonts and Qt: the file names no time of its creation.
class ReportPdf {
 public:
  /// io error where the machine has no font.
  static Expected<ReportPdf> begin(const RunReport& report);
  ReportPdf(ReportPdf&&) noexcept;
  ReportPdf& operator=(ReportPdf&&) noexcept;
  ~ReportPdf();
  std::size_t pages() const;
  /// False: there is no further page.
  bool paint_next();
  /// After the last page: the file's bytes.
  std::string take();

 private:
  struct State;
  explicit ReportPdf(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// All pages at once; a program without a QApplication has one of its own meanwhile, offscreen. Call it in the main
/// thread. The errors of begin() and of write_text_file().
Status write_report_pdf(const RunReport& report, const std::filesystem::path& path);

}  // namespace kvantage::inline report_pages
