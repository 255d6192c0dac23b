// Orders between threads that the thread sanitizer does not see, because the libraries that make them are not compiled
// with it: Qt hands work from one thread to another, libgomp starts and joins the threads of a parallel region. The
// functions below stand before those of the same name in the libraries, and tell the sanitizer. Only thread_tests links
// them (tests/CMakeLists.txt).
#include <dlfcn.h>
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <sched.h>

#include <QCoreApplication>
#include <QEvent>
#include <QMetaObject>
#include <QThread>
#include <cstdlib>
#include <future>
#include <utility>

namespace {

/// A library's own function behind the one of this name here.
template <class Function>
Function* in_library(const char* name) {
  void* const found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

/// What is posted to another thread: it runs after what came before the post, and goes after it has run.
class Posted final : public QtPrivate::QSlotObjectBase {
 public:
  explicit Posted(QSlotObjectBase* slot) : QSlotObjectBase(&Posted::told), slot_(slot) { __tsan_release(this); }

 private:
  static void told(int what, QSlotObjectBase* self, QObject* receiver, void** arguments, bool* equal) {
    auto* const posted = static_cast<Posted*>(self);
    __tsan_acquire(posted);
    if (what == Compare) {
      *equal = posted->slot_ != nullptr && posted->slot_->compare(arguments);
      return;
    }
    if (what == Call) posted->slot_->call(receiver, arguments);
    if (QSlotObjectBase* const done = std::exchange(posted->slot_, nullptr)) done->destroyIfLastRef();
    __tsan_release(posted);
    if (what == Destroy) delete posted;
  }

  QSlotObjectBase* slot_;
};

// Emissions on other threads than the application's. Their arguments are copied before they return, and delivered when
// they have returned. The count itself orders nothing that the sanitizer sees.
char emitted;
int emitting = 0;
pthread_t application_thread;

__attribute__((no_sanitize_thread)) void count_emissions(int change) {
  __atomic_fetch_add(&emitting, change, __ATOMIC_SEQ_CST);
}
__attribute__((no_sanitize_thread)) void wait_for_emissions() {
  while (__atomic_load_n(&emitting, __ATOMIC_SEQ_CST) != 0) ::sched_yield();
}

class Delivery final : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* /*receiver*/, QEvent* event) override {
    if (event->type() != QEvent::MetaCall) return false;
    wait_for_emissions();
    __tsan_acquire(&emitted);
    return false;
  }
};

void watch_deliveries() {
  QCoreApplication* const application = QCoreApplication::instance();
  application_thread = ::pthread_self();
  application->installEventFilter(new Delivery(application));
}
Q_COREAPP_STARTUP_FUNCTION(watch_deliveries)

/// A parallel region: its threads come after what was before it, and before what follows it.
struct Region {
  void (*body)(void*);
  void* data;

  static void run(void* given) {
    __tsan_acquire(given);
    const auto& region = *static_cast<Region*>(given);
    region.body(region.data);
    __tsan_release(given);
  }
};

}  // namespace

extern "C" void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  static const auto original = in_library<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
  Region region{body, data};
  __tsan_release(&region);
  original(&Region::run, &region, threads, flags);
  __tsan_acquire(&region);
}

bool QMetaObject::invokeMethodImpl(QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type,
                                   void* result) {
  static const auto original = in_library<bool(QObject*, QtPrivate::QSlotObjectBase*, Qt::ConnectionType, void*)>(
      "_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv");
  return original(object, new Posted(slot), type, result);
}

void QMetaObject::activate(QObject* sender, const QMetaObject* meta, int index, void** arguments) {
  static const auto original =
      in_library<void(QObject*, const QMetaObject*, int, void**)>("_ZN11QMetaObject8activateEP7QObjectPKS_iPPv");
  if (::pthread_equal(::pthread_self(), application_thread) != 0) return original(sender, meta, index, arguments);
  count_emissions(1);
  original(sender, meta, index, arguments);
  __tsan_release(&emitted);
  count_emissions(-1);
}

// The end of the thread is a signal, too, but one of the library.
QThread* QThread::createThreadImpl(std::future<void>&& body) {
  static const auto original =
      in_library<QThread*(std::future<void> &&)>("_ZN7QThread16createThreadImplEOSt6futureIvE");
  return original(std::async(std::launch::deferred, [body = std::move(body)]() mutable {
    body.get();
    __tsan_release(&emitted);
  }));
}
