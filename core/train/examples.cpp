#include "core/train/examples.h"

#include <algorithm>

#include "core/train/sentence_index.h"
#include "core/workload/families/lexicon.h"
#include "core/workload/families/split.h"

namespace kvantage::inline training {
namespace {

constexpr std::size_t max_brief_tokens = 8;  // of an answer, including its end token
constexpr std::size_t edge_tokens = 2;       // at the start of a long answer: a name

/// A sequence under construction: ends without a partial answer.
struct Row {
  std::int64_t* tokens;
  float* weights;
  std::uint8_t* is_answer;
  std::size_t length;
  std::size_t used = 0;

  bool fits(std::size_t count) const { return used + count <= length; }
  void put(std::uint32_t token, float weight, bool answer) {
    // The weight belongs to the position that predicts this token.
    if (used > 0) {
      weights[used - 1] = weight;
      is_answer[used - 1] = answer ? 1 : 0;
    }
    tokens[used++] = token;
  }
};

}  // namespace

ExampleMaker::ExampleMaker(const TokenizerSpec& spec, const ExampleOptions& options)
    : encoder_(spec), options_(options) {
  for (const std::string& piece : lexicon_pieces()) {
    // Pieces of the lexicon are single tokens by construction of the tokenizer.
    (void)encoder_.append(piece, words_);
    if (words_.back() >= word_text_.size()) word_text_.resize(words_.back() + 1);
    word_text_[words_.back()] = piece.starts_with(' ') ? piece.substr(1) : piece;
  }
}

Expected<Batch> ExampleMaker::make(std::size_t sequences, std::size_t length, bool first_lesson, Random& random,
                                   Workers& workers) const {
  Batch batch;
  batch.sequences = sequences;
  batch.length = length;
  const std::size_t size = sequences * length;
  batch.tokens.assign(size, TokenizerSpec::pad);
  batch.positions.assign(size, 0);
  batch.weights.assign(size, 0.0f);
  batch.is_answer.assign(size, 0);
  batch.parts.assign(sequences, {});
  const std::uint64_t seed = random.next();
  std::vector<Status> written(sequences);
  workers.run(sequences, [&](std::size_t row) {
    Random of_row(derive_seed(seed, row));
    written[row] = write_row(batch, row, first_lesson, of_row);
  });
  for (const Status& status : written) KV_TRY(status);
  return batch;
}

Status ExampleMaker::write_row(Batch& batch, std::size_t row, bool first_lesson, Random& random) const {
  const double kind = random.uniform();
  if (kind < options_.repeat_fraction) {
    write_repeat(batch, row, random);
  } else if (!first_lesson && kind < options_.repeat_fraction + options_.pair_fraction) {
    write_pairs(batch, row, random);
  } else {
    KV_TRY(write_questions(batch, row, first_lesson, random));
  }
  write_positions(batch, row, first_lesson ? 0.0 : options_.gap_fraction, random);
  return {};
}

// The text of one sequence, at most `room` tokens long, and questions for the rest.
GeneratedContext ExampleMaker::write_text(std::size_t length, std::size_t room, bool first_lesson,
                                          Random& random) const {
  constexpr double filler_fractions[] = {0.0, 0.3, 0.6};
  constexpr double neighbor_fractions[] = {0.2, 0.2, 0.2, 0.6};
  FamilyParams params;
  params.question_limit = std::max<std::size_t>(1, length / 32) * 2;
  params.split = KeySplit::training;
  params.name_share = first_lesson ? 0.25 : 1.0;
  params.filler_fraction = filler_fractions[random.below(3)];
  params.neighbor_fraction = neighbor_fractions[random.below(4)];
  // Long answers share the remaining length.
  params.answer_tokens = std::max<std::size_t>(12, (length - room) / (1 + random.below(12)));
  params.target_tokens = std::max<std::size_t>(4, room - std::min<std::size_t>(room / 2, 8));
  // Long answers are one family's whole task, and the hardest one: they are oversampled.
  const auto any = [&]() -> const Family& {
    if (first_lesson) return families().front();
    const bool with_long_answers = random.uniform() < options_.long_fraction;
    const Family* family = nullptr;
    do family = &families()[random.below(families().size())];
    while (family->long_answers != with_long_answers);
    return *family;
  };
  const Family& first = any();
  const bool mixed = !first_lesson && length >= 256 && random.uniform() < options_.mixed_fraction;
  if (!mixed) return first.generate(params, random);
  // Two texts of one family could give one key two values.
  const Family* other = &first;
  while (other == &first) other = &any();
  params.target_tokens /= 2;
  GeneratedContext context = first.generate(params, random);
  GeneratedContext second = other->generate(params, random);
  context.text += " " + second.text;
  for (GeneratedQuestion& question : second.questions) context.questions.push_back(std::move(question));
  random.shuffle(std::span(context.questions));
  return context;
}

Status ExampleMaker::write_questions(Batch& batch, std::size_t row_index, bool first_lesson, Random& random) const {
  const std::size_t offset = row_index * batch.length;
  Row row{&batch.tokens[offset], &batch.weights[offset], &batch.is_answer[offset], batch.length};
  constexpr std::size_t tokens_per_question = 17;  // with its answer, on average
  const std::size_t questions = std::max<std::size_t>(1, batch.length / 32);
  // Half of the sequence for questions, sometimes less: texts should also occur at nearly full length.
  const bool is_long = batch.length >= 2048;
  const std::uint64_t kind = random.below(3);
  const std::size_t share = kind == 0 ? (is_long ? 10 : 4) : kind == 1 && is_long ? 4 : 2;
  const std::size_t for_questions = std::min(batch.length / share, questions * tokens_per_question);
  std::size_t room = batch.length - for_questions;
  // A text that leaves no space for a question teaches nothing: generate a slightly shorter one.
  std::vector<std::uint32_t> text;
  GeneratedContext context;
  for (;;) {
    context = write_text(batch.length, room, first_lesson, random);
    text.assign(1, TokenizerSpec::context);
    KV_TRY(encoder_.append(" " + context.text, text));
    if (text.size() + tokens_per_question + 8 <= batch.length && !context.questions.empty()) break;
    room = std::max<std::size_t>(12, room - 4);
  }
  const auto put_text = [&](std::uint32_t token) {
    const bool sampled = random.uniform() < options_.text_sample;
    row.put(token, sampled ? static_cast<float>(options_.text_weight / options_.text_sample) : 0.0f, false);
  };
  for (std::uint32_t token : text) put_text(token);
  std::vector<std::uint32_t> ask;
  std::vector<std::uint32_t> reply;
  const SentenceIndex sentences(context.text);
  for (const GeneratedQuestion& question : context.questions) {
    const bool continues = !first_lesson && random.uniform() < options_.continue_fraction;
    const auto continuation = continues ? sentences.draw(random) : std::nullopt;
    const GeneratedQuestion& asked = continuation ? *continuation : question;
    ask.assign(1, TokenizerSpec::question);
    KV_TRY(encoder_.append(" " + asked.question, ask));
    ask.push_back(TokenizerSpec::answer);
    reply.clear();
    KV_TRY(encoder_.append(" " + asked.answer, reply));
    reply.push_back(TokenizerSpec::end);
    if (!row.fits(ask.size() + reply.size())) continue;
    for (std::uint32_t token : ask) put_text(token);
    // Word-by-word copies are learned quickly: only lookups count as answers and get the full weight.
    const bool brief = reply.size() <= max_brief_tokens;
    for (std::size_t i = 0; i < reply.size(); ++i) {
      // The question gives the start of a long answer; all following steps are alike.
      const double weight = brief ? 1.0 : i < edge_tokens ? options_.long_edge_weight : options_.long_answer_weight;
      row.put(reply[i], static_cast<float>(weight), brief);
    }
  }
  batch.parts[row_index] = {text.size(), row.used};
  return {};
}

// Random words twice, each followed by a constant stretch of up to three words that differs between the two passes. The
// next word must be found by a word several positions back: the primitive behind key lookup, practiced many times per
// sequence. No two adjacent words form a held-out key.
void ExampleMaker::write_repeat(Batch& batch, std::size_t row_index, Random& random) const {
  const std::size_t offset = row_index * batch.length;
  Row row{&batch.tokens[offset], &batch.weights[offset], &batch.is_answer[offset], batch.length};
  const auto stretch = [&] {
    std::vector<std::uint32_t> tokens(random.below(4));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = i == 0 ? any_word(random) : word_beside({&tokens[i - 1], 1}, {}, random);
    return tokens;
  };
  const std::vector<std::uint32_t> first_stretch = stretch(), second_stretch = stretch();
  std::vector<std::uint32_t> after;  // what follows a word
  for (const auto* tokens : {&first_stretch, &second_stretch})
    if (!tokens->empty()) after.push_back(tokens->front());
  std::vector<std::uint32_t> words(batch.length / (2 + first_stretch.size() + second_stretch.size()));
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::uint32_t> before;
    for (const auto* tokens : {&first_stretch, &second_stretch}) {
      if (!tokens->empty())
        before.push_back(tokens->back());
      else if (i > 0)
        before.push_back(words[i - 1]);
    }
    words[i] = word_beside(before, after, random);
    row.put(words[i], 0.0f, false);
    for (std::uint32_t between : first_stretch) row.put(between, 0.0f, false);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    row.put(words[i], i > 0 ? static_cast<float>(options_.repeat_weight) : 0.0f, false);  // the first is unpredictable
    for (std::uint32_t between : second_stretch) row.put(between, 0.0f, false);
  }
}

