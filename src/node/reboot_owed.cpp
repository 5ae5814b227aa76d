// SPDX-License-Identifier: Apache-2.0
#include "node/reboot_owed.hpp"

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/provider.hpp"
#include "node/output_file.hpp"
#include "node/state_view.hpp"
#include "profile/source.hpp"

namespace nettune::node {

namespace {

constexpr std::string_view kFlag = "/run/reboot-required";
constexpr std::string_view kPackages = "/run/reboot-required.pkgs";
/// The generation that was announced, and whether the flag is ours.
constexpr std::string_view kAnnounced = "/run/nettune/reboot-announced";
constexpr std::string_view kLine = "nettune";
constexpr std::uint64_t kMostBytes = 65536;
constexpr std::uint32_t kReadable = 0644;

std::optional<std::string> text_of(Disk& disk, std::string_view path) {
  return disk.read(std::string(path), kMostBytes).value_or(std::nullopt);
}

/// The lines of all others.
std::string other_lines(Disk& disk) {
  std::string out;
  const std::string text = text_of(disk, kPackages).value_or("");
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty() && line != kLine) out += cat(line, "\n");
  return out;
}

void announce(Disk& disk, std::uint64_t generation) {
  const auto announced = text_of(disk, kAnnounced);
  if (announced && announced->starts_with(cat(generation, ' '))) return;
  const bool is_ours = announced ? announced->ends_with("ours\n") : !text_of(disk, kFlag);
  const auto write = [](std::string_view path, const std::string& text) {
    return write_output_file(std::string(path), text, kReadable).has_value();
  };
  if (!write(kPackages, cat(other_lines(disk), kLine, "\n"))) return;
  if (!text_of(disk, kFlag) && !write(kFlag, "*** System restart required ***\n")) return;
  static_cast<void>(write(kAnnounced, cat(generation, is_ours ? " ours\n" : " found\n")));
}

void take_back(Disk& disk) {
  const auto announced = text_of(disk, kAnnounced);
  if (!announced) return;
  const std::string others = other_lines(disk);
  if (!others.empty()) {
    static_cast<void>(write_output_file(std::string(kPackages), others, kReadable));
  } else {
    static_cast<void>(disk.remove(std::string(kPackages)));
    if (announced->ends_with("ours\n")) static_cast<void>(disk.remove(std::string(kFlag)));
  }
  static_cast<void>(disk.remove(std::string(kAnnounced)));
}

}  // namespace

std::vector<Address> owed_to_reboot(const std::vector<Awaited>& awaited) {
  std::vector<Address> owed;
  for (const Awaited& one : awaited)
    if (one.state == Awaited::State::pending && one.when.starts_with(kAtNextBoot))
      owed.push_back(one.address);
  return owed;
}

void announce_reboot(Context& context) {
  if (!context.is_root() || context.image()) return;
  const auto site = profile::read_site(context.disk(), context.profile_sources());
  if (!site || !site->announces_reboot) return;
  const auto state = context.look_at_state();
  if (!state || !state->active) return;
  const auto awaited = find_awaited(context, *state->active);
  if (!awaited) return;
  if (owed_to_reboot(*awaited).empty())
    take_back(context.disk());
  else
    announce(context.disk(), state->active->number);
}

}  // namespace nettune::node
