// SPDX-License-Identifier: Apache-2.0
#include "node/snapshot.hpp"

#include <memory>
#include <utility>

#include "kinds/link/kind.hpp"
#include "kinds/link/provider.hpp"
#include "kinds/registry.hpp"
#include "node/delegating.hpp"

namespace nettune::node {

Providers with_links(const Providers& live, const kinds::link::Links& links) {
  const auto calls = kinds::link::LinkCalls::of(links);
  Providers snapshot;
  for (const auto& provider : live.all()) {
    if (provider->kind() == kinds::link::kLink.name)
      snapshot.add(
          std::make_unique<kinds::link::LinkProvider>(kinds::common::Places().proc_sys, calls));
    else
      snapshot.add(std::make_unique<DelegatingProvider>(*provider));
  }
  return snapshot;
}

}  // namespace nettune::node
