// SPDX-License-Identifier: Apache-2.0
#include "node/snapshot.hpp"

#include <memory>
#include <utility>

#include "kinds/link/provider.hpp"
#include "kinds/registry.hpp"
#include "node/delegating.hpp"

namespace nettune::cli {

namespace {

Providers with_calls(const Providers& live, const providers::LinkCalls& calls) {
  Providers snapshot;
  for (const auto& provider : live.all()) {
    if (provider->kind() == "link")
      snapshot.add(std::make_unique<providers::LinkProvider>(kinds::Places().proc_sys, calls));
    else
      snapshot.add(std::make_unique<DelegatingProvider>(*provider));
  }
  return snapshot;
}

}  // namespace

Providers with_links(const Providers& live, providers::Links links) {
  providers::LinkCalls calls;
  calls.dump = [links = std::move(links)] { return Result<providers::Links>(links); };
  return with_calls(live, calls);
}

Providers PassingLinks::past(const Providers& live) {
  providers::LinkCalls calls;
  calls.each = [this](const std::function<void()>& restart, const kernel::TakeLink& take) {
    return pass(restart, take);
  };
  return with_calls(live, calls);
}

Result<> PassingLinks::pass(const std::function<void()>& restart, const kernel::TakeLink& take) {
  token_ = {};
  auto done = kernel::each_link(
      [&] {
        token_ = {};
        restart();
      },
      [&](const kernel::Link& link) {
        token_.add(link);
        take(link);
      });
  passed_ = true;
  if (!done) error_ = done.error();
  return done;
}

Result<std::string> PassingLinks::token() {
  if (!passed_) TRY(pass([] {}, [](const kernel::Link&) {}));
  if (error_) return fail(*error_);
  return token_.text();
}

}  // namespace nettune::cli