// The simplest form of lookup, with any words as keys: "a b link value ." many times, then "ask a b ? value".
void ExampleMaker::write_pairs(Batch& batch, std::size_t row_index, Random& random) const {
  const std::size_t offset = row_index * batch.length;
  Row row{&batch.tokens[offset], &batch.weights[offset], &batch.is_answer[offset], batch.length};
  constexpr double neighbors = 0.2;
  struct Record {
    std::uint32_t first, second, value;
  };
  const auto words = [&](std::size_t count) {
    std::vector<std::uint32_t> tokens;
    while (tokens.size() < count)
      tokens.push_back(tokens.empty() ? any_word(random) : word_beside({&tokens.back(), 1}, {}, random));
    return tokens;
  };
  const std::vector<std::uint32_t> link = words(1 + random.below(2)), ask = words(1 + random.below(3));
  const std::uint32_t stop = any_word(random), mark = any_word(random);
  const std::size_t record_tokens = 4 + link.size(), question_tokens = 7 + ask.size();
  std::vector<Record> records((batch.length - 1) / (record_tokens + question_tokens));
  row.put(TokenizerSpec::context, 0.0f, false);
  for (std::size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    record.first = word_beside(std::vector{stop, ask.back()}, {}, random);
    record.second = word_beside({&record.first, 1}, std::vector{link.front(), mark}, random);
    record.value = word_beside({&link.back(), 1}, {&stop, 1}, random);
    if (i > 0 && random.uniform() < neighbors) {
      const Record& earlier = records[random.below(i)];
      Record like = record;
      (random.below(2) == 0 ? like.first : like.second) = random.below(2) == 0 ? earlier.first : earlier.second;
      if (may_stand(like.first, like.second) && may_stand(stop, like.first) && may_stand(ask.back(), like.first) &&
          may_stand(like.second, link.front()) && may_stand(like.second, mark))
        record = like;
    }
    row.put(record.first, 0.0f, false);
    row.put(record.second, 0.0f, false);
    for (std::uint32_t token : link) row.put(token, 0.0f, false);
    row.put(record.value, 0.0f, false);
    row.put(stop, 0.0f, false);
  }
  random.shuffle(std::span(records));
  for (const Record& record : records) {
    row.put(TokenizerSpec::question, 0.0f, false);
    for (std::uint32_t token : ask) row.put(token, 0.0f, false);
    row.put(record.first, 0.0f, false);
    row.put(record.second, 0.0f, false);
    row.put(mark, 0.0f, false);
    row.put(TokenizerSpec::answer, 0.0f, false);
    row.put(record.value, static_cast<float>(options_.repeat_weight), false);
    row.put(TokenizerSpec::end, 0.0f, false);
  }
}

