// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "facts/observe_parts.hpp"

namespace nettune::facts {
namespace {

void observe_version(const kernel::DevlinkVersions& versions, const std::string& pci_address,
                     const Tell& tell) {
  constexpr const Observable& kWhat = kFirmwareStored;
  // The drivers' name for the overall version (Documentation/networking/devlink/devlink-info.rst).
  const auto running = versions.running.find("fw.version");
  const auto stored = versions.stored.find("fw.version");
  if (running == versions.running.end())
    return tell(kWhat, std::nullopt, "the driver does not report its firmware");
  if (stored == versions.stored.end())
    return tell(
        kWhat, std::nullopt,
        cat("firmware ", running->second, " runs; the driver does not report the stored one"));
  const bool same = running->second == stored->second;
  tell(kWhat, same ? "running" : "waiting",
       same ? cat("firmware ", running->second, " is stored and runs")
            : cat("firmware ", running->second, " runs on ", pci_address, ", but ", stored->second,
                  " is stored"));
}

/// devlink does not report the value of the last driver start, but the port's GIDs show it.
std::string roce_text(bool is_on, const std::string& pci_address, bool has_gid) {
  return cat("devlink's parameter enable_roce of ", pci_address, " is ", is_on ? "on" : "off",
             " for the next driver start; the port has ", has_gid ? "GIDs" : "no GID", " now");
}

}  // namespace

void observe_firmware(const ObservationSources& sources, const std::string& pci_address,
                      bool is_ethernet, bool has_gid, const Tell& tell) {
  const auto versions =
      sources.versions
          ? sources.versions(pci_address)
          : Result<kernel::DevlinkVersions>(fail(Errc::unsupported, "there is no source"));
  if (versions)
    observe_version(*versions, pci_address, tell);
  else
    tell(kFirmwareStored, std::nullopt, cat("devlink does not report it: ", versions.error().text));
  if (!is_ethernet) return;
  const auto roce = sources.parameter ? sources.parameter(pci_address, "enable_roce")
                                      : Result<bool>(fail(Errc::unsupported, "there is no source"));
  if (roce)
    tell(kFirmwareRoce, *roce ? "on" : "off", roce_text(*roce, pci_address, has_gid));
  else
    tell(kFirmwareRoce, std::nullopt, cat("devlink does not report it: ", roce.error().text));
}

}  // namespace nettune::facts
