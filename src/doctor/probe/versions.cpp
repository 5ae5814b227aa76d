// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "doctor/probe/gather.hpp"
#include "nccl/lint/library.hpp"

namespace nettune::doctor {
namespace {

/// The value of "NAME = 'value'" or "NAME: Optional[str] = 'value'"; "" for None.
std::string python_text(std::string_view text, std::string_view name) {
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (!line.starts_with(name)) continue;
    const auto rest = line.substr(name.size());
    if (!rest.starts_with(' ') && !rest.starts_with(':') && !rest.starts_with('=')) continue;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '\'' || value.front() == '"'))
      return std::string(value.substr(1, value.size() - 2));
  }
  return {};
}

/// torch/version.py says how it was built; nothing of it is run.
void look_for_torch(const Directory& root, const std::string& packages, Machine& machine) {
  constexpr std::size_t kLargest = 65536;
  const std::string path = cat(packages, "/torch/version.py");
  const auto text = root.read(path, kLargest);
  if (!text) return;
  Installed torch{cat("/", packages, "/torch"), python_text(*text, "__version__"),
                  python_text(*text, "cuda")};
  machine.torch.push_back(std::move(torch));
}

std::vector<std::string> prefixes_of(const Directory& root) {
  std::vector<std::string> prefixes = {"usr", "usr/local"};
  for (const std::string& name : root.list("opt")) prefixes.push_back(cat("opt/", name));
  return prefixes;
}

}  // namespace

void read_versions(const Place& place, const std::string& root, Machine& machine) {
  nccl::Places places;
  places.root = place.live ? "" : root;
  for (const std::string& prefix : prefixes_of(place.root)) {
    places.prefixes.push_back(cat("/", prefix));
    for (const std::string& name : place.root.list(cat(prefix, "/lib"))) {
      if (!name.starts_with("python3")) continue;
      for (const char* const packages : {"site-packages", "dist-packages"})
        look_for_torch(place.root, cat(prefix, "/lib/", name, "/", packages), machine);
    }
  }
  for (const nccl::Library& library : nccl::find_libraries(places))
    machine.nccl.push_back({library.path, library.version.text(), ""});
}

}  // namespace nettune::doctor
