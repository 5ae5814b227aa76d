// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::cli {

namespace {

/// 0, or the errno that ended it.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

std::string Style::paint(std::string_view code, std::string_view text) const {
  if (!color || text.empty()) return std::string(text);
  return cat("\x1b[", code, "m", text, "\x1b[0m");
}

Output::Output(bool plain) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0) return;  // not a terminal
  constexpr std::size_t kNarrowest = 40;
  style_.terminal = true;
  if (size.ws_col > 0) style_.width = std::max<std::size_t>(size.ws_col, kNarrowest);
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal && std::string_view(terminal) == "dumb";
  style_.color = !plain && !(no_color && *no_color) && !dumb;
}

void Output::flush() {
  const int error = write_all(STDOUT_FILENO, pending_);
  pending_.clear();
  if (error != 0 && error != EPIPE) ok_ = false;
}

void Output::complain(std::string_view text) {
  flush();
  if (write_all(STDERR_FILENO, text) != 0) ok_ = false;
}

}  // namespace nettune::cli
