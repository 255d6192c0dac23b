#include "ui/session/run_marks.h"

#include <QCoreApplication>

#include "core/ports/reason_text.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct RunMarks {
  Q_DECLARE_TR_FUNCTIONS(RunMarks)
};

QString mark_setting_value(const Json& value) {
  return value.is_string() ? to_q(value.get<std::string>()) : to_q(dump_json(value));
}

RunMark run_moment(RunMark::Kind kind, const QString& text, const std::string& run_id) {
  RunMark mark{kind, text};
  mark.detail = to_q(run_id);
  return mark;
}

struct RunMarkReader {
  using Mark = std::optional<RunMark>;

  Mark operator()(const events::RunStarted& e) const {
    return run_moment(RunMark::start, RunMarks::tr("run started"), e.run_id);
  }
  Mark operator()(const events::RunFinished& e) const {
    return run_moment(RunMark::end, RunMarks::tr("run ended"), e.run_id);
  }
  Mark operator()(const events::PlacementCommitted& e) const {
    if (e.action.kind != ActionKind::evict) return std::nullopt;
    return RunMark{RunMark::eviction, RunMarks::tr("%1 evicted").arg(to_q(e.context_id)), to_q(e.context_id)};
  }
  Mark operator()(const events::ContextProfiled& e) const {
    if (!e.after_drift) return std::nullopt;
    return RunMark{RunMark::profile, RunMarks::tr("%1 re-profiled").arg(to_q(e.context_id)), to_q(e.context_id)};
  }
  Mark operator()(const events::DriftDetected& e) const {
    return RunMark{RunMark::drift, RunMarks::tr("%1 drifted").arg(to_q(e.context_id)), to_q(e.context_id)};
  }
  Mark operator()(const events::ReadFailed& e) const {
    return RunMark{RunMark::fault,
                   RunMarks::tr("read from %1 failed: %2").arg(to_q(e.tier), core_text(reason_text(e.reason)))};
  }
  Mark operator()(const events::PlacementFailed& e) const {
    return RunMark{RunMark::fault, RunMarks::tr("move of %1 failed: %2").arg(to_q(e.context_id), core_text(e.reason)),
                   to_q(e.context_id)};
  }
  Mark operator()(const events::Message& e) const {
    if (e.level != "error" && e.level != "warning") return std::nullopt;
    return RunMark{RunMark::fault, core_text(e.text)};
  }
  Mark operator()(const events::SettingChanged& e) const {
    const QString name = to_q(e.name), before = mark_setting_value(e.before), after = mark_setting_value(e.after);
    return RunMark{e.name == "policy" ? RunMark::policy : RunMark::setting,
                   QStringLiteral("%1: %2 → %3").arg(name, before, after),
                   {},
                   name,
                   before,
                   after};
  }
  template <class Other>
  Mark operator()(const Other&) const {
    return std::nullopt;
  }
};

}  // namespace

std::optional<RunMark> run_mark(const EventPayload& payload) { return std::visit(RunMarkReader{}, payload); }

QString run_mark_name(RunMark::Kind kind) {
  static const char* const names[] = {"start",    "pause", "end",        "setting", "policy",
                                      "eviction", "drift", "re-profile", "fault"};
  return QString::fromLatin1(names[kind]);
}

}  // namespace kvantage
