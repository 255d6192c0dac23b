#include "ui/live/pool/model/pool_walk_model.h"

#include <algorithm>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

const std::vector<PoolWalkModel::Choice>& PoolWalkModel::eviction_methods() {
  static const std::vector<Choice> choices{
      {QStringLiteral("StreamingLLM"), QStringLiteral("streaming_llm"),
       tr("Keeps the first four tokens and the newest ones; each new token evicts the oldest of the rest")},
      {tr("Unstructured, by key norm"), QStringLiteral("knorm"),
       tr("Each new token evicts the KV entry with the largest key norm, in whatever block it is")},
      {tr("Unstructured, KeyDiff"), QStringLiteral("keydiff"),
       tr("Each new token evicts the KV entry whose key is closest to the mean key")},
      {QStringLiteral("PagedEviction"), QStringLiteral("paged_eviction"),
       tr("Whenever a page is full, evicts the whole page with the lowest mean ||v|| / ||k||")}};
  return choices;
}

const std::vector<PoolWalkModel::Choice>& PoolWalkModel::compactions() {
  static const std::vector<Choice> choices{
      {tr("no compaction"), QStringLiteral("none"),
       tr("Free slots stay until the last KV entry of their block is evicted")},
      {tr("repack"), QStringLiteral("repack"),
       tr("Moves all survivors forward in logical order; many KV entries move")},
      {tr("hole filling"), QStringLiteral("hole_fill"),
       tr("Moves the newest KV entries into earlier free slots; few KV entries move")}};
  return choices;
}

PoolWalkModel::PoolWalkModel(WalkPool walk, QObject* parent) : QObject(parent), walk_(std::move(walk)) {
  timer_.setInterval(play_ms);
  connect(&timer_, &QTimer::timeout, this, [this] { at_ + 1 < size() ? step(1) : play(false); });
  make();
}

void PoolWalkModel::set_setting(const PoolWalkSetting& setting) {
  if (setting == setting_) return;
  setting_ = setting;
  make();
}

void PoolWalkModel::make() {
  if (!walk_) return;
  job_.start([this, setting = setting_, walk = walk_](const LatestJob::GivenUp& given_up) {
    auto frames = std::make_shared<Expected<std::vector<PoolFrame>>>(walk(setting));
    if (given_up()) return;
    QMetaObject::invokeMethod(
        this,
        [this, frames, setting] {
          if (setting == setting_) take(std::move(*frames));
        },
        Qt::QueuedConnection);
  });
}

void PoolWalkModel::take(Expected<std::vector<PoolFrame>> frames) {
  const int decoded = frame() != nullptr ? frame()->decoded : 0;
  const std::string kind = frame() != nullptr ? frame()->kind : std::string();
  error_ = frames ? QString() : core_text(frames.error().message);
  frames_ = frames ? std::move(*frames) : std::vector<PoolFrame>();
  at_ = 0;
  for (int f = 0; f < size(); ++f)
    if (frames_[static_cast<std::size_t>(f)].decoded <= decoded) at_ = f;
  if (decoded == 0) at_ = 0;
  emit walked();
  emit moved();
}

void PoolWalkModel::go_to(int frame) {
  frame = std::clamp(frame, 0, std::max(0, size() - 1));
  if (std::exchange(at_, frame) != frame) emit moved();
}

void PoolWalkModel::go_to_next(const std::string& kind) {
  int next = at_ + 1;
  while (next < size() && frames_[static_cast<std::size_t>(next)].kind != kind) ++next;
  go_to(next);
}

void PoolWalkModel::play(bool on) {
  if (on == playing()) return;
  if (on && at_ + 1 >= size()) go_to(0);
  on ? timer_.start() : timer_.stop();
  emit playingChanged();
}

QString PoolWalkModel::hover_text(std::size_t block, int row) const {
  if (frame() == nullptr || block >= frame()->blocks.size()) return {};
  const PoolBlock& shown = frame()->blocks[block];
  QString text = shown.references == 0 ? tr("Block %1, free").arg(block)
                                       : tr("Block %1, in %n block table(s): %2 KV entries live, %3 dead, %4 unused",
                                            nullptr, static_cast<int>(shown.references))
                                             .arg(block)
                                             .arg(std::ranges::count(shown.rows, SlotState::live))
                                             .arg(std::ranges::count(shown.rows, SlotState::dead))
                                             .arg(std::ranges::count(shown.rows, SlotState::unused));
  if (row >= 0 && static_cast<std::size_t>(row) < shown.positions.size() &&
      shown.positions[static_cast<std::size_t>(row)] >= 0)
    text += '\n' + tr("this entry: token %1").arg(shown.positions[static_cast<std::size_t>(row)]);
  return text;
}

QString PoolWalkModel::gauges_text() const {
  if (frame() == nullptr) return {};
  const PoolFrame& now = *frame();
  return tr("%1 of %2 blocks free, %3 shared; %4 KV entries live, %5 dead; %6 fragmentation")
      .arg(now.free_blocks)
      .arg(now.blocks.size())
      .arg(now.shared_blocks)
      .arg(now.live_slots)
      .arg(now.dead_slots)
      .arg(percent_text(now.fragmentation));
}

std::vector<QStringList> PoolWalkModel::rows() const {
  std::vector<QStringList> rows{
      {QStringLiteral("decoded_tokens"), QStringLiteral("kind"), QStringLiteral("what"), QStringLiteral("kept_rows"),
       QStringLiteral("live_blocks"), QStringLiteral("free_blocks"), QStringLiteral("shared_blocks"),
       QStringLiteral("live_rows"), QStringLiteral("dead_rows"), QStringLiteral("fragmentation"),
       QStringLiteral("evicted_rows"), QStringLiteral("blocks_freed_by_eviction"),
       QStringLiteral("blocks_freed_by_compaction"), QStringLiteral("row_copies")}};
  for (const PoolFrame& f : frames_) {
    QStringList cells{QString::number(f.decoded), to_q(f.kind), to_q(f.what)};
    for (const int value : {f.kept, f.live_blocks, f.free_blocks, f.shared_blocks, f.live_slots, f.dead_slots})
      cells << QString::number(value);
    cells << QString::number(f.fragmentation, 'g', 6);
    for (const int value : {f.evicted_rows, f.freed_by_eviction, f.freed_by_compaction, f.slot_copies})
      cells << QString::number(value);
    rows.push_back(cells);
  }
  return rows;
}

}  // namespace kvantage
