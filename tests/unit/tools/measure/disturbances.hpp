// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tools/measure/experiment.hpp"
#include "tools/measure/random.hpp"

namespace nettune::tools::measure {

/// What disturbs a machine while it measures, as a function of the place in the run (0 to 1).
struct Disturbance {
  const char* name;
  std::function<double(double place, Random&)> level;
};

/// One experiment as `ab` makes it: 3 repeats a half, random order. `effect` is that of B.
inline std::vector<double> experiment(const Disturbance& disturbance, std::size_t blocks,
                                      double noise, double effect, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> out;
  double neighbour = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    Block block{b_comes_first(seed ^ 0x5555, i), {}, {}};
    for (std::size_t half = 0; half < 2; ++half) {
      const bool is_b = (half == 1) != block.b_first;
      neighbour = 0.9 * neighbour + 0.02 * random.normal();
      for (int repeat = 0; repeat < 3; ++repeat) {
        const double place = static_cast<double>(2 * i + half) / static_cast<double>(2 * blocks);
        double level = disturbance.level(place, random) + noise * random.normal();
        if (disturbance.name == std::string("neighbour")) level += neighbour;
        (is_b ? block.b : block.a).push_back(std::exp(level + (is_b ? std::log1p(effect) : 0)));
      }
    }
    out.push_back(*difference(block, false));
  }
  return out;
}

inline const std::vector<Disturbance> kDisturbances = {
    {"none", [](double, Random&) { return 0.0; }},
    {"drift", [](double place, Random&) { return 0.04 * place; }},
    {"step", [](double place, Random&) { return place > 0.5 ? 0.03 : 0.0; }},
    {"neighbour", [](double, Random&) { return 0.0; }},
    {"spikes", [](double, Random& random) {
       return random.uniform() > 0.1 ? 0.0 : -std::abs(0.3 * random.normal());
     }}};

}  // namespace nettune::tools::measure
