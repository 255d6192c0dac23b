#include "core/kvpr/offloaded_decode.h"

#include <algorithm>
#include <utility>

#include "core/kvpr/offloaded_decode_state.h"

namespace kvantage::inline kvpr {

// What later steps may recompute from. Inputs in memory are of use only if those of all tokens before are there.
KeptInputs OffloadedDecode::State::kept_inputs(const OffloadedPrompt& prompt) const {
  if (options.mode == SplitMode::load_only) return KeptInputs::none;
  if (options.resident == nullptr) return KeptInputs::on_tier;
  const bool whole = options.resident->are_inputs() && options.resident->tokens() == prompt.tokens();
  return whole ? KeptInputs::in_memory : KeptInputs::none;
}

void OffloadedDecode::State::add_sequence(PrefilledPrompt prefilled, const std::string& name) {
  const int page_tokens = options.page_tokens > 0 ? options.page_tokens : options.chunk_tokens;
  const KeptInputs inputs = kept_inputs(*prefilled.prompt);
  sequences.push_back(std::make_unique<OffloadedSequence>(
      model, rows, std::move(prefilled), PageOptions{.page_tokens = page_tokens, .inputs = inputs, .name = name}));
}

OffloadedDecode::OffloadedDecode(std::unique_ptr<State> state) : state_(std::move(state)) {}
OffloadedDecode::~OffloadedDecode() = default;

Expected<std::unique_ptr<OffloadedDecode>> OffloadedDecode::begin(Transformer& model, StorageTier& tier,
                                                                  BufferLender& lender,
                                                                  const std::vector<std::int32_t>& prompt,
                                                                  const OffloadedDecodeOptions& options) {
  return begin(model, tier, lender, std::vector<std::vector<std::int32_t>>{prompt}, options);
}

Expected<std::unique_ptr<OffloadedDecode>> OffloadedDecode::begin(Transformer& model, StorageTier& tier,
                                                                  BufferLender& lender,
                                                                  const std::vector<std::vector<std::int32_t>>& prompts,
                                                                  const OffloadedDecodeOptions& options) {
  if (options.chunk_tokens < 1)
    return fail(ErrorCode::usage, "decode-offload: chunks have no tokens; give 1 or more, e.g. 64");
  if (options.resident != nullptr)
    return fail(ErrorCode::usage, "decode-offload: resident rows are of a prompt that is prefilled already");
  if (prompts.empty()) return fail(ErrorCode::usage, "decode-offload: no prompt; give one sequence or more");
  KV_ASSIGN(const auto rows, RowCodec::make(model.kv_shape(), options.codec));
  if (options.mode == SplitMode::solved)
    KV_TRY(check_recompute_pays(RecomputeSchedule::column, recompute_shape(model, rows, options.chunk_tokens)));
  std::unique_ptr<OffloadedDecode> decode(
      new OffloadedDecode(std::make_unique<State>(model, tier, lender, rows, options)));
  State& state = *decode->state_;
  for (const std::vector<std::int32_t>& prompt : prompts) {
    const std::string name =
        state.sequences.empty() ? options.name : options.name + " " + std::to_string(state.sequences.size());
    KV_ASSIGN(auto prefilled, prefill_offloaded(model, tier, prompt, options.chunk_tokens, name, options.codec));
    state.add_sequence(std::move(prefilled), name);
  }
  if (options.weights != WeightLoading::resident) {
    KV_ASSIGN(auto weights, OffloadedWeights::write(model, tier, options.name));
    state.weights = std::move(weights);
  }
  for (int buffers = 0; buffers < 2; ++buffers) KV_TRY(state.request_next());
  return decode;
}

Expected<std::unique_ptr<OffloadedDecode>> OffloadedDecode::begin(Transformer& model, BufferLender& lender,
                                                                  std::unique_ptr<OffloadedPrompt> prompt,
                                                                  const OffloadedDecodeOptions& options) {
  OffloadedDecodeOptions own = options;
  own.chunk_tokens = prompt->chunk_tokens();
  const RowCodec rows = prompt->codec();
  if (own.mode == SplitMode::solved && own.resident == nullptr)
    KV_TRY(check_recompute_pays(RecomputeSchedule::column, recompute_shape(model, rows, own.chunk_tokens)));
  std::unique_ptr<OffloadedDecode> decode(
      new OffloadedDecode(std::make_unique<State>(model, prompt->tier(), lender, rows, own)));
  State& state = *decode->state_;
  if (own.weights != WeightLoading::resident) state.weights = own.shared_weights;
  if (own.column != nullptr)
    state.column = own.column->join(lender);
  else if (own.peers != nullptr)
    state.peers = own.peers->join();
  state.add_sequence({std::move(prompt), {}}, own.name);
  for (int buffers = 0; buffers < 2; ++buffers) KV_TRY(state.request_next());
  return decode;
}

Status OffloadedDecode::begin_pass(std::span<const std::int32_t> tokens, Pass pass) {
  const std::size_t sequences = state_->sequences.size();
  if (in_pass()) return fail(ErrorCode::internal, "decode-offload: a pass is in progress");
  if (pass == Pass::decode && tokens.size() != sequences)
    return fail(ErrorCode::usage, "decode-offload: " + std::to_string(tokens.size()) + " tokens for " +
                                      std::to_string(sequences) + " sequences; give one each");
  const auto chunk = static_cast<std::size_t>(state_->options.chunk_tokens);
  if (pass == Pass::feed && (sequences != 1 || tokens.empty() || tokens.size() > chunk))
    return fail(ErrorCode::usage, "decode-offload: " + std::to_string(tokens.size()) + " tokens cannot be fed to " +
                                      std::to_string(sequences) + " sequences; give 1 to " + std::to_string(chunk) +
                                      " to one sequence");
  return state_->begin(tokens, pass);
}

bool OffloadedDecode::in_pass() const { return state_->running.has_value(); }
bool OffloadedDecode::layer_arrived(double seconds) {
  const bool rows = state_->stream.layer_arrived(seconds);
  const auto& matrices = state_->sequences.front()->requests.front().matrices;
  return matrices == nullptr ? rows : state_->column->arrived(*matrices, rows ? seconds : 0) && rows;
}
bool OffloadedDecode::may_step() const { return state_->column == nullptr || state_->column->may_compute(); }
Status OffloadedDecode::step_layer() {
  if (!in_pass()) return fail(ErrorCode::internal, "decode-offload: no pass is in progress");
  return state_->run_layer();
}

Expected<OffloadedStep> OffloadedDecode::step(std::span<const std::int32_t> tokens) {
  KV_TRY(begin_pass(tokens, Pass::decode));
  while (in_pass()) KV_TRY(step_layer());
  return state_->steps.back();
}

Status OffloadedDecode::feed(std::span<const std::int32_t> tokens) {
  if (tokens.empty()) return begin_pass(tokens, Pass::feed);
  const auto chunk = static_cast<std::size_t>(state_->options.chunk_tokens);
  for (std::size_t first = 0; first < tokens.size(); first += chunk) {
    KV_TRY(begin_pass(tokens.subspan(first, std::min(chunk, tokens.size() - first)), Pass::feed));
    while (in_pass()) KV_TRY(step_layer());
  }
  return {};
}

std::span<const float> OffloadedDecode::logits(std::size_t sequence) const {
  return state_->sequences[sequence]->logits;
}
const std::vector<OffloadedStep>& OffloadedDecode::steps() const { return state_->steps; }
std::uint64_t OffloadedDecode::offloaded_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& sequence : state_->sequences) bytes += sequence->prompt->bytes() + sequence->pages.written_bytes();
  return bytes;
}
std::uint64_t OffloadedDecode::resident_bytes() const {
  std::uint64_t bytes = state_->options.resident ? state_->options.resident->bytes() : 0;
  for (const auto& sequence : state_->sequences) bytes += sequence->pages.resident_bytes();
  return bytes;
}
std::uint64_t OffloadedDecode::held_bytes() const {
  std::uint64_t bytes = state_->options.resident ? state_->options.resident->bytes() : 0;
  for (const auto& sequence : state_->sequences) bytes += sequence->pages.held_bytes();
  return bytes;
}

}  // namespace kvantage::inline kvpr
