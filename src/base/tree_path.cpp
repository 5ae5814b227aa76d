// SPDX-License-Identifier: Apache-2.0
#include "base/tree_path.hpp"

#include <array>
#include <climits>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"

namespace nettune::inline base {
namespace {

/// As in the kernel.
constexpr int kMostLinksInTree = 40;

/// Puts the components of `path` on top of `left`, so that its first one is taken next.
void push(std::string_view path, std::vector<std::string>& left) {
  const auto parts = split(path, '/');
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    if (!part->empty() && *part != ".") left.emplace_back(*part);
}

}  // namespace

std::optional<std::string> path_in_tree(int tree, std::string_view path, bool follow_last) {
  std::vector<std::string> left;
  push(path, left);
  std::vector<std::string> done;
  int links = 0;
  while (!left.empty()) {
    const std::string name = std::move(left.back());
    left.pop_back();
    if (name == "..") {
      if (!done.empty()) done.pop_back();
      continue;
    }
    done.push_back(name);
    if (left.empty() && !follow_last) break;
    std::array<char, PATH_MAX> target;
    const ssize_t got = ::readlinkat(tree, join(done, "/").c_str(), target.data(), target.size());
    if (got < 0) continue;
    if (++links > kMostLinksInTree) return std::nullopt;
    const std::string_view text(target.data(), static_cast<std::size_t>(got));
    done.pop_back();
    if (text.starts_with('/')) done.clear();
    push(text, left);
  }
  return done.empty() ? "." : join(done, "/");
}

}  // namespace nettune::inline base
