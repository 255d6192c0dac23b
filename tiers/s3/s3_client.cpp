#include "tiers/s3/s3_client.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "core/base/duration.h"
#include "tiers/s3/s3_digest.h"
#include "tiers/s3/s3_etag.h"

#ifdef KVANTAGE_S3
#include <curl/curl.h>
#endif

namespace kvantage::inline s3 {

#ifdef KVANTAGE_S3
namespace {

constexpr std::size_t max_header_bytes = std::size_t{64} << 10;  // of a reply, with those of earlier statuses
constexpr std::size_t max_at_once = 8;
constexpr double slowest_bytes_per_second = 128 * 1024;  // of a transfer in whole; slower is out of time
constexpr int poll_milliseconds = 10;                    // interval of GiveUp

/// OpenSSL writes without MSG_NOSIGNAL: a closed connection must not kill the program.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!was_pending_)
      while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

/// Once a process; thread-safe since libcurl 7.84.
bool curl_is_ready() {
  static const bool ready = ::curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

/// One request in flight.
class CurlTransfer {
 public:
  CurlTransfer(const S3Access& access, const S3Request& request, const Clock& clock)
      : access_(access), request_(request), clock_(clock), easy_(::curl_easy_init()), lines_(nullptr) {
    for (const auto part : request.body) body_bytes_ += part.size();
    const double allowance =
        static_cast<double>(std::max<std::uint64_t>(body_bytes_, request.max_reply_bytes)) / slowest_bytes_per_second;
    const double seconds = access.timeouts.connect_seconds + access.timeouts.answer_seconds + allowance;
    end_seconds_ = clock.seconds() + seconds;
    moved_seconds_ = clock.seconds() + access.timeouts.connect_seconds;  // silence counts from then on
  }
  ~CurlTransfer() {
    if (easy_ != nullptr) ::curl_easy_cleanup(easy_);
    ::curl_slist_free_all(lines_);
  }
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* handle() const { return easy_; }
  S3Reply take_reply() {
    ::curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &reply_.status);
    return std::move(reply_);
  }
  const std::string& refusal() const { return refusal_; }
  bool stopped_by_sink() const { return stopped_; }

  /// False: libcurl has no memory.
  bool prepare() {
    if (easy_ == nullptr) return false;
    const S3Url& url = access_.url;
    const std::string address = url.origin() + "/" + (url.bucket_in_host() ? "" : url.bucket + "/") + request_.path +
                                (request_.query.empty() ? "" : "?" + request_.query);
    const std::string signing = "aws:amz:" + url.region + ":s3";
    bool set = add_line("x-amz-content-sha256: " + sha256_hex(request_.body));
    if (!access_.keys.session_token.empty())
      set = set && add_line("x-amz-security-token: " + access_.keys.session_token);
    for (const std::string& line : request_.headers) set = set && add_line(line);
    const auto option = [&](CURLoption name, auto value) {
      set = set && ::curl_easy_setopt(easy_, name, value) == CURLE_OK;
    };
    option(CURLOPT_URL, address.c_str());
    option(CURLOPT_PATH_AS_IS, 1L);
    option(CURLOPT_PROTOCOLS_STR, url.tls ? "https" : "http");
    option(CURLOPT_FOLLOWLOCATION, 0L);
    option(CURLOPT_PROXY, "");  // whatever the environment says
    option(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    option(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    option(CURLOPT_HTTP09_ALLOWED, 0L);
    option(CURLOPT_NOSIGNAL, 1L);
    option(CURLOPT_QUICK_EXIT, 1L);  // a lookup of a name has no deadline: it is left behind
    option(CURLOPT_CONNECTTIMEOUT_MS, std::lround(access_.timeouts.connect_seconds * 1e3));
    option(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    option(CURLOPT_SSL_VERIFYPEER, 1L);
    option(CURLOPT_SSL_VERIFYHOST, 2L);
    if (!url.authorities.empty()) {
      option(CURLOPT_CAINFO, url.authorities.c_str());
      option(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // those alone
    }
    option(CURLOPT_USERNAME, access_.keys.access_key_id.c_str());
    option(CURLOPT_PASSWORD, access_.keys.secret_access_key.c_str());
    option(CURLOPT_AWS_SIGV4, signing.c_str());
    option(CURLOPT_HTTPHEADER, lines_);
    option(CURLOPT_USERAGENT, "kvantage");
    option(CURLOPT_PRIVATE, static_cast<void*>(this));
    option(CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
    option(CURLOPT_HEADERDATA, static_cast<void*>(this));
    option(CURLOPT_WRITEFUNCTION, &CurlTransfer::on_bytes);
    option(CURLOPT_WRITEDATA, static_cast<void*>(this));
    if (request_.method == "HEAD") option(CURLOPT_NOBODY, 1L);
    if (request_.method == "DELETE") option(CURLOPT_CUSTOMREQUEST, "DELETE");
    if (request_.method == "PUT") {
      option(CURLOPT_UPLOAD, 1L);
      option(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body_bytes_));
      option(CURLOPT_READFUNCTION, &CurlTransfer::on_wanted);
      option(CURLOPT_READDATA, static_cast<void*>(this));
      option(CURLOPT_SEEKFUNCTION, &CurlTransfer::on_seek);
      option(CURLOPT_SEEKDATA, static_cast<void*>(this));
    }
    return set;
  }

  /// Why it is out of time; empty: it is not.
  std::string overdue() const {
    const double now = clock_.seconds();
    if (now - moved_seconds_ > access_.timeouts.answer_seconds)
      return "no answer within " + shortest_number(access_.timeouts.answer_seconds) + " s";
    if (now > end_seconds_) return "too slow: the transfer has not ended in time";
    return {};
  }

 private:
  bool add_line(const std::string& line) {
    curl_slist* const longer = ::curl_slist_append(lines_, line.c_str());
    if (longer != nullptr) lines_ = longer;
    return longer != nullptr;
  }
  void moved() { moved_seconds_ = std::max(moved_seconds_, clock_.seconds()); }

  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<CurlTransfer*>(self)->take_header({bytes, size * count}) ? size * count : 0;
  }
  static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<CurlTransfer*>(self)->take_bytes({bytes, size * count}) ? size * count : 0;
  }
  static std::size_t on_wanted(char* place, std::size_t size, std::size_t count, void* self) {
    return static_cast<CurlTransfer*>(self)->give_bytes({place, size * count});
  }
  // Another try on a new connection, or with another answer before it: from the start.
  static int on_seek(void* self, curl_off_t offset, int origin) {
    if (origin != SEEK_SET || offset != 0) return CURL_SEEKFUNC_CANTSEEK;
    auto& transfer = *static_cast<CurlTransfer*>(self);
    transfer.part_ = transfer.in_part_ = 0;
    return CURL_SEEKFUNC_OK;
  }

  bool take_header(std::string_view line) {
    moved();
    header_bytes_ += line.size();
    if (header_bytes_ > max_header_bytes) {
      refusal_ = "the headers of its answer take more than 64 KiB";
      return false;
    }
    if (line.starts_with("HTTP/")) {
      reply_ = {};
      return true;
    }
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return true;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    std::string* const place = name == "etag"                  ? &reply_.etag
                               : name == "content-range"       ? &reply_.content_range
                               : name == "x-amz-bucket-region" ? &reply_.region
                                                               : nullptr;
    if (place == nullptr) return true;
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == '\r' || value.back() == '\n' || value.back() == ' '))
      value.remove_suffix(1);
    constexpr std::size_t longest_value = 1024;
    *place =
        place == &reply_.etag ? bare_etag(value.substr(0, longest_value)) : std::string(value.substr(0, longest_value));
    return true;
  }

  bool take_bytes(std::string_view bytes) {
    moved();
    ::curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &reply_.status);
    constexpr long partial_content = 206;
    taken_ += bytes.size();
    if (request_.sink && reply_.is_success() && reply_.status != partial_content) {
      refusal_ = "its answer is not the range of bytes that was asked for";
      return false;
    }
    // What an error says is short, whatever the length of the bytes asked for.
    const std::uint64_t most =
        reply_.is_success() ? request_.max_reply_bytes : std::min<std::uint64_t>(request_.max_reply_bytes, 64 << 10);
    if (taken_ > most) {
      refusal_ = "its answer is longer than it should be";
      return false;
    }
    if (request_.sink && reply_.status == partial_content) {
      stopped_ = !request_.sink(reply_, std::as_bytes(std::span(bytes.data(), bytes.size())));
      return !stopped_;
    }
    reply_.body += bytes;
    return true;
  }

