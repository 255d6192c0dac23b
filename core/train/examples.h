// Training data: batches of texts followed by questions and answers, and of random tokens that repeat. No tensors here,
// so that the data can be inspected and tested alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/train/tokenizer_file.h"
#include "core/train/workers.h"
#include "core/workload/families/families.h"

namespace kvantage::inline training {

/// Sequences of one length, row by row. `weights` are per predicted token: entry i is the loss weight of predicting
/// token i + 1 of the row from the tokens up to i (the last entry of a row is 0).
struct Batch {
  std::size_t sequences = 0;
  std::size_t length = 0;
  std::vector<std::int64_t> tokens;     // [sequences, length]
  std::vector<std::int32_t> positions;  // [sequences, length], ascending, with gaps
  std::vector<float> weights;           // [sequences, length]
  std::vector<std::uint8_t> is_answer;  // [sequences, length], 1 where the predicted token belongs to an answer
  struct Parts {
    std::size_t context_tokens = 0;  // of a text with questions; 0 for other sequences
    std::size_t tokens = 0;          // without padding
  };
  std::vector<Parts> parts;  // [sequences]
};

struct ExampleOptions {
  double repeat_fraction = 0.1;       // of sequences: random words, repeated once
  double pair_fraction = 0.1;         // of sequences: random keys with values, each queried once
  double repeat_weight = 0.5;         // loss weight of the repeated half and of values
  double text_weight = 0.02;          // loss weight of context and question tokens
  double text_sample = 0.25;          // share of those tokens whose loss is computed (reweighted accordingly)
  double mixed_fraction = 0.1;        // of texts: two concatenated families
  double continue_fraction = 0.1;     // of questions: a sentence of the text to continue
  double long_fraction = 0.2;         // of texts: families with long answers
  double long_answer_weight = 0.5;    // loss weight of tokens in answers longer than a few words
  double long_edge_weight = 4.0;      // ... of the first two of them
  double gap_fraction = 0.3;          // of sequences: positions with jumps, to learn long distances cheaply
  std::uint32_t max_position = 4608;  // twice 2,048 and a question
};

class ExampleMaker {
 public:
  ExampleMaker(const TokenizerSpec& spec, const ExampleOptions& options);
  /// `first_lesson`: only the simplest family with a quarter of the names. Each sequence has a seed of its own, so that
  /// the workers make the same batch whatever their number.
  Expected<Batch> make(std::size_t sequences, std::size_t length, bool first_lesson, Random& random,
                       Workers& workers) const;

  /// One held-out question after its context, for evaluation: the answer tokens follow the prompt.
  struct Probe {
    std::vector<std::int64_t> tokens;
    std::size_t prompt_tokens = 0;  // tokens before the answer; the answer ends with <|end|>
  };
  /// `count` probes, a few per generated context of about `context_tokens`.
  Expected<std::vector<Probe>> probes(const Family& family, std::size_t context_tokens, std::size_t count,
                                      Random& random) const;

 private:
  GeneratedContext write_text(std::size_t length, std::size_t room, bool first_lesson, Random& random) const;
  Status write_questions(Batch& batch, std::size_t row, bool first_lesson, Random& random) const;
  void write_repeat(Batch& batch, std::size_t row, Random& random) const;
  void write_pairs(Batch& batch, std::size_t row, Random& random) const;
  Status write_row(Batch& batch, std::size_t row, bool first_lesson, Random& random) const;
  void write_positions(Batch& batch, std::size_t row, double gap_fraction, Random& random) const;

  std::uint32_t any_word(Random& random) const;
  /// A word that forms no held-out key with its left or right neighbor.
  std::uint32_t word_beside(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right,
                            Random& random) const;
  bool may_stand(std::uint32_t left, std::uint32_t right) const;

  PieceEncoder encoder_;
  ExampleOptions options_;
  std::vector<std::uint32_t> words_;    // tokens that are whole pieces of the lexicon
  std::vector<std::string> word_text_;  // by token, without the space before
};

}  // namespace kvantage::inline training
