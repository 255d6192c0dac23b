// The files of a report read by rules that are not the writers': each gives back its metrics by run, name and part.
#pragma once

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QStringList>
#include <QXmlStreamReader>
#include <optional>

namespace kvantage::test {

using Key = QString;  // "run | metric | part"
using Exact =
    QMap<Key, QMap<QString, double>>;  // by field: value, low, high, n, contexts, p50, p95, p99, p95_low, p95_high
using Shown = QMap<Key, QMap<QString, QString>>;  // the same as text that was rounded
using Rows = QList<QStringList>;
struct ReadTable {
  QString title;
  Rows rows;  // the first is the header
};

inline Key key(const QString& run, const QString& metric, const QString& part) {
  return run + " | " + metric + " | " + part;
}
inline QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Does `text` ("12.3 ms", "45.1 %", "0.873^") show `exact`, rounded at its last digit? Times in s, shares of 1.
inline bool shows(const QString& text, double exact) {
  static const QRegularExpression form("^(-?[0-9]+(?:\\.([0-9]+))?)[\\^~?]?(?: (s|ms|us|µs|%))?[\\^~?]?$");
  const auto match = form.match(text);
  if (!match.hasMatch()) return false;
  const QString unit = match.captured(3);
  const double factor = unit == "ms" ? 1e3 : unit == "us" || unit == "µs" ? 1e6 : unit == "%" ? 100 : 1;
  return QString::number(exact * factor, 'f', static_cast<int>(match.captured(2).size())) == match.captured(1);
}
/// Digits from the first that is not 0.
inline qsizetype counting_digits(QString text) {
  text.remove(QRegularExpression("[^0-9]"));
  return text.remove(QRegularExpression("^0+")).size();
}

class JsonReport {
 public:
  Exact metrics;
  int numbers = 0, taken = 0;  // in its rows, and those that became metrics

  explicit JsonReport(const QByteArray& text) {
    const QJsonArray rows = QJsonDocument::fromJson(text).object()["rows"].toArray();
    for (const QJsonValue row : rows) {
      numbers += count(row);
      read(row.toObject());
    }
  }

