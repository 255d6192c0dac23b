#include "ui/runs/model/replay_controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ui/session/run_keyframes.h"
#include "ui/session/run_marks.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t max_drained = 400;                 // further ahead, rebuilding the models is faster
constexpr int complete_after_ms = 150;                   // of rest
constexpr int replayed_steps = 70, opening_steps = 100;  // of progress: reading, and all of opening
constexpr std::size_t seek_parts = 16;                   // between which opening can be given up

/// The kind of mark that a replay goes to; nothing: it does not stop there.
std::optional<ReplayMark::Kind> replay_kind(RunMark::Kind kind) {
  switch (kind) {
    case RunMark::eviction:
      return ReplayMark::eviction;
    case RunMark::drift:
    case RunMark::profile:
      return ReplayMark::profile;
    case RunMark::fault:
      return ReplayMark::fault;
    case RunMark::setting:
    case RunMark::policy:
      return ReplayMark::setting;
    default:
      return std::nullopt;
  }
}

}  // namespace

QString mark_name(ReplayMark::Kind kind) {
  static const char* const names[] = {"eviction", "re-profile", "fault", "setting"};
  return QString::fromLatin1(names[kind]);
}

QString mark_text(ReplayMark::Kind kind) {
  const QString names[] = {ReplayController::tr("eviction"), ReplayController::tr("re-profile"),
                           ReplayController::tr("fault"), ReplayController::tr("setting change")};
  return names[kind];
}

QString marks_text(ReplayMark::Kind kind) {
  const QString names[] = {ReplayController::tr("evictions"), ReplayController::tr("re-profiles"),
                           ReplayController::tr("faults"), ReplayController::tr("setting changes")};
  return names[kind];
}

QString mark_count_text(ReplayMark::Kind kind, int count) {
  switch (kind) {
    case ReplayMark::eviction:
      return ReplayController::tr("%n eviction(s)", nullptr, count);
    case ReplayMark::profile:
      return ReplayController::tr("%n re-profile(s)", nullptr, count);
    case ReplayMark::fault:
      return ReplayController::tr("%n fault(s)", nullptr, count);
    case ReplayMark::setting:
    case ReplayMark::kind_count:
      break;
  }
  return ReplayController::tr("%n setting change(s)", nullptr, count);
}

std::vector<ReplayMark> marks_of(const std::vector<Event>& events) {
  std::vector<ReplayMark> marks;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::optional<RunMark> mark = run_mark(events[i].payload);
    const auto kind = mark ? replay_kind(mark->kind) : std::nullopt;
    if (!kind) continue;
    const double seconds = static_cast<double>(events[i].monotonic_ns - events.front().monotonic_ns) * 1e-9;
    marks.push_back({i + 1, seconds, *kind, std::move(mark->text)});
  }
  return marks;
}

const std::vector<double>& ReplayController::speeds() {
  static const std::vector<double> speeds{1, 2, 5, 10, 20, 50, 100};
  return speeds;
}

ReplayController::ReplayController(RunModel& run, SettingsController& settings, SessionSwitch& session,
                                   std::shared_ptr<RunLibrary> library, QObject* parent)
    : QObject(parent), run_(run), settings_(settings), session_(session), library_(std::move(library)) {
  complete_.setSingleShot(true);
  complete_.setInterval(complete_after_ms);
  connect(&complete_, &QTimer::timeout, this, [this] {
    if (!source_ || !partial_) return;
    if (scrubbing_) return complete_.start();
    partial_ = false;
    run_.rebuild(source_->recorded().events, shown_, true);
  });
}

ReplayController::~ReplayController() {
  if (source_) session_.show_live();
}

void ReplayController::open(const QString& run_id) {
  open_with([library = library_, id = from_q(run_id)](const ShouldContinue& should_continue) {
    return library->read(id, {}, should_continue);
  });
}

void ReplayController::open_file(const QString& path) {
  open_with([library = library_, file = std::filesystem::path(from_q(path))](const ShouldContinue& should_continue) {
    return library->read_file(file, should_continue);
  });
}

// The checkpoints of the whole run are made on the way, so that going anywhere costs the same from the first time on.
template <class Read>
void ReplayController::open_with(Read read) {
  if (!library_) {
    emit failed(ReplayController::tr("This window has no run database. Start kvantage with --db FILE."));
    return;
  }
  if (in_flight_) *in_flight_ = true;  // the newer request counts
  const std::uint64_t job = ++job_;
  opening_ = true;
  emit openingChanged();
  in_flight_ = worker_.run(
      [this, job, read = std::move(read)](const std::atomic<bool>& cancelled) -> Expected<Opened> {
        const auto tell = [this, job](int step) {
          QMetaObject::invokeMethod(
              this,
              [this, job, step] {
                if (job == job_ && opening_) emit openingProgress(step, opening_steps);
              },
              Qt::QueuedConnection);
        };
        const auto given_up = [] { return fail(ErrorCode::cancelled, "replay: given up"); };
        auto watch = [&, told = 0](std::uint64_t done, std::uint64_t total) mutable {
          const int step = total == 0 ? 0 : static_cast<int>(done * replayed_steps / total);
          if (step > told) tell(step);
          told = std::max(told, step);
          return !cancelled;
        };
        KV_ASSIGN(auto run, read(watch));
        tell(replayed_steps);
        KV_ASSIGN(auto source, ReplaySource::open({std::move(run.summary), std::move(run.events)}));
        const std::vector<Event>& events = source->recorded().events;
        for (std::size_t part = 1; part <= seek_parts; ++part) {
          if (cancelled) return given_up();
          source->seek(source->size() * part / seek_parts);
        }
        tell((replayed_steps + opening_steps) / 2);
        if (cancelled) return given_up();
        std::shared_ptr<const RunKeyframes> keyframes = RunModel::keyframes_of(*source, events);
        source->seek(0);
        std::vector<ReplayMark> marks = marks_of(events);
        return Opened{std::move(source), std::move(marks), std::move(keyframes)};
      },
      [this, job](Expected<Opened> opened) {
        if (job != job_) return;  // another came after it, or it was given up
        opening_ = false;
        emit openingChanged();
        if (opened)
          show(*std::move(opened));
        else
          emit failed(core_text(opened.error().message));
      });
}

