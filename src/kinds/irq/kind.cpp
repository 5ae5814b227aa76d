// SPDX-License-Identifier: Apache-2.0
#include "kinds/irq/kind.hpp"

#include "kinds/irq/provider.hpp"

namespace nettune::kinds::irq {

namespace {

std::unique_ptr<Provider> make_irq(const common::System& system) {
  return std::make_unique<IrqProvider>(system.places.sys, system.places.proc_irq);
}

}  // namespace

constinit const common::Kind kIrq = {"irq", make_irq, false, common::first_component};

}  // namespace nettune::kinds::irq
