// Decode-offload: the tier that holds contexts while their answers are decoded, the split, what of the context stays in
// memory, a codec, whether the model's matrices are streamed, and how requests side by side decode. A change gives the
// whole setting as text.
#pragma once

#include <QComboBox>
#include <QWidget>
#include <string>

#include "core/ports/session.h"

namespace kvantage {

class OffloadControls : public QWidget {
  Q_OBJECT
 public:
  explicit OffloadControls(QWidget* parent = nullptr);
  /// Of its tiers, those that decode_offload may name are offered.
  void show_settings(const SessionSettings& settings);
  QComboBox& tier() { return *tier_; }
  QComboBox& split() { return *split_; }
  QComboBox& resident() { return *resident_; }
  QComboBox& codec() { return *codec_; }
  QComboBox& weights() { return *weights_; }
  QComboBox& batch() { return *batch_; }

 signals:
  /// The setting in canonical text.
  void chosen(const std::string& setting);

 private:
  /// by: the control that was moved.
  void choose(const QComboBox* by);

  QComboBox* tier_;
  QComboBox* split_;
  QComboBox* resident_;
  QComboBox* codec_;
  QComboBox* weights_;
  QComboBox* batch_;
};

/// "ssd, loading only"; "off".
QString decode_offload_text(const std::string& setting);

}  // namespace kvantage
