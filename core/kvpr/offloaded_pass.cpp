#include <optional>
#include <utility>

#include "core/kvpr/layer_rows.h"
#include "core/kvpr/offloaded_decode_state.h"

namespace kvantage::inline kvpr {

OffloadedDecode::State::Place OffloadedDecode::State::place(std::size_t at) const {
  const std::size_t all = sequences.size(), depth = static_cast<std::size_t>(layers());
  if (options.order == BatchOrder::row) return {static_cast<int>(at % depth), at / depth, true, true};
  return {static_cast<int>(at / all), at % all, at % all == 0, at % all + 1 == all};
}

// Weights shared by all sequences are charged to each in equal parts.
RecomputeCosts OffloadedDecode::State::costs() const {
  StreamedWeights streamed{options.weights, 0, 0};
  if (weights) {
    const std::size_t sharing = column ? column->members() : sequences.size();
    const double share = options.order == BatchOrder::column ? 1.0 / static_cast<double>(sharing) : 1.0;
    streamed.key_value_bytes = share * static_cast<double>(weights->layer(0).key_value_bytes);
    streamed.other_bytes = share * static_cast<double>(weights->layer(0).other_bytes);
  }
  const auto schedule = options.resident ? RecomputeSchedule::row : RecomputeSchedule::column;
  return recompute_costs(schedule, TransferOverlap::across_layers, shape, options.profile.link, estimate.rate(), 1,
                         streamed, estimate.rest_seconds());
}

// Of a step: all members of a column, or this request beside what the others of its tier do meanwhile.
double OffloadedDecode::State::predicted_seconds(const LayerRequest& request) const {
  return column ? column->predicted_seconds_of_all() : (request.own + of_peers()).longer() * layers();
}

void OffloadedDecode::State::learn(const OffloadedStep& step) {
  if (options.frozen) return;
  estimate.learn((step.busy_seconds - step.recompute_seconds) / static_cast<double>(places()),
                 step.recompute_seconds / layers(), step.recomputed_tokens);
}

// In compute order: the first positions of the next step follow the last of this one.
Status OffloadedDecode::State::request_next() {
  const Place at = place(next_place);
  OffloadedSequence& sequence = *sequences[at.sequence];
  if (at.layer == 0) {
    sequence.solve(costs(), of_peers(), estimate, options.mode, options.resident.get());
    if (column) column->predict(sequence.newest.own.longer() * layers());
    if (peers) peers->note(sequence.newest.own);
  }
  std::vector<OffloadedLayer> decoded;
  for (std::size_t page = 0; page < sequence.newest.pages; ++page)
    decoded.push_back(sequence.pages.layer(page, at.layer));
  const bool alone = weights && at.weights_come && !column;
  if (column) {
    KV_ASSIGN(sequence.newest.matrices, column->request());
  }
  KV_TRY(stream.request(sequence.prompt->layer(at.layer), decoded,
                        {.recomputed = sequence.newest.recomputed, .from = sequence.newest.resident},
                        alone ? &weights->layer(at.layer) : nullptr, options.weights));
  if (column) KV_TRY(column->complete(sequence.newest.matrices));
  sequence.requests.push_back(sequence.newest);
  sequence.newest.matrices = nullptr;
  next_place = (next_place + 1) % places();
  return {};
}

void OffloadedDecode::State::take_down(OffloadedStep& step, OffloadedSpan::What what, const Place& at, double begin,
                                       double end, std::size_t bytes) const {
  if (options.spans)
    step.spans.push_back({what, at.layer, static_cast<int>(at.sequence), begin - step_began, end - step_began, bytes});
}

// While the rest of the layer is on its way.
Status OffloadedDecode::State::append_resident(const Place& at, OffloadedStep& step) {
  const ResidentRows* front = options.resident.get();
  if (front == nullptr) return {};
  const OffloadedSequence& sequence = *sequences[at.sequence];
  const LayerRequest& request = sequence.requests.front();
  const auto append = [&](std::int32_t first, int tokens, const auto& rows_of) -> Status {
    const double began = clock.seconds();
    KV_ASSIGN(const RowCodec::Rows resident, rows_of());
    if (front->are_inputs()) {
      const double computed = clock.seconds();
      step.recompute_seconds += computed - began;
      take_down(step, OffloadedSpan::What::recomputation, at, began, computed);
    }
    return append_rows(cache, at.layer, resident.keys, resident.values, first, tokens);
  };
  for (const OffloadedBlock& block : sequence.prompt->layer(at.layer).blocks) {
    if (block.first >= request.resident) break;
    KV_TRY(append(block.first, block.tokens,
                  [&] { return front->keys_values(at.layer, block.first, block.tokens, recompute); }));
  }
  const DecodedPages& pages = sequence.pages;
  for (std::size_t page = 0; page < request.pages && pages.first_of(page) < request.resident; ++page)
    KV_TRY(append(pages.first_of(page), pages.tokens_of(page),
                  [&] { return pages.recomputed(page, at.layer, recompute); }));
  return {};
}

// Until the layer is computed; another member may have read it.
Status OffloadedDecode::State::lend_shared(const Place& at, WeightPart part, OffloadedStep& step) {
  const auto& read = sequences[at.sequence]->requests.front().matrices;
  if (read == nullptr) return {};
  MatrixRead::Part& matrices = read->part(part);
  KV_TRY(column->wait(matrices));
  if (!std::exchange(matrices.noted, true))
    take_down(step, OffloadedSpan::What::weights, at, matrices.arrived_seconds - matrices.device_seconds,
              matrices.arrived_seconds, matrices.bytes);
  weights->lent().lend(at.layer, part, matrices.rows());
  return {};
}

Status OffloadedDecode::State::receive(const Place& at, OffloadedStep& step) {
  OffloadedSequence& sequence = *sequences[at.sequence];
  using Kind = StreamedBlock::Kind;
  const bool streams_matrices = weights && at.weights_come && !column;
  // Recomputation needs the layer's W_K and W_V.
  const Kind awaited = options.weights == WeightLoading::whole ? Kind::other_weights : Kind::key_value_weights;
  KV_TRY(lend_shared(at, WeightPart::keys_values, step));
  if (options.weights == WeightLoading::whole) KV_TRY(lend_shared(at, WeightPart::others, step));
  if (!streams_matrices) KV_TRY(append_resident(at, step));
  while (stream.blocks_left() > 0) {
    KV_ASSIGN(auto block, stream.take());
    using What = OffloadedSpan::What;
    const bool matrices = block.kind == Kind::key_value_weights || block.kind == Kind::other_weights;
    take_down(step,
              matrices                     ? What::weights
              : block.kind == Kind::inputs ? What::layer_inputs
                                           : What::keys_values,
              at, block.arrived_seconds - block.device_seconds, block.arrived_seconds, block.bytes);
    if (matrices) {
      weights->lent().lend(
          at.layer, block.kind == Kind::key_value_weights ? WeightPart::keys_values : WeightPart::others, block.rows());
      const Kind kind = block.kind;
      lent.push_back(std::move(block));
      if (kind == awaited) KV_TRY(append_resident(at, step));
      continue;
    }
    const double began = clock.seconds();
    KV_ASSIGN(const auto arrived, keys_values_of(block, at.layer, recompute, rows, clock, step.recompute_seconds));
    if (block.kind == Kind::inputs) take_down(step, What::recomputation, at, began, clock.seconds());
    KV_TRY(append_rows(cache, at.layer, arrived.keys, arrived.values, block.first, block.tokens));
  }
  if (options.weights == WeightLoading::keys_values_first) KV_TRY(lend_shared(at, WeightPart::others, step));
  stream.next_layer();
  KV_TRY(sequence.pages.append_held(cache, at.layer, sequence.requests.front().pages));
  lent_by_column = std::move(sequence.requests.front().matrices);
  sequence.requests.pop_front();
  return {};
}

Status OffloadedDecode::State::begin(std::span<const std::int32_t> tokens, Pass kind) {
  step_began = clock.seconds();
  Running& pass = running.emplace();
  pass.waited = waited_seconds();
  pass.inputs = stream.input_bytes();
  pass.keys_values = stream.kv_bytes();
  pass.matrices = weight_bytes();
  if (kind == Pass::feed) {
    pass.tokens = static_cast<int>(tokens.size());
    sequences.front()->pages.begin_pass(pass.tokens, DecodedPages::Pass::fed);
    pass.prefill.emplace(model, cache, std::vector<std::int32_t>(tokens.begin(), tokens.end()),
                         sequences.front()->position, PrefillOptions{.chunk_tokens = options.chunk_tokens});
    return {};
  }
  pass.decodes.reserve(sequences.size());
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    sequences[s]->pages.begin_pass(1, DecodedPages::Pass::decoded);
    pass.decodes.emplace_back(model, cache, tokens[s], sequences[s]->position);
  }
  return {};
}

