#include "ui/session/selection.h"

namespace kvantage {

void Selection::choose_context(const QString& context) {
  if (!context.isEmpty()) {
    choose_contexts({});
    choose_requests({});
  }
  if (context == context_) return;
  context_ = context;
  const bool had_request = request_ != 0;
  request_ = 0;
  emit contextChanged(context_);
  if (had_request) emit requestChanged(0);
}

void Selection::choose_contexts(const std::set<QString>& contexts) {
  if (contexts == contexts_) return;
  contexts_ = contexts;
  emit contextsChanged();
}

void Selection::choose_requests(const std::set<std::uint64_t>& requests) {
  if (requests == requests_) return;
  requests_ = requests;
  emit requestsChanged();
}

void Selection::choose_request(std::uint64_t request, const QString& context) {
  choose_context(context);
  if (request == request_) return;
  request_ = request;
  emit requestChanged(request_);
}

void Selection::forget_requests() {
  choose_requests({});
  if (request_ == 0) return;
  request_ = 0;
  emit requestChanged(0);
}

void Selection::choose_family(const QString& family) {
  if (family == family_) return;
  family_ = family;
  emit familyChanged(family_);
}

void Selection::hover(const QString& context) {
  if (context == hovered_) return;
  hovered_ = context;
  emit hoveredChanged(hovered_);
}

bool Selection::clear() {
  if (!context_.isEmpty() || request_ != 0 || !contexts_.empty() || !requests_.empty()) {
    choose_contexts({});
    choose_requests({});
    choose_request(0, {});
    return true;
  }
  const bool had_family = !family_.isEmpty();
  choose_family({});
  return had_family;
}

}  // namespace kvantage
