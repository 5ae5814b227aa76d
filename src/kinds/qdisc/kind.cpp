// SPDX-License-Identifier: Apache-2.0
#include "kinds/qdisc/kind.hpp"

#include "base/text.hpp"
#include "kinds/qdisc/provider.hpp"

namespace nettune::kinds {

namespace {

std::unique_ptr<Provider> make_qdisc(const System& system) {
  providers::Loadable loadable{system.places.proc_sys,
                               cat(system.places.modules, '/', system.kernel_release)};
  return std::make_unique<providers::QdiscProvider>(system.places.sys, providers::QdiscCalls(),
                                                    std::move(loadable));
}

}  // namespace

constinit const Kind kQdisc = {"qdisc", make_qdisc, false, first_component};

}  // namespace nettune::kinds
