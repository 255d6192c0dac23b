#include "ui/tokens/model/keep_map_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

QString visible(const QString& token) {
  QString text = token;
  text.replace('\n', QStringLiteral("↵")).replace('\t', QStringLiteral("⇥")).replace(' ', QStringLiteral("␣"));
  return text;
}

}  // namespace

KeepMapModel::KeepMapModel(RunModel& run, Inspector* inspector, QObject* parent)
    : QObject(parent), run_(run), inspector_(inspector) {
  frame_timer_.setInterval(frame_ms);
  connect(&frame_timer_, &QTimer::timeout, this, &KeepMapModel::frame);
  connect(&run_.selection, &Selection::contextChanged, this, [this] {
    question_ = std::min(question_, 0);  // another context has other questions
    update_request();
  });
  connect(&run_, &RunModel::snapshotChanged, this, [this] {
    const std::size_t count = run_.snapshot() ? run_.snapshot()->contexts.size() : 0;
    const bool other_run = std::exchange(replayed_, run_.has_stash()) != run_.has_stash();
    if (std::exchange(known_contexts_, count) != count || other_run) emit contextsChanged();
    const QString missing = missing_text();
    if (std::exchange(missing_, missing) != missing || other_run) update_request();
  });
}

KeepMapModel::~KeepMapModel() {
  if (inspector_ != nullptr && active_) inspector_->drop_keep_map();
}

QString KeepMapModel::context() const { return run_.selection.context(); }

QStringList KeepMapModel::contexts() const {
  QStringList names;
  if (const auto snapshot = run_.snapshot())
    for (const ContextState& context : snapshot->contexts) names << to_q(context.id);
  names.sort();
  return names;
}

QStringList KeepMapModel::known_methods() const {
  QStringList known;
  for (const std::string& method : run_.session().settings().methods)
    if (method != "none" && method != "auto") known << to_q(method);
  if (inspector_ != nullptr)
    for (const std::string& method : inspector_->methods())
      if (!known.contains(to_q(method))) known << to_q(method);
  return known;
}

// What the context is compressed by, else the first that the run may choose, of those that remove tokens where any
// does.
void KeepMapModel::choose_method() {
  if (!methods_.isEmpty()) return;
  if (const auto snapshot = run_.snapshot())
    for (const ContextState& context : snapshot->contexts)
      if (to_q(context.id) == this->context() && context.placement.stored() && context.placement.removed_fraction > 0) {
        methods_ = {to_q(context.placement.method)};
        removed_fraction_ = context.placement.removed_fraction;
        return;
      }
  const QStringList known = known_methods();
  if (known.isEmpty()) return;
  std::set<QString> removing;
  if (const auto snapshot = run_.snapshot())
    for (const ContextState& context : snapshot->contexts)
      if (context.profile)
        for (const ProfilePoint& point : context.profile->points)
          if (point.removed_fraction > 0) removing.insert(to_q(point.method));
  const auto first = std::ranges::find_if(known, [&](const QString& method) { return removing.contains(method); });
  methods_ = {first != known.end() ? *first : known.front()};
}

void KeepMapModel::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (active) return update_request();
  frame_timer_.stop();
  if (inspector_ != nullptr) inspector_->drop_keep_map();
}

void KeepMapModel::set_methods(const QStringList& methods) {
  if (methods == methods_ || methods.isEmpty()) return;
  methods_ = methods;
  update_request();
}

void KeepMapModel::set_removed_fraction(double fraction) {
  fraction = std::clamp(fraction, 0.0, max_removed);
  if (fraction == removed_fraction_) return;
  removed_fraction_ = fraction;
  update_request();
}

void KeepMapModel::set_question(int question) {
  if (question == question_) return;
  question_ = question;
  update_request();
}

void KeepMapModel::set_view(int layer, int kv_head) {
  if (layer == layer_ && kv_head == kv_head_) return;
  layer_ = layer;
  kv_head_ = kv_head;
  sum();
  emit viewChanged();
}

void KeepMapModel::update_request() {
  choose_method();
  dirty_ = true;
  if (active_ && inspector_ != nullptr && !frame_timer_.isActive()) frame_timer_.start();
  emit requestChanged();
}