std::uint32_t ExampleMaker::any_word(Random& random) const { return words_[random.below(words_.size())]; }

bool ExampleMaker::may_stand(std::uint32_t left, std::uint32_t right) const {
  return split_of_pair(word_text_[left], word_text_[right]) == KeySplit::training;
}

std::uint32_t ExampleMaker::word_beside(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right,
                                        Random& random) const {
  for (;;) {
    const std::uint32_t word = any_word(random);
    if (std::ranges::all_of(left, [&](std::uint32_t other) { return may_stand(other, word); }) &&
        std::ranges::all_of(right, [&](std::uint32_t other) { return may_stand(word, other); }))
      return word;
  }
}

void ExampleMaker::write_positions(Batch& batch, std::size_t row_index, double gap_fraction, Random& random) const {
  std::int32_t* positions = &batch.positions[row_index * batch.length];
  std::vector<std::size_t> jumps;
  std::int32_t room = static_cast<std::int32_t>(options_.max_position) - static_cast<std::int32_t>(batch.length);
  if (room > 0 && random.uniform() < gap_fraction) {
    // One to four jumps anywhere; together they may use up all positions.
    jumps.resize(1 + random.below(4));
    for (std::size_t& jump : jumps) jump = 1 + random.below(batch.length - 1);
    std::sort(jumps.begin(), jumps.end());
  }
  std::int32_t position = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < batch.length; ++i, ++position) {
    while (next < jumps.size() && jumps[next] == i) {
      const auto share = static_cast<std::uint64_t>(room) / (jumps.size() - next);
      const auto jump = static_cast<std::int32_t>(random.below(share + 1));
      position += jump;
      room -= jump;
      ++next;
    }
    positions[i] = position;
  }
}

