#include "core/inspect/inspection_mailbox.h"

#include <utility>

namespace kvantage::inline inspection {

std::uint64_t InspectionMailbox::ask(const KeepMapRequest& request) {
  const std::lock_guard lock(mutex_);
  news_ = {.dropped = false, .asked = Asked{++ticket_, request}};
  return ticket_;
}

std::uint64_t InspectionMailbox::refuse(const KeepMapRequest& request, std::string error) {
  auto refused = std::make_shared<KeepMapResult>();
  refused->request = request;
  refused->complete = true;
  refused->error = std::move(error);
  const std::lock_guard lock(mutex_);
  refused->ticket = ++ticket_;
  result_ = std::move(refused);
  return ticket_;
}

void InspectionMailbox::drop() {
  const std::lock_guard lock(mutex_);
  news_ = {.dropped = true, .asked = std::nullopt};
}

bool InspectionMailbox::has_news() const {
  const std::lock_guard lock(mutex_);
  return news_.dropped || news_.asked;
}

InspectionMailbox::News InspectionMailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void InspectionMailbox::publish(std::string work, std::shared_ptr<const KeepMapResult> result) {
  const std::lock_guard lock(mutex_);
  work_ = std::move(work);
  if (result != nullptr) result_ = std::move(result);
}

std::shared_ptr<const KeepMapResult> InspectionMailbox::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

std::string InspectionMailbox::work() const {
  const std::lock_guard lock(mutex_);
  return work_;
}

}  // namespace kvantage::inline inspection
