// SPDX-License-Identifier: Apache-2.0
//
// A journal or generation of any bytes: what is read from it can be written and read again, and is
// then the same. Checksums would keep every change out, so the input is the payload of INTENT, a
// line "==", and that of COMMIT; the same bytes are also read as a file.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/frames.hpp"
#include "core/transaction_codec.hpp"

namespace nettune {
namespace {

[[noreturn]] void wrong(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

std::string framed(std::string_view intent, std::string_view commit) {
  constexpr std::string_view kId = "0123456789abcdef";
  return encode_frame("INTENT", 0, kId, intent) + encode_frame("COMMIT", 1, kId, commit);
}

void read(std::string_view bytes) {
  static_cast<void>(decode_transaction(bytes));
  static_cast<void>(decode_readable(bytes));
  constexpr std::string_view kBetween = "\n==\n";
  const auto end = bytes.find(kBetween);
  const std::string_view commit =
      end == std::string_view::npos ? "" : bytes.substr(end + kBetween.size());
  const auto first = decode_transaction(framed(bytes.substr(0, end), commit));
  if (!first) {
    if (first.error().text.empty()) wrong("an error without a text");
    return;
  }
  if (!first->committed) wrong("COMMIT was not seen");
  const std::string again = encode_intent(*first);
  const auto second = decode_transaction(framed(again, ""));
  if (!second) wrong(second.error().text.c_str());
  if (encode_intent(*second) != again) wrong("what is written twice differs");
}

}  // namespace
}  // namespace nettune

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nettune::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
