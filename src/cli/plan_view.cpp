// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_view.hpp"

namespace nettune::cli::text {

PlanView plan_view(const node::Context& context, const facts::Facts& facts, bool all) {
  PlanView view{facts.node.hostname, all};
  view.facts = &facts;
  if (context.image()) view.seen = PlanView::Seen::image;
  if (context.recorded()) {
    view.seen = PlanView::Seen::recorded;
    const node::Locations& locations = context.locations();
    const std::string& file =
        locations.values_file.empty() ? locations.facts_file : locations.values_file;
    view.values = file.substr(file.rfind('/') + 1);
  }
  return view;
}

}  // namespace nettune::cli::text
