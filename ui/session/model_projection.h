// Models as projections of a run, by the functions that they have anyway; apply() is left to the row of the model.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "ui/session/run_projection.h"

namespace kvantage {

/// A model whose content is a value. `content` and `set_content` copy it, `swap_content` exchanges it (and what else
/// goes with it) with that of another such model. A default content is that of a run that has not begun.
template <class Model, auto content, auto set_content, auto swap_content>
class ModelProjection : public RunProjection {
 public:
  explicit ModelProjection(Model& model) : model_(model) {}

  State save() const override { return std::make_shared<const Content>(std::invoke(content, std::as_const(model_))); }
  void restore(const State& state) override {
    if (state)
      std::invoke(set_content, model_, *static_cast<const Content*>(state.get()));
    else
      std::invoke(set_content, model_, Content{});
  }
  void swap(Stashed& stashed) override {
    if (!stashed) stashed = std::make_shared<Model>();
    std::invoke(swap_content, model_, *static_cast<Model*>(stashed.get()));
  }

 protected:
  using Content = std::remove_cvref_t<std::invoke_result_t<decltype(content), const Model&>>;
  Model& model_;
};

/// A model of rows that takes many at once.
template <class Model>
class LogProjection : public RunProjection {
 public:
  explicit LogProjection(Model& model) : model_(model) {}

  State save() const override { return nullptr; }
  void restore(const State& /*state*/) override {}
  void swap(Stashed& stashed) override {
    if (!stashed) stashed = std::make_shared<Model>();
    model_.swap_content(*static_cast<Model*>(stashed.get()));
  }
  bool logs() const override { return true; }
  void begin_batch() override { model_.begin_batch(); }
  void end_batch() override { model_.end_batch(); }

 protected:
  Model& model_;
};

}  // namespace kvantage
