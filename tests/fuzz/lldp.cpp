// SPDX-License-Identifier: Apache-2.0
//
// LLDP frames of any bytes, as anybody on the link can send them: names are printable and short,
// and an entry of the priority table has one of the eight priorities.

#include "checks/lldp.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "base/text.hpp"

namespace nettune {
namespace {

[[noreturn]] void wrong(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::abort();
}

void check_name(const std::string& name) {
  // Each of the 255 bytes of a frame may be shown as an escape of four.
  if (name.size() > 4 * 255) wrong("a name is too long");
  for (const char c : name)
    if (is_control_character(c)) wrong("a name has a control character");
}

void read(std::span<const std::byte> unit) {
  const auto neighbour = checks::parse_lldp(unit);
  if (!neighbour) return;
  for (const std::string* const name :
       {&neighbour->chassis, &neighbour->port, &neighbour->port_text, &neighbour->system})
    check_name(*name);
  for (const auto& ets : {neighbour->ets, neighbour->ets_recommended})
    if (ets)
      for (const std::uint8_t group : ets->class_of)
        if (group > 15) wrong("a class has more than four bits");
  if (neighbour->apps)
    for (const checks::LldpApp& app : *neighbour->apps)
      if (app.priority > 7) wrong("a priority has more than three bits");
}

}  // namespace
}  // namespace nettune

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nettune::read(std::as_bytes(std::span(data, size)));
  return 0;
}
