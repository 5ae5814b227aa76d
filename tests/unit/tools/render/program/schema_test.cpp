// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/render/program/print_render.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::tools::render::program {
namespace {

TEST(RenderProgramSchema, Render) {
  Made made{"torchrun", "/t/torchrun.tmpl", "00", "", {"text", {{"gpus", {"8", "--gpus", true}}}}};
  test::expect_valid("render.schema.json", json::made(made));
  made.file = "/f";
  test::expect_valid("render.schema.json", json::made(made));
  test::expect_valid("render.schema.json",
                     json::templates({{"a", "s", false, {"--time"}}, {"b", "why", true, {}}}));
}

}  // namespace
}  // namespace nettune::tools::render::program