// One request for all that changed since the last frame; then what came of the latest.
void KeepMapModel::frame() {
  if (context().isEmpty() || methods_.isEmpty()) {
    choose_method();
    if (context().isEmpty() || methods_.isEmpty()) return frame_timer_.stop();
  }
  if (!missing_text().isEmpty()) {
    dirty_ = true;  // asked as soon as there is something to ask about
    return frame_timer_.stop();
  }
  if (std::exchange(dirty_, false)) {
    KeepMapRequest request;
    request.context = from_q(context());
    for (const QString& method : methods_) request.methods.push_back(from_q(method));
    request.removed_fraction = removed_fraction_;
    // How many questions the context has is known with its first result: then it is asked.
    if (const auto* known = shown(); known != nullptr && known->context->id == request.context && question_ >= 0 &&
                                     static_cast<std::size_t>(question_) < known->context->questions.size())
      request.question = static_cast<std::size_t>(question_);
    ticket_ = inspector_->request_keep_map(request);
  }
  if (auto result = inspector_->keep_map();
      result != nullptr && (!shown_ || result->ticket >= shown_->ticket) && result != shown_)
    take(std::move(result));
  const QString work = complete() ? QString() : core_text(inspector_->keep_map_work());
  if (std::exchange(work_, work) != work) emit workChanged();
  if (complete() && !dirty_) frame_timer_.stop();
}

void KeepMapModel::take(std::shared_ptr<const KeepMapResult> result) {
  const auto before = shown_ != nullptr ? shown_->context : nullptr;
  const bool failed = result->context == nullptr;
  shown_ = std::move(result);
  if (failed) {
    tokens_.clear();
    sums_.clear();
    emit resultChanged();
    return;
  }
  const KeepMapContext& context = *shown_->context;
  if (before != shown_->context) {
    tokens_.clear();
    for (const std::string& token : context.tokens) tokens_.push_back(to_q(token));
    if (layer_ >= context.layers) layer_ = all;
    if (kv_head_ >= context.kv_heads) kv_head_ = all;
    if (question_ >= static_cast<int>(context.questions.size())) question_ = context.questions.empty() ? all : 0;
  }
  dirty_ |= question_ >= 0 && !shown_->request.question && shown_->ticket == ticket_ && shown_->complete;
  sum();
  emit resultChanged();
}

int KeepMapModel::summed_heads() const {
  if (shown() == nullptr) return 0;
  return (layer_ == all ? shown_->context->layers : 1) * (kv_head_ == all ? shown_->context->kv_heads : 1);
}

void KeepMapModel::sum() {
  sums_.clear();
  if (shown() == nullptr) return;
  const KeepMapContext& context = *shown_->context;
  const auto heads = static_cast<float>(summed_heads());
  for (const KeepMapForm& form : shown_->forms) {
    Sums sums{std::vector<float>(context.tokens.size(), 0), std::vector<float>(context.tokens.size(), 0)};
    for (int l = 0; l < context.layers; ++l)
      for (int h = 0; h < context.kv_heads; ++h) {
        if ((layer_ != all && l != layer_) || (kv_head_ != all && h != kv_head_)) continue;
        const std::size_t row = KeepMapForm::at(context, l, h, 0);
        for (std::size_t t = 0; t < context.tokens.size(); ++t) {
          if (form.kept[row + t]) sums.shares[t] += 1 / heads;
          sums.scores[t] += (*form.scores)[row + t] / heads;
        }
      }
    sums_.push_back(std::move(sums));
  }
}

double KeepMapModel::kept_share_of(std::size_t form, int layer, int kv_head) const {
  const KeepMapContext& context = *shown_->context;
  const auto begin =
      shown_->forms[form].kept.begin() + static_cast<std::ptrdiff_t>(KeepMapForm::at(context, layer, kv_head, 0));
  const auto kept = std::count(begin, begin + static_cast<std::ptrdiff_t>(context.tokens.size()), true);
  return context.tokens.empty() ? 0 : static_cast<double>(kept) / static_cast<double>(context.tokens.size());
}

std::vector<double> KeepMapModel::kept_shares_of_heads(std::size_t form) const {
  std::vector<double> shares;
  for (int l = 0; l < shown_->context->layers; ++l)
    for (int h = 0; h < shown_->context->kv_heads; ++h) shares.push_back(kept_share_of(form, l, h));
  return shares;
}

QString KeepMapModel::provenance_text() const {
  return run_.has_stash() ? tr("recomputed on the live model, as recorded runs store no tokens") : QString();
}