void ReplayController::cancel_opening() {
  if (!opening_) return;
  if (in_flight_) *in_flight_ = true;
  ++job_;
  opening_ = false;
  emit openingChanged();
}

void ReplayController::show(Opened opened) {
  if (!source_) {
    settings_.flush();
    session_.hold_live();
    run_.tick();  // what the live run has already reported belongs to it
  }
  const std::unique_ptr<ReplaySource> before = std::exchange(source_, std::move(opened.source));
  marks_ = std::move(opened.marks);
  session_.show(*source_);
  settings_.set_fixed(tr("Settings of a recorded run are read-only. Go back to the live run, or re-run it with: "
                         "kvantage-cli run --from %1")
                          .arg(run_id()));
  run_.stash();
  run_.set_keyframes(std::move(opened.keyframes));
  // Where there is something to see: a run knows its contexts a few events after its beginning.
  constexpr std::size_t looked_at = 200;
  const auto& events = source_->recorded().events;
  for (std::size_t i = 0; i < std::min(looked_at, events.size()); ++i)
    if (std::holds_alternative<kvantage::events::SnapshotTaken>(events[i].payload)) {
      source_->seek(i + 1);
      break;
    }
  shown_ = moment();
  run_.rebuild(events, shown_, true);
  source_->drained_up_to_now();
  partial_ = false;
  since_frame_.invalidate();
  emit activeChanged(true);
  emit moved();
  tell_playing();
}

void ReplayController::close() {
  ++job_;
  if (std::exchange(opening_, false)) emit openingChanged();
  if (!source_) return;
  complete_.stop();
  session_.show_live();
  settings_.set_fixed({});
  run_.unstash();
  source_.reset();
  marks_.clear();
  session_.release_live();
  tell_playing();
  emit activeChanged(false);
}

QString ReplayController::run_id() const { return source_ ? to_q(source_->summary().run_id) : QString(); }

void ReplayController::follow() {
  const std::size_t now = moment();
  if (now == shown_) return;
  // Requests are counted by the bytes of their contexts: where these appear, they come first.
  const bool same_contexts =
      run_.snapshot() && run_.snapshot()->contexts.size() == source_->now().snapshot.contexts.size();
  if (same_contexts && now > shown_ && now - shown_ <= max_drained) {
    run_.tick(1000);
  } else {
    partial_ = true;
    run_.rebuild(source_->recorded().events, now, false);
    source_->drained_up_to_now();
    complete_.start();
  }
  shown_ = now;
  emit moved();
}

void ReplayController::seek(std::size_t moment) {
  if (!source_) return;
  source_->seek(moment);
  follow();
  tell_playing();
}

void ReplayController::seek_seconds(double seconds) {
  if (source_) seek(seconds <= 0 ? 0 : source_->moment_at(seconds));
}

void ReplayController::end_scrub() {
  scrubbing_ = false;
  if (partial_) complete_.start();
}

void ReplayController::play() {
  if (!source_) return;
  if (moment() == size()) seek(0);
  since_frame_.invalidate();
  source_->start();
  tell_playing();
}

void ReplayController::pause() {
  if (!source_) return;
  source_->pause();
  tell_playing();
}

void ReplayController::set_speed(double speed) { speed_ = std::max(speed, 0.01); }

void ReplayController::step_events(int count) {
  if (!source_) return;
  source_->pause();
  const auto now = static_cast<std::ptrdiff_t>(moment());
  seek(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now + count, 0, static_cast<std::ptrdiff_t>(size()))));
}

bool ReplayController::jump(int direction, int kind) {
  const auto wanted = [kind](const ReplayMark& mark) { return kind == every_kind || mark.kind == kind; };
  const ReplayMark* found = nullptr;
  for (const ReplayMark& mark : marks_) {
    if (!wanted(mark)) continue;
    if (direction > 0 && mark.moment > moment()) {
      found = &mark;
      break;
    }
    if (direction < 0 && mark.moment < moment()) found = &mark;
  }
  if (found == nullptr) return false;
  pause();
  seek(found->moment);
  return true;
}

void ReplayController::frame() {
  if (!source_) return;
  const double seconds = since_frame_.isValid() ? static_cast<double>(since_frame_.nsecsElapsed()) * 1e-9 : 0;
  since_frame_.start();
  advance(seconds);
}

void ReplayController::advance(double seconds) {
  if (!source_) return;
  source_->advance(seconds * speed_);
  follow();  // also when another part of the window stepped or stopped the session
  tell_playing();
}

void ReplayController::tell_playing() {
  if (playing() == told_playing_) return;
  told_playing_ = playing();
  emit playingChanged(told_playing_);
}

}  // namespace kvantage
