#include "ui/report/offscreen_application.h"

#include <clocale>
#include <cstdio>

namespace kvantage::inline report_pages {

OffscreenApplication::OffscreenApplication() : locale_(std::setlocale(LC_ALL, nullptr)) {
  before_ = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtFatalMsg) std::fprintf(stderr, "error: drawing: %s\n", message.toUtf8().constData());
  });
  QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
  application_.emplace(count_, words_);
}

OffscreenApplication::~OffscreenApplication() {
  application_.reset();
  qInstallMessageHandler(before_);
  std::setlocale(LC_ALL, locale_.c_str());
}

Status need_application(std::optional<OffscreenApplication>& own, const std::string& what) {
  if (QCoreApplication::instance() == nullptr)
    own.emplace();
  else if (qobject_cast<QApplication*>(QCoreApplication::instance()) == nullptr)
    return fail(ErrorCode::internal, what + ": this program runs Qt without its window libraries; use another format");
  return {};
}

}  // namespace kvantage::inline report_pages
