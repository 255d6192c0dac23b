// The files of a report as the letters and digits that they show or hold, read by rules that are not the writers': what
// a report says is looked for in them.
#pragma once

#include <QMap>
#include <QRegularExpression>
#include <QXmlStreamReader>

#include <string>

#include "core/report/formats/report_formats.h"
#include "tests/support/report_readers.h"

namespace kvantage::test {

/// Letters, digits and points alone: files set, break and quote words as they like.
inline QString bare(QString text) {
  static const QRegularExpression other("[^\\p{L}\\p{N}.]+");
  return text.remove(other);
}
inline QString bare(const std::string& text) { return bare(QString::fromStdString(text)); }

inline QString html_text(const std::string& page) {
  QXmlStreamReader reader(QByteArray::fromStdString(page));
  QString text;
  while (!reader.atEnd())
    if (reader.readNext() == QXmlStreamReader::Characters) text += reader.text();
  return reader.hasError() ? QString() : bare(text);
}

inline void add_texts(const Json& json, QString& text) {
  if (json.is_object())
    for (const auto& [name, value] : json.items()) {
      text += QString::fromStdString(name) + " ";
      add_texts(value, text);
    }
  else if (json.is_array())
    for (const Json& item : json) add_texts(item, text);
  else
    text += QString::fromStdString(json.is_string() ? json.get<std::string>() : json.dump()) + " ";
}
inline QString json_text(const Json& json) {
  QString text;
  add_texts(json, text);
  return bare(text);
}

inline QString csv_text(const std::string& file) {
  QString text;
  for (const QStringList& row : csv_rows(QByteArray::fromStdString(file))) text += row.join(' ') + " ";
  return bare(text);
}

/// What is set: no comments, no commands.
inline QString latex_text(const std::string& file) {
  static const QRegularExpression comment("(?<!\\\\)%.*$"), command("\\\\[A-Za-z]+");
  QString text;
  for (QString line : QString::fromStdString(file).split('\n'))
    text += latex_plain(line.remove(comment)).remove(command) + " ";
  return bare(text);
}

/// By format, all files of one together; `charts`: of the page. Of PDF: tests/ui/report/pages_content_test.cpp.
inline QMap<QString, QString> report_texts(const RunReport& report, const std::vector<std::string>& charts) {
  return {{"html", html_text(to_html(report, charts))},
          {"json", json_text(to_report_json(report))},
          {"csv", csv_text(to_csv(report)) + csv_text(to_charts_csv(report)) + csv_text(to_facts_csv(report))},
          {"latex", latex_text(to_latex(report))}};
}

}  // namespace kvantage::test