Status OffloadedDecode::State::compute(const Place& at) {
  DecodedPages& pages = sequences[at.sequence]->pages;
  std::optional<CaptureLayerInputs> capture;
  if (pages.wants_inputs()) capture.emplace(model, pages);
  return running->prefill ? running->prefill->step() : running->decodes[at.sequence].step();
}

Status OffloadedDecode::State::run_layer() {
  Running& pass = *running;
  const double start = clock.seconds(), waited = waited_seconds();
  const Place at = place(pass.place);
  OffloadedSequence& sequence = *sequences[at.sequence];
  if (at.layer == 0) {
    pass.step.recomputed_tokens += sequence.requests.front().recomputed;
    pass.step.streamed_tokens += sequence.requests.front().streamed;
    pass.step.predicted_seconds += predicted_seconds(sequence.requests.front());
  }
  KV_TRY(receive(at, pass.step));
  KV_TRY(request_next());  // its buffers are free: the tier continues while this layer computes
  const double began = clock.seconds();
  KV_TRY(compute(at));
  const double computed = clock.seconds();
  take_down(pass.step, OffloadedSpan::What::layer, at, began, computed);
  sequence.pages.take_rows(cache, at.layer);
  clear_layer(cache, at.layer);
  if (weights && at.weights_go) {
    weights->lent().release(at.layer);
    lent.clear();
    lent_by_column.reset();
  }
  pass.step.busy_seconds += clock.seconds() - start - (waited_seconds() - waited);
  if (column) column->computed_layer();
  return ++pass.place == places() ? end() : Status();
}

