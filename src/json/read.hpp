// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

/// JSON as a stream of events: no tree is built, whatever the size of the text. read.cpp is the
/// only file that includes RapidJSON. nlohmann's SAX reader is a third as fast (docs/compare.md).
namespace nettune::json {

enum class Container { object, array };
enum class Scalar { text, number, boolean, null };

/// Objects and arrays may nest this deep.
inline constexpr int kMaxDepth = 64;
/// Of a stream, whatever its size: no string may be longer.
inline constexpr std::size_t kMaxString = std::size_t{64} << 20;

/// What a text holds, in order. An answer of false ends the reading, which then fails with
/// stopped().
class Events {
 public:
  virtual ~Events() = default;
  virtual bool begin(Container what) = 0;
  virtual bool end(Container what) = 0;
  virtual bool key(std::string_view name) = 0;
  /// A text without its escapes; a number as it is written; "true", "false" or "null".
  virtual bool scalar(Scalar kind, std::string_view text) = 0;
  /// Behind each document: a text may hold several, as JSON lines do.
  virtual bool document() { return true; }
  /// Why an event was answered with false.
  virtual std::string stopped() const { return "the reader stopped"; }
};

/// Where a long text comes from, piece by piece.
class Source {
 public:
  virtual ~Source() = default;
  /// Fills up to `size` bytes; 0 at the end.
  virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
};

/// Reads all documents of `text`, which is changed: views in the events point into it and last as
/// long as it does. The error names the byte; `damaged` is where its document begins.
Result<> read_in_place(std::string& text, Events& events, std::size_t* damaged = nullptr);
/// The same of a text of any size; memory is bounded by its longest string (kMaxString). Views last
/// for the event.
Result<> read_stream(Source& source, Events& events);

}  // namespace nettune::json