Expected<std::vector<ExampleMaker::Probe>> ExampleMaker::probes(const Family& family, std::size_t context_tokens,
                                                                std::size_t count, Random& random) const {
  constexpr std::size_t per_context = 4;
  constexpr double filler_fractions[] = {0.0, 0.3, 0.6};
  std::vector<Probe> result;
  while (result.size() < count) {
    FamilyParams params;
    params.target_tokens = context_tokens;
    params.filler_fraction = filler_fractions[random.below(3)];
    params.question_limit = per_context;
    params.split = KeySplit::held_out;
    const GeneratedContext context = family.generate(params, random);
    for (const GeneratedQuestion& question : context.questions) {
      if (result.size() == count) break;
      std::vector<std::uint32_t> tokens{TokenizerSpec::context};
      KV_TRY(encoder_.append(" " + context.text, tokens));
      tokens.push_back(TokenizerSpec::question);
      KV_TRY(encoder_.append(" " + question.question, tokens));
      tokens.push_back(TokenizerSpec::answer);
      Probe probe;
      probe.prompt_tokens = tokens.size();
      KV_TRY(encoder_.append(" " + question.answer, tokens));
      tokens.push_back(TokenizerSpec::end);
      probe.tokens.assign(tokens.begin(), tokens.end());
      result.push_back(std::move(probe));
    }
  }
  return result;
}

}  // namespace kvantage::inline training