  std::size_t give_bytes(std::span<char> place) {
    moved();
    std::size_t given = 0;
    while (given < place.size() && part_ < request_.body.size()) {
      const auto rest = request_.body[part_].subspan(in_part_);
      const std::size_t step = std::min(rest.size(), place.size() - given);
      if (step > 0) std::memcpy(place.data() + given, rest.data(), step);
      given += step;
      in_part_ += step;
      if (step == rest.size()) {
        ++part_;
        in_part_ = 0;
      }
    }
    return given;
  }

  const S3Access& access_;
  const S3Request& request_;
  const Clock& clock_;
  CURL* easy_;
  curl_slist* lines_;
  S3Reply reply_;
  std::string refusal_;
  bool stopped_ = false;  // by the sink
  std::size_t header_bytes_ = 0, part_ = 0, in_part_ = 0;
  std::uint64_t taken_ = 0, body_bytes_ = 0;
  double end_seconds_ = 0, moved_seconds_ = 0;
};

class CurlClient final : public S3Client {
 public:
  CurlClient(S3Access access, const Clock& clock, CURLM* multi)
      : access_(std::move(access)), clock_(clock), multi_(multi, &::curl_multi_cleanup) {
    ::curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(max_at_once));
  }
  ~CurlClient() override {
    const NoPipeSignal quiet;
    multi_.reset();
  }

