#include "ui/window/last_session.h"

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr const char *workload_key = "session/workload", *model_key = "session/model",
                     *settings_key = "session/settings";

Expected<SessionSettings> settings_in(const QString& text) {
  const Json json = Json::parse(from_q(text), nullptr, false);
  if (json.is_discarded()) return fail(ErrorCode::rejected_input, SessionKeeper::tr("is not JSON").toStdString());
  KV_ASSIGN(auto settings, session_settings_from_json(json, "settings"));
  KV_TRY(validate(settings));
  return settings;
}

}  // namespace

LastSession read_last_session(const QSettings& kept) {
  LastSession last{kept.value(workload_key).toString(), kept.value(model_key).toString(), std::nullopt};
  if (const QString text = kept.value(settings_key).toString(); !text.isEmpty())
    if (auto settings = settings_in(text)) last.settings = std::move(*settings);
  return last;
}

QString fault_of_kept_settings(const QString& text) {
  if (text.isEmpty()) return {};
  const auto settings = settings_in(text);
  return settings ? QString() : core_text(settings.error().message);
}

SessionKeeper::SessionKeeper(SettingsController& settings, QSettings& kept, const QString& workload,
                             std::function<bool()> resting, QObject* parent)
    : QObject(parent), settings_(settings), kept_(kept), resting_(std::move(resting)) {
  timer_.setSingleShot(true);
  timer_.setInterval(delay_ms);
  if (kept_.value(workload_key).toString() != workload) kept_.remove(settings_key);  // of another workload
  kept_.setValue(workload_key, workload);
  connect(&timer_, &QTimer::timeout, this, &SessionKeeper::keep);
  connect(&settings_, &SettingsController::committedChanged, this, [this] { timer_.start(); });
  timer_.start();
}

void SessionKeeper::keep_model(const QString& model) {
  if (model.isEmpty())
    kept_.remove(model_key);
  else
    kept_.setValue(model_key, model);
  kept_.sync();
}

void SessionKeeper::keep() {
  timer_.stop();
  if (resting_()) {
    timer_.start();  // the settings of before come back at the end
    return;
  }
  if (settings_.committed().tiers.empty()) return;  // nothing was ever adopted
  const Json json = to_json(settings_.committed());
  kept_.setValue(settings_key, to_q(dump_json(json)));
  kept_.sync();
}

}  // namespace kvantage
