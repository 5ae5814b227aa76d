// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/explain.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/text.hpp"
#include "tools/compare/findings.hpp"

namespace nettune::tools::compare {

namespace {

constexpr double kSignificant = 0.05;

/// The logarithm of the number of ways to choose k of n.
double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t of) {
    return std::lgamma(static_cast<double>(of) + 1);
  };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// A property that exactly the nodes in `with` have, among those for which it is known.
struct Split {
  std::vector<std::uint32_t> with;
  std::vector<std::uint32_t> known;
  bool operator<(const Split& other) const {
    return std::tie(with, known) < std::tie(other.with, other.known);
  }
};

struct Said {
  std::vector<std::string> values;
  std::vector<std::string> opposites;
};

class Explainer {
 public:
  Explainer(const Fleet& fleet, const std::vector<std::string>& slow)
      : fleet_(fleet), index_(fleet), is_slow_(fleet.nodes().size()) {
    std::unordered_map<std::string_view, std::uint32_t> by_name;
    for (std::uint32_t i = 0; i < fleet.nodes().size(); ++i)
      by_name.emplace(fleet.nodes()[i].name, i);
    for (const std::string& name : slow) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) {
        out_.unknown.push_back(name);
      } else {
        is_slow_[found->second] = true;
      }
    }
    out_.nodes = fleet.nodes().size();
    out_.slow = static_cast<std::size_t>(std::ranges::count(is_slow_, true));
  }

  Explained run() {
    const auto& entries = index_.entries();
    for (std::size_t i = 0; i < entries.size();) {
      std::size_t last = i + 1;
      while (last < entries.size() && entries[last].path == entries[i].path) ++last;
      split_path(i, last);
      i = last;
    }
    split_shapes();
    test_all();
    return std::move(out_);
  }

 private:
  std::vector<std::uint32_t> nodes_with(std::size_t first, std::size_t last) const {
    std::vector<std::uint32_t> found;
    for (std::size_t i = first; i < last; ++i) {
      const auto nodes = index_.nodes_of(index_.entries()[i].part);
      found.insert(found.end(), nodes.begin(), nodes.end());
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void split_path(std::size_t first, std::size_t last) {
    const auto& entries = index_.entries();
    const std::uint32_t path = entries[first].path;
    std::vector<std::uint32_t> known = nodes_with(first, last);
    if (fleet_.is_element(path)) {
      // An element is known to exist, or not, on nodes whose list is known.
      const std::uint32_t list = fleet_.parent(path);
      const auto [list_first, list_last] = index_.entries_of(list);
      std::vector<std::uint32_t> listed = nodes_with(list_first, list_last);
      const std::string element = fleet_.path_text(path);
      add(cat(element, " is there"), cat(element, " is missing"), true, std::move(known),
          std::move(listed));
      return;
    }
    for (std::size_t i = first; i < last;) {
      std::size_t end = i + 1;
      while (end < last && entries[end].value == entries[i].value) ++end;
      const std::string name = fleet_.path_text(path);
      const std::string_view value = fleet_.value(entries[i].value);
      add(cat(name, " = ", value), cat(name, " is not ", value), false, nodes_with(i, end), known);
      i = end;
    }
  }

  void split_shapes() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_shape;
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < fleet_.nodes().size(); ++i) {
      by_shape[fleet_.nodes()[i].shape].push_back(i);
      all.push_back(i);
    }
    for (auto& [shape, nodes] : by_shape)
      add(cat("shape = ", fleet_.value(shape)), cat("shape is not ", fleet_.value(shape)), false,
          std::move(nodes), all);
  }

  /// Having a value and not having it are one question: the test is of the side that slow nodes
  /// have more often. `opposite` is named only if there is nothing else, or if it `counts`.
  void add(std::string value, std::string opposite, bool counts, std::vector<std::uint32_t> with,
           std::vector<std::uint32_t> known) {
    if (with.size() == known.size()) return;  // it does not distinguish any nodes
    // Compares the shares of slow and of other nodes, without division.
    const std::size_t slow_with = slow_of(with);
    const std::size_t slow = slow_of(known);
    const bool is_of_slow = slow_with * (known.size() - slow) >= (with.size() - slow_with) * slow;
    if (!is_of_slow) {
      std::vector<std::uint32_t> without;
      std::ranges::set_difference(known, with, std::back_inserter(without));
      with = std::move(without);
    }
    Said& said = splits_[{std::move(with), std::move(known)}];
    (is_of_slow || counts ? said.values : said.opposites)
        .push_back(is_of_slow ? std::move(value) : std::move(opposite));
  }

  std::size_t slow_of(const std::vector<std::uint32_t>& nodes) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(nodes, [&](std::uint32_t node) { return is_slow_[node]; }));
  }

  void test_all() {
    std::vector<Correlation> all;
    for (auto& [split, said] : splits_) {
      Correlation one;
      one.values = std::move(said.values.empty() ? said.opposites : said.values);
      one.slow_with = slow_of(split.with);
      one.slow = slow_of(split.known);
      one.others_with = split.with.size() - one.slow_with;
      one.others = split.known.size() - one.slow;
      one.p = fisher_exact(one.slow_with, one.slow - one.slow_with, one.others_with,
                           one.others - one.others_with);
      all.push_back(std::move(one));
    }
    out_.tested = all.size();
    std::ranges::stable_sort(all, {}, &Correlation::p);
    std::vector<double> sorted;
    for (const Correlation& one : all) sorted.push_back(one.p);
    const std::vector<double> adjusted = holm(sorted);
    for (std::size_t i = 0; i < all.size() && adjusted[i] < kSignificant; ++i) {
      all[i].p_adjusted = adjusted[i];
      out_.found.push_back(std::move(all[i]));
    }
  }

  const Fleet& fleet_;
  Index index_;
  std::vector<bool> is_slow_;
  std::map<Split, Said> splits_;
  Explained out_;
};

}  // namespace

double fisher_exact(std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  const std::size_t slow = a + b;
  const std::size_t with = a + c;
  const std::size_t all = slow + c + d;
  const auto log_p = [&](std::size_t of_slow) {
    return log_choose(with, of_slow) + log_choose(all - with, slow - of_slow) -
           log_choose(all, slow);
  };
  const double observed = log_p(a);
  // Tables that are as likely, up to rounding, also count.
  constexpr double kRounding = 1e-7;
  const std::size_t least = slow + with > all ? slow + with - all : 0;
  double p = 0;
  for (std::size_t i = least; i <= std::min(slow, with); ++i)
    if (const double other = log_p(i); other <= observed + kRounding) p += std::exp(other);
  return std::min(p, 1.0);
}

std::vector<double> holm(const std::vector<double>& sorted) {
  std::vector<double> out;
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double scaled = sorted[i] * static_cast<double>(sorted.size() - i);
    largest = std::max(largest, std::min(scaled, 1.0));
    out.push_back(largest);
  }
  return out;
}

Explained explain(const Fleet& fleet, const std::vector<std::string>& slow) {
  return Explainer(fleet, slow).run();
}

}  // namespace nettune::tools::compare
