// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <zlib.h>

#include "base/dynamic_library.hpp"

namespace nettune::inline base {

/// zlib, loaded when something is packed.
struct Zlib : DynamicLibrary {
  decltype(&::inflateInit2_) init = nullptr;
  decltype(&::inflate) inflate = nullptr;
  decltype(&::inflateReset) reset = nullptr;
  decltype(&::inflateEnd) end = nullptr;

  Zlib() : DynamicLibrary("libz.so.1", "zlib1g") {
    get(init, "inflateInit2_");
    get(inflate, "inflate");
    get(reset, "inflateReset");
    get(end, "inflateEnd");
  }
};

inline const Zlib& zlib() {
  static const Zlib library;
  return library;
}

/// Unpacks gzip, piece by piece. Only where zlib().missing is empty.
class Inflater {
 public:
  static constexpr std::size_t kPiece = std::size_t{64} * 1024;
  using Piece = std::array<char, kPiece>;

  /// 15 bits of window, and 16 for gzip alone.
  Inflater() { ready_ = zlib().init(&stream_, 15 + 16, ZLIB_VERSION, sizeof(stream_)) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) zlib().end(&stream_);
  }

  /// `take` gets what was packed. False when the bytes are no gzip. Members that follow one another
  /// are one file (gzip(1)).
  template <typename Take>
  bool feed(std::string_view bytes, const Take& take) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    bool more_to_give = false;  // the output was full: something may be left in zlib
    while (ready_ && (stream_.avail_in > 0 || more_to_give)) {
      if (ended_ && stream_.avail_in == 0) break;
      const bool was_ended = ended_;
      if (ended_ && zlib().reset(&stream_) != Z_OK) return false;
      stream_.next_out = reinterpret_cast<Bytef*>(out_->data());
      stream_.avail_out = kPiece;
      const int result = zlib().inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_BUF_ERROR) break;
      // Zeros behind the last member are padding of tapes and object stores.
      if (result != Z_OK && result != Z_STREAM_END) return was_ended;
      ended_ = result == Z_STREAM_END;
      more_to_give = stream_.avail_out == 0;
      take(std::string_view(out_->data(), kPiece - stream_.avail_out));
    }
    return ready_;
  }
  bool ended() const { return ended_; }

 private:
  z_stream stream_ = {};
  std::unique_ptr<Piece> out_ = std::make_unique<Piece>();
  bool ready_ = false;
  bool ended_ = false;
};

}  // namespace nettune::inline base
