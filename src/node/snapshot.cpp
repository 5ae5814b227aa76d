// SPDX-License-Identifier: Apache-2.0
#include "node/snapshot.hpp"

#include <memory>
#include <utility>

#include "kinds/link/provider.hpp"
#include "kinds/registry.hpp"
#include "node/delegating.hpp"

namespace nettune::cli {

Providers with_links(const Providers& live, providers::Links links) {
  const auto calls = providers::LinkCalls::of(std::move(links));
  Providers snapshot;
  for (const auto& provider : live.all()) {
    if (provider->kind() == "link")
      snapshot.add(std::make_unique<providers::LinkProvider>(kinds::Places().proc_sys, calls));
    else
      snapshot.add(std::make_unique<DelegatingProvider>(*provider));
  }
  return snapshot;
}

}  // namespace nettune::cli
