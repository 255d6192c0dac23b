#include "core/inspect/keep_map.h"

#include <algorithm>

#include "core/text/quality.h"

namespace kvantage::inline inspection {
namespace {

constexpr std::size_t max_scored = 6;     // methods whose scores are cached: about one float per token and head each
constexpr std::size_t max_answers = 512;  // short texts

std::shared_ptr<const KeepMapContext> shown_context(const ModelRuntime& runtime, const ContextFacts& facts,
                                                    const ContextDetails& details) {
  auto context = std::make_shared<KeepMapContext>();
  context->id = facts.id;
  context->family = facts.family;
  context->full_bytes = facts.full_bytes;
  context->layers = runtime.model->kv_shape().layers;
  context->kv_heads = runtime.model->kv_shape().kv_heads;
  context->tokens = token_texts(runtime, details.tokens);
  for (const CatalogQuestion& question : details.questions)
    context->questions.push_back({question.text, question.gold, question.held_out});
  return context;
}

/// Layers with a sliding window may hold the newest tokens only: indices of rows become those of tokens.
std::vector<KeptIndices> tokens_of(std::vector<KeptIndices> kept, const KvCache& original) {
  for (std::size_t l = 0; l < kept.size(); ++l)
    for (std::size_t h = 0; h < kept[l].size(); ++h) {
      const int before = original.sequence_length() - original.kept(static_cast<int>(l), static_cast<int>(h));
      for (std::int32_t& row : kept[l][h]) row += std::max(before, 0);
    }
  return kept;
}

}  // namespace

std::vector<std::string> token_texts(const ModelRuntime& runtime, std::span<const std::int32_t> tokens) {
  std::vector<std::string> texts;
  texts.reserve(tokens.size());
  StreamDecoder decoder(runtime.tokenizer, false);
  for (const std::int32_t token : tokens) texts.push_back(decoder.push(token));
  if (!texts.empty()) texts.back() += decoder.finish();
  return texts;
}

Expected<KeptForm> kept_form(const KvCache& original, const LayerScores& scores, const Method& method,
                             double removed_fraction) {
  KV_ASSIGN(auto stored, compressed_copy(original, scores, method, removed_fraction));
  const auto plain = parse_codec("bf16").value();
  KV_ASSIGN(const auto bytes,
            entry_bytes(stored, method.text().size(), method.codec() != nullptr ? *method.codec() : *plain));
  std::vector<KeptIndices> kept = method.keep_for(scores, removed_fraction);
  if (!scores.windows.empty()) kept = tokens_of(std::move(kept), original);
  return KeptForm{std::move(kept), std::move(stored), bytes};
}

KeepMapTask::KeepMapTask(ModelRuntime& runtime, const ContextFacts& facts, const ContextDetails& details,
                         KvCache original, Observation observed, int max_answer_tokens, const Clock& clock)
    : runtime_(runtime),
      details_(details),
      context_(shown_context(runtime, facts, details)),
      original_(std::move(original)),
      observed_(std::move(observed)),
      max_answer_tokens_(max_answer_tokens),
      clock_(clock) {}

Status KeepMapTask::ask(const KeepMapRequest& request) {
  stage_ = Stage::done;
  forms_.clear();
  asking_.reset();
  request_ = request;
  if (answers_.size() >= max_answers) answers_.clear();
  if (!(request.removed_fraction >= 0 && request.removed_fraction < 1))
    return fail(ErrorCode::usage, "keep map: removed fraction " + std::to_string(request.removed_fraction) +
                                      ": not in [0, 1); give the share of tokens to remove");
  if (request.question && *request.question >= details_.questions.size())
    return fail(ErrorCode::usage, "keep map: context '" + context_->id + "' has " +
                                      std::to_string(details_.questions.size()) + " questions; choose one of them");
  if (request.methods.empty()) return fail(ErrorCode::usage, "keep map: no method given; name at least one");
  for (const std::string& text : request.methods) {
    auto method = parse_method(text);
    if (!method) {
      forms_.clear();
      return tl::unexpected(method.error());
    }
    Form form;
    form.method = std::move(*method);
    form.shown.method = form.method->text();
    form.shown.removed_fraction = form.method->info().removes_tokens ? request.removed_fraction : 0;
    forms_.push_back(std::move(form));
  }
  form_ = 0;
  stage_ = Stage::score;
  return {};
}

Status KeepMapTask::step(const Stop& stop) {
  switch (stage_) {
    case Stage::score:
      return score_layer(stop);
    case Stage::cut:
      return cut_form();
    case Stage::answer_uncompressed:
      return answer_uncompressed();
    case Stage::answer:
      return answer_form();
    case Stage::done:
      return {};
  }
  return {};
}

Status KeepMapTask::score_layer(const Stop& stop) {
  const Form& form = forms_[form_];
  const double begun = clock_.seconds();
  Scored& scored = scored_[form.shown.method];
  const auto layers = static_cast<std::size_t>(context_->layers);
  if (scored.scores.layers.size() < layers) {
    if (scored.scores.layers.empty())
      KV_TRY(complete_observation(runtime_, original_, details_.tokens, form.method->info().needs, observed_, stop));
    KV_TRY(form.method->score_layer(original_, observed_, scored.scores));
    scored.seconds += clock_.seconds() - begun;
    if (scored.scores.layers.size() < layers) return {};
    auto flat = std::make_shared<std::vector<float>>();
    flat->reserve(layers * static_cast<std::size_t>(context_->kv_heads) * context_->tokens.size());
    for (const auto& layer : scored.scores.layers)
      for (const LayerScores::Head& head : layer) {
        flat->insert(flat->end(), context_->tokens.size() - head.scores.size(), 0.0F);  // past a layer's window
        flat->insert(flat->end(), head.scores.begin(), head.scores.end());
      }
    scored.flat = std::move(flat);
    scored_order_.push_back(form.shown.method);
    ++scorings_;
  }
  if (++form_ < forms_.size()) return {};
  form_ = 0;
  stage_ = Stage::cut;
  return {};
}

Status KeepMapTask::cut_form() {
  Form& form = forms_[form_];
  const Scored& scored = scored_.at(form.shown.method);
  KV_ASSIGN(auto cut, kept_form(original_, scored.scores, *form.method, form.shown.removed_fraction));
  // Rows that no later token sees count as kept where nothing is removed.
  form.shown.kept.assign(scored.flat->size(), form.shown.removed_fraction == 0);
  for (int l = 0; l < context_->layers; ++l)
    for (int h = 0; h < context_->kv_heads; ++h)
      for (const std::int32_t token : cut.kept[static_cast<std::size_t>(l)][static_cast<std::size_t>(h)])
        form.shown.kept[KeepMapForm::at(*context_, l, h, static_cast<std::size_t>(token))] = true;
  const Codec* const codec = form.method->codec();
  const double inputs = codec != nullptr ? codec->layer_input_share() : 0;
  form.shown.bytes = inputs > 0 ? runtime_.bytes_with_inputs(*codec, details_.tokens.size()) : cut.entry_bytes;
  form.shown.scores = scored.flat;
  form.shown.score_seconds = scored.seconds;
  if (request_.question && !answers_.contains(key_of(form))) {
    KV_ASSIGN(auto read, as_read(std::move(cut.stored), *form.method, observed_.frequencies));
    form.read = std::make_unique<KvCache>(std::move(read));
  }
  if (++form_ < forms_.size()) return {};
  form_ = 0;
  forget_oldest();
  stage_ = request_.question ? Stage::answer_uncompressed : Stage::done;
  if (request_.question) take_answers();
  ++revision_;
  return {};
}

Status KeepMapTask::answer_layer(const KvCache& over, const AnswerKey& key) {
  const CatalogQuestion& question = details_.questions[*request_.question];
  if (asking_ == nullptr)
    asking_ = std::make_unique<AnswerTask>(
        runtime_, over,
        std::vector<AnswerTask::Question>{
            {question.tokens, question.max_answer_tokens > 0 ? question.max_answer_tokens : max_answer_tokens_}});
  KV_TRY(asking_->step());
  if (!asking_->done()) return {};
  const AnswerTask::Answer given = asking_->take(0);
  asking_.reset();
  KeepMapAnswer answer{runtime_.tokenizer->decode(given.tokens), given.ended, std::nullopt};
  if (const auto golds = question.golds(); !golds.empty())
    answer.token_f1 = best_score(*find_quality_metric("token_f1"), answer.text, golds);
  answers_[key] = std::move(answer);
  take_answers();
  ++revision_;
  return {};
}

Status KeepMapTask::answer_uncompressed() {
  const AnswerKey key{"none", 0.0, *request_.question};
  if (!answers_.contains(key)) return answer_layer(original_, key);
  stage_ = Stage::answer;
  form_ = 0;
  return {};
}

Status KeepMapTask::answer_form() {
  if (form_ < forms_.size() && !forms_[form_].shown.answer)
    return answer_layer(*forms_[form_].read, key_of(forms_[form_]));
  if (form_ < forms_.size()) {
    forms_[form_].read.reset();
    ++form_;
  }
  if (form_ < forms_.size()) return {};
  stage_ = Stage::done;
  ++revision_;
  return {};
}

void KeepMapTask::take_answers() {
  for (Form& form : forms_)
    if (const auto known = answers_.find(key_of(form)); known != answers_.end()) form.shown.answer = known->second;
}

void KeepMapTask::forget_oldest() {
  for (std::size_t i = 0; i < scored_order_.size() && scored_.size() > max_scored;) {
    const bool in_use =
        std::ranges::any_of(forms_, [&](const Form& form) { return form.shown.method == scored_order_[i]; });
    if (in_use) {
      ++i;
      continue;
    }
    scored_.erase(scored_order_[i]);
    scored_order_.erase(scored_order_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

KeepMapResult KeepMapTask::result() const {
  KeepMapResult result;
  result.request = request_;
  result.context = context_;
  result.complete = done();
  if (stage_ == Stage::score || stage_ == Stage::cut) return result;
  for (const Form& form : forms_) result.forms.push_back(form.shown);
  if (!request_.question) return result;
  if (const auto known = answers_.find({"none", 0.0, *request_.question}); known != answers_.end())
    result.uncompressed = known->second;
  return result;
}

std::string KeepMapTask::work() const {
  const auto form = [&] { return forms_[std::min(form_, forms_.size() - 1)].shown.method; };
  switch (stage_) {
    case Stage::score: {
      const auto scored = scored_.find(form());
      const std::size_t layer = scored == scored_.end() ? 0 : scored->second.scores.layers.size();
      return "Scoring with " + form() + ", layer " +
             std::to_string(std::min<std::size_t>(layer + 1, static_cast<std::size_t>(context_->layers))) + " of " +
             std::to_string(context_->layers);
    }
    case Stage::cut:
      return "Choosing tokens with " + form();
    case Stage::answer_uncompressed:
      return "Answering with all tokens";
    case Stage::answer:
      return "Answering with the tokens that " + form() + " keeps";
    case Stage::done:
      return {};
  }
  return {};
}

}  // namespace kvantage::inline inspection
