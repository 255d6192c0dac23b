// What the user has chosen: a context, one of its requests, several contexts or requests at once, a family, and what
// the mouse is over. One for the window; a view that shows any of it listens here, and one that lets the user choose
// sets it here.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <set>

#include "ui/session/time_cursor.h"

namespace kvantage {

class Selection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// As in the workload; empty: none.
  QString context() const { return context_; }
  /// A request of the chosen context; 0: none.
  std::uint64_t request() const { return request_; }
  /// A brushed set, for comparing them with the others; empty: none.
  const std::set<QString>& chosen_contexts() const { return contexts_; }
  /// A brushed set of requests; empty: none.
  const std::set<std::uint64_t>& chosen_requests() const { return requests_; }
  /// Empty: all families.
  QString family() const { return family_; }
  /// The context under the mouse; empty: none.
  QString hovered() const { return hovered_; }
  /// The moment under the mouse, on every time chart.
  TimeCursor& time() const { return *time_; }

  /// Another context has other requests: the request is deselected. One that is chosen clears the brushed sets.
  void choose_context(const QString& context);
  /// The single context stays as it is.
  void choose_contexts(const std::set<QString>& contexts);
  /// The single request stays as it is.
  void choose_requests(const std::set<std::uint64_t>& requests);
  void choose_request(std::uint64_t request, const QString& context);
  /// Another run, or another moment of a recorded one: neither the request nor the brushed set of them is of it.
  /// Contexts stay.
  void forget_requests();
  void choose_family(const QString& family);
  void hover(const QString& context);
  /// Clears context, request and brushed sets; without any of these, the family. False: nothing was selected.
  bool clear();

 signals:
  void contextChanged(const QString& context);
  void contextsChanged();
  void requestsChanged();
  void requestChanged(quint64 request);
  void familyChanged(const QString& family);
  void hoveredChanged(const QString& context);

 private:
  QString context_, family_, hovered_;
  std::set<QString> contexts_;
  std::set<std::uint64_t> requests_;
  std::uint64_t request_ = 0;
  TimeCursor* time_ = new TimeCursor(this);
};

}  // namespace kvantage
