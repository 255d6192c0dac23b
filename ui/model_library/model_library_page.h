// The mode Models: the models that the window knows of at the left; at the right what the selected one is, whether it
// fits into memory, and how fast it is here. Opening one is for the window, which asks before it ends the run.
#pragma once

#include <QDate>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>

#include "ui/files/products_box.h"
#include "ui/look/theme.h"
#include "ui/model_library/model/model_facts_table.h"
#include "ui/model_library/model/model_library.h"
#include "ui/model_library/model/model_speed.h"
#include "ui/session/run_model.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

struct DockContext;

class ModelLibraryPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  using Open = std::function<void(const QString& path)>;
  using Today = std::function<QDate()>;
  /// The free memory is read so often while the page is shown.
  static constexpr int memory_ms = 3000;
  /// Requests of a session after which its speed is kept, even if the page was never shown.
  static constexpr std::uint64_t worth_keeping = 20;

  /// settings_file: of the window; folders, recent files and measured speeds are in it.
  ModelLibraryPage(RunModel& run, const KnownModels& known, const QString& settings_file,
                   Today today = &QDate::currentDate, QWidget* parent = nullptr);
  ~ModelLibraryPage() override;
  /// Without a catalog no facts are known; without `open` no model can be opened from here.
  void attach(std::shared_ptr<const ModelCatalog> catalog, Open open);
  /// Models can be opened with other matrix products than those of the session, which are these: the loaded one, too.
  void offer_products(const QString& of_session);
  void set_theme(const Theme& theme) override;

  ModelLibrary& library() { return library_; }
  QTableView& list() { return *list_; }
  ModelFactsTable& facts() { return facts_; }
  QSpinBox& context() { return *context_; }
  ProductsBox& products() { return *products_; }
  QPushButton& open_button() { return *open_; }
  QPushButton& folders_button() { return *folders_; }
  QString verdict() const { return verdict_->text(); }
  void choose(const QString& path);
  QString chosen() const { return chosen_; }
  void open_chosen();
  /// Brings what is shown of the selected model up to date now.
  void flush() { lazy_->flush(); }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_list();
  QWidget* make_page();
  void connect_parts();
  void ask_for_folder();
  void show_folders();
  void show_chosen();
  void keep_speed();
  std::optional<ModelSpeed> speed_for(const LibraryEntry& entry) const;

  RunModel& run_;
  QSettings settings_;
  ModelLibrary library_;
  ModelFactsTable facts_;
  MeasuredSpeeds speeds_;
  Today today_;
  Open open_model_;
  QString chosen_;
  QTableView *list_, *facts_view_;
  QPushButton *open_ = nullptr, *folders_ = nullptr, *refresh_ = nullptr;
  QLabel *title_, *path_, *verdict_;
  QSpinBox* context_;
  ProductsBox* products_;
  QString session_products_;  // empty: no others can be chosen
  EmptyNote* empty_ = nullptr;
  LazyRefresh* lazy_ = nullptr;
  QTimer memory_timer_;
};

QWidget* make_model_library_page(const DockContext& context);

}  // namespace kvantage