// A recorded run's context has no text and no cache. Its key shows whether the open workload has the very same one.
QString KeepMapModel::missing_text() const {
  const auto recorded = run_.snapshot(), live = run_.live_snapshot();
  if (!run_.has_stash() || context().isEmpty() || !recorded) return {};
  const auto same_id = [id = from_q(context())](const ContextState& state) { return state.id == id; };
  const auto wanted = std::ranges::find_if(recorded->contexts, same_id);
  if (wanted == recorded->contexts.end()) return {};
  const QString workload = to_q(run_.info().workload_name);
  const QString open = workload.isEmpty()
                           ? tr("Open the workload of that run with the same model to see its tokens.")
                           : tr("Open the workload %1 with the same model to see its tokens.").arg(workload);
  if (!live) return tr("The text of %1 is not recorded with the run, and no engine is open. %2").arg(context(), open);
  if (std::ranges::any_of(live->contexts, [&](const ContextState& state) { return state.key == wanted->key; }))
    return {};
  if (std::ranges::any_of(live->contexts, same_id))
    return tr("%1 has a different text or model in the open workload, and the run records neither. %2")
        .arg(context(), open);
  return tr("%1 is not in the open workload, and its text is not recorded with the run. %2").arg(context(), open);
}

QString KeepMapModel::hover_text(std::size_t form, std::size_t token) const {
  if (shown() == nullptr || form >= sums_.size() || token >= tokens_.size()) return {};
  const KeepMapContext& context = *shown_->context;
  const KeepMapForm& kept = shown_->forms[form];
  const int heads = summed_heads();
  QString text = (heads == 1 ? tr("“%1”, position %2\n%3: kept in %4 of 1 KV head, score %5")
                             : tr("“%1”, position %2\n%3: kept in %4 of %n KV heads, mean score %5", nullptr, heads))
                     .arg(visible(tokens_[token]))
                     .arg(token)
                     .arg(to_q(kept.method))
                     .arg(std::lround(sums_[form].shares[token] * static_cast<float>(heads)))
                     .arg(number_text(static_cast<double>(sums_[form].scores[token])));
  for (int l = 0; l < context.layers && context.layers * context.kv_heads <= 256; ++l) {
    text += '\n' + tr("layer %1").arg(l) + QStringLiteral("  ");
    for (int h = 0; h < context.kv_heads; ++h)
      text += kept.keeps(context, l, h, token) ? QStringLiteral("■") : QStringLiteral("□");
  }
  return text;
}

bool KeepMapModel::only_encodes() const {
  return shown() && shown()->request.removed_fraction > 0 && !shown()->forms.empty() &&
         std::ranges::all_of(shown()->forms, [](const KeepMapForm& form) { return form.removed_fraction == 0; });
}

QString KeepMapModel::form_text(std::size_t form) const {
  if (shown() == nullptr || form >= shown_->forms.size()) return {};
  const KeepMapForm& kept = shown_->forms[form];
  const double all_rows = static_cast<double>(kept.kept.size());
  const double share = all_rows > 0 ? static_cast<double>(std::ranges::count(kept.kept, true)) / all_rows : 0;
  return tr("%1 keeps %2 of KV entries (%3 of %4)")
      .arg(to_q(kept.method), percent_text(share), bytes_text(static_cast<double>(kept.bytes)),
           bytes_text(static_cast<double>(shown_->context->full_bytes)));
}

std::vector<QStringList> KeepMapModel::rows() const {
  QStringList header{QStringLiteral("position"), QStringLiteral("token")};
  for (std::size_t f = 0; f < sums_.size(); ++f) {
    const QString method = to_q(shown_->forms[f].method);
    header << method + QStringLiteral("_kept_heads") << method + QStringLiteral("_kept_share")
           << method + QStringLiteral("_score");
  }
  std::vector<QStringList> rows{header};
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    QStringList cells{QString::number(t), tokens_[t]};
    for (const Sums& sums : sums_)
      cells << QString::number(std::lround(sums.shares[t] * static_cast<float>(summed_heads())))
            << QString::number(static_cast<double>(sums.shares[t]), 'g', 6)
            << QString::number(static_cast<double>(sums.scores[t]), 'g', 9);
    rows.push_back(cells);
  }
  return rows;
}

QString KeepMapModel::error() const {
  return shown_ && shown_->ticket == ticket_ ? core_text(shown_->error) : QString();
}

QString KeepMapModel::empty_text() const {
  if (inspector_ == nullptr)
    return tr("No engine is open. Open a workload to see which tokens of a context a method keeps.");
  if (context().isEmpty())
    return tr("Select a context above, or in Contexts, Requests or Sensitivity, to see which tokens a method keeps.");
  if (QString missing = missing_text(); !missing.isEmpty()) return missing;
  if (!error().isEmpty()) return error();
  if (shown() != nullptr && shown()->context->id == from_q(context()) && form_count() > 0) return {};
  if (run_.state() == RunState::loading) return tr("The engine is loading.");
  return work_.isEmpty() ? tr("Waiting for the engine…") : QStringLiteral("%1…").arg(work_);
}

}  // namespace kvantage
