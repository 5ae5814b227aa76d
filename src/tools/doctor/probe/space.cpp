// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sys/statvfs.h>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::string_view kShm = "/dev/shm";

void add_system(const FileSystem& system, Machine& machine) {
  if (system.path == kShm) {
    machine.shm = system;
    return;
  }
  const bool known = std::ranges::any_of(machine.file_systems, [&](const Known<FileSystem>& other) {
    return other && other->size == system.size && other->free == system.free;
  });
  if (!known) machine.file_systems.emplace_back(system);
}

}  // namespace

std::string measure_space() {
  std::string text;
  for (const std::string_view path :
       {kShm, std::string_view("/"), std::string_view("/tmp"), std::string_view("/var/tmp")}) {
    struct statvfs status {};
    if (::statvfs(path.data(), &status) != 0) continue;
    text += cat(path, " ", static_cast<std::uint64_t>(status.f_blocks) * status.f_frsize, " ",
                static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize, " ", status.f_files,
                " ", status.f_favail, "\n");
  }
  return text;
}

void parse_space(std::string_view text, Machine& machine) {
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() != 5) continue;
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint64_t>(
          std::max<std::int64_t>(parse_int(fields[i]).value_or(0), 0));
    };
    add_system({std::string(fields[0]), number(1), number(2), number(3), number(4)}, machine);
  }
}

void take_space(const Place& place, const std::optional<std::string>& text, Machine& machine) {
  if (text) parse_space(*text, machine);
  const Gap gap = unknown(!place.live ? "the recording does not contain it"
                                      : "a file system did not report its free space in time");
  if (!machine.shm) machine.shm = text && place.live ? unknown("there is no /dev/shm") : gap;
  if (machine.file_systems.empty()) machine.file_systems.emplace_back(gap);
}

}  // namespace nettune::tools::doctor::probe
