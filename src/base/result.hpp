// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace nettune::inline base {

/// The kind of a failure: code decides by it, people read `Error::text`.
enum class Errc {
  invalid,      ///< bad input: profile, command line, value out of range
  not_found,    ///< the named thing does not exist
  unsupported,  ///< this kernel, driver or file system cannot do it
  denied,       ///< EPERM, EACCES, EROFS, or a rule of nettune
  busy,         ///< somebody else holds it
  io,           ///< the operating system failed the call
  no_space,     ///< ENOSPC, EDQUOT, EFBIG
  conflict,     ///< the state moved, or two sources disagree
  corrupt,      ///< stored bytes are damaged
};

/// A failure as a value. `text` has the thing, the value, the reason and the next step, in one or
/// two sentences without a final newline. `sys` is its errno, 0 if there is none. `file` and `line`
/// are the place of the input that caused it, if any.
struct Error {
  Errc code = Errc::io;
  std::string text;
  int sys = 0;
  std::string file = {};
  int line = 0;
};

/// A value or an Error. Unlike an alias of tl::expected, it warns if it is dropped.
template <class T = void>
struct [[nodiscard]] Result : tl::expected<T, Error> {
  using tl::expected<T, Error>::expected;
};

using Failure = tl::unexpected<Error>;

/// Builds the failing side of any Result: `return fail(Errc::invalid, "...");`
inline Failure fail(Errc code, std::string text, int sys = 0) {
  return Failure(Error{code, std::move(text), sys, {}, 0});
}
inline Failure fail(Error error) { return Failure(std::move(error)); }

/// Puts `context` in front of an error's text, once per layer that adds information.
inline Failure fail_in(std::string context, Error error) {
  error.text = std::move(context) + ": " + error.text;
  return Failure(std::move(error));
}

}  // namespace nettune::inline base

#define NETTUNE_JOIN_(a, b) a##b
#define NETTUNE_JOIN(a, b) NETTUNE_JOIN_(a, b)

/// Returns from the enclosing function if `expr` failed; drops its value otherwise.
#define TRY(expr)                                             \
  do {                                                        \
    if (auto try_result_ = (expr); !try_result_)              \
      return ::nettune::fail(std::move(try_result_).error()); \
  } while (false)

/// Declares `decl` from the value of `expr`, or returns its error: TRY_ASSIGN(auto fd, open(...));
#define TRY_ASSIGN(decl, expr)                                               \
  auto NETTUNE_JOIN(try_, __LINE__) = (expr);                                \
  if (!NETTUNE_JOIN(try_, __LINE__))                                         \
    return ::nettune::fail(std::move(NETTUNE_JOIN(try_, __LINE__)).error()); \
  decl = std::move(*NETTUNE_JOIN(try_, __LINE__))
