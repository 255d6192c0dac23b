// A page as a browser has it: a headless Chromium without a network. For tests of pages that load alone and silently.
#pragma once

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <filesystem>
#include <string>

#include "core/base/files.h"

namespace kvantage::test {

inline constexpr const char* no_browser =
    "no Chromium is installed (package chromium-headless-shell; ./run test installs it)";

/// Empty: none is installed.
inline QString headless_browser() {
  for (const char* name : {"chromium-headless-shell", "chromium", "google-chrome"})
    if (const QString found = QStandardPaths::findExecutable(name); !found.isEmpty()) return found;
  return {};
}

struct PageVisit {
  QString page;          // as the browser has it after loading; empty: it did not end
  QStringList console;   // what it said there
  QStringList requests;  // addresses it asked the network for
};

/// Opens a page from a file in `folder`; `place` is behind its address: "#t=1".
inline PageVisit visit_page(const QTemporaryDir& folder, const std::string& html, const QString& place = {}) {
  const std::filesystem::path page = folder.filePath("page.html").toStdString();
  if (!write_text_file(page, html)) return {};
  const QString log = folder.filePath("net.json");
  QProcess process;
  process.start(headless_browser(),
                {"--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND",
                 "--enable-logging=stderr", "--v=0", "--user-data-dir=" + folder.filePath("profile"),
                 "--log-net-log=" + log, "--dump-dom", "file://" + QString::fromStdString(page.string()) + place});
  if (!process.waitForFinished(120000)) return {};
  PageVisit seen;
  seen.page = QString::fromUtf8(process.readAllStandardOutput());
  for (const QString& line : QString::fromUtf8(process.readAllStandardError()).split('\n'))
    if (line.contains(":CONSOLE")) seen.console << line;
  QFile file(log);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QJsonObject net = QJsonDocument::fromJson(file.readAll()).object();
  for (const QJsonValue event : net["events"].toArray())
    if (const QString url = event.toObject()["params"].toObject()["url"].toString(); !url.isEmpty())
      seen.requests << url;
  return seen;
}

}  // namespace kvantage::test
