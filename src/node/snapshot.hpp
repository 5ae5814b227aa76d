// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "core/provider.hpp"
#include "kinds/link/provider.hpp"

namespace nettune::cli {

/// `live`, but with the interfaces of a dump that was made already: on a node with thousands of
/// them a second dump would double the cost of a check. For looking only; `live` outlives it.
Providers with_links(const Providers& live, providers::Links links);

/// The dump of a check where nothing is to do: what is asked of the links is answered as they come
/// out of it, and none is kept.
class PassingLinks {
 public:
  /// `live`, but that its links come by here. For reading alone; `live` and this outlive it.
  Providers past(const Providers& live);
  /// kernel::link_token() of what came by; of a dump for it alone where no setting was one of a
  /// link.
  Result<std::string> token();

 private:
  Result<> pass(const std::function<void()>& restart, const kernel::TakeLink& take);

  bool passed_ = false;
  kernel::LinkToken token_;
  std::optional<Error> error_;
};

}  // namespace nettune::cli
