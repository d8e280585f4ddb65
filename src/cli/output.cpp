#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/errors.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} * 1024;

Error cannot_write_stdout(int error) {
  return {Code::cannot_write,
          {},
          "cannot write standard output: " + std::generic_category().message(error),
          {},
          {}};
}

}  // namespace

Result<Output> Output::open(const std::string& path) {
  Output output;
  if (path.empty() || path == "-") return output;
  auto file = AtomicFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  output.file_ = std::move(*file);
  return output;
}

void Output::write(std::string_view text) {
  if (!good()) return;
  buffer_ += text;
  if (buffer_.size() >= kBuffer) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  if (file_) {
    if (auto written = file_->write(rest); !written) error_ = std::move(written.error());
    rest = {};
  }
  while (!rest.empty() && good()) {
    const auto count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count >= 0)
      rest.remove_prefix(static_cast<std::size_t>(count));
    else if (errno == EPIPE)
      closed_ = true;
    else if (errno != EINTR)
      error_ = cannot_write_stdout(errno);
  }
  buffer_.clear();
}

Result<void> Output::finish() {
  flush();
  if (error_) return tl::unexpected(*error_);
  if (file_) return file_->commit();
  return {};
}

int print(std::string_view text) {
  auto output = Output::open("-");
  output->write(text);
  const auto written = output->finish();
  return written ? 0 : report_error(written.error(), {});
}

}  // namespace roofline::cli
