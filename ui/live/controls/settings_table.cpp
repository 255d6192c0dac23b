#include "ui/live/controls/settings_table.h"

#include "ui/text/words.h"

namespace kvantage {

ChartTable settings_table(const SessionSettings& settings) {
  ChartTable table;
  table.header << QStringLiteral("setting") << QStringLiteral("value");
  const Json flat = to_json(settings).flatten();
  for (const auto& [path, value] : flat.items())
    table.rows.append(
        {to_q(path.substr(1)), value.is_string() ? to_q(value.get<std::string>()) : to_q(dump_json(value))});
  return table;
}

}  // namespace kvantage