 private:
  static int count(const QJsonValue& value) {
    int sum = value.isDouble() ? 1 : 0;
    if (value.isArray())
      for (const QJsonValue item : value.toArray()) sum += count(item);
    if (value.isObject())
      for (const QJsonValue item : value.toObject()) sum += count(item);
    return sum;
  }
  void take(const Key& at, const QString& field, const QJsonValue& value) {
    if (!value.isDouble()) return;
    metrics[at][field] = value.toDouble();
    ++taken;
  }
  void interval(const Key& at, const QString& before, const QJsonValue& ends) {
    take(at, before + "low", ends.toArray().at(0));
    take(at, before + "high", ends.toArray().at(1));
  }
  void distribution(const QString& run, const QString& name, const QString& part, const QJsonObject& json) {
    const Key at = key(run, name, part);
    metrics[at];
    take(at, "value", json.contains("mean") ? json["mean"] : json["value"]);
    for (const char* field : {"n", "contexts", "p50", "p95", "p99"}) take(at, field, json[QLatin1String(field)]);
    interval(at, "", json["interval_95"]);
    interval(at, "p95_", json["p95_interval_95"]);
  }
  void counts(const QString& run, const QString& name, const QString& before, const QJsonValue& json) {
    const QJsonObject by_reason = json.toObject();
    for (auto it = by_reason.begin(); it != by_reason.end(); ++it)
      take(key(run, name, before + it.key()), "value", it.value());
  }
  void read(const QJsonObject& row) {
    const QString run = row["policy"].toString();
    const auto plain = [&](const QJsonObject& json, const char* from, const char* name, const QString& part) {
      const QJsonValue value = json[QLatin1String(from)];
      take(key(run, name, part), "value", value.isObject() ? value.toObject()["value"] : value);
    };
    for (const char* name : {"requests", "cancelled", "warmup_requests", "alpha", "lp_gap", "requests_per_second",
                             "output_tokens_per_second"})
      plain(row, name, name, "");
    for (const char* name : {"ttft_service_seconds", "ttft_seconds", "queue_seconds", "itl_seconds",
                             "token_gap_seconds", "e2e_seconds", "peak_kv_bytes", "held_kv_bytes", "hit_rate"})
      distribution(run, name, "", row[QLatin1String(name)].toObject());
    const QJsonObject split = row["ttft_split"].toObject();
    for (auto it = split.begin(); it != split.end(); ++it)
      take(key(run, "ttft_split", QString(it.key()).remove("_seconds")), "value", it.value().toObject()["value"]);
    for (const char* name : {"quality", "quality_uncompressed", "quality_chance"}) {
      const QJsonObject metrics = row[QLatin1String(name)].toObject();
      for (auto it = metrics.begin(); it != metrics.end(); ++it)
        distribution(run, name, it.key(), it.value().toObject());
    }
    const QJsonObject eviction = row["decode_eviction"].toObject();
    for (auto it = eviction.begin(); it != eviction.end(); ++it)
      plain(eviction, it.key().toLatin1(), it.key().toLatin1(), "");
    const QJsonObject options = row["decode_options"].toObject();
    for (auto option = options.begin(); option != options.end(); ++option) {
      const QJsonObject metrics = option.value().toObject();
      for (auto it = metrics.begin(); it != metrics.end(); ++it)
        distribution(run, QStringLiteral("decode_option_") + it.key(), option.key(), it.value().toObject());
    }
    const QJsonObject ways = row["serving_ways"].toObject();
    for (auto way = ways.begin(); way != ways.end(); ++way) {
      const QJsonObject metrics = way.value().toObject();
      for (auto it = metrics.begin(); it != metrics.end(); ++it)
        if (const QString name = QStringLiteral("way_") + it.key(); it.key() == "requests")
          take(key(run, name, way.key()), "value", it.value());
        else
          distribution(run, name, way.key(), it.value().toObject());
    }
    for (const QJsonValue item : row["sources"].toArray()) {
      const QJsonObject source = item.toObject();
      const QString part = source["source"].toString();
      for (const char* name : {"hit_rate_requests", "hit_rate_tokens", "hit_rate_bytes"})
        plain(source, name, name, part);
      for (const char* name : {"requests", "tokens", "bytes"})
        plain(source, name, QByteArray("source_").append(name), part);
      const Key share = key(run, "hit_rate_requests", part);
      interval(share, "", source["hit_rate_requests_interval_95"]);
      for (const char* field : {"n", "contexts"})
        metrics[share][field] = row["hit_rate"].toObject()[QLatin1String(field)].toDouble();
    }
    counts(run, "misses", "", row["misses"]);
    for (const QJsonValue item : row["tiers"].toArray()) {
      const QJsonObject tier = item.toObject(), counted = tier["counts"].toObject();
      const QString part = tier["tier"].toString();
      for (const char* name : {"tier_used_bytes", "tier_peak_bytes", "tier_budget_bytes"})
        plain(tier, name, name, part);
      for (const char* name : {"tier_reads", "tier_writes", "fitted_loads", "fit_error_median", "fit_error_p95"})
        plain(counted, name, name, part);
      for (const char* name : {"tier_misses", "tier_failed_writes", "faults_struck"})
        counts(run, name, part + ": ", counted[QLatin1String(name)]);
    }
    const QJsonObject engine = row["engine"].toObject();
    for (auto it = engine.begin(); it != engine.end(); ++it)
      if (it.key() != "model_device") plain(engine, it.key().toLatin1(), it.key().toLatin1(), "");
    const QJsonObject device = engine["model_device"].toObject();
    for (auto it = device.begin(); it != device.end(); ++it)
      if (it.key() != "device") plain(device, it.key().toLatin1(), it.key().toLatin1(), device["device"].toString());
  }
};

/// RFC 4180; the first is the header.
inline Rows csv_rows(const QByteArray& text) {
  Rows rows{{""}};
  bool quoted = false;
  const QString all = QString::fromUtf8(text);
  for (qsizetype i = 0; i < all.size(); ++i) {
    const QChar letter = all[i];
    if (quoted && letter == '"' && i + 1 < all.size() && all[i + 1] == '"')
      rows.back().back() += all[++i];
    else if (letter == '"')
      quoted = !quoted;
    else if (!quoted && letter == ',')
      rows.back() << QString();
    else if (!quoted && letter == '\n')
      rows << QStringList{QString()};
    else
      rows.back().back() += letter;
  }
  rows.removeLast();
  return rows;
}
/// Lines that compare a run with the baseline, not a metric of its own.
inline bool of_baseline(const QStringList& row) { return row.value(1) == "difference" || row.value(1) == "setting"; }

/// By the names in the header.
inline Exact csv_figures(const QByteArray& text) {
  const Rows rows = csv_rows(text);
  const QMap<QString, QString> fields{
      {"low_95", "low"}, {"high_95", "high"}, {"p95_low_95", "p95_low"}, {"p95_high_95", "p95_high"}};
  Exact metrics;
  const QStringList header = rows.value(0);
  for (const QStringList& row : rows.mid(1)) {
    if (of_baseline(row)) continue;
    const Key at = key(row.value(0), row.value(1), row.value(2));
    metrics[at];
    for (qsizetype c = 3; c < header.size(); ++c)
      if (header[c] != "unit" && header[c] != "provenance" && !row.value(c).isEmpty())
        metrics[at][fields.value(header[c], header[c])] = row[c].toDouble();
  }
  return metrics;
}

/// Tables under their headings; titles of the charts' marks come along. Empty when the page is not well-formed.
inline QList<ReadTable> html_tables(const QByteArray& page, QStringList* chart_titles = nullptr) {
  QList<ReadTable> tables;
  QString heading;
  QXmlStreamReader reader(page);
  bool chart = false;
  while (!reader.atEnd()) {
    reader.readNext();
    const QStringView name = reader.name();
    if (name == u"svg") chart = reader.isStartElement();
    if (!reader.isStartElement()) continue;
    if (name == u"h2")
      heading = reader.readElementText();
    else if (name == u"title" && chart && chart_titles)
      *chart_titles << reader.readElementText();
    else if (name == u"table")
      tables << ReadTable{heading, {}};
    else if (name == u"tr" && !tables.isEmpty())
      tables.back().rows << QStringList{};
    else if ((name == u"td" || name == u"th") && !tables.isEmpty() && !tables.back().rows.isEmpty())
      tables.back().rows.back() << reader.readElementText(QXmlStreamReader::IncludeChildElements);
  }
  return reader.hasError() ? QList<ReadTable>{} : tables;
}

inline QString latex_plain(QString text) {
  static const QMap<QString, QString> written{
      {"\\textasciicircum{}", "^"}, {"\\textasciitilde{}", "~"}, {"\\textless{}", "<"},
      {"\\textgreater{}", ">"},     {"\\textbar{}", "|"},        {"\\char34{}", "\""},
      {"\\char36{}", "$"},          {"\\allowbreak{}", ""},      {"$\\mu$", "µ"}};
  text.replace("\\textbackslash{}", QString(QChar(1)));
  for (auto it = written.begin(); it != written.end(); ++it) text.replace(it.key(), it.value());
  text.remove(QRegularExpression("(?<!\\\\)\\{\\}"));
  text.replace(QRegularExpression("\\\\kvantageother\\{([^}]*)\\}"), "\\1");
  return text.replace(QRegularExpression("\\\\([&%$#_{}])"), "\\1").replace(QChar(1), '\\').trimmed();
}
/// A table that continues below is one.
inline QList<ReadTable> latex_tables(const QByteArray& text) {
  static const QRegularExpression cell_end("(?<!\\\\)&");
  QList<ReadTable> tables;
  bool again = false;
  for (QString line : QString::fromUtf8(text).split('\n')) {
    if (line.startsWith("\\caption{")) {
      const QString title = latex_plain(line.mid(9).chopped(1));
      again = !tables.isEmpty() && title.endsWith(", continued") && tables.back().title.startsWith(title.chopped(11));
      if (!again) tables << ReadTable{title, {}};
    }
    if (tables.isEmpty() || !line.endsWith(" \\\\")) continue;
    QStringList cells;
    for (const QString& cell : line.chopped(3).split(cell_end)) cells << latex_plain(cell);
    if (again && cells == tables.back().rows.value(0)) continue;  // its header
    tables.back().rows << cells;
  }
  return tables;
}

/// The lines that a reader of the file sees, in the order in which they were written: laid out as on the page, a column
/// of few letters is at times taken for one of its own. Nothing when pdftotext is not there.
inline std::optional<QStringList> pdf_lines(const QString& path) {
  QProcess process;
  process.start("pdftotext", {"-raw", "-enc", "UTF-8", path, "-"});
  if (!process.waitForFinished(60000) || process.exitCode() != 0) return std::nullopt;
  return QString::fromUtf8(process.readAllStandardOutput()).remove('\f').split('\n');
}

/// The name in files of a part of TTFT that a reader sees.
inline QString ttft_part_of(QString shown) { return shown == "unpack" ? "decode" : shown.replace(' ', '_'); }

/// One row of a table "Every figure".
inline void add_shown(Shown& metrics, const QString& run, const QStringList& cells, const QString& none = "-") {
  static const QStringList fields{"value", "", "interval", "n", "contexts", "p50", "p95", "p95_interval", "p99"};
  QString part = cells.value(1) == none ? QString() : cells.value(1);
  if (cells.value(0) == "ttft_split") part = ttft_part_of(part);
  const Key at = key(run, cells.value(0), part);
  metrics[at];
  for (qsizetype i = 0; i < fields.size(); ++i) {
    const QString text = cells.value(2 + i);
    if (fields[i].isEmpty() || text == none) continue;
    if (!fields[i].contains("interval")) {
      metrics[at][fields[i]] = text;
      continue;
    }
    const QStringList ends = text.simplified().remove('[').remove(']').split(", ");
    const QString before = fields[i] == "interval" ? "" : "p95_";
    metrics[at][before + "low"] = ends.value(0);
    metrics[at][before + "high"] = ends.value(1);
  }
}
inline Shown shown_of(const QList<ReadTable>& tables) {
  Shown metrics;
  for (const ReadTable& table : tables) {
    const auto title = QRegularExpression("^Every metric: (.*?)(?: \\(value: .*)?$").match(table.title);
    if (!title.hasMatch()) continue;
    for (const QStringList& row : table.rows.mid(1)) add_shown(metrics, title.captured(1), row);
  }
  return metrics;
}
inline Shown shown_of(const QStringList& pdf) {
  static const QRegularExpression row(
      "^\\s*(\\S+)\\s+(.*?)\\s+(\\S+)\\s+(s|1|B|1/s|B/s)\\s+(\\[\\S+\\s+\\S+\\]|-)\\s+(\\d+|-)\\s+(\\d+|-)\\s+(\\S+)"
      "\\s+(\\S+)\\s+(\\[\\S+\\s+\\S+\\]|-)\\s+(\\S+)\\s*$");
  Shown metrics;
  QString run;
  for (const QString& line : pdf) {
    if (line.trimmed().startsWith("Every metric: ")) run = line.trimmed().mid(14);
    if (line.trimmed() == "Metric definitions") run.clear();
    if (const auto found = row.match(line); found.hasMatch() && !run.isEmpty())
      add_shown(metrics, run, found.capturedTexts().mid(1));
  }
  return metrics;
}

/// What a report says of its runs against the baseline, by run and metric or setting.
struct AgainstBaseline {
  QString baseline;
  QMap<Key, QMap<QString, double>> metrics;  // baseline, value, difference, low, high, n, baseline_n, pairs
  QMap<Key, QString> judged;
  QMap<Key, QPair<QString, QString>> settings;  // of the baseline, of the run
};
inline AgainstBaseline json_differences(const QByteArray& text) {
  const QJsonObject all = QJsonDocument::fromJson(text).object()["differences"].toObject();
  AgainstBaseline read{all["baseline"].toString(), {}, {}, {}};
  for (const QJsonValue item : all["figures"].toArray()) {
    const QJsonObject one = item.toObject();
    const Key at = key(one["run"].toString(), one["figure"].toString(), one["unit"].toString());
    for (const char* field : {"baseline", "value", "difference"})
      read.metrics[at][field] = one[QLatin1String(field)].toDouble();
    for (const char* field : {"n", "baseline_n", "pairs"})
      if (one[QLatin1String(field)].toInt() > 0) read.metrics[at][field] = one[QLatin1String(field)].toDouble();
    if (const QJsonArray ends = one["interval_95"].toArray(); !ends.isEmpty()) {
      read.metrics[at]["low"] = ends.at(0).toDouble();
      read.metrics[at]["high"] = ends.at(1).toDouble();
    }
    read.judged[at] = one["judgement"].toString();
  }
  const auto said = [](const QJsonValue& value) {
    if (value.isString()) return value.toString();
    const QByteArray listed = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(listed.sliced(1, listed.size() - 2));
  };
  for (const QJsonValue item : all["settings"].toArray()) {
    const QJsonObject one = item.toObject();
    read.settings[key(one["run"].toString(), one["setting"].toString(), "")] = {said(one["baseline"]),
                                                                                said(one["value"])};
  }
  return read;
}
inline AgainstBaseline csv_differences(const QByteArray& text) {
  const Rows rows = csv_rows(text);
  AgainstBaseline read;
  const QMap<QString, QString> fields{{"value", "difference"},
                                      {"run_value", "value"},
                                      {"baseline_value", "baseline"},
                                      {"low_95", "low"},
                                      {"high_95", "high"},
                                      {"n", "n"},
                                      {"baseline_n", "baseline_n"},
                                      {"pairs", "pairs"}};
  for (const QStringList& row : rows.mid(1)) {
    if (!of_baseline(row)) continue;
    const auto cell = [&](const char* column) { return row.value(rows[0].indexOf(QLatin1String(column))); };
    read.baseline = cell("baseline");
    if (row[1] == "setting") {
      read.settings[key(row[0], row[2], "")] = {cell("baseline_value"), cell("value")};
      continue;
    }
    const Key at = key(row[0], row[2], cell("unit"));
    for (auto it = fields.begin(); it != fields.end(); ++it)
      if (const QString text_of = cell(it.key().toLatin1()); !text_of.isEmpty())
        read.metrics[at][it.value()] = text_of.toDouble();
    read.judged[at] = cell("judgement");
  }
  return read;
}
/// The rows of the table whose title begins so.
inline Rows rows_titled(const QList<ReadTable>& tables, const QString& title) {
  for (const ReadTable& table : tables)
    if (table.title == title || table.title.startsWith(title + " (")) return table.rows;
  return {};
}

}  // namespace kvantage::test
