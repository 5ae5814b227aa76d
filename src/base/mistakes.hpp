// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace nettune::inline base {

/// What is wrong with an input that a person wrote: they mend all of it at once.
class Mistakes {
 public:
  void add(Error error) {
    for (const Error& known : all_)
      if (known.file == error.file && known.line == error.line && known.text == error.text) return;
    all_.push_back(std::move(error));
  }
  /// Adds what failed; true where it did not.
  template <class T>
  bool take(const Result<T>& result) {
    if (!result) add(result.error());
    return result.has_value();
  }
  void add_all(const Mistakes& others) {
    for (const Error& one : others.all_) add(one);
  }

  bool any() const { return !all_.empty(); }
  /// The first one, with the others behind it in its text, a line each.
  Result<> result() const {
    if (all_.empty()) return {};
    Error first = all_.front();
    for (std::size_t i = 1; i < all_.size(); ++i) {
      const Error& other = all_[i];
      first.text += "\n";
      if (!other.file.empty()) first.text += other.file + ":";
      if (other.line > 0) first.text += std::to_string(other.line) + ":";
      first.text += (other.file.empty() ? "" : " ") + other.text;
    }
    return fail(std::move(first));
  }

 private:
  std::vector<Error> all_;
};

}  // namespace nettune::inline base
