// Literals and comments of a C++ source, for tests that compare texts of the sources.
#pragma once

#include <QString>
#include <vector>

namespace kvantage::test {

struct Literal {
  QString text, before;  // `before`: code in front of it on this and earlier lines
  int line = 0;
};

/// Literals of C++ without those of comments and include lines; neighbors are one.
class LiteralReader {
 public:
  explicit LiteralReader(QString source) : source_(std::move(source)) {}

  std::vector<Literal> read() {
    while (at_ < source_.size()) {
      if (starts("//"))
        take_comment(source_.indexOf('\n', at_));
      else if (starts("/*"))
        take_comment(source_.indexOf("*/", at_) + 2);
      else if (starts("R\"("))
        take(at_ + 3, source_.indexOf(")\"", at_), 2);
      else if (source_[at_] == '"')
        take(at_ + 1, end_of(at_, '"'), 1);
      else if (source_[at_] == '\'' && (at_ == 0 || !source_[at_ - 1].isLetterOrNumber()))
        skip(end_of(at_, '\'') + 1);
      else
        take_code();
    }
    return std::move(found_);
  }
  /// After read(). `before` is empty.
  const std::vector<Literal>& comments() const { return comments_; }
  /// After read(): the source without literals and comments, with all its lines.
  const QString& code() const { return bare_; }

 private:
  bool starts(const char* text) const { return QStringView(source_).mid(at_).startsWith(QLatin1String(text)); }
  void take_code() {
    code_ += source_[at_];
    bare_ += source_[at_++];
  }
  void skip(qsizetype to) {
    const qsizetype end = to < at_ ? source_.size() : to;
    bare_ += ' ' + QString(QStringView(source_).mid(at_, end - at_).count('\n'), '\n');
    at_ = end;
  }
  void take_comment(qsizetype to) {
    const int line = static_cast<int>(QStringView(source_).left(at_).count('\n')) + 1;
    comments_.push_back({source_.mid(at_, to < at_ ? -1 : to - at_), {}, line});
    skip(to);
  }
  qsizetype end_of(qsizetype from, QChar quote) const {
    qsizetype at = from + 1;
    while (at < source_.size() && source_[at] != quote) at += source_[at] == '\\' ? 2 : 1;
    return at;
  }
  void take(qsizetype from, qsizetype to, int closing) {
    const QString text = source_.mid(from, to - from);
    const bool neighbor = !found_.empty() && code_.trimmed().isEmpty();
    if (neighbor) {
      found_.back().text += text;
    } else {
      const QString include = code_.mid(code_.lastIndexOf('\n') + 1).trimmed();
      before_ = (before_ + code_).right(300);
      if (!include.startsWith("#include"))
        found_.push_back({text, before_, static_cast<int>(QStringView(source_).left(from).count('\n')) + 1});
      before_ += "\"\"";
    }
    code_.clear();
    skip(to + closing);
  }

  QString source_, code_, before_, bare_;
  qsizetype at_ = 0;
  std::vector<Literal> found_, comments_;
};

}  // namespace kvantage::test