Status OffloadedDecode::State::end() {
  Running& pass = *running;
  OffloadedStep& step = pass.step;
  const double began = clock.seconds();
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    OffloadedSequence& sequence = *sequences[s];
    KV_TRY(sequence.pages.end_pass(options.frozen));
    // The oldest layer in flight relies on the fewest pages; later requests rely on those written by now.
    sequence.pages.release(sequence.requests.empty() ? sequence.pages.written_pages()
                                                     : sequence.requests.front().pages);
    const std::span<const float> logits = pass.prefill ? pass.prefill->logits() : pass.decodes[s].logits();
    sequence.logits.assign(logits.begin(), logits.end());
    sequence.position += pass.tokens;
  }
  step.input_bytes = stream.input_bytes() - pass.inputs;
  step.kv_bytes = stream.kv_bytes() - pass.keys_values;
  step.weight_bytes = weight_bytes() - pass.matrices;
  step.waited_seconds = waited_seconds() - pass.waited;
  const double now = clock.seconds();
  step.busy_seconds += now - began;
  step.seconds = now - step_began;
  if (!pass.prefill) learn(step);  // the other compute of a prefill is not that of a decode
  steps.push_back(std::move(step));
  running.reset();
  return {};
}

}  // namespace kvantage::inline kvpr
