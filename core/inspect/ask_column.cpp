#include "core/inspect/ask_column.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/units.h"
#include "core/compress/rerotate.h"
#include "core/runtime/observing.h"
#include "core/runtime/serving_clock.h"

namespace kvantage::inline inspection {
namespace {

/// Of an entry that no context has: the same form of the same text is another one in every placement.
Digest128 scratch_key(const Catalog& catalog, std::size_t context, const AskColumn& column) {
  const Digest128 text = catalog.facts(context).key;
  return DigestBuilder()
      .add("ask")
      .add(text.high)
      .add(text.low)
      .add(column.method)
      .add(std::to_string(column.removed_fraction))
      .finish();
}

/// Time of the transfers by the tier's clock: beside requests they continue between steps.
double transfer_seconds(const LoadTask& load) {
  std::map<std::int64_t, std::int64_t> ends;  // by submission
  for (const LoadTask::Arrival& arrival : load.arrivals()) {
    std::int64_t& end = ends[arrival.submitted_ns];
    end = std::max(end, arrival.arrived_ns);
  }
  double seconds = 0;
  for (const auto& [submitted, end] : ends) seconds += static_cast<double>(end - submitted) * 1e-9;
  return seconds;
}

}  // namespace

AskColumnTask::AskColumnTask(const EngineServices& services, AskedText& text, const AskForm& form,
                             const std::vector<std::int32_t>& question, int max_answer_tokens, AskAnswer& answer)
    : services_(services),
      text_(text),
      form_(form),
      question_{question, max_answer_tokens},
      answer_(answer),
      from_tier_(form.tier.has_value()),
      inputs_(*services.runtime.model, services.clock),
      stream_(services.runtime.tokenizer) {
  answer_.stage = AskStage::preparing;
  if (from_tier_) find_placed();
}

// The run's own entry where it has this very form there. One whose write is in flight would be read from memory.
void AskColumnTask::find_placed() {
  if (&text_.catalog != &services_.catalog) return;
  const Configuration& placed = text_.catalog.residency(text_.context).placement;
  const ContextDetails& details = text_.catalog.details(text_.context);
  if (placed.tier != static_cast<int>(*form_.tier) || placed.method != form_.column.method ||
      placed.removed_fraction != form_.column.removed_fraction || !tier().contains(details.entry.key))
    return;
  begin_load(details.entry, details.header);
}

Status AskColumnTask::step(double wait_seconds, const Stop& stop) {
  switch (stage_) {
    case Stage::score:
      return score_layer(stop);
    case Stage::cut:
      return cut(stop);
    case Stage::write:
      return wait_for_write(wait_seconds);
    case Stage::load:
      return load_layer(wait_seconds);
    case Stage::answer:
      return answer_layer();
    case Stage::done:
      return {};
  }
  return {};
}

/// Whether the form can be had without scores.
bool AskColumnTask::has_form() const {
  return stored_ || form_.is_original() || text_.computed.form_of(form_.column) != nullptr;
}

Status AskColumnTask::score_layer(const Stop& stop) {
  const Method& method = *form_.method;
  ComputedText& text = text_.computed;
  if (!text.scored_by(method.text())) {
    ComputedText::Scored& scored = text.scored[method.text()];
    const double begun = services_.clock.seconds();
    if (scored.scores.layers.empty())
      KV_TRY(complete_observation(services_.runtime, text.original, text_.tokens(), method.info().needs, text.observed,
                                  stop));
    KV_TRY(method.score_layer(text.original, text.observed, scored.scores));
    scored.seconds += services_.clock.seconds() - begun;
  }
  if (text.scored_by(method.text())) stage_ = Stage::cut;
  return {};
}

Status AskColumnTask::cut(const Stop& stop) {
  if (!has_form() && !text_.computed.scored_by(form_.column.method)) {
    stage_ = Stage::score;
    return {};
  }
  if (!stored_) {
    KV_ASSIGN(stored_, kept_rows());
  }
  note_kept(*stored_);
  return from_tier_ ? write_entry(stop) : read_from_memory();
}

// Made once for all columns and questions that have this form.
Expected<KvCache> AskColumnTask::kept_rows() {
  ComputedText& text = text_.computed;
  if (form_.is_original()) return text.original.share();
  ComputedText::Form& form = text.form_for(form_.column);
  if (!form.stored) {
    const TimedWork timed(services_.clock, form.seconds);
    KV_ASSIGN(form.stored, compressed_copy(text.original, text.scored.at(form_.column.method).scores, *form_.method,
                                           form_.column.removed_fraction));
  }
  return form.stored->share();
}

// As placement makes it. Inputs of layers are computed again by a prefill.
Status AskColumnTask::write_entry(const Stop& stop) {
  const EntryMaker maker(services_.runtime, text_.catalog);
  const Configuration configuration{static_cast<int>(*form_.tier), form_.column.method, form_.column.removed_fraction};
  const Codec* const codec = form_.method->codec();
  if (codec != nullptr && codec->layer_input_share() > 0) {
    Original original{text_.computed.original.share(), text_.computed.observed};
    KV_ASSIGN(entry_, maker.compress(text_.context, original, configuration, stop));
  } else {
    KV_ASSIGN(entry_, maker.serialize(text_.context, *stored_, nullptr, configuration));
  }
  answer_.bytes = entry_->info.bytes;
  if (const std::string why = refusal(entry_->info.bytes); !why.empty()) {
    leave_tier(why);
    return read_from_memory();
  }
  scratch_.emplace(services_.store.tiers(), *form_.tier, scratch_key(text_.catalog, text_.context, form_.column),
                   *entry_);
  stage_ = Stage::write;
  return {};
}

/// Why the tier cannot take the entry; empty: it can.
std::string AskColumnTask::refusal(std::uint64_t bytes) const {
  const TierStack& tiers = services_.store.tiers();
  const std::string& name = form_.column.tier;
  if (!tiers[*form_.tier].reachable()) return name + " does not respond";
  // The entry gets room beside the run's, so that a full tier can be asked, too.
  const std::uint64_t budget = tiers.capacity(*form_.tier);
  if (budget == 0 || bytes <= budget) return {};
  return name + " has no room: its budget is " + format_bytes(budget) + " and this form takes " + format_bytes(bytes);
}

Status AskColumnTask::wait_for_write(double wait_seconds) {
  const auto written = scratch_->poll(wait_seconds);
  if (!written) return {};
  if (*written) {
    begin_load(scratch_->info(), entry_->header);
    entry_.reset();
    return {};
  }
  leave_tier("writing to " + form_.column.tier + " failed: " + written->error().message);
  return read_from_memory();
}

void AskColumnTask::begin_load(const EntryInfo& info, std::shared_ptr<const EntryHeader> header) {
  answer_.stage = AskStage::loading;
  answer_.bytes = info.bytes;
  read_.emplace(*services_.runtime.pool);
  // With window queries, of which such an entry has none: only then restore_in_turn() says that it is complete.
  load_.emplace(tier(), info, std::move(header), services_.lender, true);
  load_->recompute_with(inputs_);
  stage_ = Stage::load;
}

Status AskColumnTask::load_layer(double wait_seconds) {
  bool there = false;
  {
    const TimedWork timed(services_.clock, load_seconds_);
    const auto restored = load_->restore_in_turn(wait_seconds, *read_);
    if (!restored) {
      const ReadFailure failure = load_->failure(restored.error());
      if (failure.error.code == ErrorCode::no_space && failure.miss_reason != no_buffer_reason)
        return tl::unexpected(failure.error);  // of the block pool
      leave_tier("reading from " + form_.column.tier + " failed: " + failure.error.message);
      return {};
    }
    there = *restored;
    if (there) {
      note_kept(*read_);
      if (form_.method->info().rerotates) {
        KV_ASSIGN(read_, rerotated(*read_, services_.runtime.model->rope()));
      }
    }
  }
  if (!there) return {};
  answer_.bytes_read = load_->bytes();
  answer_.text_seconds = std::max(load_seconds_, transfer_seconds(*load_));
  load_.reset();
  scratch_.reset();
  stored_.reset();
  begin_answer(*std::exchange(read_, std::nullopt));
  return {};
}

/// What the question is computed on without a tier: as a reader of the form's entry gets it.
Expected<KvCache> AskColumnTask::read_rows() {
  const auto read = [this] { return as_read(stored_->share(), *form_.method, services_.runtime.model->rope()); };
  if (form_.is_original()) return read();
  ComputedText::Form& form = text_.computed.form_for(form_.column);
  if (!form.stored) form.stored = stored_->share();  // dropped meanwhile
  if (!form.read) {
    const TimedWork timed(services_.clock, form.seconds);
    KV_ASSIGN(form.read, read());
  }
  return form.read->share();
}

// What columns share was made once; its time counts for each of them, since each would need it alone. What an earlier
// question has made took none.
Status AskColumnTask::read_from_memory() {
  const ComputedText& text = text_.computed;
  const Codec* const codec = form_.method->codec();
  KV_ASSIGN(auto read, read_rows());
  if (answer_.bytes == 0) {
    if (codec != nullptr && codec->layer_input_share() > 0) {
      answer_.bytes = services_.runtime.bytes_with_inputs(*codec, text_.tokens().size());
    } else {
      const auto plain = parse_codec("bf16").value();
      KV_ASSIGN(answer_.bytes, entry_bytes(*stored_, form_.column.method.size(), codec != nullptr ? *codec : *plain));
    }
  }
  const ComputedText::Form* const form = text.form_of(form_.column);
  const auto scored = text.scored.find(form_.column.method);
  answer_.text_seconds = text.prefill_seconds + (scored == text.scored.end() ? 0 : scored->second.seconds) +
                         (form == nullptr ? 0 : form->seconds);
  if (text.reused)
    answer_.reused = form_.is_original() || (form != nullptr && form->reused) ? AskReuse::form : AskReuse::text;
  stored_.reset();
  begin_answer(std::move(read));
  return {};
}

// The column continues without the tier: from the kept rows, or from the original where there are none yet.
void AskColumnTask::leave_tier(const std::string& why) {
  answer_.note = why + "; this answer is from a cache in memory";
  answer_.stage = AskStage::preparing;
  from_tier_ = false;
  load_.reset();
  scratch_.reset();
  entry_.reset();
  read_.reset();
  stage_ = Stage::cut;
}

void AskColumnTask::begin_answer(KvCache read) {
  read_ = std::move(read);
  asking_.emplace(services_.runtime, *read_, std::vector<AnswerTask::Question>{question_});
  answer_.stage = AskStage::prefill;
  stage_ = Stage::answer;
}

Status AskColumnTask::answer_layer() {
  {
    const TimedWork timed(services_.clock, answer_seconds_);
    KV_TRY(asking_->step());
  }
  if (!asking_->has_begun(0)) return {};
  answer_.stage = AskStage::decoding;
  const double now = answer_.text_seconds + answer_seconds_;
  if (answer_.ttft_seconds == 0) answer_.ttft_seconds = now;
  const std::vector<std::int32_t>& given = asking_->answer(0).tokens;
  for (std::size_t i = tokens_.size(); i < given.size(); ++i) {
    tokens_.push_back(given[i]);
    answer_.tokens.push_back({stream_.push(given[i]), now});
  }
  if (!asking_->done()) return {};
  if (!answer_.tokens.empty()) answer_.tokens.back().text += stream_.finish();
  answer_.ended = asking_->answer(0).ended;
  answer_.stage = AskStage::done;
  asking_.reset();
  read_.reset();
  stage_ = Stage::done;
  return {};
}

// By original positions, so before keys are re-rotated. Tokens after those of the text do not exist yet. Rows that no
// later token sees count as kept where nothing is removed.
void AskColumnTask::note_kept(const KvCache& stored) {
  if (form_.column.removed_fraction == 0) return;
  const KvShape& shape = stored.shape();
  const std::size_t tokens = text_.tokens().size();
  const auto heads = static_cast<std::size_t>(shape.layers * shape.kv_heads);
  if (stored.kept_rows() == heads * tokens) return;
  std::vector<float> kept(tokens, 0);
  std::vector<std::int32_t> positions;
  for (int l = 0; l < shape.layers; ++l)
    for (int h = 0; h < shape.kv_heads; ++h) {
      positions.resize(static_cast<std::size_t>(stored.kept(l, h)));
      stored.gather_head(l, h, nullptr, nullptr, positions.data());
      for (const std::int32_t position : positions) kept[static_cast<std::size_t>(position)] += 1.0F;
    }
  for (float& share : kept) share /= static_cast<float>(heads);
  answer_.kept = std::move(kept);
}

std::string AskColumnTask::work() const {
  const std::string form = form_.is_original() ? "full KV cache" : form_.column.method;
  switch (stage_) {
    case Stage::score:
      return "Scoring the text with " + form;
    case Stage::cut:
      return "Compressing the text with " + form;
    case Stage::write:
      return "Writing the form " + form + " to " + form_.column.tier;
    case Stage::load:
      return "Reading the form " + form + " from " + form_.column.tier;
    case Stage::answer:
      return "Answering from " + form + ": " + std::to_string(tokens_.size()) + " tokens";
    case Stage::done:
      return {};
  }
  return {};
}

}  // namespace kvantage::inline inspection
