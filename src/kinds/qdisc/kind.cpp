// SPDX-License-Identifier: Apache-2.0
#include "kinds/qdisc/kind.hpp"

#include "base/text.hpp"
#include "kinds/qdisc/provider.hpp"

namespace nettune::kinds::qdisc {

namespace {

std::unique_ptr<Provider> make_qdisc(const common::System& system) {
  common::Loadable loadable{system.places.proc_sys,
                            cat(system.places.modules, '/', system.kernel_release)};
  return std::make_unique<QdiscProvider>(system.places.sys, QdiscCalls(), std::move(loadable));
}

}  // namespace

constinit const common::Kind kQdisc = {"qdisc", make_qdisc, false, common::first_component};

}  // namespace nettune::kinds::qdisc