  Expected<std::vector<S3Reply>> exchange_all(std::span<const S3Request> requests, const GiveUp& give_up) override {
    const NoPipeSignal quiet;
    std::vector<S3Reply> replies(requests.size());
    std::vector<std::unique_ptr<CurlTransfer>> transfers(requests.size());
    const Status done = run(requests, transfers, replies, give_up);
    for (const auto& transfer : transfers)
      if (transfer != nullptr && transfer->handle() != nullptr)
        ::curl_multi_remove_handle(multi_.get(), transfer->handle());
    if (!done) return tl::unexpected(done.error());
    return replies;
  }

 private:
  tl::unexpected<Error> out_of_reach(const std::string& reason, ErrorCode code = ErrorCode::io) const {
    return fail(code, access_.url.address() + ": " + reason);
  }

  Status run(std::span<const S3Request> requests, std::vector<std::unique_ptr<CurlTransfer>>& transfers,
             std::vector<S3Reply>& replies, const GiveUp& give_up) {
    std::size_t begun = 0, ended = 0;
    while (ended < requests.size()) {
      for (; begun < requests.size() && begun - ended < max_at_once; ++begun) {
        transfers[begun] = std::make_unique<CurlTransfer>(access_, requests[begun], clock_);
        if (!transfers[begun]->prepare() ||
            ::curl_multi_add_handle(multi_.get(), transfers[begun]->handle()) != CURLM_OK)
          return out_of_reach("libcurl refuses the request");
      }
      int running = 0;
      if (::curl_multi_perform(multi_.get(), &running) != CURLM_OK) return out_of_reach("libcurl failed");
      int left = 0;
      while (const CURLMsg* message = ::curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        KV_TRY(finish(message->easy_handle, message->data.result, transfers, replies));
        ++ended;
      }
      if (ended == requests.size()) break;
      if (give_up && give_up()) return out_of_reach("cancelled", ErrorCode::cancelled);
      for (const auto& transfer : transfers)
        if (transfer != nullptr)
          if (const std::string why = transfer->overdue(); !why.empty()) return out_of_reach(why);
      if (begun == requests.size() || begun - ended >= max_at_once)
        ::curl_multi_poll(multi_.get(), nullptr, 0, poll_milliseconds, nullptr);
    }
    return {};
  }

  Status finish(CURL* easy, CURLcode code, std::vector<std::unique_ptr<CurlTransfer>>& transfers,
                std::vector<S3Reply>& replies) {
    const auto found = std::ranges::find(
        transfers, easy, [](const auto& transfer) { return transfer == nullptr ? nullptr : transfer->handle(); });
    if (found == transfers.end()) return out_of_reach("libcurl failed");
    CurlTransfer& transfer = **found;
    if (code != CURLE_OK && !transfer.stopped_by_sink()) {
      if (!transfer.refusal().empty()) return out_of_reach(transfer.refusal());
      const bool certificate = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
      return out_of_reach(::curl_easy_strerror(code), certificate ? ErrorCode::rejected_input : ErrorCode::io);
    }
    replies[static_cast<std::size_t>(found - transfers.begin())] = transfer.take_reply();
    ::curl_multi_remove_handle(multi_.get(), easy);
    found->reset();
    return {};
  }

  const S3Access access_;
  const Clock& clock_;
  std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi_;
};

}  // namespace

bool has_s3() { return true; }

Expected<std::unique_ptr<S3Client>> make_s3_client(const S3Access& access, const Clock& clock) {
  constexpr std::uintmax_t max_file_bytes = std::uintmax_t{16} << 20;  // reading a device would not end
  const std::string& authorities = access.url.authorities;
  std::error_code ignored;
  if (!authorities.empty() && (!std::filesystem::is_regular_file(authorities, ignored) ||
                               std::filesystem::file_size(authorities, ignored) > max_file_bytes))
    return fail(ErrorCode::rejected_input, access.url.address() + ": ca=" + authorities +
                                               ": is not a file of at most 16 MiB; give a PEM file of the authority "
                                               "that signed the server's certificate");
  CURLM* const multi = curl_is_ready() ? ::curl_multi_init() : nullptr;
  if (multi == nullptr) return fail(ErrorCode::io, access.url.address() + ": libcurl cannot be started");
  return std::make_unique<CurlClient>(access, clock, multi);
}

#else

bool has_s3() { return false; }

Expected<std::unique_ptr<S3Client>> make_s3_client(const S3Access&, const Clock&) {
  return fail(ErrorCode::rejected_input, "this program was built without S3; build it with -DKVANTAGE_S3=ON");
}

#endif

}  // namespace kvantage::inline s3
