#include "ui/runs/model/run_moves.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "ui/runs/model/setting_texts.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct RunMovesText {
  Q_DECLARE_TR_FUNCTIONS(RunMovesText)
};

RunMove move_of(double seconds, const QString& owner, const std::string& field, const Json& before, const Json& after) {
  const QString name = setting_name(owner, field);
  return {seconds, name,
          QStringLiteral("%1: %2 → %3").arg(name, setting_value(field, before), setting_value(field, after))};
}

// The setting of tiers is one list of all of them: what moved in it is reported by tier.
bool add_tiers(std::vector<RunMove>& moves, double seconds, const Json& before, const Json& after) {
  const auto listed = [](const Json& tiers) {
    return tiers.is_array() && std::ranges::all_of(tiers, [](const Json& tier) { return tier.is_object(); });
  };
  if (!listed(before) || !listed(after) || before.size() != after.size()) return false;
  for (std::size_t t = 0; t < after.size(); ++t) {
    const QString owner = tier_owner(after[t], t);
    for (const auto& [field, value] : after[t].items())
      if (const Json was = before[t].value(field, Json()); was != value)
        moves.push_back(move_of(seconds, owner, field, was, value));
  }
  return true;
}

}  // namespace

std::vector<std::string> run_move_types() {
  return {event_type(events::RunStarted{}), event_type(events::SettingChanged{})};
}

std::vector<RunMove> run_moves(const std::vector<Event>& events) {
  std::vector<RunMove> moves;
  std::optional<std::int64_t> begin;
  for (const Event& event : events) {
    if (std::holds_alternative<events::RunStarted>(event.payload)) begin = event.monotonic_ns;
    const auto* changed = std::get_if<events::SettingChanged>(&event.payload);
    if (changed == nullptr || changed->before == changed->after) continue;
    const double seconds = begin ? std::max(0.0, static_cast<double>(event.monotonic_ns - *begin) * 1e-9) : -1;
    if (changed->name != "tiers" || !add_tiers(moves, seconds, changed->before, changed->after))
      moves.push_back(move_of(seconds, QString(), changed->name, changed->before, changed->after));
  }
  return moves;
}

QString run_moves_names(const std::vector<RunMove>& moves) {
  std::vector<std::pair<QString, int>> counts;
  for (const RunMove& move : moves) {
    const auto found = std::ranges::find(counts, move.name, &std::pair<QString, int>::first);
    if (found == counts.end())
      counts.emplace_back(move.name, 1);
    else
      ++found->second;
  }
  QStringList names;
  for (const auto& [name, count] : counts) names << (count == 1 ? name : QStringLiteral("%1 ×%2").arg(name).arg(count));
  return names.join(QStringLiteral(", "));
}

QStringList run_moves_lines(const std::vector<RunMove>& moves, qsizetype most) {
  QStringList lines;
  for (const RunMove& move : moves) {
    if (lines.size() == most) {
      lines << RunMovesText::tr("and %n more", nullptr, static_cast<int>(moves.size()) - static_cast<int>(most));
      break;
    }
    lines << (move.seconds < 0 ? move.text
                               : RunMovesText::tr("after %1: %2").arg(seconds_text(move.seconds), move.text));
  }
  return lines;
}

Json run_moves_json(const std::vector<RunMove>& moves) {
  Json list = Json::array();
  for (const RunMove& move : moves)
    list.push_back({{"seconds", move.seconds}, {"name", from_q(move.name)}, {"text", from_q(move.text)}});
  return list;
}

std::optional<std::vector<RunMove>> run_moves_from_json(const Json& json) {
  if (!json.is_array()) return std::nullopt;
  std::vector<RunMove> moves;
  for (const Json& each : json) {
    if (!each.is_object()) return std::nullopt;
    const Json seconds = each.value("seconds", Json()), name = each.value("name", Json()),
               text = each.value("text", Json());
    if (!seconds.is_number() || !name.is_string() || !text.is_string()) return std::nullopt;
    moves.push_back({seconds.get<double>(), to_q(name.get<std::string>()), to_q(text.get<std::string>())});
  }
  return moves;
}

}  // namespace kvantage
