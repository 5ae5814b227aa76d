// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

#include "json/read.hpp"
#include "tools/advise/time_table.hpp"
#include "tools/advise/trace.hpp"

namespace nettune::tools::advise {

/// The parameters of torchvision's ResNets, in fp32, in the order of model.parameters()
/// (torchvision/models/resnet.py).
inline std::vector<double> resnet(std::array<int, 4> layers, bool is_basic, int groups = 1,
                                  int width_per_group = 64) {
  std::vector<double> bytes;
  const auto convolution = [&](int in, int out, int kernel, int of_groups = 1) {
    bytes.push_back(4.0 * out * (in / of_groups) * kernel * kernel);
  };
  const auto normalization = [&](int channels) {
    bytes.push_back(4.0 * channels);
    bytes.push_back(4.0 * channels);
  };
  convolution(3, 64, 7);
  normalization(64);
  int in = 64;
  const int expansion = is_basic ? 1 : 4;
  for (std::size_t stage = 0; stage < layers.size(); ++stage) {
    const int planes = 64 << stage;
    const int width = planes * width_per_group / 64 * groups;
    for (int block = 0; block < layers[stage]; ++block) {
      const int out = planes * expansion;
      if (is_basic) {
        convolution(in, planes, 3);
        normalization(planes);
        convolution(planes, planes, 3);
        normalization(planes);
      } else {
        convolution(in, width, 1);
        normalization(width);
        convolution(width, width, 3, groups);
        normalization(width);
        convolution(width, out, 1);
        normalization(out);
      }
      if (block == 0 && in != out) {
        convolution(in, out, 1);
        normalization(out);
      }
      in = out;
    }
  }
  bytes.push_back(4.0 * in * 1000);
  bytes.push_back(4000);
  return bytes;
}

inline double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

inline TimeTable line(double alpha, double bytes_a_second) {
  std::vector<TimeTable::Point> points;
  for (double bytes = 4096; bytes < 5e9; bytes *= 2)
    points.push_back({bytes, alpha + bytes / bytes_a_second});
  return TimeTable(points);
}

inline TraceReader read(const std::string& text) {
  struct OneByte : json::Source {
    std::string_view text;
    std::size_t at = 0;
    Result<std::size_t> read(char* to, std::size_t size) override {
      const std::size_t some = std::min({size, text.size() - at, std::size_t{7}});
      text.copy(to, some, at);
      at += some;
      return some;
    }
  } source;
  source.text = text;
  TraceReader reader;
  const auto done = json::read_stream(source, reader);
  EXPECT_TRUE(done) << (done ? "" : done.error().text);
  return reader;
}

}  // namespace nettune::tools::advise
