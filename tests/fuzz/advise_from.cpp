// SPDX-License-Identifier: Apache-2.0
//
// `nettune advise --from FILE`, of any file, up to what it prints. The first byte says which
// options come with it, the rest is the file.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/advise/parallelism.hpp"
#include "tools/advise/program/advise_command.hpp"

namespace nettune::cli {
namespace {

[[noreturn]] void wrong(const char* why, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", why, printable(text).c_str());
  std::abort();
}

void check_text(const std::string& text) {
  if (text.empty()) wrong("nothing is printed", text);
  for (const char* const part : {"not a number", "infinite"})
    if (text.find(part) != text.npos) wrong("a number is not finite", text);
  for (const char c : text)
    if (c != '\n' && is_control_character(c)) wrong("a control character", text);
}

void print_advice(const advise::Job& job) {
  std::string json;
  if (const std::string why = advise::not_only_ddp(job); !why.empty()) {
    check_text(text::not_ddp(job, why, {}));
    json = json::advice(job, nullptr, nullptr, why);
  } else if (const auto missing = advise::what_is_missing(job)) {
    check_text(text::missing(job, *missing, {}));
    json = json::advice(job, nullptr, &*missing);
  } else {
    const advise::Advice advice = advise::advise(job, "rocev2-200g");
    check_text(text::advice(job, advice, {"torchrun", "train.py"}, {}));
    json = json::advice(job, &advice, nullptr);
  }
  if (!json.ends_with("}\n")) wrong("no JSON", json);
}

void read_and_print(const std::uint8_t* data, std::size_t size) {
  const unsigned with = size == 0 ? 0 : data[0];
  static const int file = ::memfd_create("from", 0);
  if (size > 0) {
    ++data;
    --size;
  }
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  AdviseOptions options;
  options.from = {cat("/proc/self/fd/", file)};
  if (with & 1U) options.model_bytes = "102M";
  if (with & 2U) options.backward_ms = "65";
  if (with & 4U) options.ranks = "16";
  if (with & 8U) options.step_ms = "120";
  if (with & 16U) options.accumulate = "2";
  const auto job = read_job(options);
  if (job) return print_advice(*job);
  if (job.error().text.empty() || has_control_characters(job.error().text))
    wrong("an error", job.error().text);
}

}  // namespace
}  // namespace nettune::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nettune::cli::read_and_print(data, size);
  return 0;
}
